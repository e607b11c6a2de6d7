"""Pods that run: with controllers, a scheduler and nodes in the member, health comes all the way back to Git."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartCluster
from tests.e2e.lab import Lab, config_map, deployment, policy, static
from tests.envtest.client import has_condition
from tests.envtest.cluster import Cluster

PLACED = "shop/deployment.apps/web"

pytestmark = [pytest.mark.envtest, pytest.mark.slow]


def test_a_workload_that_runs_is_healthy(tmp_path: Path, start_cluster: StartCluster) -> None:
    """Progressing until its pods run, then Healthy with its counts; what is too big for the nodes is not."""
    live = start_cluster("live", controllers=True, scheduler=True, nodes=2)
    lab = Lab(tmp_path, [live])
    lab.commit(
        "web",
        {
            "templates/web.yaml": [web(3), config_map("settings", mode="fast")],
            "policies/web.yaml": policy(
                "web", ("apps/v1", "Deployment", ""), ("v1", "ConfigMap", ""), placement=static(live=1)
            ),
        },
    )
    lab.sync()
    available(live, 3)
    lab.sync()
    (item,) = aggregated(lab)
    assert item["health"] == "Healthy"
    assert (item["status"]["readyReplicas"], item["status"]["availableReplicas"]) == (3, 3)
    assert lab.status_value(f"bindings/{PLACED}.yaml")["template"]["status"]["availableReplicas"] == 3
    assert len(live.admin.list("v1", "Pod", "shop")) == 3
    # The member's own controllers wrote status and annotations meanwhile: that is nobody's quarrel.
    mark = live.audit.mark()
    tip = lab.status_tip()
    lab.sync()
    assert live.audit.writes(since=mark, user="hub") == ()
    assert lab.status_changes(tip) == ""

    # Two nodes of four CPUs have no room for ten pods of one.
    lab.commit("ten", {"templates/web.yaml": [web(10), config_map("settings", mode="fast")]})
    lab.sync()
    live.admin.wait(
        "apps/v1", "Deployment", "web", "shop", until=lambda obj: obj["status"].get("replicas") == 10, seconds=60
    )
    lab.sync()
    (item,) = aggregated(lab)
    assert item["health"] == "Unhealthy"

    lab.commit("closed", {"templates/web.yaml": config_map("settings", mode="fast")})
    lab.sync()
    live.admin.wait_gone("apps/v1", "Deployment", "web", "shop")
    assert live.admin.get("v1", "ConfigMap", "settings", "shop")["data"] == {"mode": "fast"}
    assert f"bindings/{PLACED}.yaml" not in lab.status_files()


def web(replicas: int) -> dict[str, Any]:
    return deployment(replicas=replicas, resources={"requests": {"cpu": "1"}})


def available(cluster: Cluster, replicas: int) -> None:
    cluster.admin.wait(
        "apps/v1",
        "Deployment",
        "web",
        "shop",
        until=lambda obj: has_condition(obj, "Available") and obj["status"].get("availableReplicas") == replicas,
        seconds=90,
    )


def aggregated(lab: Lab) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = lab.status_value(f"bindings/{PLACED}.yaml")["status"]["aggregatedStatus"]
    return items
