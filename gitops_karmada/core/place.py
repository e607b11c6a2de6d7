"""The fold: bindings in priority order, each scheduled where it needs a pass, each leaving less room to the next."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from typing import Final, assert_never

from gitops_karmada.core.conditions import condition_of, with_condition
from gitops_karmada.core.preempt import displaced, preempt, release
from gitops_karmada.core.quota import QuotaLedger
from gitops_karmada.core.schedule import (
    NoClusterFit,
    Scheduled,
    SchedulerError,
    ScheduleResult,
    SchedulingWorld,
    Unschedulable,
    schedule,
)
from gitops_karmada.core.triggers import APPLIED_PLACEMENT, needs_pass
from gitops_karmada.model.bindings import Binding, TargetCluster
from gitops_karmada.model.clusters import Condition
from gitops_karmada.model.decisions import Decision, Outcome, Victim
from gitops_karmada.model.decode import encode
from gitops_karmada.model.frozen import Frozen
from gitops_karmada.model.objects import Key
from gitops_karmada.model.placement import Placement

SCHEDULED: Final = "Scheduled"
DEFAULT_SCHEDULER: Final = "default-scheduler"
SUCCESS: Final = "Binding has been scheduled successfully."


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Every binding after the fold, and the record of each pass that ran."""

    bindings: Mapping[Key, Binding] = field(default_factory=dict)
    decisions: Mapping[Key, Decision] = field(default_factory=dict)


def placed(bindings: Iterable[Binding], world: SchedulingWorld, quotas: QuotaLedger, now: datetime) -> Placed:
    """Schedule what needs it, the most important first; equally important ones by name."""
    after: dict[Key, Binding] = {}
    decisions: dict[Key, Decision] = {}
    waiting = sorted(bindings, key=_order)
    for place, binding in enumerate(waiting):
        after[binding.key], decision = _placed(binding, world, quotas, now)
        if decision is not None and decision.outcome is Outcome.UNSCHEDULABLE and _preempts(binding):
            victims = _make_room(binding, waiting, place + 1, world, quotas)
            if victims:
                after[binding.key], decision = _placed(binding, world, quotas, now)
                decision = replace(decision, victims=victims) if decision is not None else None
        if decision is not None:
            decisions[binding.key] = decision
    return Placed(bindings=after, decisions=decisions)


def _make_room(
    binding: Binding, waiting: list[Binding], rest: int, world: SchedulingWorld, quotas: QuotaLedger
) -> tuple[Victim, ...]:
    """Displace less important bindings among those that are still to come, where that is enough and allowed."""
    lower = [it for it in waiting[rest:] if _priority(it) < _priority(binding)]
    preemption = preempt(binding, lower, world, None)
    if preemption is None or quotas.objection(binding, preemption.result.clusters):
        return ()
    release(world.capacity, lower, preemption.victims)
    for index, loser in enumerate(waiting[rest:], start=rest):
        waiting[index] = displaced(loser, preemption.victims)
        quotas.take(loser, waiting[index].spec.clusters)
    return preemption.victims


def _preempts(binding: Binding) -> bool:
    return binding.spec.schedule_priority is not None and binding.spec.schedule_priority.preempts


def _order(binding: Binding) -> tuple[int, Key]:
    return -_priority(binding), binding.key


def _priority(binding: Binding) -> int:
    return binding.spec.schedule_priority.priority if binding.spec.schedule_priority else 0


def is_schedulable(binding: Binding) -> bool:
    """Claimed by a policy, for our scheduler, and not suspended by a queue."""
    spec = binding.spec
    suspended = spec.suspension is not None and bool(spec.suspension.scheduling)
    ours = spec.scheduler_name in ("", DEFAULT_SCHEDULER)
    return spec.placement is not None and ours and not suspended and is_claimed(binding)


def is_claimed(binding: Binding) -> bool:
    annotations = binding.metadata.annotations
    return bool(
        annotations.get("propagationpolicy.karmada.io/name")
        or annotations.get("clusterpropagationpolicy.karmada.io/name")
    )


