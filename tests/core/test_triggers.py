"""When a binding is scheduled again, and when it is left alone."""

import json
from dataclasses import replace
from typing import Any

import pytest

from gitops_karmada.core.triggers import APPLIED_PLACEMENT, needs_pass, placement_changed
from gitops_karmada.model.bindings import Binding, BindingStatus
from gitops_karmada.model.clusters import Condition
from gitops_karmada.model.decisions import Trigger
from gitops_karmada.model.decode import encode
from gitops_karmada.model.frozen import Frozen
from gitops_karmada.model.placement import Placement
from tests.core.nouns import AGGREGATED, EARLIER, LATER, binding, cluster, placement, rooms, world


def applied(wanted: Placement) -> str:
    return json.dumps(encode(wanted))


def groups(**names: str) -> Placement:
    return placement(
        clusterAffinities=[{"affinityName": name, "clusterNames": [member]} for name, member in names.items()]
    )


@pytest.mark.parametrize(
    ("wanted", "before", "observed", "expected"),
    [
        pytest.param(placement(), "", "", True, id="V4.1"),
        pytest.param(placement(), "{", "", False, id="V4.2"),
        pytest.param(groups(one="m1"), applied(groups(one="m1")), "", False, id="V4.3"),
        pytest.param(placement(clusterAffinity={}), applied(placement()), "", True, id="V4.4"),
        pytest.param(groups(one="m1"), applied(groups(one="m2")), "", True, id="V4.5"),
        pytest.param(groups(one="m1", two="m2"), applied(groups(one="m1")), "one", False, id="V4.6"),
        pytest.param(groups(one="m1"), applied(groups(one="m2")), "one", True, id="V4.7"),
        pytest.param(groups(two="m1"), applied(groups(one="m1")), "one", True, id="V4.8"),
    ],
)
def test_placement_changed(wanted: Placement, before: str, observed: str, expected: bool) -> None:
    assert placement_changed(wanted, before, observed) is expected


DIVIDED = placement(replicaScheduling=AGGREGATED)


def settled(wish: Binding, **status: Any) -> Binding:
    """A binding whose placement was applied as it is."""
    annotations = Frozen({APPLIED_PLACEMENT: applied(wish.spec.placement or Placement())})
    metadata = replace(wish.metadata, annotations=annotations)
    return replace(wish, metadata=metadata, status=BindingStatus(**status))


def trigger(wish: Binding, *names: str) -> Trigger | None:
    return needs_pass(wish, world(*rooms(**dict.fromkeys(names or ("m1", "m2"), 10))))


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        pytest.param(binding(5, DIVIDED, {"m1": 5}), Trigger.PLACEMENT, id="never placed"),
        pytest.param(settled(binding(5, DIVIDED, {"m1": 5})), None, id="V4.28: what adds up is left alone"),
        pytest.param(settled(binding(6, DIVIDED, {"m1": 5})), Trigger.REPLICAS, id="grown"),
        pytest.param(
            settled(binding(5, placement(), {"m1": 5, "m2": 5})),
            Trigger.ALWAYS,
            id="V4.29: duplicated is always redone",
        ),
        pytest.param(
            settled(binding(0, placement(), {"m1": 0}, kind="ConfigMap")), Trigger.ALWAYS, id="what has no replicas"
        ),
        pytest.param(settled(binding(5, DIVIDED, {"gone": 5})), Trigger.CLUSTER_GONE, id="a target without a file"),
        pytest.param(
            settled(binding(5, DIVIDED, {"m1": 5}, reschedule_triggered_at=LATER), last_scheduled_time=EARLIER),
            Trigger.RESCHEDULE,
            id="V10.3",
        ),
        pytest.param(
            settled(binding(5, DIVIDED, {"m1": 5}, reschedule_triggered_at=LATER), last_scheduled_time=LATER),
            None,
            id="V10.4",
        ),
        pytest.param(settled(binding(5, DIVIDED, {"m1": 5}, reschedule_triggered_at=LATER)), None, id="V10.2"),
        pytest.param(
            settled(
                binding(5, DIVIDED, {"m1": 5}),
                conditions=(Condition(type="Scheduled", status="False", reason="SchedulerError"),),
            ),
            Trigger.RETRY,
            id="an error is tried again",
        ),
    ],
)
def test_trigger(wish: Binding, expected: Trigger | None) -> None:
    assert trigger(wish) is expected


def test_a_leaving_target_is_a_reason() -> None:
    turn = world(cluster("m1", deletion_timestamp=EARLIER), cluster("m2"))
    assert needs_pass(settled(binding(5, DIVIDED, {"m1": 5})), turn) is Trigger.CLUSTER_GONE
