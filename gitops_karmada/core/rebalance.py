"""WorkloadRebalancer: ask the scheduler to forget where workloads run, once."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.objects import Key, group_of
from gitops_karmada.model.policies import ObservedWorkload, RebalancedWorkload, WorkloadRebalancer

NOT_FOUND = "ReferencedBindingNotFound"


class Result(StrEnum):
    SUCCESSFUL = "Successful"
    FAILED = "Failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebalanced:
    """The rebalancer with its results, and the bindings that it asks to be scheduled afresh."""

    rebalancer: WorkloadRebalancer
    bindings: Mapping[Key, Binding]


def rebalance(rebalancer: WorkloadRebalancer, bindings: Mapping[Key, Binding], now: datetime) -> Rebalanced:
    """Record the trigger on every workload that has no result yet. A result is never looked at again.

    The trigger is the time when the rebalancer appeared: what was scheduled after it has nothing to forget.
    """
    asked = rebalancer.metadata.creation_timestamp or now
    changed: dict[Key, Binding] = {}
    observed = []
    for workload in _observed(rebalancer):
        if not workload.result:
            binding = bindings.get(key_of(workload.workload))
            if binding is None:
                workload = replace(workload, result=Result.FAILED, reason=NOT_FOUND)
            else:
                workload = replace(workload, result=Result.SUCCESSFUL)
                changed.update(_triggered(binding, asked))
        observed.append(workload)
    status = replace(
        rebalancer.status,
        observed_workloads=tuple(observed),
        observed_generation=rebalancer.metadata.generation,
        finish_time=_finish_time(rebalancer, tuple(observed), now),
    )
    return Rebalanced(rebalancer=replace(rebalancer, status=status), bindings=changed)


def _finish_time(rebalancer: WorkloadRebalancer, observed: tuple[ObservedWorkload, ...], now: datetime) -> datetime:
    status = rebalancer.status
    return status.finish_time if status.finish_time and status.observed_workloads == observed else now


def _triggered(binding: Binding, asked: datetime) -> Mapping[Key, Binding]:
    last = binding.spec.reschedule_triggered_at
    if last is not None and asked <= last:
        return {}
    return {binding.key: replace(binding, spec=replace(binding.spec, reschedule_triggered_at=asked))}


def _observed(rebalancer: WorkloadRebalancer) -> list[ObservedWorkload]:
    """The workloads to look at: those of the spec with their results, and successes that the spec no longer names."""
    known = {observed.workload: observed for observed in rebalancer.status.observed_workloads}
    wanted = dict.fromkeys(rebalancer.spec.workloads)
    kept = [it for it in known.values() if it.workload in wanted or it.result == Result.SUCCESSFUL]
    added = [ObservedWorkload(workload=workload) for workload in wanted if workload not in known]
    return sorted([*kept, *added], key=lambda it: _name(it.workload))


def _name(workload: RebalancedWorkload) -> str:
    return f"{workload.api_version} {workload.kind} {workload.namespace} {workload.name}"


def key_of(workload: RebalancedWorkload) -> Key:
    return Key(
        group=group_of(workload.api_version), kind=workload.kind, namespace=workload.namespace, name=workload.name
    )


def is_expired(rebalancer: WorkloadRebalancer, now: datetime) -> bool:
    """Whether it has done its work and outlived its time: its status is no longer kept."""
    ttl, finished = rebalancer.spec.ttl_seconds_after_finished, rebalancer.status.finish_time
    return ttl is not None and finished is not None and now >= finished + timedelta(seconds=ttl)
