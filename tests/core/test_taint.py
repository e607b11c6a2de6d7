"""Taints by conditions."""

from dataclasses import replace

import pytest

from gitops_karmada.core.taint import holds, policy_taints
from gitops_karmada.model.clusters import Cluster, Condition, Taint
from gitops_karmada.model.decode import decode
from gitops_karmada.model.metadata import ObjectMeta
from gitops_karmada.model.policies import ClusterTaintPolicy, ClusterTaintSpec, MatchCondition
from tests.core.nouns import EARLIER, LATER, cluster, taint


def ready(status: str) -> Condition:
    return Condition(type="Ready", status=status)


def wish(condition: str, operator: str, *values: str) -> MatchCondition:
    return MatchCondition(condition_type=condition, operator=operator, status_values=values)


@pytest.mark.parametrize(
    ("wanted", "status", "expected"),
    [
        pytest.param([], "True", False, id="V9.23"),
        pytest.param([wish("Ready", "In", "False")], "False", True, id="V9.24"),
        pytest.param([wish("Ready", "NotIn", "True")], "Unknown", True, id="V9.25"),
        pytest.param([wish("Other", "NotIn", "True")], "True", False, id="V9.26"),
        pytest.param([wish("Ready", "In", "True"), wish("Ready", "In", "False")], "True", False, id="V9.27"),
    ],
)
def test_conditions(wanted: list[MatchCondition], status: str, expected: bool) -> None:
    assert holds(wanted, [ready(status)]) is expected


POLICY = ClusterTaintPolicy(
    metadata=ObjectMeta(name="down"),
    spec=decode(
        ClusterTaintSpec,
        {
            "addOnConditions": [{"conditionType": "Ready", "operator": "In", "statusValues": ["False"]}],
            "removeOnConditions": [{"conditionType": "Ready", "operator": "In", "statusValues": ["True"]}],
            "taints": [{"key": "down", "effect": "NoExecute"}],
        },
    ).unwrap(),
)
ADDED = Taint(key="down", effect="NoExecute", time_added=EARLIER)


def member(status: str, *declared: Taint) -> Cluster:
    found = cluster("m1", taints=declared)
    return replace(found, status=replace(found.status, conditions=(ready(status),)))


def test_a_taint_comes_stays_and_goes_with_the_conditions() -> None:
    added = policy_taints(member("False"), (), [POLICY], EARLIER)
    assert added == (ADDED,)
    assert policy_taints(member("False"), added, [POLICY], LATER)[0].time_added == EARLIER
    assert policy_taints(member("Unknown"), added, [POLICY], LATER) == added
    assert policy_taints(member("True"), added, [POLICY], LATER) == ()


def test_a_taint_outlives_its_policy() -> None:
    assert policy_taints(member("True"), (ADDED,), [], LATER) == (ADDED,)


def test_another_effect_is_another_taint() -> None:
    """V9.28."""
    declared = taint("down:NoSchedule")
    assert policy_taints(member("False", declared), (), [POLICY], EARLIER) == (ADDED,)
    assert policy_taints(member("False", ADDED), (), [POLICY], LATER) == ()


def test_a_policy_for_other_clusters_does_nothing() -> None:
    affinity = decode(ClusterTaintSpec, {"targetClusters": {"clusterNames": ["m2"]}}).unwrap().target_clusters
    policy = replace(POLICY, spec=replace(POLICY.spec, target_clusters=affinity))
    assert policy_taints(member("False"), (), [policy], EARLIER) == ()