def _placed(
    binding: Binding, world: SchedulingWorld, quotas: QuotaLedger, now: datetime
) -> tuple[Binding, Decision | None]:
    if not is_schedulable(binding):
        return binding, None
    trigger = needs_pass(binding, world)
    if trigger is None:
        return _observed(binding), None
    result = schedule(binding, world, trigger)
    if isinstance(result, Scheduled) and (denied := quotas.objection(binding, result.clusters)):
        return _refused(binding, Outcome.QUOTA_EXCEEDED, denied, now), _denied(result, denied)
    settled = _settled(binding, result, now)
    if isinstance(result, Scheduled | NoClusterFit):
        world.settle(binding, result.decision.clusters)
        quotas.take(binding, result.decision.clusters)
    return settled, result.decision


def _observed(binding: Binding) -> Binding:
    """Scheduled as it is: the division still adds up. No replicas that fit nowhere are not scheduled, though."""
    if binding.status.scheduler_observed_generation == binding.metadata.generation or _fits_nowhere(binding):
        return binding
    return replace(binding, status=replace(binding.status, scheduler_observed_generation=binding.metadata.generation))


def _fits_nowhere(binding: Binding) -> bool:
    scheduled = condition_of(binding.status.conditions, SCHEDULED)
    return not binding.spec.clusters and scheduled is not None and scheduled.status == "False"


def _denied(result: Scheduled, reason: str) -> Decision:
    return replace(result.decision, outcome=Outcome.QUOTA_EXCEEDED, message=reason, clusters=result.decision.previous)


def _settled(binding: Binding, result: ScheduleResult, now: datetime) -> Binding:
    match result:
        case Scheduled(clusters=clusters, affinity_name=affinity_name):
            return _scheduled(binding, clusters, affinity_name, now)
        case NoClusterFit(message=message):
            return _refused(with_clusters(binding, ()), Outcome.NO_CLUSTER_FIT, message, now)
        case Unschedulable(message=message):
            return _refused(binding, Outcome.UNSCHEDULABLE, message, now)
        case SchedulerError(message=message):
            return _refused(binding, Outcome.SCHEDULER_ERROR, message, now)
        case _:
            assert_never(result)


def _scheduled(binding: Binding, clusters: tuple[TargetCluster, ...], affinity_name: str, now: datetime) -> Binding:
    after = with_clusters(binding, clusters)
    condition = Condition(type=SCHEDULED, status="True", reason=Outcome.SUCCESS, message=SUCCESS)
    status = replace(
        after.status,
        conditions=with_condition(after.status.conditions, condition, now),
        scheduler_observed_affinity_name=affinity_name,
        scheduler_observed_generation=after.metadata.generation,
        last_scheduled_time=_last_scheduled(binding, after, now),
    )
    return after if status == after.status else replace(after, status=status)


def _last_scheduled(before: Binding, after: Binding, now: datetime) -> datetime:
    """The time of the last pass that changed something: an idle pass each turn would make the branch grow for nothing.

    A pass that a rebalance asked for counts, so that it is not asked for again.
    """
    last, asked = before.status.last_scheduled_time, before.spec.reschedule_triggered_at
    if last is None or after.spec != before.spec or after.metadata != before.metadata:
        return max(now, asked) if asked else now
    return max(last, asked) if asked else last


def _refused(binding: Binding, outcome: Outcome, message: str, now: datetime) -> Binding:
    condition = Condition(type=SCHEDULED, status="False", reason=outcome, message=message)
    conditions = with_condition(binding.status.conditions, condition, now)
    if conditions == binding.status.conditions:
        return binding
    return replace(binding, status=replace(binding.status, conditions=conditions))


def with_clusters(binding: Binding, clusters: tuple[TargetCluster, ...]) -> Binding:
    """The binding with a new result, and the placement that it is the result of."""
    applied = applied_placement(binding.spec.placement) if binding.spec.placement is not None else ""
    annotations = binding.metadata.annotations
    if annotations.get(APPLIED_PLACEMENT) != applied:
        annotations = Frozen({**annotations, APPLIED_PLACEMENT: applied})
    if clusters == binding.spec.clusters and annotations is binding.metadata.annotations:
        return binding
    return replace(
        binding,
        spec=replace(binding.spec, clusters=clusters),
        metadata=replace(binding.metadata, annotations=annotations),
    )


@lru_cache(maxsize=4096)
def applied_placement(placement: Placement) -> str:
    """Karmada's annotation, in canonical form."""
    return json.dumps(encode(placement), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
