"""Members that die, hang or are drained, on real API servers: what ran there moves, and comes back to nobody's harm."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.lab import Lab, cluster_manifest, deployment, make_ready, policy, static
from tests.envtest.cluster import Cluster

WEB = ("apps/v1", "Deployment", "web")
PLACED = "shop/deployment.apps/web"
FAILOVER = {
    "enabled": True,
    "noExecuteTaintEviction": True,
    "clusterFailureThresholdSeconds": 1,
    "clusterSuccessThresholdSeconds": 1,
}
DEADLINES = {"connectSeconds": 1, "requestSeconds": 3, "memberSeconds": 10}
DRAIN = {"key": "maintenance", "value": "planned", "effect": "NoExecute"}

pytestmark = [pytest.mark.envtest, pytest.mark.slow]


def test_a_dead_member(tmp_path: Path, members: tuple[Cluster, ...]) -> None:
    """Its share moves, nothing of it is deleted before it is back, and then only what runs elsewhere by now."""
    one, two, _ = members
    lab = started(tmp_path, one, two)
    assert lab.replicas("web") == {"member1": 4, "member2": 2}

    two.stop()
    assert_outlasted(lab, {"member1": 4, "member2": 2})
    lab.run("sync")
    assert lab.placed(PLACED) == {"member1": 6}
    assert one.admin.get("apps/v1", "Deployment", "web", "shop")["spec"]["replicas"] == 6
    assert failovers(lab) == 1
    assert ready(lab, "member2") == "False"
    assert taints(lab, "member2") == {"cluster.karmada.io/not-ready:NoSchedule", "dead:NoExecute"}
    assert evicting(lab) == ["member2"], "the new replicas are not ready, so the old ones are still wanted"

    # The new replicas are ready: the old ones may go, and cannot, because nobody reaches them.
    make_ready(one)
    for _ in range(2):
        lab.run("sync")
    assert evicting(lab) == []
    assert f"works/member2/{PLACED}.yaml" in lab.status_files(), "not forgotten before it is seen to be gone"
    assert failovers(lab) == 1, "one failover, one commit"
    run = lab.run("sync")
    assert "Not reached: member2" in run.output

    # Back from the dead, with all that it had.
    two.restart()
    assert two.admin.get("apps/v1", "Deployment", "web", "shop")["spec"]["replicas"] == 2
    lab.run("sync")
    time.sleep(1)
    lab.sync()
    assert lab.replicas("web") == {"member1": 6}
    assert f"works/member2/{PLACED}.yaml" not in lab.status_files()
    assert ready(lab, "member2") == "True"
    assert taints(lab, "member2") == set()
    assert lab.placed(PLACED) == {"member1": 6}, "what has moved does not come back by itself"
    assert failovers(lab) == 1


def test_a_member_that_hangs(tmp_path: Path, members: tuple[Cluster, ...]) -> None:
    """A black hole costs its deadline and no more: the others get theirs in the same turn, and its share moves."""
    one, two, _ = members
    lab = started(tmp_path, one, two)
    two.pause()
    try:
        lab.commit("nine", {"templates/web.yaml": deployment(replicas=9)})
        began = time.monotonic()
        run = lab.run("sync")
        assert time.monotonic() - began < 30
        assert "Not reached: member2" in run.output
        assert one.admin.get("apps/v1", "Deployment", "web", "shop")["spec"]["replicas"] == 6
        lab.run("sync")
        assert lab.placed(PLACED) == {"member1": 9}
        assert failovers(lab) == 1
    finally:
        two.resume()
    assert two.admin.get("apps/v1", "Deployment", "web", "shop")["spec"]["replicas"] == 2
    make_ready(one)
    for _ in range(3):
        lab.sync()
    assert lab.replicas("web") == {"member1": 9}


def test_nowhere_to_go(tmp_path: Path, members: tuple[Cluster, ...]) -> None:
    """Who has to leave and has no other place keeps running where it is, also when the time for leaving is over."""
    _, two, _ = members
    lab = Lab(tmp_path, [two], spec={"failover": {**FAILOVER, "gracefulEvictionTimeoutSeconds": 1}})
    lab.commit("start", {"templates/web.yaml": deployment(replicas=2), **web(static(member2=1))})
    lab.sync()
    make_ready(two)
    lab.sync()
    lab.commit("drain", {"clusters/member2.yaml": cluster_manifest("member2", taints=[DRAIN])})
    for _ in range(3):
        assert lab.run("sync").code == 1
        assert lab.replicas("web") == {"member2": 2}
        assert evicting(lab) == ["member2"]
        time.sleep(1)
    assert "web" in attention(lab), "people are told"
    assert failovers(lab) == 1
    lab.commit("drained no more", {"clusters/member2.yaml": cluster_manifest("member2")})
    lab.sync()
    assert lab.placed(PLACED) == {"member2": 2}
    assert lab.replicas("web") == {"member2": 2}
    assert evicting(lab) == []


def test_a_drained_member(tmp_path: Path, members: tuple[Cluster, ...]) -> None:
    """A NoExecute taint in Git empties a member after the tolerated time, which goes on while nothing runs of us."""
    one, two, _ = members
    seconds = 12
    tolerated = [{"key": "maintenance", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds}]
    lab = started(tmp_path, one, two, clusterTolerations=tolerated)
    lab.commit("drain", {"clusters/member2.yaml": cluster_manifest("member2", taints=[DRAIN])})
    lab.sync()
    since = time.monotonic()
    assert lab.placed(PLACED) == {"member1": 4, "member2": 2}
    added = lab.status_value("clusters/member2.yaml")["spec"]["taints"][0]["timeAdded"]
    lab.sync()
    assert lab.status_value("clusters/member2.yaml")["spec"]["taints"][0]["timeAdded"] == added

    time.sleep(max(0.0, seconds + 1 - (time.monotonic() - since)))
    lab.sync()
    assert lab.placed(PLACED) == {"member1": 6}
    assert lab.replicas("web") == {"member1": 6, "member2": 2}, "make before break"
    assert failovers(lab) == 1
    make_ready(one)
    for _ in range(2):
        lab.sync()
    assert lab.replicas("web") == {"member1": 6}


def test_an_application_that_stays_broken(tmp_path: Path, members: tuple[Cluster, ...]) -> None:
    """A workload that is unhealthy for longer than tolerated moves on; the time is kept over restarts."""
    one, two, _ = members
    lab = Lab(tmp_path, [one, two], spec={"failover": FAILOVER})
    either = {
        "clusterAffinity": {"clusterNames": ["member1", "member2"]},
        "spreadConstraints": [{"spreadByField": "cluster", "minGroups": 1, "maxGroups": 1}],
    }
    seconds = 10
    application = {"decisionConditions": {"tolerationSeconds": seconds}, "purgeMode": "Gracefully"}
    files = web(either, propagateDeps=True, failover={"application": application})
    lab.commit("start", {"templates/web.yaml": deployment(replicas=3), **files})
    lab.sync()
    (first,) = lab.placed(PLACED)
    old, new = (one, two) if first == "member1" else (two, one)
    make_ready(old, ready=0)
    lab.sync()
    lab.sync()
    seen = time.monotonic()
    assert list(lab.status_value("memory.json")["unhealthy"][PLACED]) == [first]
    assert lab.placed(PLACED) == {first: 3}

    time.sleep(max(0.0, seconds + 1 - (time.monotonic() - seen)))
    lab.sync()
    assert lab.placed(PLACED) == {new.name: 3}
    assert lab.replicas("web") == {"member1": 3, "member2": 3}, "make before break"
    assert failovers(lab) == 1
    task = lab.status_value(f"bindings/{PLACED}.yaml")["spec"]["gracefulEvictionTasks"][0]
    assert (task["fromCluster"], task["reason"]) == (first, "ApplicationFailure")
    make_ready(new)
    for _ in range(2):
        lab.sync()
    assert lab.replicas("web") == {new.name: 3}
    assert "unhealthy" not in lab.status_value("memory.json")


# ----------------------------------------------------------------------------------------------------------------------


def started(folder: Path, one: Cluster, two: Cluster, **placement: Any) -> Lab:
    """Six replicas, two to one, all of them ready; and who is not ready is left."""
    lab = Lab(folder, [one, two], spec={"failover": FAILOVER, "deadlines": DEADLINES})
    files = web({**static(member1=2, member2=1), **placement})
    lab.commit("start", {"templates/web.yaml": deployment(replicas=6), "policies/dead.yaml": DEAD, **files})
    lab.sync()
    for cluster in (one, two):
        make_ready(cluster)
    lab.sync()
    return lab


DEAD = {
    "apiVersion": "policy.karmada.io/v1alpha1",
    "kind": "ClusterTaintPolicy",
    "metadata": {"name": "dead"},
    "spec": {
        "addOnConditions": [{"conditionType": "Ready", "operator": "NotIn", "statusValues": ["True"]}],
        "removeOnConditions": [{"conditionType": "Ready", "operator": "In", "statusValues": ["True"]}],
        "taints": [{"key": "dead", "effect": "NoExecute"}],
    },
}


def web(placement: Mapping[str, Any], **spec: Any) -> dict[str, Any]:
    return {"policies/web.yaml": policy("web", WEB, placement=placement, **spec)}


def assert_outlasted(lab: Lab, placed: dict[str, int]) -> None:
    """One silent moment moves nothing; the next turn is after the threshold."""
    lab.run("sync")
    assert lab.placed(PLACED) == placed
    time.sleep(1)


def failovers(lab: Lab) -> int:
    return "\n".join(lab.status_log("%B")).count("Federation-Cause: failover")


def evicting(lab: Lab) -> list[str]:
    spec = lab.status_value(f"bindings/{PLACED}.yaml")["spec"]
    return [task["fromCluster"] for task in spec.get("gracefulEvictionTasks", [])]


def ready(lab: Lab, cluster: str) -> str:
    conditions = lab.status_value(f"clusters/{cluster}.yaml")["status"]["conditions"]
    status: str = next(condition["status"] for condition in conditions if condition["type"] == "Ready")
    return status


def taints(lab: Lab, cluster: str) -> set[str]:
    spec = lab.status_value(f"clusters/{cluster}.yaml").get("spec") or {}
    return {f"{taint['key']}:{taint['effect']}" for taint in spec.get("taints", [])}


def attention(lab: Lab) -> str:
    return lab.status_text("README.md").partition("## Needs attention")[2]
