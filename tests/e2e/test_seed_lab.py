"""The two-member laboratory, on real API servers: each step a commit and a push, each outcome read from the members."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.lab import Lab, cluster_manifest, config_map, deployment, policy, service, static
from tests.envtest.cluster import Cluster

WEB = ("apps/v1", "Deployment", "web")
SERVICE = ("v1", "Service", "web")
TAINT = {"key": "maintenance", "value": "planned", "effect": "NoExecute"}

pytestmark = pytest.mark.envtest


def test_the_seed_lab(tmp_path: Path, members: tuple[Cluster, ...]) -> None:
    """Commit, push, and the right objects run in the right members, with the decision on the status branch."""
    one, two, _ = members
    lab = Lab(tmp_path, [one, two], spec={"failover": {"enabled": True, "noExecuteTaintEviction": True}})
    marks = {cluster.name: cluster.audit.mark() for cluster in (one, two)}
    for cluster in (one, two):
        cluster.admin.namespace("theirs")
        cluster.admin.create(
            {**config_map("untouched", of="somebody"), "metadata": {"name": "u", "namespace": "theirs"}}
        )

    # Duplicated: six in each member, and the Service beside them.
    lab.commit(
        "a shop, duplicated",
        {
            "templates/web.yaml": [deployment(replicas=6), service()],
            "policies/web.yaml": policy(
                "web",
                WEB,
                SERVICE,
                placement={
                    "clusterAffinity": {"clusterNames": ["member1", "member2"]},
                    "replicaScheduling": {"replicaSchedulingType": "Duplicated"},
                },
            ),
        },
    )
    lab.sync()
    assert lab.replicas("web") == {"member1": 6, "member2": 6}
    assert lab.placed("shop/deployment.apps/web") == {"member1": 6, "member2": 6}
    for cluster in (one, two):
        assert cluster.admin.get("v1", "Service", "web", "shop")["spec"]["ports"][0]["port"] == 80

    # Static weights 2:1.
    lab.commit("two to one", {"policies/web.yaml": policy("web", WEB, SERVICE, placement=static(member1=2, member2=1))})
    lab.sync()
    assert lab.replicas("web") == {"member1": 4, "member2": 2}
    assert lab.placed("shop/deployment.apps/web") == {"member1": 4, "member2": 2}

    # An override for one member only.
    lab.commit("the second site", {"policies/site.yaml": site_override()})
    lab.sync()
    assert environment(one) == {}
    assert environment(two) == {"CLUSTER_SITE": "secondary"}
    work = lab.status_value("works/member2/shop/deployment.apps/web.yaml")
    assert work["overrides"][0]["policy"] == "OverridePolicy/shop/site"
    assert "overrides" not in lab.status_value("works/member1/shop/deployment.apps/web.yaml")

    # A NoExecute taint, with failover on: everything runs in the other member.
    lab.commit("maintenance", {"clusters/member2.yaml": cluster_manifest("member2", taints=[TAINT])})
    lab.sync()
    make_ready(one)
    lab.sync()
    lab.sync()
    assert lab.placed("shop/deployment.apps/web") == {"member1": 6}
    assert lab.replicas("web") == {"member1": 6}
    assert "Federation-Cause: failover" in "\n".join(lab.status_log("%B"))

    # The taint goes: nothing moves by itself.
    lab.commit("maintenance is over", {"clusters/member2.yaml": cluster_manifest("member2")})
    lab.sync()
    assert lab.replicas("web") == {"member1": 6}

    # Until a WorkloadRebalancer asks for it.
    lab.commit("back to normal", {"policies/rebalance.yaml": rebalancer("back-to-normal")})
    lab.sync()
    assert lab.replicas("web") == {"member1": 4, "member2": 2}
    assert lab.placed("shop/deployment.apps/web") == {"member1": 4, "member2": 2}
    assert (
        lab.status_value("rebalancers/back-to-normal.yaml")["status"]["observedWorkloads"][0]["result"] == "Successful"
    )

    # The template goes: gone from both, and nothing else was touched.
    lab.commit("closed", {"templates/web.yaml": None})
    lab.sync()
    lab.sync()
    assert lab.replicas("web") == {}
    for cluster in (one, two):
        assert cluster.admin.find("v1", "Service", "web", "shop") is None
        assert cluster.admin.get("v1", "Namespace", "shop")["metadata"]["name"] == "shop"
        assert cluster.admin.get("v1", "ConfigMap", "u", "theirs")["data"] == {"of": "somebody"}
        touched = {event.namespace for event in cluster.audit.writes(since=marks[cluster.name], user="hub")}
        assert touched <= {"shop", "", None}
    assert not [path for path in lab.status_files() if path.startswith(("bindings/", "works/member1/shop"))]


def test_a_second_turn_writes_nothing(tmp_path: Path, members: tuple[Cluster, ...]) -> None:
    """No commit, no write to any member: every revision in etcd stays what it was."""
    one, two, _ = members
    lab = Lab(tmp_path, [one, two])
    lab.commit(
        "a shop",
        {
            "templates/web.yaml": [deployment(), service(), config_map("settings", mode="fast")],
            "policies/web.yaml": policy(
                "all",
                ("apps/v1", "Deployment", ""),
                ("v1", "Service", ""),
                ("v1", "ConfigMap", ""),
                placement={"clusterAffinity": {"clusterNames": ["member1", "member2"]}},
            ),
        },
    )
    lab.sync()
    tip, before = lab.status_tip(), [cluster.revisions() for cluster in (one, two)]
    marks = [cluster.audit.mark() for cluster in (one, two)]
    lab.sync()
    assert lab.status_changes(tip) == ""
    assert lab.status_tip() == tip
    assert [cluster.revisions() for cluster in (one, two)] == before
    for cluster, mark in zip((one, two), marks, strict=True):
        assert cluster.audit.writes(since=mark, user="hub") == ()


def environment(cluster: Cluster) -> dict[str, str]:
    containers = cluster.admin.get("apps/v1", "Deployment", "web", "shop")["spec"]["template"]["spec"]["containers"]
    return {variable["name"]: variable["value"] for variable in containers[0].get("env", [])}


def site_override() -> dict[str, Any]:
    return {
        "apiVersion": "policy.karmada.io/v1alpha1",
        "kind": "OverridePolicy",
        "metadata": {"name": "site", "namespace": "shop"},
        "spec": {
            "resourceSelectors": [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}],
            "overrideRules": [
                {
                    "targetCluster": {"clusterNames": ["member2"]},
                    "overriders": {
                        "plaintext": [
                            {
                                "path": "/spec/template/spec/containers/0/env",
                                "operator": "add",
                                "value": [{"name": "CLUSTER_SITE", "value": "secondary"}],
                            }
                        ]
                    },
                }
            ],
        },
    }


def rebalancer(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "apps.karmada.io/v1alpha1",
        "kind": "WorkloadRebalancer",
        "metadata": {"name": name},
        "spec": {"workloads": [{"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "shop", "name": "web"}]},
    }


def make_ready(cluster: Cluster) -> None:
    """Play the part of the Deployment's controller: all replicas are there and ready."""
    live = cluster.admin.get("apps/v1", "Deployment", "web", "shop")
    replicas = live["spec"]["replicas"]
    cluster.admin.patch_status(
        "apps/v1",
        "Deployment",
        "web",
        "shop",
        patch={
            "observedGeneration": live["metadata"]["generation"],
            "replicas": replicas,
            "updatedReplicas": replicas,
            "readyReplicas": replicas,
            "availableReplicas": replicas,
        },
    )
