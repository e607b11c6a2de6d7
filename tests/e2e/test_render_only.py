"""Members that Argo CD or Flux applies: we decide and write manifests for them, and never touch them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.e2e.lab import Lab, cluster_manifest, deployment, policy, settings, static

WEB = ("apps/v1", "Deployment", "web")
MANIFEST = "members/member1/manifests/shop/deployment.apps/web.yaml"


def mixed_lab(root: Path) -> Lab:
    """member1 is applied by somebody else, member2 by us."""
    lab = Lab(root, directories=["member2"])
    spec = {"members": [{"name": "member1", "mode": "render-only"}, {"name": "member2", "mode": "directory"}]}
    lab.commit(
        "start",
        {
            "gitops-karmada.yaml": settings("lab", [], [], spec),
            "clusters/member1.yaml": {
                **cluster_manifest("member1"),
                "metadata": {"name": "member1", "labels": {"a": "b"}},
            },
            "templates/web.yaml": deployment(replicas=6),
            "policies/web.yaml": policy("web", WEB, placement=static(member1=2, member2=1)),
        },
    )
    lab.sync()
    return lab


def manifest(lab: Lab) -> Any:
    return lab.status_value(MANIFEST)


def test_manifests_stand_on_the_status_branch_and_bear_no_marks(tmp_path: Path) -> None:
    """What the other tool applies is plain: our marks would make the two fight over annotations."""
    lab = mixed_lab(tmp_path)
    assert manifest(lab)["spec"]["replicas"] == 4
    marks = {**manifest(lab)["metadata"].get("labels", {}), **manifest(lab)["metadata"].get("annotations", {})}
    assert not [name for name in marks if name.startswith("gitops-karmada.io/")]
    assert lab.status_value("members/member1/member.json") == {
        "cluster": "member1",
        "labels": {"a": "b"},
        "mode": "render-only",
    }
    assert "members/member1/manifests/_cluster/namespace/shop.yaml" in lab.status_files()
    assert not [path for path in lab.status_files() if path.startswith("members/member2")]
    tip = lab.status_tip()
    lab.sync()
    assert lab.status_tip() == tip


def test_a_manifest_goes_when_its_object_is_wanted_no_more(tmp_path: Path) -> None:
    """The other tool prunes what leaves the branch; member.json stays, so that what it generated stays too."""
    lab = mixed_lab(tmp_path)
    lab.commit("only member2", {"policies/web.yaml": policy("web", WEB, placement=static(member2=1))})
    lab.sync()
    assert MANIFEST not in lab.status_files()
    assert "members/member1/member.json" in lab.status_files()
    assert lab.placed("shop/deployment.apps/web") == {"member2": 6}


def test_manifests_stay_while_a_file_cannot_be_read(tmp_path: Path) -> None:
    """A manifest that goes is an object that dies: never for a typing error."""
    lab = mixed_lab(tmp_path)
    lab.commit("broken", {"templates/web.yaml": "apiVersion: apps/v1\nkind: [Deployment\n"})
    assert lab.run("sync").code != 0
    assert manifest(lab)["spec"]["replicas"] == 4


def test_many_manifests_go_only_within_the_budget(tmp_path: Path) -> None:
    lab = mixed_lab(tmp_path)
    names = [f"web-{number}" for number in range(15)]
    many = {"templates/many.yaml": [deployment(name, replicas=3) for name in names]}
    lab.commit("many", {**many, "policies/web.yaml": policy("web", (*WEB[:2], ""), placement=static(member1=1))})
    lab.sync()
    lab.commit("all gone", {"templates/many.yaml": None})
    run = lab.run("sync")
    assert "deletion budget of 10" in run.output
    assert len([path for path in lab.status_files() if "manifests/shop/deployment.apps/web-" in path]) == 15
    budget = {
        "members": [{"name": "member1", "mode": "render-only"}, {"name": "member2", "mode": "directory"}],
        "deletion": {"maxObjects": 15},
    }
    lab.commit("it is meant", {"gitops-karmada.yaml": settings("lab", [], [], budget)})
    lab.sync()
    assert not [path for path in lab.status_files() if "manifests/shop/deployment.apps/web-" in path]
