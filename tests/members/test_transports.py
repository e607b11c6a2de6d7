"""The one contract that every transport keeps, on memory, on a folder and on a real API server."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from gitops_karmada.members.answers import NOT_SERVED
from gitops_karmada.members.execute import NEVER_THERE
from gitops_karmada.members.refusals import RefusalError
from gitops_karmada.members.resources import Resource
from gitops_karmada.model.managed_fields import entries_of, fields_digest
from gitops_karmada.model.objects import Key, Object
from tests.members.worlds import World, config_map, deployment, directory_world, memory_world, push_world

OURS = "gitops-karmada/test"
WIDGET_KEY = Key(group="demo.io", kind="Widget", name="")
WIDGETS: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.demo.io"},
    "spec": {
        "group": "demo.io",
        "scope": "Namespaced",
        "names": {"kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                },
            }
        ],
    },
}


@pytest.fixture(params=["memory", "directory", pytest.param("push", marks=pytest.mark.envtest)])
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    if request.param == "memory":
        world = memory_world()
    elif request.param == "directory":
        world = directory_world(tmp_path / "member")
    else:
        world = push_world(request.getfixturevalue("members")[0], tmp_path)
    await world.transport.begin()
    yield world
    await world.transport.close()


async def kind(world: World, api_version: str = "v1", name: str = "ConfigMap") -> Resource:
    return await world.resource(api_version, name)


def version_of(obj: Any) -> str:
    return str(obj["metadata"]["resourceVersion"])


async def test_it_is_ready_and_says_what_it_serves(world: World) -> None:
    assert await world.transport.ready()
    assert (await world.transport.version()).startswith("v1.")
    discovery = await world.transport.discover()
    assert discovery.complete
    deployments = await kind(world, "apps/v1", "Deployment")
    assert (deployments.plural, deployments.namespaced) == ("deployments", True)
    assert not (await kind(world, "v1", "Node")).namespaced
    names = [item.name for group in discovery.enablements() for item in group.resources]
    assert names
    assert not [name for name in names if "/" in name]


async def test_an_absent_object_is_none(world: World) -> None:
    assert await world.transport.get(await kind(world), "default", "nothing") is None


async def test_apply_creates_then_changes_nothing(world: World) -> None:
    """The second apply of the same intent leaves the version as it is."""
    maps = await kind(world)
    first = await world.transport.apply(maps, config_map(a="1"), manager=OURS)
    second = await world.transport.apply(maps, config_map(a="1"), manager=OURS)
    assert (first.created, second.created) == (True, False)
    assert version_of(first.object) == version_of(second.object)
    assert fields_digest(first.object, OURS) == fields_digest(second.object, OURS) != ""


async def test_a_version_that_never_was_creates_and_never_changes(world: World) -> None:
    """An apply that names it makes an object that is absent, and is refused over one that is there."""
    maps = await kind(world)
    body = config_map(a="1")
    body["metadata"]["resourceVersion"] = NEVER_THERE
    assert (await world.transport.apply(maps, body, manager=OURS)).created
    with pytest.raises(RefusalError) as refused:
        await world.transport.apply(maps, {**body, "data": {"b": "2"}}, manager="other")
    assert refused.value.status == 409
    found = await world.transport.get(maps, "default", "cfg")
    assert found is not None
    assert found["data"] == {"a": "1"}


async def test_other_peoples_fields_stay_and_our_removed_fields_go(world: World) -> None:
    maps = await kind(world)
    first = await world.transport.apply(maps, config_map(a="1", b="2"), manager=OURS)
    obj = {**config_map(a="1", b="2", c="3")}
    obj["metadata"]["labels"] = {"theirs": "yes"}
    world.hand.put(obj)
    changed = await world.transport.apply(maps, config_map(a="1"), manager=OURS)
    assert changed.object["data"] == {"a": "1", "c": "3"}
    assert changed.object["metadata"]["labels"] == {"theirs": "yes"}
    assert changed.object["metadata"]["uid"] == first.object["metadata"]["uid"]
    assert version_of(changed.object) != version_of(first.object)


async def test_a_field_that_another_manager_holds_is_a_conflict(world: World) -> None:
    """Nothing is written; the answer names manager and field. Force takes the field over."""
    maps = await kind(world)
    await world.transport.apply(maps, config_map(a="1"), manager=OURS)
    world.hand.put(config_map(a="changed"), manager="kubectl-edit")
    with pytest.raises(RefusalError) as refused:
        await world.transport.apply(maps, config_map(a="1"), manager=OURS)
    assert [(c.manager, c.field) for c in refused.value.conflicts] == [("kubectl-edit", ".data.a")]
    forced = await world.transport.apply(maps, config_map(a="1"), manager=OURS, force=True)
    assert forced.object["data"] == {"a": "1"}
    holders = {entry.manager for entry in entries_of(forced.object) if "f:a" in entry.fields.get("f:data", {})}
    assert holders == {OURS}


async def test_an_equal_value_is_shared_without_conflict(world: World) -> None:
    maps = await kind(world)
    world.hand.put(config_map(a="1"))
    shared = await world.transport.apply(maps, config_map(a="1"), manager=OURS)
    holders = {entry.manager for entry in entries_of(shared.object) if "f:a" in entry.fields.get("f:data", {})}
    assert holders == {OURS, "somebody"}


async def test_lists_with_keys_are_merged_item_by_item(world: World) -> None:
    """Ports of one number and two protocols are two items; a container that others added stays."""
    deployments = await kind(world, "apps/v1", "Deployment")
    ports = [{"containerPort": 9125, "protocol": "TCP"}, {"containerPort": 9125, "protocol": "UDP"}]
    first = await world.transport.apply(deployments, deployment(ports=ports), manager=OURS)
    live = await world.transport.get(deployments, "default", "web")
    assert live is not None
    theirs = deployment(ports=ports)
    theirs["spec"] = {**live["spec"]}
    template = live["spec"]["template"]
    containers = [*template["spec"]["containers"], {"name": "sidecar", "image": "proxy:1"}]
    theirs["spec"]["template"] = {**template, "spec": {**template["spec"], "containers": containers}}
    world.hand.put(theirs)
    second = await world.transport.apply(deployments, deployment(ports=ports[:1]), manager=OURS)
    spec = second.object["spec"]["template"]["spec"]
    assert [container["name"] for container in spec["containers"]] == ["main", "sidecar"]
    assert [(port["containerPort"], port["protocol"]) for port in spec["containers"][0]["ports"]] == [(9125, "TCP")]
    assert first.object["metadata"]["generation"] < second.object["metadata"]["generation"]


async def test_a_wrong_uid_is_refused(world: World) -> None:
    maps = await kind(world)
    body = config_map(a="1")
    body["metadata"]["uid"] = "7bb0f1f5-53a8-4b3a-9b2c-3a8c9e2d1f00"
    with pytest.raises(RefusalError) as absent:
        await world.transport.apply(maps, body, manager=OURS)
    await world.transport.apply(maps, config_map(a="1"), manager=OURS)
    with pytest.raises(RefusalError) as other:
        await world.transport.apply(maps, body, manager=OURS)
    assert (absent.value.status, other.value.status) == (409, 422)
    assert "metadata.uid" in other.value.fields


async def test_a_namespace_that_is_not_there_is_refused(world: World) -> None:
    with pytest.raises(RefusalError, match='namespaces "nowhere" not found'):
        await world.transport.apply(await kind(world), config_map(namespace="nowhere"), manager=OURS)


async def test_a_list_by_label_and_the_names(world: World) -> None:
    maps = await kind(world)
    for name, instance in (("one", "us"), ("two", "them"), ("three", "us")):
        body = config_map(name, a="1")
        body["metadata"]["labels"] = {"gitops-karmada.io/instance": instance}
        await world.transport.apply(maps, body, manager=OURS)
    ours = await world.transport.list(maps, selector="gitops-karmada.io/instance=us")
    assert sorted(obj["metadata"]["name"] for obj in ours) == ["one", "three"]
    assert {(obj["apiVersion"], obj["kind"]) for obj in ours} == {("v1", "ConfigMap")}
    names = await world.transport.names(maps, namespace="default")
    assert {("default", "one"), ("default", "two"), ("default", "three")} <= names


async def test_a_delete_names_exactly_one_object_in_one_version(world: World) -> None:
    maps = await kind(world)
    written = (await world.transport.apply(maps, config_map(a="1"), manager=OURS)).object
    uid, version = written["metadata"]["uid"], version_of(written)
    for wrong_uid, wrong_version in (("7bb0f1f5-53a8-4b3a-9b2c-3a8c9e2d1f00", version), (uid, "1")):
        with pytest.raises(RefusalError) as refused:
            await world.transport.delete(maps, "default", "cfg", uid=wrong_uid, resource_version=wrong_version)
        assert refused.value.status == 409
    await world.transport.delete(maps, "default", "cfg", uid=uid, resource_version=version)
    assert await world.transport.get(maps, "default", "cfg") is None
    with pytest.raises(RefusalError) as gone:
        await world.transport.delete(maps, "default", "cfg", uid=uid, resource_version=version)
    assert gone.value.status == 404


async def test_a_finalizer_keeps_a_deleted_object(world: World) -> None:
    maps = await kind(world)
    body = config_map(a="1")
    body["metadata"]["finalizers"] = ["demo.io/hold"]
    world.hand.put(body)
    live = await world.transport.get(maps, "default", "cfg")
    assert live is not None
    uid, version = live["metadata"]["uid"], version_of(live)
    await world.transport.delete(maps, "default", "cfg", uid=uid, resource_version=version)
    going = await world.transport.get(maps, "default", "cfg")
    assert going is not None
    assert going["metadata"]["deletionTimestamp"]
    remove = [{"op": "remove", "path": "/metadata/finalizers"}]
    await world.transport.patch(maps, "default", "cfg", remove, manager=OURS)
    assert await world.transport.get(maps, "default", "cfg") is None


async def test_a_patch_may_pin_the_version_and_set_the_managed_fields(world: World) -> None:
    maps = await kind(world)
    written = (await world.transport.apply(maps, config_map(a="1"), manager=OURS)).object
    pinned = {"op": "replace", "path": "/metadata/resourceVersion", "value": version_of(written)}
    emptied: list[Object] = [{"op": "add", "path": "/metadata/managedFields", "value": [{}]}, pinned]
    free = await world.transport.patch(maps, "default", "cfg", emptied, manager=OURS)
    assert entries_of(free) == ()
    assert free["data"] == {"a": "1"}
    with pytest.raises(RefusalError) as stale:
        await world.transport.patch(maps, "default", "cfg", emptied, manager=OURS)
    assert stale.value.status == 409


async def test_a_kind_comes_with_its_definition(world: World) -> None:
    definitions = await kind(world, "apiextensions.k8s.io/v1", "CustomResourceDefinition")
    assert (await world.transport.discover()).find(WIDGET_KEY, "demo.io/v1") is None
    await world.transport.apply(definitions, WIDGETS, manager=OURS)
    widgets = None
    for _ in range(100):
        widgets = (await world.transport.discover()).find(WIDGET_KEY, "demo.io/v1")
        if widgets:
            break
    assert widgets is not None
    assert widgets.namespaced


async def test_a_kind_that_is_not_served_is_no_absent_object(world: World) -> None:
    if world.transport.__class__.__name__ != "PushMember":
        pytest.skip("a store holds objects of any kind; what it serves is asked before")
    widgets = Resource(group="demo.io", version="v1", kind="Widget", plural="widgets", namespaced=True)
    gadgets = Resource(group="apps", version="v1", kind="Gadget", plural="gadgets", namespaced=True)
    for resource in (widgets, gadgets):
        with pytest.raises(RefusalError) as refused:
            await world.transport.get(resource, "default", "x")
        assert refused.value.reason == NOT_SERVED
