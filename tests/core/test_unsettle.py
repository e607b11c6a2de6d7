"""What has to leave, before anything is scheduled, and what of it the next turn must know."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from gitops_karmada.core.unsettle import EVICTED_AT, UNHEALTHY, unsettled
from gitops_karmada.model.bindings import AggregatedStatusItem, Binding, GracefulEvictionTask, Health
from gitops_karmada.model.federation import Ledger
from gitops_karmada.model.objects import Key
from gitops_karmada.model.plan import Question
from tests.core.questions import (
    CLUSTERS,
    INTERPRETER,
    NOW,
    SHOP,
    WEB,
    cluster,
    decided,
    deployment,
    ledger_after,
    policy,
    question,
    without,
)

FAILOVER = {
    "failover": {"enabled": True, "noExecuteTaintEviction": True, "evictionRate": "0.1"},
    "pollIntervalSeconds": 10,
}
TAINTED = (*without(SHOP, "west"), cluster("west", taints=[{"key": "down", "effect": "NoExecute"}]))
WATCHED = policy(
    propagateDeps=True,
    failover={"application": {"decisionConditions": {"tolerationSeconds": 60}, "purgeMode": "Directly"}},
)


def after(bindings: dict[Key, Binding], asked: Question) -> Any:
    clusters = {declared.value.name: declared.value for declared in asked.federation.clusters}
    return unsettled(bindings, clusters, asked, INTERPRETER)  # type: ignore[arg-type]


def placed(objects: Any = SHOP) -> dict[Key, Binding]:
    return dict(decided(question(objects)).bindings)


def reporting(binding: Binding, **health: Health) -> Binding:
    items = tuple(AggregatedStatusItem(cluster_name=name, applied=True, health=it) for name, it in health.items())
    return replace(binding, status=replace(binding.status, aggregated_status=items))


def targets(binding: Binding) -> list[str]:
    return [target.name for target in binding.spec.clusters]


def test_nothing_leaves_while_failover_is_off() -> None:
    bindings = placed()
    assert after(bindings, question(TAINTED)).bindings == bindings


def test_a_taint_that_is_not_tolerated_evicts() -> None:
    found = after(placed(), question(TAINTED, spec=FAILOVER))
    binding = found.bindings[WEB]
    assert targets(binding) == ["east"]
    (task,) = binding.spec.graceful_eviction_tasks
    assert (task.from_cluster, task.reason, task.creation_timestamp) == ("west", "TaintUntolerated", NOW)
    # Until a pass has found another place it is not scheduled as it is.
    assert binding.status.scheduler_observed_generation == 0


def test_evictions_keep_to_their_rate_and_the_rest_waits() -> None:
    """A tenth of an eviction a second and worker: three in the ten seconds of a turn."""
    objects = (*CLUSTERS, policy(), *(deployment(f"web-{number}") for number in range(8)))
    bindings = placed(objects)
    tainted = (*without(objects, "west"), TAINTED[-1])
    first = after(bindings, question(tainted, spec=FAILOVER))
    assert sum("west" not in targets(it) for it in first.bindings.values()) == 3
    assert first.memory[EVICTED_AT] == "2026-03-01T08:00:00Z"
    ledger = Ledger(memory=first.memory)
    later = question(tainted, spec=FAILOVER, ledger=ledger, now=NOW + timedelta(seconds=20))
    second = after(first.bindings, later)
    assert all("west" not in targets(it) for it in second.bindings.values())
    assert EVICTED_AT not in second.memory


def task_of(binding: Binding, since: datetime) -> Binding:
    task = GracefulEvictionTask(from_cluster="west", creation_timestamp=since)
    return replace(binding, spec=replace(binding.spec, graceful_eviction_tasks=(task,)))


@pytest.mark.parametrize(
    ("age", "health", "is_kept"),
    [
        (10, Health.UNHEALTHY, True),
        (10, Health.UNKNOWN, True),
        (10, Health.HEALTHY, False),
        (601, Health.UNHEALTHY, False),
    ],
    ids=["not yet healthy", "unknown is not healthy", "replaced", "out of time"],
)
def test_a_copy_stays_until_its_replacement_is_healthy_or_time_is_out(age: int, health: Health, is_kept: bool) -> None:
    bindings = placed((*CLUSTERS, policy(weights={"east": 1}), deployment()))
    left = reporting(task_of(bindings[WEB], NOW - timedelta(seconds=age)), east=health)
    found = after({WEB: left}, question())
    assert bool(found.bindings[WEB].spec.graceful_eviction_tasks) is is_kept


def test_a_workload_that_stays_unhealthy_moves_and_its_timer_outlives_the_process() -> None:
    objects = (*CLUSTERS, WATCHED, deployment())
    sick = reporting(placed(objects)[WEB], east=Health.HEALTHY, west=Health.UNHEALTHY)
    first = after({WEB: sick}, question(objects))
    assert targets(first.bindings[WEB]) == ["east", "west"]
    assert first.memory[UNHEALTHY] == {"shop/deployment.apps/web": {"west": "2026-03-01T08:00:00Z"}}
    ledger = Ledger(memory=first.memory)
    still = after({WEB: sick}, question(objects, ledger=ledger, now=NOW + timedelta(seconds=50)))
    assert still.memory == first.memory
    late = after({WEB: sick}, question(objects, ledger=ledger, now=NOW + timedelta(seconds=61)))
    assert targets(late.bindings[WEB]) == ["east"]
    assert late.bindings[WEB].spec.graceful_eviction_tasks[0].reason == "ApplicationFailure"
    assert UNHEALTHY not in late.memory


def test_unknown_health_starts_the_clock_anew() -> None:
    objects = (*CLUSTERS, WATCHED, deployment())
    silent = reporting(placed(objects)[WEB], east=Health.HEALTHY, west=Health.UNKNOWN)
    ledger = Ledger(memory={UNHEALTHY: {"shop/deployment.apps/web": {"west": "2026-03-01T07:00:00Z"}}})
    found = after({WEB: silent}, question(objects, ledger=ledger))
    assert found.bindings[WEB] == silent
    assert UNHEALTHY not in found.memory


def test_a_memory_that_was_spoilt_by_hand_counts_as_none() -> None:
    objects = (*CLUSTERS, WATCHED, deployment())
    sick = reporting(placed(objects)[WEB], west=Health.UNHEALTHY)
    ledger = Ledger(memory={UNHEALTHY: {"shop/deployment.apps/web": {"west": "yesterday"}}, EVICTED_AT: "noon"})
    found = after({WEB: sick}, question(objects, ledger=ledger, spec=FAILOVER))
    assert found.memory[UNHEALTHY]["shop/deployment.apps/web"] == {"west": "2026-03-01T08:00:00Z"}


def rebalancer(*names: str) -> dict[str, Any]:
    workloads = [{"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "shop", "name": name} for name in names]
    kind = {"apiVersion": "apps.karmada.io/v1alpha1", "kind": "WorkloadRebalancer", "metadata": {"name": "again"}}
    return {**kind, "spec": {"workloads": workloads}}


def test_a_rebalancer_asks_once_from_the_turn_that_saw_it_first() -> None:
    objects = (*SHOP, rebalancer("web", "gone"))
    first = after(placed(), question(objects, now=NOW + timedelta(minutes=1)))
    assert first.bindings[WEB].spec.reschedule_triggered_at == NOW + timedelta(minutes=1)
    known = first.rebalancers["again"]
    assert [(it.workload.name, it.result) for it in known.status.observed_workloads] == [
        ("gone", "Failed"),
        ("web", "Successful"),
    ]
    ledger = replace(ledger_after(decided(question())), rebalancers=first.rebalancers)
    second = after(first.bindings, question(objects, ledger=ledger, now=NOW + timedelta(hours=1)))
    assert second.bindings == first.bindings
    assert second.rebalancers == first.rebalancers


def test_a_rebalancer_that_names_more_keeps_its_age() -> None:
    first = after(placed(), question((*SHOP, rebalancer("web")), now=NOW + timedelta(minutes=1)))
    ledger = Ledger(rebalancers=first.rebalancers)
    later = question((*SHOP, rebalancer("web", "other")), ledger=ledger, now=NOW + timedelta(hours=1))
    second = after(first.bindings, later).rebalancers["again"]
    assert second.metadata.creation_timestamp == NOW + timedelta(minutes=1)
    assert second.metadata.generation == 2
    assert len(second.status.observed_workloads) == 2


def test_a_rebalancer_that_left_git_is_forgotten() -> None:
    first = after(placed(), question((*SHOP, rebalancer("web"))))
    assert after(first.bindings, question(SHOP, ledger=Ledger(rebalancers=first.rebalancers))).rebalancers == {}
