"""Whole passes: affinity groups, overflow, peers, empty workloads, and room that is spent only once."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_karmada.core.capacity import Capacity
from gitops_karmada.core.nodes import nodes_of
from gitops_karmada.core.schedule import NoClusterFit, Scheduled, SchedulerError, Unschedulable, schedule
from gitops_karmada.model.bindings import (
    Binding,
    BindingStatus,
    Component,
    GracefulEvictionTask,
    TargetCluster,
    TargetComponent,
    WorkloadAffinityGroups,
)
from gitops_karmada.model.decisions import Decision, Method, Outcome, Trigger
from gitops_karmada.model.decode import decode, encode
from gitops_karmada.model.settings import FeatureSettings
from tests.core.nouns import (
    AGGREGATED,
    DYNAMIC,
    EARLIER,
    LATER,
    binding,
    cluster,
    divided,
    placement,
    rooms,
    scheduled,
    shares,
    taint,
    world,
)

KARMADA = FeatureSettings(earlier_affinities=False)


def groups(*names: str, **fields: Any) -> Any:
    terms = [{"affinityName": f"group-{name}", "clusterNames": [name]} for name in names]
    return placement(clusterAffinities=terms, **fields)


def observing(name: str, **fields: Any) -> BindingStatus:
    return BindingStatus(scheduler_observed_affinity_name=name, **fields)


def test_the_group_in_force_is_kept_as_long_as_it_fits() -> None:
    """V4.12: a binding does not climb back by itself."""
    wish = binding(1, groups("m1", "m2"), status=observing("group-m2"))
    result = schedule(wish, world(*rooms(m1=10, m2=10)))
    assert isinstance(result, Scheduled)
    assert (shares(result), result.affinity_name) == ({"m2": 1}, "group-m2")


def test_a_rebalance_starts_again_at_the_first_group() -> None:
    """V4.13."""
    status = observing("group-m2", last_scheduled_time=EARLIER)
    wish = binding(1, groups("m1", "m2"), status=status, reschedule_triggered_at=LATER)
    result = schedule(wish, world(*rooms(m1=10, m2=10)))
    assert isinstance(result, Scheduled)
    assert result.affinity_name == "group-m1"


def test_the_next_group_is_used_when_one_fails() -> None:
    """V4.14; both attempts are on record."""
    wish = binding(1, groups("ghost", "m2"))
    result = schedule(wish, world(*rooms(m1=10, m2=10)))
    assert isinstance(result, Scheduled)
    assert (shares(result), result.affinity_name) == ({"m2": 1}, "group-m2")
    assert [(it.affinity_name, bool(it.error)) for it in result.decision.attempts] == [
        ("group-ghost", True),
        ("group-m2", False),
    ]


def test_when_no_group_fits_what_runs_goes() -> None:
    """V4.15: no cluster may run it."""
    wish = binding(1, groups("ghost", "gone"), {"m1": 1}, status=observing("group-ghost"))
    result = schedule(wish, world(*rooms(m1=10)))
    assert isinstance(result, NoClusterFit)
    assert result.decision.clusters == ()
    assert result.decision.affinity_name == "group-ghost"


def test_the_first_failure_decides() -> None:
    """V4.16 and V4.16a: too little room in the first group keeps what runs, no cluster in it clears."""
    small = rooms(m1=1)
    first_small = binding(5, groups("m1", "ghost", replicaScheduling=DYNAMIC), {"m1": 1})
    first_missing = binding(5, groups("ghost", "m1", replicaScheduling=DYNAMIC), {"m1": 1})
    kept, cleared = schedule(first_small, world(*small)), schedule(first_missing, world(*small))
    assert isinstance(kept, Unschedulable)
    assert kept.decision.clusters == (TargetCluster(name="m1", replicas=1),)
    assert isinstance(cleared, NoClusterFit)


def test_earlier_groups_are_tried_last_unless_switched_off() -> None:
    """What fell to a later group does not stay homeless when that group is gone."""
    wish = binding(1, groups("m1", "ghost"), status=observing("group-ghost"))
    assert scheduled(wish, *rooms(m1=10)) == {"m1": 1}
    assert isinstance(schedule(wish, world(*rooms(m1=10), features=KARMADA)), NoClusterFit)


OVERFLOW = placement(
    clusterAffinities=[
        {
            "affinityName": "own",
            "clusterNames": ["m1"],
            "overflowAffinities": [{"affinityName": "cloud", "clusterNames": ["m2"]}],
        }
    ],
    replicaScheduling=AGGREGATED,
)


@pytest.mark.parametrize(
    ("replicas", "room", "previous", "expected"),
    [
        pytest.param(5, {"m1": 10, "m2": 10}, {}, {"m1": 5}, id="V4.30"),
        pytest.param(5, {"m1": 2, "m2": 10}, {}, {"m1": 2, "m2": 3}, id="V4.31"),
        pytest.param(8, {"m1": 2, "m2": 10}, {"m1": 3}, {"m1": 5, "m2": 3}, id="V4.33"),
        pytest.param(4, {"m1": 4, "m2": 10}, {"m1": 2, "m2": 4}, {"m1": 4}, id="contraction begins with the overflow"),
    ],
)
def test_overflow(replicas: int, room: dict[str, int], previous: dict[str, int], expected: dict[str, int]) -> None:
    assert scheduled(binding(replicas, OVERFLOW, previous), *rooms(**room)) == expected


def test_overflow_that_is_too_small_is_unschedulable() -> None:
    """V4.32."""
    result = schedule(binding(10, OVERFLOW), world(*rooms(m1=2, m2=2)))
    assert isinstance(result, Unschedulable)
    assert result.message == "failed to assign replicas: Clusters available replicas are not enough to schedule."


def test_primary_clusters_are_selected_before_preferred_overflow() -> None:
    """V4.34."""
    wanted = replace(
        OVERFLOW,
        spread_constraints=placement(
            spreadConstraints=[{"spreadByField": "cluster", "minGroups": 1, "maxGroups": 1}]
        ).spread_constraints,
    )
    assert scheduled(binding(2, wanted, {"m2": 1}), *rooms(m1=10, m2=10)) == {"m1": 2}


def test_every_selected_cluster_gets_a_copy_however_full() -> None:
    assert scheduled(binding(5, placement()), *rooms(m1=0, m2=10)) == {"m2": 5, "m1": 5}


def test_what_has_no_replicas_goes_everywhere() -> None:
    """V6.54."""
    wish = binding(0, placement(), kind="ConfigMap", api_version="v1")
    assert scheduled(wish, *rooms(m1=0, m2=1, m3=2)) == {"m1": 0, "m2": 0, "m3": 0}


def test_a_workload_at_zero_runs_nowhere_unless_empty_ones_are_propagated() -> None:
    """V6.55."""
    wish = binding(0, placement(), requests={"cpu": "1"})
    assert scheduled(wish, *rooms(m1=1, m2=1)) == {}
    features = FeatureSettings(empty_workload_propagation=True)
    assert scheduled(wish, *rooms(m1=1, m2=1), features=features) == {"m1": 0, "m2": 0}


def test_static_weights_take_the_largest_rule_and_leave_the_weightless_out() -> None:
    """V6.6 and V6.7."""
    rules = [
        {"targetCluster": {"clusterNames": ["m1", "m2"]}, "weight": 1},
        {"targetCluster": {"clusterNames": ["m1"]}, "weight": 2},
    ]
    strategy = {**divided("Weighted"), "weightPreference": {"staticWeightList": rules}}
    assert scheduled(binding(3, placement(replicaScheduling=strategy)), *rooms(m1=0, m2=0, m3=0)) == {"m1": 2, "m2": 1}


SETS = placement(
    replicaScheduling=AGGREGATED, spreadConstraints=[{"spreadByField": "cluster", "minGroups": 1, "maxGroups": 1}]
)
FLINK = (Component(name="jobmanager", replicas=1), Component(name="taskmanager", replicas=4))


def test_components_go_to_one_cluster_as_a_whole() -> None:
    """V6.52 and V6.53."""
    wish = binding(0, SETS, components=FLINK)
    result = schedule(wish, world(*rooms(m1=4, m2=5)))
    assert isinstance(result, Scheduled)
    recorded = (TargetComponent(name="jobmanager", replicas=1), TargetComponent(name="taskmanager", replicas=4))
    assert result.clusters == (TargetCluster(name="m2", components=recorded),)
    features = FeatureSettings(multiple_pod_templates_scheduling=False)
    without = schedule(wish, world(*rooms(m1=4, m2=5), features=features))
    assert isinstance(without, Scheduled)
    assert all(not target.components for target in without.clusters)


def test_no_cluster_with_room_for_a_whole_set_is_an_error_that_keeps_what_runs() -> None:
    result = schedule(binding(0, SETS, {"m1": 0}, components=FLINK), world(*rooms(m1=4, m2=4)))
    assert isinstance(result, SchedulerError)
    assert result.decision.clusters == (TargetCluster(name="m1"),)


def test_an_evicted_cluster_is_not_chosen_while_its_task_lasts() -> None:
    task = GracefulEvictionTask(from_cluster="m1")
    wish = binding(2, placement(replicaScheduling=AGGREGATED), graceful_eviction_tasks=(task,))
    assert scheduled(wish, *rooms(m1=100, m2=10)) == {"m2": 2}


# Peers


def member(name: str, group: str, **fields: Any) -> Binding:
    return binding(1, placement(), name=name, workload_affinity_groups=WorkloadAffinityGroups(**{group: "g"}), **fields)


def test_a_new_member_follows_what_all_placed_members_share() -> None:
    """V2.18."""
    placed = [
        member("a", "affinity_group", clusters={"m1": 1, "m2": 1}),
        member("b", "affinity_group", clusters={"m2": 1, "m3": 1}),
        member("c", "affinity_group"),
    ]
    wish = member("d", "affinity_group")
    assert scheduled(wish, *rooms(m1=9, m2=9, m3=9), bindings=[*placed, wish]) == {"m2": 1}


def test_rivals_are_avoided_also_those_placed_in_the_same_turn() -> None:
    """V2.19."""
    turn = world(*rooms(m1=9, m2=9), bindings=[member("a", "anti_affinity_group", clusters={"m1": 1})])
    second = member("b", "anti_affinity_group")
    result = schedule(second, turn)
    assert shares(result) == {"m2": 1}
    turn.settle(second, [TargetCluster(name="m2", replicas=1)])
    assert isinstance(schedule(member("c", "anti_affinity_group"), turn), NoClusterFit)


# Room


def test_two_bindings_never_spend_the_same_room() -> None:
    turn = world(*rooms(m1=10, m2=4))
    wanted = placement(replicaScheduling=AGGREGATED)
    first = schedule(binding(8, wanted, name="a"), turn)
    assert isinstance(first, Scheduled)
    turn.settle(binding(8, wanted, name="a"), first.clusters)
    assert shares(schedule(binding(6, wanted, name="b"), turn)) == {"m1": 2, "m2": 4}


def test_protection_can_be_switched_off() -> None:
    turn = world(*rooms(m1=10), features=FeatureSettings(scheduling_overcommit_protection=False))
    wish = binding(8, placement(replicaScheduling=AGGREGATED))
    turn.settle(wish, [TargetCluster(name="m1", replicas=8)])
    assert shares(schedule(replace(wish), turn)) == {"m1": 8}


def test_what_runs_already_is_not_deducted_again() -> None:
    turn = world(*rooms(m1=10))
    running = binding(9, placement(replicaScheduling=AGGREGATED), {"m1": 8})
    turn.settle(running, [TargetCluster(name="m1", replicas=9)])
    assert shares(schedule(binding(9, placement(replicaScheduling=AGGREGATED), name="b"), turn)) == {"m1": 9}


def node(name: str, cpu: str) -> Any:
    return {"metadata": {"name": name}, "status": {"allocatable": {"cpu": cpu, "pods": "110"}}}


def test_nodes_count_where_they_are_known() -> None:
    """4 CPUs in two nodes have no room for one replica of 3."""
    member = cluster("m1", room={"cpu": "4"})
    capacity = Capacity([member], {"m1": nodes_of([node("a", "2"), node("b", "2")], [])})
    wish = binding(1, placement(replicaScheduling=AGGREGATED), requests={"cpu": "3"})
    assert scheduled(wish, member) == {"m1": 1}
    result = schedule(wish, world(member, capacity=capacity))
    assert isinstance(result, Unschedulable)
    assert result.decision.attempts[0].candidates.rooms == {"summary": (1,), "nodes": (0,)}


def test_nodes_are_used_up_by_what_is_placed() -> None:
    member = cluster("m1", room={"cpu": "4"})
    turn = world(member, capacity=Capacity([member], {"m1": nodes_of([node("a", "2"), node("b", "2")], [])}))
    wish = binding(1, placement(replicaScheduling=AGGREGATED), requests={"cpu": "1500m"})
    turn.settle(wish, [TargetCluster(name="m1", replicas=1)])
    assert shares(schedule(replace(wish, spec=replace(wish.spec, replicas=1)), turn)) == {"m1": 1}
    turn.settle(wish, [TargetCluster(name="m1", replicas=1)])
    assert isinstance(schedule(wish, turn), Unschedulable)


# The record


def test_the_record_says_it_all_and_survives_the_file() -> None:
    clusters = [cluster("m1"), cluster("m2", pods=20), cluster("m3", taints=(taint("edge:NoSchedule"),))]
    wish = binding(12, placement(replicaScheduling=DYNAMIC), {"m1": 2})
    result = schedule(wish, world(*clusters), Trigger.REPLICAS)
    decision = result.decision
    (attempt,) = decision.attempts
    assert decision.trigger is Trigger.REPLICAS
    assert decision.outcome is Outcome.SUCCESS
    assert attempt.unfit["m3"].filter == "TaintToleration"
    assert attempt.candidates.names == ("m1", "m2")
    assert attempt.candidates.scores == (100, 0)
    assert attempt.candidates.assigned == (2, 0)
    (division,) = attempt.divisions
    assert (division.method, division.seats) == (Method.UP, 10)
    assert division.kept == (TargetCluster(name="m1", replicas=2),)
    assert decode(Decision, encode(decision)).unwrap() == decision


STRATEGIES = st.sampled_from([None, AGGREGATED, DYNAMIC, divided("Weighted"), divided("Weighted", {"m1": 2, "m2": 1})])


@given(
    strategy=STRATEGIES,
    replicas=st.integers(1, 50),
    pods=st.lists(st.integers(0, 30), min_size=1, max_size=6),
    previous=st.dictionaries(st.sampled_from(["m0", "m1", "m2", "gone"]), st.integers(0, 20), max_size=3),
    order=st.randoms(),
)
def test_the_order_of_clusters_does_not_matter(
    strategy: Any, replicas: int, pods: list[int], previous: dict[str, int], order: Any
) -> None:
    clusters = [cluster(f"m{index}", pods=count) for index, count in enumerate(pods)]
    shuffled = list(clusters)
    order.shuffle(shuffled)
    wish = binding(replicas, placement(**({"replicaScheduling": strategy} if strategy else {})), previous)
    assert schedule(wish, world(*clusters)) == schedule(wish, world(*shuffled))


@given(
    wishes=st.lists(
        st.tuples(STRATEGIES, st.integers(0, 9), st.sampled_from([{}, {"m0": 2}, {"m1": 3, "m2": 1}, {"m30": 4}])),
        min_size=1,
        max_size=12,
    )
)
def test_what_is_remembered_within_a_turn_changes_no_answer(wishes: list[tuple[Any, int, dict[str, int]]]) -> None:
    """Every answer in the middle of a turn is that of a world that has never been asked before.

    Where room plays no role, the record may tell of an earlier moment.
    """
    members = [cluster(f"m{index}", pods=3 + index % 5, room={"cpu": 4}) for index in range(40)]
    known = {
        f"m{index}": nodes_of([node("a", "1"), node("b", "700m"), node("c", "2")], []) for index in range(0, 40, 2)
    }
    turn = world(*members, capacity=Capacity(members, known))
    for number, (strategy, replicas, previous) in enumerate(wishes):
        wanted = placement(**({"replicaScheduling": strategy} if strategy else {}))
        wish = binding(replicas, wanted, previous, name=f"w{number}", requests={"cpu": "500m"} if number % 2 else None)
        fresh = turn.with_capacity(turn.capacity.copy())
        result, expected = schedule(wish, turn), schedule(wish, fresh)
        assert set(result.decision.clusters) == set(expected.decision.clusters)
        assert result == expected or strategy not in (AGGREGATED, DYNAMIC)
        turn.settle(wish, result.decision.clusters)
