"""Clusters as decisions see them: health with patience, taints with their age, room with tolerance."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from gitops_karmada.core.register import registered, steady
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.federation import Ledger
from gitops_karmada.model.frozen import Frozen
from gitops_karmada.model.members import MemberState, Observed, Unreachable
from gitops_karmada.model.objects import ClusterName
from tests.core.questions import APIS, CLUSTERS, NOW, cluster, config_map, deployment, observed, question

EAST = ClusterName("east")
DOWN = Unreachable(cluster=EAST, reason="refused", observed_at=NOW)
TAINT_POLICY = {
    "apiVersion": "policy.karmada.io/v1alpha1",
    "kind": "ClusterTaintPolicy",
    "metadata": {"name": "evict"},
    "spec": {
        "addOnConditions": [{"conditionType": "Ready", "operator": "NotIn", "statusValues": ["True"]}],
        "removeOnConditions": [{"conditionType": "Ready", "operator": "In", "statusValues": ["True"]}],
        "taints": [{"key": "down", "effect": "NoExecute"}],
    },
}


class Turns:
    """One turn after the other, with what each leaves for the next."""

    def __init__(self, *objects: Any, **spec: Any) -> None:
        self.objects = objects or CLUSTERS
        self.spec = spec
        self.ledger = Ledger()
        self.now = NOW

    def turn(self, state: MemberState | None, seconds: int = 0) -> Cluster:
        self.now += timedelta(seconds=seconds)
        members = {} if state is None else {"east": state}
        asked = question(self.objects, ledger=self.ledger, members=members, now=self.now, spec=self.spec)
        clusters, memory = registered(asked)
        self.ledger = Ledger(clusters=clusters, memory=Frozen(memory))
        return clusters[EAST]


def ready(one: Cluster) -> tuple[str, str]:
    (found,) = (it for it in one.status.conditions if it.type == "Ready")
    return found.status, found.reason


def taints(one: Cluster) -> list[str]:
    return [f"{taint.key}:{taint.effect}" for taint in one.spec.taints]


def test_a_member_that_answers_is_ready_and_says_what_it_has() -> None:
    found = Turns().turn(observed("east"))
    assert ready(found) == ("True", "ClusterReady")
    assert found.status.kubernetes_version == "v1.36.0"
    assert found.status.node_summary is not None
    assert found.status.node_summary.total_num == 1
    assert str(found.status.resource_summary.allocatable["cpu"]) == "100"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (DOWN, ("False", "ClusterNotReachable")),
        (replace(observed("east"), healthy=False), ("False", "ClusterNotReady")),
        (None, ("Unknown", "ClusterStatusUnknown")),
    ],
    ids=["unreachable", "unhealthy", "never asked"],
)
def test_the_first_look_counts_at_once(state: MemberState | None, reason: tuple[str, str]) -> None:
    found = Turns().turn(state)
    assert ready(found) == reason
    assert taints(found) in (["cluster.karmada.io/not-ready:NoSchedule"], ["cluster.karmada.io/unreachable:NoSchedule"])


def test_a_short_silence_changes_nothing() -> None:
    turns = Turns()
    before = turns.turn(observed("east"))
    assert turns.turn(DOWN, seconds=5) == before
    assert turns.turn(DOWN, seconds=20) == before
    assert turns.turn(observed("east"), seconds=1) == before
    assert turns.turn(DOWN, seconds=29) == before


def test_a_long_silence_counts_and_what_was_known_stays() -> None:
    turns = Turns()
    before = turns.turn(observed("east"))
    turns.turn(DOWN, seconds=5)
    after = turns.turn(DOWN, seconds=30)
    assert ready(after) == ("False", "ClusterNotReachable")
    assert taints(after) == ["cluster.karmada.io/not-ready:NoSchedule"]
    assert after.status.api_enablements == before.status.api_enablements
    assert after.status.resource_summary == before.status.resource_summary


def test_recovery_needs_patience_too() -> None:
    turns = Turns()
    turns.turn(DOWN)
    assert ready(turns.turn(observed("east"), seconds=5))[0] == "False"
    recovered = turns.turn(observed("east"), seconds=30)
    assert ready(recovered)[0] == "True"
    assert taints(recovered) == []


def test_a_taint_keeps_the_time_when_it_came() -> None:
    turns = Turns(cluster("east", taints=[{"key": "down", "effect": "NoExecute"}]))
    came = turns.turn(observed("east")).spec.taints[0].time_added
    later = turns.turn(observed("east"), seconds=500).spec.taints[0].time_added
    assert came == later == NOW


@pytest.mark.parametrize(("failover", "expected"), [(True, ["down:NoExecute"]), (False, [])])
def test_taint_policies_work_while_failover_is_on(failover: bool, expected: list[str]) -> None:
    turns = Turns(*CLUSTERS, TAINT_POLICY, failover={"enabled": failover})
    assert taints(turns.turn(DOWN)) == ["cluster.karmada.io/not-ready:NoSchedule", *expected]


def test_what_a_taint_policy_put_there_goes_by_its_own_rule_only() -> None:
    """Deleting the policy leaves the taint, as in Karmada; a healthy member loses it by the policy."""
    turns = Turns(*CLUSTERS, TAINT_POLICY, failover={"enabled": True})
    turns.turn(DOWN)
    turns.objects = CLUSTERS
    assert "down:NoExecute" in taints(turns.turn(DOWN, seconds=5))
    turns.objects = (*CLUSTERS, TAINT_POLICY)
    turns.turn(observed("east"), seconds=5)
    assert taints(turns.turn(observed("east"), seconds=60)) == []


def test_not_listed_is_not_empty() -> None:
    """A role without `list nodes` leaves what was known before."""
    turns = Turns()
    before = turns.turn(observed("east"))
    unseen = replace(observed("east"), nodes=None, pods=None)
    assert turns.turn(unseen).status.resource_summary == before.status.resource_summary


def test_a_folder_serves_what_git_holds() -> None:
    state = replace(observed("east"), api_enablements=())
    turns = Turns(*CLUSTERS, deployment(), config_map(), members=[{"name": "east", "mode": "directory"}])
    served = turns.turn(state).status.api_enablements
    assert {one.group_version for one in served} == {"apps/v1", "v1"}


def test_incomplete_discovery_is_said() -> None:
    found = Turns().turn(Observed(cluster=EAST, observed_at=NOW, api_enablements=APIS, complete=False))
    complete = {it.type: (it.status, it.reason) for it in found.status.conditions}["CompleteAPIEnablements"]
    assert complete == ("False", "Partial")


@pytest.mark.parametrize(("cpu", "is_kept"), [("97", True), ("90", False)], ids=["a little", "a lot"])
def test_a_little_room_more_or_less_is_not_worth_a_commit(cpu: str, is_kept: bool) -> None:
    turns = Turns()
    before = turns.turn(observed("east"))
    after = turns.turn(observed("east", cpu=cpu))
    assert (steady(after, before) == before) is is_kept


def test_other_changes_are_recorded_whole() -> None:
    turns = Turns()
    before = turns.turn(observed("east"))
    after = turns.turn(replace(observed("east", cpu="99"), kubernetes_version="v1.37.0"))
    assert steady(after, before) == after
