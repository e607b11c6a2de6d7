"""Workloads of several kinds of pods on real API servers: a whole set fits into one member, or nothing is placed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.lab import Lab, policy
from tests.envtest.cluster import Cluster
from tests.envtest.nodes import create_node, create_pod

CRDS = Path(__file__).parents[2] / "fixtures" / "crds"
ONE_OF_TWO = {
    "clusterAffinity": {"clusterNames": ["member1", "member2"]},
    "spreadConstraints": [{"spreadByField": "cluster", "minGroups": 1, "maxGroups": 1}],
    "replicaScheduling": {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Aggregated"},
}

pytestmark = pytest.mark.envtest


def test_a_flink_job_needs_room_for_a_whole_set(tmp_path: Path, members: tuple[Cluster, ...]) -> None:
    """One job manager of one CPU and three task managers of two: seven in one member, never divided."""
    one, two, _ = members
    lab = started(tmp_path, "flinkdeployments", one, two)
    create_node(one.admin, "node-1", cpu="6", memory="64Gi")
    for number in (1, 2):
        create_node(two.admin, f"node-{number}", cpu="8", memory="64Gi")
    placing = policy("job", ("flink.apache.org/v1beta1", "FlinkDeployment", "job"), placement=ONE_OF_TWO)
    lab.commit("a job", {"templates/job.yaml": flink(parallelism=6), "policies/job.yaml": placing})
    lab.sync()
    assert components(lab, "flinkdeployment.flink.apache.org/job") == {"member2": {"jobmanager": 1, "taskmanager": 3}}
    live = find(two, "flink.apache.org/v1beta1", "FlinkDeployment", "job")
    assert live["spec"] == flink(parallelism=6)["spec"], "neither divided nor edited"
    assert one.admin.find("flink.apache.org/v1beta1", "FlinkDeployment", "job", "shop") is None

    # Its state is its template's state.
    status = {"jobStatus": {"state": "RUNNING"}, "lifecycleState": "STABLE", "jobManagerDeploymentStatus": "READY"}
    two.admin.patch_status("flink.apache.org/v1beta1", "FlinkDeployment", "job", "shop", patch=status)
    lab.sync()
    binding = lab.status_value("bindings/shop/flinkdeployment.flink.apache.org/job.yaml")
    assert binding["status"]["aggregatedStatus"][0]["health"] == "Healthy"
    assert binding["template"]["status"]["jobStatus"]["state"] == "RUNNING"


def test_a_set_that_fits_nowhere_is_not_placed_in_parts(tmp_path: Path, members: tuple[Cluster, ...]) -> None:
    """Seven CPUs in pieces are not enough when each member has six; with room in one it is placed there."""
    one, two, _ = members
    lab = started(tmp_path, "flinkdeployments", one, two)
    for cluster in (one, two):
        create_node(cluster.admin, "node-1", cpu="6", memory="64Gi")
    placing = policy("job", ("flink.apache.org/v1beta1", "FlinkDeployment", "job"), placement=ONE_OF_TWO)
    lab.commit("a job", {"templates/job.yaml": flink(parallelism=6), "policies/job.yaml": placing})
    run = lab.run("sync")
    assert run.code == 1
    assert "FlinkDeployment" in run.output + run.errors
    assert lab.placed("shop/flinkdeployment.flink.apache.org/job") == {}
    for cluster in (one, two):
        assert cluster.admin.find("flink.apache.org/v1beta1", "FlinkDeployment", "job", "shop") is None

    create_node(one.admin, "node-2", cpu="6", memory="64Gi")
    lab.sync()
    assert components(lab, "flinkdeployment.flink.apache.org/job") == {"member1": {"jobmanager": 1, "taskmanager": 3}}


def test_a_ray_cluster_goes_where_head_and_workers_fit(tmp_path: Path, members: tuple[Cluster, ...]) -> None:
    """What runs in a member already takes its room: head and two groups of workers need nine CPUs."""
    one, two, _ = members
    lab = started(tmp_path, "rayclusters", one, two)
    for cluster in (one, two):
        create_node(cluster.admin, "node-1", cpu="16", memory="128Gi")
    one.admin.namespace("theirs")
    create_pod(one.admin, "busy", "theirs", node="node-1", cpu="8")
    placing = policy("ray", ("ray.io/v1", "RayCluster", "train"), placement=ONE_OF_TWO)
    lab.commit("a cluster", {"templates/ray.yaml": ray(small=3, large=2), "policies/ray.yaml": placing})
    lab.sync()
    assert components(lab, "raycluster.ray.io/train") == {"member2": {"ray-head": 1, "small": 3, "large": 2}}
    assert find(two, "ray.io/v1", "RayCluster", "train")["spec"] == ray(small=3, large=2)["spec"]
    tip = lab.status_tip()
    lab.sync()
    assert lab.status_tip() == tip


def started(folder: Path, crd: str, *clusters: Cluster) -> Lab:
    for cluster in clusters:
        cluster.admin.install(yaml.safe_load((CRDS / f"{crd}.yaml").read_text(encoding="utf-8")))
    return Lab(folder, clusters)


def components(lab: Lab, path: str) -> dict[str, dict[str, int]]:
    targets = lab.status_value(f"bindings/shop/{path}.yaml")["spec"].get("clusters", [])
    return {it["name"]: {part["name"]: part["replicas"] for part in it["components"]} for it in targets}


def find(cluster: Cluster, api_version: str, kind: str, name: str) -> dict[str, Any]:
    return cluster.admin.get(api_version, kind, name, "shop")


def flink(parallelism: int) -> dict[str, Any]:
    return {
        "apiVersion": "flink.apache.org/v1beta1",
        "kind": "FlinkDeployment",
        "metadata": {"name": "job", "namespace": "shop"},
        "spec": {
            "image": "registry.example/flink:1",
            "flinkConfiguration": {"taskmanager.numberOfTaskSlots": "2"},
            "jobManager": {"replicas": 1, "resource": {"cpu": 1, "memory": "1Gi"}},
            "taskManager": {"resource": {"cpu": 2, "memory": "1Gi"}},
            "job": {"jarURI": "local:///job.jar", "parallelism": parallelism},
        },
    }


def ray(small: int, large: int) -> dict[str, Any]:
    def template(cpu: str) -> dict[str, Any]:
        container = {"name": "ray", "image": "registry.example/ray:2", "resources": {"requests": {"cpu": cpu}}}
        return {"spec": {"containers": [container]}}

    groups = [
        {"groupName": name, "replicas": replicas, "template": template(cpu)}
        for name, replicas, cpu in (("small", small, "1"), ("large", large, "2"))
    ]
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": "train", "namespace": "shop"},
        "spec": {"headGroupSpec": {"template": template("2")}, "workerGroupSpecs": groups},
    }
