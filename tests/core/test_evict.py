"""Leaving a cluster: taints, tasks, application failover and the state that moves along."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from gitops_karmada.core.evict import (
    AT_ONCE,
    assess_tasks,
    evict,
    evict_repelled,
    eviction_budget,
    kept_where_homeless,
    time_tolerated,
)
from gitops_karmada.core.failover import watch
from gitops_karmada.core.preserve import StateError, preserved_state
from gitops_karmada.core.render import injected_labels, leaving_directly, staying
from gitops_karmada.core.triggers import APPLIED_PLACEMENT
from gitops_karmada.model.bindings import (
    AggregatedStatusItem,
    Binding,
    BindingStatus,
    GracefulEvictionTask,
    Health,
    TargetCluster,
)
from gitops_karmada.model.clusters import Taint
from gitops_karmada.model.decode import decode, encode
from gitops_karmada.model.frozen import Frozen
from gitops_karmada.model.placement import Failover, PurgeMode, StatePreservation, Toleration
from gitops_karmada.model.settings import FailoverSettings
from tests.core.nouns import EARLIER, binding, cluster, placement

NOW = EARLIER
ON = FailoverSettings(enabled=True, no_execute_taint_eviction=True)
TIMEOUT = timedelta(minutes=10)


def seconds(count: int) -> timedelta:
    return timedelta(seconds=count)


def gone(key: str = "a", ago: int | None = 1) -> Taint:
    return Taint(key=key, effect="NoExecute", time_added=None if ago is None else NOW - seconds(ago))


def tolerating(key: str = "a", count: int | None = None) -> Toleration:
    return Toleration(key=key, operator="Exists", toleration_seconds=count)


@pytest.mark.parametrize(
    ("taints", "tolerations", "expected"),
    [
        pytest.param([gone()], [tolerating(count=60)], seconds(59), id="V9.1"),
        pytest.param([gone()], [tolerating(count=0)], AT_ONCE, id="V9.2"),
        pytest.param([gone()], [tolerating()], None, id="V9.3"),
        pytest.param([gone("a"), gone("b")], [tolerating("a")], AT_ONCE, id="V9.4"),
        pytest.param([gone("a", 0), gone("b", 0)], [tolerating("a", 120), tolerating("b", 60)], seconds(60), id="V9.5"),
        pytest.param([gone(ago=None)], [tolerating(count=60)], None, id="V9.6"),
        pytest.param([Taint(key="a", effect="NoSchedule")], [], None, id="V9.7"),
        pytest.param([gone(ago=100)], [tolerating(count=60)], AT_ONCE, id="its time is over"),
    ],
)
def test_time_tolerated(taints: list[Taint], tolerations: list[Toleration], expected: timedelta | None) -> None:
    assert time_tolerated(taints, tolerations, NOW) == expected


def applied(wish: Binding) -> Binding:
    annotations = Frozen({APPLIED_PLACEMENT: json.dumps(encode(wish.spec.placement))})
    return replace(wish, metadata=replace(wish.metadata, annotations=annotations))


TAINTED = {"m1": cluster("m1", taints=(gone(),)), "m2": cluster("m2")}


def clusters_of(wish: Binding) -> dict[str, int]:
    return {target.name: target.replicas for target in wish.spec.clusters}


def test_a_binding_leaves_a_cluster_whose_taint_it_does_not_tolerate() -> None:
    wish = applied(binding(12, placement(), {"m1": 10, "m2": 2}))
    after = evict_repelled([wish], TAINTED, ON, NOW).bindings[wish.key]
    assert clusters_of(after) == {"m2": 2}
    (task,) = after.spec.graceful_eviction_tasks
    assert (task.from_cluster, task.replicas, task.reason, task.producer, task.purge_mode) == (
        "m1",
        10,
        "TaintUntolerated",
        "TaintManager",
        PurgeMode.GRACEFULLY,
    )


@pytest.mark.parametrize("settings", [FailoverSettings(), replace(ON, enabled=False), FailoverSettings(enabled=True)])
def test_nobody_leaves_unless_all_is_switched_on(settings: FailoverSettings) -> None:
    """V9.8."""
    wish = applied(binding(1, placement(), {"m1": 1}))
    assert evict_repelled([wish], TAINTED, settings, NOW).bindings == {}


def test_what_was_never_placed_by_us_is_not_evicted() -> None:
    """V9.9: the tolerations that were applied are not known."""
    assert evict_repelled([binding(1, placement(), {"m1": 1})], TAINTED, ON, NOW).bindings == {}


def test_evictions_keep_to_their_budget_and_the_rest_waits() -> None:
    wishes = [applied(binding(1, placement(), {"m1": 1}, name=name)) for name in ("a", "b", "c")]
    evictions = evict_repelled(wishes, TAINTED, ON, NOW, budget=2)
    assert [key.name for key in evictions.bindings] == ["a", "b"]
    assert evictions.waiting == 1


def test_the_rate_is_of_three_workers() -> None:
    assert eviction_budget("0.5", seconds(30)) == 45
    assert eviction_budget("0", seconds(30)) == 1


@pytest.mark.parametrize(
    ("failover", "mode", "expected"),
    [
        ({"cluster": {}}, "Directly", PurgeMode.GRACEFULLY),
        (None, "Directly", PurgeMode.DIRECTLY),
        (None, "Gracefully", PurgeMode.GRACEFULLY),
        ({"cluster": {"purgeMode": "Directly"}}, "Gracefully", PurgeMode.DIRECTLY),
    ],
)
def test_purge_mode(failover: Any, mode: str, expected: PurgeMode) -> None:
    """V9.30."""
    wish = applied(binding(1, placement(), {"m1": 1}, failover=failover and decode(Failover, failover).unwrap()))
    after = evict_repelled([wish], TAINTED, replace(ON, no_execute_purge_mode=mode), NOW).bindings[wish.key]
    assert after.spec.graceful_eviction_tasks[0].purge_mode is expected
    assert leaving_directly(after.spec) == ({"m1"} if expected is PurgeMode.DIRECTLY else set())
    assert staying(after.spec) == ({"m1"} if expected is PurgeMode.GRACEFULLY else set())


def test_a_second_eviction_leaves_no_second_task() -> None:
    """V9.18 to V9.20."""
    task = GracefulEvictionTask(from_cluster="m1")
    once = evict(binding(12, placement(), {"m1": 10, "m2": 2}), task)
    back = replace(once, spec=replace(once.spec, clusters=(TargetCluster(name="m1", replicas=1),)))
    twice = evict(back, task)
    assert twice.spec.clusters == ()
    assert twice.spec.graceful_eviction_tasks == once.spec.graceful_eviction_tasks
    assert evict(twice, task) is twice


def tasked(task: GracefulEvictionTask, *health: Health | None, scheduled: bool = True) -> Binding:
    items = tuple(AggregatedStatusItem(cluster_name=f"m{index}", health=it) for index, it in enumerate(health))
    status = BindingStatus(aggregated_status=items, scheduler_observed_generation=3 if scheduled else 2)
    wish = binding(1, placement(), {"m0": 1}, graceful_eviction_tasks=(task,), status=status)
    return replace(wish, metadata=replace(wish.metadata, generation=3))


def task(minutes: float | None, **fields: Any) -> GracefulEvictionTask:
    created = None if minutes is None else NOW - timedelta(minutes=minutes)
    return GracefulEvictionTask(from_cluster="m9", creation_timestamp=created, **fields)


@pytest.mark.parametrize(
    ("before", "timeout", "kept"),
    [
        pytest.param(tasked(task(4), Health.UNHEALTHY), 3, False, id="V9.11"),
        pytest.param(tasked(task(1), Health.UNHEALTHY), 10, True, id="V9.12 unhealthy"),
        pytest.param(tasked(task(1), Health.UNKNOWN), 10, True, id="V9.12 unknown"),
        pytest.param(tasked(task(1)), 10, True, id="V9.12 no status"),
        pytest.param(tasked(task(1), Health.HEALTHY), 10, False, id="V9.13"),
        pytest.param(tasked(task(1), Health.HEALTHY, scheduled=False), 10, True, id="V9.14"),
        pytest.param(tasked(task(1, grace_period_seconds=30), Health.UNHEALTHY), 10, False, id="V9.15"),
        pytest.param(tasked(task(60, suppress_deletion=True), Health.HEALTHY), 10, True, id="V9.16"),
        pytest.param(tasked(task(1, suppress_deletion=False), Health.UNHEALTHY), 10, False, id="V9.17"),
    ],
)
def test_tasks(before: Binding, timeout: int, kept: bool) -> None:
    after = assess_tasks(before, NOW, timedelta(minutes=timeout))
    assert bool(after.spec.graceful_eviction_tasks) is kept


@pytest.mark.parametrize(("scheduled", "kept"), [(False, True), (True, False)], ids=["nowhere to go", "replaced"])
def test_what_found_no_other_place_stays_whatever_the_time(scheduled: bool, kept: bool) -> None:
    before = tasked(task(11), scheduled=scheduled)
    released = assess_tasks(before, NOW, TIMEOUT)
    assert released.spec.graceful_eviction_tasks == ()
    after = kept_where_homeless(released, before, NOW)
    assert after.spec.graceful_eviction_tasks == (before.spec.graceful_eviction_tasks if kept else ())


def test_what_is_released_by_hand_goes_also_where_it_found_no_other_place() -> None:
    before = tasked(task(1, suppress_deletion=False), scheduled=False)
    assert kept_where_homeless(assess_tasks(before, NOW, TIMEOUT), before, NOW).spec.graceful_eviction_tasks == ()


def test_what_a_silent_cluster_said_last_does_not_make_it_healthy() -> None:
    """The old copy stays until its replacement is seen to run, not only remembered to have run."""
    before = tasked(task(1), Health.HEALTHY)
    assert assess_tasks(before, NOW, TIMEOUT).spec.graceful_eviction_tasks == ()
    assert assess_tasks(before, NOW, TIMEOUT, frozenset({"m0"})) == before


def test_a_new_task_is_dated_and_kept() -> None:
    """V9.10."""
    after = assess_tasks(tasked(task(None), Health.HEALTHY), NOW, TIMEOUT)
    assert after.spec.graceful_eviction_tasks[0].creation_timestamp == NOW


RULES = {"rules": [{"aliasLabelName": "a", "jsonPath": "{.replicas}"}, {"aliasLabelName": "b", "jsonPath": "{.ok}"}]}


def stateful(status: Any, path: dict[str, Any] = RULES) -> dict[str, str]:
    items = (AggregatedStatusItem(cluster_name="m1", status=status),)
    wish = binding(1, placement(), {"m1": 1}, status=BindingStatus(aggregated_status=items))
    return dict(preserved_state(wish, decode(StatePreservation, path).unwrap(), "m1"))


def test_state_is_read_as_text() -> None:
    """V9.21."""
    assert stateful({"replicas": 2, "ok": True}) == {"a": "2", "b": "true"}


@pytest.mark.parametrize("status", [None, {"replicas": 2}])
def test_without_the_state_nobody_moves(status: Any) -> None:
    """V9.22."""
    with pytest.raises(StateError):
        stateful(status)


def failing(failover: dict[str, Any], *health: Health, **fields: Any) -> Binding:
    items = tuple(
        AggregatedStatusItem(cluster_name=f"m{index}", health=it, status={"replicas": 1, "ok": True})
        for index, it in enumerate(health)
    )
    return binding(
        1,
        placement(),
        {f"m{index}": 1 for index in range(len(health))},
        propagate_deps=fields.pop("propagate_deps", True),
        failover=decode(
            Failover, {"application": {"decisionConditions": {"tolerationSeconds": 60}, **failover}}
        ).unwrap(),
        status=BindingStatus(aggregated_status=items),
        **fields,
    )


def test_an_application_moves_when_it_has_been_unhealthy_for_too_long() -> None:
    wish = failing({"purgeMode": "Directly", "statePreservation": RULES}, Health.UNHEALTHY, Health.HEALTHY)
    first = watch(wish, {}, NOW, has_health=True)
    assert (first.binding, dict(first.since)) == (wish, {"m0": NOW})
    waiting = watch(wish, first.since, NOW + seconds(60), has_health=True)
    assert waiting.binding is wish
    moved = watch(wish, waiting.since, NOW + seconds(61), has_health=True)
    assert clusters_of(moved.binding) == {"m1": 1}
    (left,) = moved.binding.spec.graceful_eviction_tasks
    assert (left.reason, left.producer) == (
        "ApplicationFailure",
        "resource-binding-application-failover-controller",
    )
    assert dict(left.preserved_label_state) == {"a": "1", "b": "true"}
    assert left.clusters_before_failover == ("m0", "m1")
    assert left.grace_period_seconds is None
    assert moved.since == {}


def test_recovery_starts_the_clock_anew() -> None:
    wish = failing({}, Health.HEALTHY)
    assert watch(wish, {"m0": NOW - seconds(500)}, NOW, has_health=True).since == {}


@pytest.mark.parametrize(
    ("mode", "grace", "suppressed"), [("Gracefully", 600, None), ("Never", None, True), ("Directly", None, None)]
)
def test_the_mode_decides_how_long_the_old_one_stays(mode: str, grace: int | None, suppressed: bool | None) -> None:
    wish = failing({"purgeMode": mode}, Health.UNHEALTHY)
    (left,) = watch(wish, {"m0": NOW}, NOW + TIMEOUT, has_health=True).binding.spec.graceful_eviction_tasks
    assert (left.grace_period_seconds, left.suppress_deletion) == (grace, suppressed)


def test_without_health_or_dependencies_nobody_moves() -> None:
    wish = failing({}, Health.UNHEALTHY)
    loose = failing({}, Health.UNHEALTHY, propagate_deps=False)
    assert watch(wish, {"m0": NOW}, NOW + TIMEOUT, has_health=False).binding is wish
    assert watch(loose, {"m0": NOW}, NOW + TIMEOUT, has_health=True).binding is loose


def test_state_is_injected_only_where_the_workload_is_new() -> None:
    left = GracefulEvictionTask(
        from_cluster="m1",
        purge_mode=PurgeMode.DIRECTLY,
        preserved_label_state=Frozen({"a": "1"}),
        clusters_before_failover=("m1", "m3"),
    )
    moved = binding(1, placement(), {"m2": 1}, graceful_eviction_tasks=(left,))
    assert injected_labels(moved.spec, "m2") == {"a": "1"}
    assert injected_labels(replace(moved.spec, clusters=(TargetCluster(name="m3"),)), "m3") == {}
    two = (TargetCluster(name="m2"), TargetCluster(name="m3"))
    assert injected_labels(replace(moved.spec, clusters=two), "m2") == {}
