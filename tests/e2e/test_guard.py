"""Somebody else's objects, met by the whole program on real API servers: named, and left exactly as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.lab import Lab, config_map, deployment, policy
from tests.envtest.cluster import Cluster

ONE = {"clusterAffinity": {"clusterNames": ["member1"]}}
CONFIG = ("v1", "ConfigMap", "")
OURS = "gitops-karmada.io/owner"

pytestmark = pytest.mark.envtest

# What each of them writes on its objects, and the words that must name it.
OWNERS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "by-helm": (
        {
            "labels": {"app.kubernetes.io/managed-by": "Helm"},
            "annotations": {"meta.helm.sh/release-name": "web", "meta.helm.sh/release-namespace": "shop"},
        },
        ("Helm", "release shop/web"),
    ),
    "by-argo-cd": (
        {"annotations": {"argocd.argoproj.io/tracking-id": "storefront:/ConfigMap:shop/by-argo-cd"}},
        ("Argo CD", "Application storefront"),
    ),
    "by-flux": (
        {
            "labels": {
                "kustomize.toolkit.fluxcd.io/name": "apps",
                "kustomize.toolkit.fluxcd.io/namespace": "flux-system",
            }
        },
        ("Flux", "Kustomization flux-system/apps"),
    ),
    "by-another-instance": (
        {
            "labels": {"gitops-karmada.io/instance": "neighbour"},
            "annotations": {OURS: "neighbour:/ConfigMap:shop/by-another-instance"},
        },
        ("gitops-karmada", "instance neighbour"),
    ),
    "by-a-controller": (
        {
            "ownerReferences": [
                {
                    "apiVersion": "example.org/v1",
                    "kind": "Bundle",
                    "name": "everything",
                    "uid": "5f1d2c7e-6f0c-4d0e-9a51-0d3bd2a6a1b9",
                    "controller": True,
                }
            ]
        },
        ("Bundle everything", "manage the parent instead"),
    ),
    "by-nobody": ({}, ("conflictResolution: Overwrite",)),
}


@pytest.fixture
def lab(tmp_path: Path, members: tuple[Cluster, ...]) -> Lab:
    """Every owner's object is in the member, and the same objects with other data are in Git, and some of ours."""
    (one, *_) = members
    one.admin.namespace("shop")
    for name, (marks, _) in OWNERS.items():
        theirs = config_map(name, of="theirs")
        one.client("other-hub").create({**theirs, "metadata": {**theirs["metadata"], **marks}})
    lab = Lab(tmp_path, [one])
    lab.commit(
        "everything",
        {
            "templates/config.yaml": [config_map(name, of="ours") for name in (*OWNERS, "free")],
            "templates/web.yaml": deployment(replicas=2),
            "policies/all.yaml": policy("all", CONFIG, ("apps/v1", "Deployment", ""), placement=ONE),
        },
    )
    return lab


def test_what_others_own_is_named_and_left_alone(lab: Lab) -> None:
    """Not a byte of theirs changes, in any number of turns; the rest of the same commit goes out; people are told."""
    (one,) = lab.clusters.values()
    theirs = {name: one.admin.get("v1", "ConfigMap", name, "shop") for name in OWNERS}
    before, mark = one.revisions(), one.audit.mark()

    plan = lab.run("plan")
    for name, (_, words) in OWNERS.items():
        foretold = next(line for line in plan.output.splitlines() if f"ConfigMap {name} " in line)
        assert "held" in foretold
        assert all(word in foretold for word in words)
    assert one.audit.writes(since=mark, user="hub") == (), "a plan writes nothing"

    run = lab.run("sync")
    assert run.code == 5, "something needs a person"
    readme = lab.status_text("README.md")
    for name, (_, words) in OWNERS.items():
        told = "\n".join(line for line in run.output.splitlines() if name in line)
        page = "\n".join(line for line in readme.splitlines() if line.startswith("- ") and name in line)
        assert "refused" in told
        for word in words:
            assert word in told
            assert word in page
    assert one.admin.get("v1", "ConfigMap", "free", "shop")["data"] == {"of": "ours"}
    assert lab.replicas("web") == {"member1": 2}

    assert lab.run("sync").code == 5
    after = one.revisions()
    assert {key: after.get(key) for key in before} == before, "no object that was there has another revision"
    assert {name: one.admin.get("v1", "ConfigMap", name, "shop") for name in OWNERS} == theirs
    written = {event.name for event in one.audit.writes(since=mark, user="hub")}
    assert not written & OWNERS.keys(), "not even an attempt"
    work = lab.status_value("works/member1/shop/configmap/by-helm.yaml")
    applied = next(it for it in work["status"]["conditions"] if it["type"] == "Applied")
    assert applied["status"] == "False"
    assert "Helm" in applied["message"]


def test_what_was_never_ours_survives_its_template(lab: Lab) -> None:
    """Taken out of Git, what was refused stays where it is: only ours goes."""
    (one,) = lab.clusters.values()
    lab.run("sync")
    before = one.revisions()
    lab.commit("closed", {"templates/config.yaml": None})
    for _ in range(2):
        run = lab.run("sync")
    assert run.code == 0
    assert one.admin.find("v1", "ConfigMap", "free", "shop") is None
    after = one.revisions()
    gone = "/registry/configmaps/shop/free"
    assert {key for key in before if after.get(key) != before[key]} == {gone}
    assert not [path for path in lab.status_files() if path.startswith("works/member1/shop/configmap/")]


def test_overwrite_adopts_what_nobody_owns_and_nothing_else(lab: Lab) -> None:
    (one,) = lab.clusters.values()
    keys = [f"/registry/configmaps/shop/{name}" for name in OWNERS if name != "by-nobody"]
    before = one.revisions()
    selectors = (CONFIG, ("apps/v1", "Deployment", ""))
    overwriting = policy("all", *selectors, placement=ONE, conflictResolution="Overwrite")
    lab.commit("take over", {"policies/all.yaml": overwriting})
    run = lab.run("sync")
    assert run.code == 5
    adopted = one.admin.get("v1", "ConfigMap", "by-nobody", "shop")
    assert adopted["data"] == {"of": "ours"}
    assert adopted["metadata"]["annotations"][OURS] == "lab:/ConfigMap:shop/by-nobody"
    assert "adopted" in next(line for line in run.output.splitlines() if "by-nobody" in line)
    after = one.revisions()
    assert [after[key] for key in keys] == [before[key] for key in keys]


def test_two_instances_keep_to_their_own(tmp_path: Path, members: tuple[Cluster, ...]) -> None:
    """Two federations on one member: who came first keeps the object, and the other one says whose it is."""
    (one, *_) = members
    first = Lab(tmp_path / "first", [one], instance="first")
    second = Lab(tmp_path / "second", [one], instance="second", user="other-hub")
    for lab in (first, second):
        lab.commit(
            "config",
            {
                "templates/config.yaml": [config_map("shared", of=lab.root.name), config_map(lab.root.name, of="own")],
                "policies/all.yaml": policy("all", CONFIG, placement=ONE, conflictResolution="Overwrite"),
            },
        )
    first.sync()
    mark = one.audit.mark()
    run = second.run("sync")
    assert run.code == 5
    assert "instance first" in next(line for line in run.output.splitlines() if "shared" in line)
    first.sync()
    assert one.admin.get("v1", "ConfigMap", "shared", "shop")["data"] == {"of": "first"}
    assert one.admin.get("v1", "ConfigMap", "second", "shop")["data"] == {"of": "own"}
    assert one.audit.writes(since=mark, user="hub") == ()
    assert "shared" not in {event.name for event in one.audit.writes(since=mark, user="other-hub")}
