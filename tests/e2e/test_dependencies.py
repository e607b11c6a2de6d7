"""What a workload needs follows it on real API servers: before it arrives, and away when it leaves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.lab import Lab, config_map, deployment, policy, service, static
from tests.envtest.cluster import Cluster

API = ("apps/v1", "Deployment", "api")
HIDDEN = "aHVudGVyMg=="
NEEDED = (
    ("v1", "ServiceAccount", "runner"),
    ("v1", "ConfigMap", "cfg"),
    ("v1", "ConfigMap", "extra"),
    ("v1", "Secret", "creds"),
    ("v1", "Secret", "tok"),
    ("v1", "Secret", "pull"),
    ("v1", "PersistentVolumeClaim", "data"),
)

pytestmark = pytest.mark.envtest


def test_what_it_needs_goes_where_it_goes(tmp_path: Path, members: tuple[Cluster, ...]) -> None:
    """One policy for the Deployment alone brings seven more objects, in every member that it runs in, and no other."""
    one, two, three = members
    lab = Lab(tmp_path, [one, two, three], spec={"secrets": "Redact"})
    lab.commit("an api", {"templates/api.yaml": everything(), **placing(member1=1)})
    plan = lab.run("plan")
    assert "because of" in plan.output
    assert "Deployment api" in plan.output
    lab.sync()
    assert has(one) == {*NEEDED, API}
    assert has(two) == set()
    assert has(three) == set()
    assert one.admin.get("v1", "Secret", "creds", "shop")["data"] == {"password": HIDDEN}
    assert HIDDEN not in "\n".join(lab.status_text(path) for path in lab.status_files())
    required = lab.status_value("bindings/shop/configmap/cfg.yaml")["spec"]["requiredBy"]
    assert [(it["name"], [target["name"] for target in it["clusters"]]) for it in required] == [
        ("api-deployment", ["member1"])
    ]

    # It grows into another member, where all it needs is there before it is.
    lab.commit("also in two", placing(member1=1, member2=1))
    mark = two.audit.mark()
    lab.sync()
    assert has(one) == has(two) == {*NEEDED, API}
    assert lab.replicas("api") == {"member1": 2, "member2": 2}
    written = [(event.resource, event.name) for event in two.audit.writes(since=mark, user="hub")]
    workload = written.index(("deployments", "api"))
    for _, kind, name in NEEDED:
        assert written.index((f"{kind.lower()}s", name)) < workload

    # A policy of its own adds to where it is needed.
    own = policy("cfg", ("v1", "ConfigMap", "cfg"), placement={"clusterAffinity": {"clusterNames": ["member3"]}})
    lab.commit("cfg for three", {"policies/cfg.yaml": own})
    lab.sync()
    assert has(three) == {("v1", "ConfigMap", "cfg")}
    assert has(one) == has(two) == {*NEEDED, API}

    # It leaves a member, and takes everything with it.
    lab.commit("only in two", placing(member2=1))
    for _ in range(2):
        lab.run("sync")
        release(one)
    assert has(one) == set()
    assert has(two) == {*NEEDED, API}
    assert lab.replicas("api") == {"member2": 4}
    lab.sync()
    tip = lab.status_tip()
    lab.sync()
    assert lab.status_tip() == tip


def test_what_is_not_in_the_repository_is_a_warning(tmp_path: Path, members: tuple[Cluster, ...]) -> None:
    """The member may have it: the workload goes out, and the plan says what it misses."""
    one, *_ = members
    lab = Lab(tmp_path, [one], spec={"secrets": "Redact"})
    without = [obj for obj in everything() if obj["metadata"]["name"] != "extra"]
    lab.commit("an api", {"templates/api.yaml": without, **placing(member1=1)})
    run = lab.sync()
    assert "warning[GK2052]" in run.errors
    assert "ConfigMap shop/extra" in run.errors
    assert has(one) == {*NEEDED, API} - {("v1", "ConfigMap", "extra")}


@pytest.mark.parametrize(("resolution", "code", "data"), [("Abort", 5, "theirs"), ("Overwrite", 0, "ours")])
def test_what_is_there_already(
    tmp_path: Path, members: tuple[Cluster, ...], resolution: str, code: int, data: str
) -> None:
    """Somebody's object of that name: left and reported, or taken over where the policy says so. The rest goes out."""
    one, *_ = members
    one.admin.namespace("shop")
    one.client("person").create(config_map("cfg", of="theirs"))
    lab = Lab(tmp_path, [one], spec={"secrets": "Redact"})
    lab.commit("an api", {"templates/api.yaml": everything(), **placing(member1=1, conflictResolution=resolution)})
    run = lab.run("sync")
    assert run.code == code, run.output
    assert one.admin.get("v1", "ConfigMap", "cfg", "shop")["data"] == {"of": data}
    assert has(one) == {*NEEDED, API}
    told = next(line for line in run.output.splitlines() if "ConfigMap cfg" in line)
    assert ("refused" if resolution == "Abort" else "adopted") in told
    applied = lab.status_value("bindings/shop/configmap/cfg.yaml")["status"]["aggregatedStatus"][0].get("applied")
    assert bool(applied) is (resolution == "Overwrite")


def placing(conflictResolution: str = "Abort", **weights: int) -> dict[str, Any]:  # noqa: N803 - Karmada's word
    spec = {"propagateDeps": True, "conflictResolution": conflictResolution}
    return {"policies/api.yaml": policy("api", API, placement=static(**weights), **spec)}


def has(cluster: Cluster) -> set[tuple[str, str, str]]:
    """Which of all these objects the member has."""
    candidates = (*NEEDED, API, ("v1", "Service", "api"))
    return {it for it in candidates if cluster.admin.find(*it, "shop") is not None}


def release(cluster: Cluster) -> None:
    """Play the part of the member's controller: a claim that is being deleted and that no pod uses may go."""
    claim = cluster.admin.find("v1", "PersistentVolumeClaim", "data", "shop")
    if claim is not None and claim["metadata"].get("deletionTimestamp"):
        patch = {"metadata": {"finalizers": None}}
        cluster.admin.patch("v1", "PersistentVolumeClaim", "data", "shop", patch=patch)


def everything() -> list[dict[str, Any]]:
    """The workload, what it needs, and a Service that it does not."""
    workload = deployment(
        "api",
        4,
        "registry.example/api:1",
        envFrom=[{"configMapRef": {"name": "cfg"}}],
        env=[{"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "creds", "key": "password"}}}],
    )
    workload["spec"]["template"]["spec"] |= {
        "serviceAccountName": "runner",
        "imagePullSecrets": [{"name": "pull"}],
        "volumes": [
            {"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
            {
                "name": "all",
                "projected": {"sources": [{"secret": {"name": "tok"}}, {"configMap": {"name": "extra"}}]},
            },
        ],
    }
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": "shop"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "runner", "namespace": "shop"}}
    config = [config_map("cfg", of="ours"), config_map("extra", more="yes")]
    return [workload, account, *config, secret("creds"), secret("tok"), secret("pull"), claim, service("api")]


def secret(name: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "shop"}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": {"password": HIDDEN}}
