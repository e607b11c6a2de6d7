"""A FederatedResourceQuota on real API servers: what placements may use together, and each member's own share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.lab import Lab, deployment, policy
from tests.envtest.client import ApiError
from tests.envtest.cluster import Cluster

API = ("apps/v1", "Deployment", "api")
PLACED = "shop/deployment.apps/api"
BOTH = {
    "clusterAffinity": {"clusterNames": ["member1", "member2"]},
    "replicaScheduling": {"replicaSchedulingType": "Duplicated"},
}

pytestmark = pytest.mark.envtest


def test_quota(tmp_path: Path, members: tuple[Cluster, ...]) -> None:
    """What would use too much stays as it is everywhere; exactly the limit passes; members enforce their own share."""
    one, two, three = members
    lab = Lab(tmp_path, [one, two, three])
    shares = [{"clusterName": "member1", "hard": {"cpu": "6"}}, {"clusterName": "member2", "hard": {"cpu": "4"}}]
    lab.commit(
        "eight of ten",
        {
            "templates/api.yaml": api(4),
            "policies/api.yaml": policy("api", API, placement=BOTH),
            "policies/quota.yaml": quota("10", shares),
        },
    )
    lab.sync()
    assert lab.replicas("api") == {"member1": 4, "member2": 4}
    assert usage(lab) == {"cpu": "8"}
    assert hard(one) == {"cpu": "6"}
    assert hard(two) == {"cpu": "4"}
    assert three.admin.find("v1", "ResourceQuota", "team", "shop") is None

    # Twelve of ten: refused with the numbers, by plan and by sync, and everything stays where it is.
    lab.commit("twelve of ten", {"templates/api.yaml": api(6)})
    plan = lab.run("plan")
    for part in ("FederatedResourceQuota(shop/team)", "cpu", "requested sum 12", "limit 10"):
        assert part in plan.output + plan.errors
    run = lab.run("sync")
    assert run.code == 1
    assert "requested sum 12, limit 10" in run.output + run.errors
    assert lab.replicas("api") == {"member1": 4, "member2": 4}
    assert lab.placed(PLACED) == {"member1": 4, "member2": 4}
    assert scheduled(lab) == ("False", "QuotaExceeded")
    assert usage(lab) == {"cpu": "8"}

    # Exactly ten.
    lab.commit("ten of ten", {"templates/api.yaml": api(5)})
    lab.sync()
    assert lab.replicas("api") == {"member1": 5, "member2": 5}
    assert scheduled(lab) == ("True", "Success")
    assert usage(lab) == {"cpu": "10"}

    # Another image uses nothing more, also where the limit fell below what is used.
    lab.commit("less, and another image", {"policies/quota.yaml": quota("9", []), "templates/api.yaml": api(5, "2")})
    lab.sync()
    assert lab.replicas("api") == {"member1": 5, "member2": 5}
    for cluster in (one, two):
        spec = cluster.admin.get("apps/v1", "Deployment", "api", "shop")["spec"]["template"]["spec"]
        assert spec["containers"][0]["image"] == "registry.example/api:2"
        assert cluster.admin.find("v1", "ResourceQuota", "team", "shop") is None, "a share that is gone is withdrawn"


def test_shares_are_enforced_and_reported(tmp_path: Path, members: tuple[Cluster, ...]) -> None:
    """A member's own API server keeps to its share, and what it counts is shown on the status branch."""
    one, two, _ = members
    lab = Lab(tmp_path, [one, two])
    shares = [{"clusterName": "member1", "hard": {"cpu": "2"}}, {"clusterName": "member2", "hard": {"cpu": "3"}}]
    lab.commit("shares", {"policies/quota.yaml": quota("5", shares)})
    lab.sync()
    for cluster, limit, used in ((one, "2", "1500m"), (two, "3", "0")):
        # What the member's own controller does.
        status = {"hard": {"cpu": limit}, "used": {"cpu": used}}
        cluster.admin.patch_status("v1", "ResourceQuota", "team", "shop", patch=status)
    lab.sync()
    status = lab.status_value("quotas/shop/team.yaml")["status"]
    assert status["aggregatedStatus"] == [
        {"clusterName": "member1", "hard": {"cpu": "2"}, "used": {"cpu": "1500m"}},
        {"clusterName": "member2", "hard": {"cpu": "3"}, "used": {"cpu": "0"}},
    ]
    tip = lab.status_tip()
    lab.sync()
    assert lab.status_tip() == tip
    with pytest.raises(ApiError, match="exceeded quota: team"):
        one.client("person").create(pod("1"))
    two.client("person").create(pod("1"))


def quota(cpu: str, assignments: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "apiVersion": "policy.karmada.io/v1alpha1",
        "kind": "FederatedResourceQuota",
        "metadata": {"name": "team", "namespace": "shop"},
        "spec": {"overall": {"cpu": cpu}, **({"staticAssignments": assignments} if assignments else {})},
    }


def api(replicas: int, tag: str = "1") -> dict[str, Any]:
    return deployment("api", replicas, f"registry.example/api:{tag}", resources={"requests": {"cpu": "1"}})


def pod(cpu: str) -> dict[str, Any]:
    container = {"name": "main", "image": "registry.example/api:1", "resources": {"requests": {"cpu": cpu}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "one-more", "namespace": "shop"},
        "spec": {"containers": [container], "serviceAccountName": "default", "automountServiceAccountToken": False},
    }


def hard(cluster: Cluster) -> dict[str, str]:
    limits: dict[str, str] = cluster.admin.get("v1", "ResourceQuota", "team", "shop")["spec"]["hard"]
    return limits


def usage(lab: Lab) -> dict[str, str]:
    used: dict[str, str] = lab.status_value("quotas/shop/team.yaml")["status"]["overallUsed"]
    return used


def scheduled(lab: Lab) -> tuple[str, str]:
    conditions = lab.status_value(f"bindings/{PLACED}.yaml")["status"]["conditions"]
    return next((it["status"], it["reason"]) for it in conditions if it["type"] == "Scheduled")
