"""Replicas that find no node are given back."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from gitops_karmada.core.deschedule import descheduled, stuck_replicas
from gitops_karmada.core.triggers import APPLIED_PLACEMENT
from gitops_karmada.model.bindings import AggregatedStatusItem, Binding, BindingStatus
from gitops_karmada.model.decode import encode
from gitops_karmada.model.frozen import Frozen
from tests.core.nouns import AGGREGATED, EARLIER, binding, divided, placement


def running(strategy: dict[str, Any], replicas: dict[str, int], ready: dict[str, int]) -> Binding:
    items = tuple(
        AggregatedStatusItem(cluster_name=name, status={"readyReplicas": count}) for name, count in ready.items()
    )
    wanted = placement(replicaScheduling=strategy)
    wish = binding(sum(replicas.values()), wanted, replicas, status=BindingStatus(aggregated_status=items))
    annotations = Frozen({APPLIED_PLACEMENT: json.dumps(encode(wanted))})
    return replace(wish, metadata=replace(wish.metadata, annotations=annotations))


def after(replicas: int, ready: int | None, stuck: int) -> int:
    found = running(AGGREGATED, {"m1": replicas}, {} if ready is None else {"m1": ready})
    return descheduled(found, {"m1": stuck}).spec.clusters[0].replicas


@pytest.mark.parametrize(
    ("replicas", "ready", "stuck", "expected"),
    [
        pytest.param(5, 4, 1, 4, id="V10.8"),
        pytest.param(5, 0, 5, 0, id="V10.9"),
        pytest.param(5, 4, 2, 4, id="V10.10"),
        pytest.param(5, 0, 2, 3, id="V10.11"),
        pytest.param(5, 6, 2, 5, id="V10.12"),
        pytest.param(10, None, 7, 3, id="V10.14"),
    ],
)
def test_one_cluster(replicas: int, ready: int | None, stuck: int, expected: int) -> None:
    assert after(replicas, ready, stuck) == expected


def test_each_cluster_gives_back_its_own() -> None:
    """V10.13."""
    found = running(AGGREGATED, {"m1": 5, "m2": 10}, {"m1": 2, "m2": 3})
    assert [it.replicas for it in descheduled(found, {"m1": 3, "m2": 7}).spec.clusters] == [2, 3]


def test_static_divisions_are_left_alone() -> None:
    found = running(divided("Weighted"), {"m1": 5}, {"m1": 0})
    assert descheduled(found, {"m1": 5}) is found


def pod(name: str, template: str, created: str, reason: str = "Unschedulable") -> dict[str, Any]:
    owner = {"kind": "ReplicaSet", "name": f"web-{template}"}
    labels = {"pod-template-hash": template}
    condition = {
        "type": "PodScheduled",
        "status": "False",
        "reason": reason,
        "lastTransitionTime": "2026-01-01T10:00:00Z",
    }
    metadata = {
        "name": name,
        "namespace": "shop",
        "labels": labels,
        "ownerReferences": [owner],
        "creationTimestamp": created,
    }
    return {"metadata": metadata, "status": {"conditions": [condition]}}


def test_only_the_newest_pods_that_wait_for_long_count() -> None:
    pods = [
        pod("old", "aaa", "2026-01-01T09:00:00Z"),
        pod("one", "bbb", "2026-01-01T10:00:00Z"),
        pod("two", "bbb", "2026-01-01T10:00:00Z", reason="SchedulingGated"),
    ]
    assert stuck_replicas("web", "shop", pods, EARLIER + timedelta(minutes=6)) == 1
    assert stuck_replicas("web", "shop", pods, EARLIER + timedelta(minutes=5)) == 0
    assert stuck_replicas("web", "other", pods, EARLIER + timedelta(minutes=6)) == 0
