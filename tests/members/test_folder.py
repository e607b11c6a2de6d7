"""A member that is a folder: readable by people, kept whole, and safe to edit by hand."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from gitops_karmada.members.folder import EDITOR, file_of
from gitops_karmada.members.refusals import UnreachedError
from gitops_karmada.members.resources import Resource
from gitops_karmada.members.transports.directory import DirectoryMember
from gitops_karmada.model.actions import Applied
from gitops_karmada.model.managed_fields import entries_of
from gitops_karmada.model.members import MemberConnection
from gitops_karmada.model.objects import ClusterName, Key
from gitops_karmada.model.settings import MemberMode
from tests.members.turns import Turns, only, work
from tests.members.worlds import clock, config_map, deployment

MAPS = Resource(group="", version="v1", kind="ConfigMap", plural="configmaps", namespaced=True)
MAP = "default/configmap/cfg.yaml"


def turns(root: Path) -> Turns:
    return Turns([MemberConnection(cluster=ClusterName("one"), mode=MemberMode.DIRECTORY, directory=str(root))])


def read(root: Path, name: str = MAP) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((root / name).read_text())
    return found


async def apply(root: Path, *manifests: Any, **changes: Any) -> Any:
    return await turns(root).turn([work(manifest, "one", **changes) for manifest in manifests])


async def test_each_object_is_a_plain_manifest_in_a_place_of_its_own(tmp_path: Path) -> None:
    """What a server would add lies hidden beside it."""
    await apply(tmp_path, config_map(a="1"), deployment())
    seen = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.yaml") if ".gitops" not in str(path))
    assert seen == [MAP, "default/deployment.apps/web.yaml"]
    metadata = read(tmp_path)["metadata"]
    assert set(metadata) == {"name", "namespace", "annotations", "labels"}
    assert read(tmp_path)["data"] == {"a": "1"}


async def test_versions_and_owners_survive_a_new_process(tmp_path: Path) -> None:
    first = only(await apply(tmp_path, config_map(a="1")))
    member = DirectoryMember("one", tmp_path, clock=clock)
    await member.begin()
    (live,) = member.store.list(MAPS)
    assert live == first.object


async def test_an_edit_by_hand_is_a_persons_and_is_corrected(tmp_path: Path) -> None:
    mine = turns(tmp_path)
    await mine.turn([work(config_map(a="1", b="2"), "one")])
    edited = read(tmp_path)
    edited["data"] = {"a": "edited", "b": "2", "theirs": "3"}
    (tmp_path / MAP).write_text(yaml.safe_dump(edited))
    outcome = only(await mine.turn([work(config_map(a="1", b="2"), "one")]))
    assert isinstance(outcome, Applied)
    assert [(conflict.manager, conflict.field) for conflict in outcome.drift] == [(EDITOR, ".data.a")]
    assert read(tmp_path)["data"] == {"a": "1", "b": "2", "theirs": "3"}


async def test_a_file_that_is_deleted_by_hand_is_made_again(tmp_path: Path) -> None:
    mine = turns(tmp_path)
    await mine.turn([work(config_map(a="1"), "one")])
    (tmp_path / MAP).unlink()
    outcome = only(await mine.turn([work(config_map(a="1"), "one")]))
    assert isinstance(outcome, Applied)
    assert outcome.created
    assert read(tmp_path)["data"] == {"a": "1"}


async def test_an_object_in_a_file_with_others_moves_out_when_it_is_written(tmp_path: Path) -> None:
    """The others stay where people put them."""
    both = f"{json.dumps(config_map('cfg', a='theirs'))}\n---\n{json.dumps(config_map('other'))}\n"
    (tmp_path / "by-hand.yaml").write_text(both)
    outcome = only(await apply(tmp_path, config_map(a="ours"), conflict_resolution="overwrite"))
    assert outcome.adopted
    assert read(tmp_path)["data"] == {"a": "ours"}
    assert read(tmp_path, "by-hand.yaml")["metadata"]["name"] == "other"


async def test_a_file_that_cannot_be_read_makes_the_member_unknown(tmp_path: Path) -> None:
    """Half of a folder is not the whole of a member."""
    (tmp_path / "broken.yaml").write_text("a: [")
    member = DirectoryMember("one", tmp_path, clock=clock)
    with pytest.raises(UnreachedError, match=r"broken\.yaml"):
        await member.begin()


async def test_a_write_that_broke_off_leaves_the_old_file(tmp_path: Path) -> None:
    await apply(tmp_path, config_map(a="1"))
    (tmp_path / "default/configmap/.cfg.yaml.unfinished").write_text('{"apiVersion": "v1", "ki')
    outcome = only(await apply(tmp_path, config_map(a="1")))
    assert outcome.object["data"] == {"a": "1"}


async def test_a_path_that_is_no_folder_is_unreachable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnreachedError, match="not a folder"):
        await DirectoryMember("one", tmp_path / "file", clock=clock).begin()


@pytest.mark.parametrize("name", ["../x", "a/b", ".hidden", "", "a\\b"])
def test_no_name_leads_out_of_the_folder(name: str) -> None:
    with pytest.raises(UnreachedError):
        file_of(Key(group="", kind="ConfigMap", namespace="default", name=name))
    if name:
        with pytest.raises(UnreachedError):
            file_of(Key(group="", kind="ConfigMap", namespace=name, name="x"))


def test_two_groups_of_one_kind_do_not_share_a_file() -> None:
    keys = [Key(group=group, kind="Gateway", namespace="n", name="x") for group in ("a.io", "b.io", "")]
    assert len({file_of(key) for key in keys}) == 3


async def test_people_may_say_who_holds_what(tmp_path: Path) -> None:
    """A story can put managed fields into its files, to play other tools."""
    obj = config_map(a="1")
    obj["metadata"]["managedFields"] = [
        {"manager": "helm", "operation": "Update", "apiVersion": "v1", "fieldsV1": {"f:data": {"f:a": {}}}}
    ]
    (tmp_path / "story.json").write_text(json.dumps(obj))
    member = DirectoryMember("one", tmp_path, clock=clock)
    await member.begin()
    (live,) = member._folder.objects.values()
    assert [entry.manager for entry in entries_of(live)] == ["helm"]


async def test_names_as_long_as_kubernetes_allows_are_kept_apart(tmp_path: Path) -> None:
    names = [f"{'a' * 250}{end}" for end in ("bcd", "bce")]
    manifests = [{**config_map(a=name), "metadata": {"name": name, "namespace": "default"}} for name in names]
    await apply(tmp_path, *manifests)
    files = sorted((tmp_path / "default" / "configmap").iterdir())
    assert sorted(yaml.safe_load(file.read_text())["metadata"]["name"] for file in files) == names
    member = DirectoryMember("one", tmp_path, clock=clock)
    await member.begin()
    assert sorted(live["metadata"]["name"] for live in member.store.list(MAPS)) == names
