"""Application failover: a workload that stays unhealthy in a cluster moves on."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from gitops_karmada.core.evict import evict
from gitops_karmada.core.preserve import StateError, preserved_state
from gitops_karmada.model.bindings import Binding, GracefulEvictionTask, Health
from gitops_karmada.model.frozen import NOTHING
from gitops_karmada.model.placement import ApplicationFailover, PurgeMode

APPLICATION_FAILURE = "ApplicationFailure"
TOLERATION_SECONDS, GRACE_PERIOD_SECONDS = 300, 600  # the webhook's defaults


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A binding after a look at its health; `since` is when each target was first seen unhealthy, for the next look."""

    binding: Binding
    since: Mapping[str, datetime] = NOTHING
    refused: str = ""


def watch(binding: Binding, since: Mapping[str, datetime], now: datetime, *, has_health: bool) -> Watched:
    """Evict from targets that have been unhealthy for longer than the policy tolerates.

    `since` outlives restarts: it is kept on the status branch. `has_health`: the kind's health is known at all.
    """
    failover = binding.spec.failover.application if binding.spec.failover else None
    if failover is None or not has_health or not binding.spec.propagate_deps or not binding.status.aggregated_status:
        return Watched(binding=binding)
    seen = {name: since.get(name, now) for name in _unhealthy(binding)}
    tolerated = failover.decision_conditions.toleration_seconds
    patience = timedelta(seconds=TOLERATION_SECONDS if tolerated is None else tolerated)
    leaving = sorted(name for name, first in seen.items() if now > first + patience)
    try:
        tasks = [_task(binding, failover, name) for name in leaving]
    except StateError as error:
        return Watched(binding=binding, since=seen, refused=str(error))
    after = binding
    for task in tasks:
        after = evict(after, task)
    return Watched(binding=after, since={name: first for name, first in seen.items() if name not in leaving})


def _unhealthy(binding: Binding) -> list[str]:
    """Targets that are unhealthy and not being left already. Healthy or unknown starts the clock anew."""
    targets = {target.name for target in binding.spec.clusters}
    evicting = {task.from_cluster for task in binding.spec.graceful_eviction_tasks}
    return [
        item.cluster_name
        for item in binding.status.aggregated_status
        if item.health is Health.UNHEALTHY and item.cluster_name in targets and item.cluster_name not in evicting
    ]


def _task(binding: Binding, failover: ApplicationFailover, name: str) -> GracefulEvictionTask:
    mode = failover.purge_mode or PurgeMode.GRACEFULLY
    preservation = failover.state_preservation
    stateful = preservation is not None and bool(preservation.rules)
    return GracefulEvictionTask(
        from_cluster=name,
        purge_mode=mode,
        reason=APPLICATION_FAILURE,
        producer=_producer(binding),
        grace_period_seconds=_grace(failover) if mode is PurgeMode.GRACEFULLY else None,
        suppress_deletion=True if mode is PurgeMode.NEVER else None,
        preserved_label_state=preserved_state(binding, preservation, name),
        clusters_before_failover=tuple(target.name for target in binding.spec.clusters) if stateful else (),
    )


def _grace(failover: ApplicationFailover) -> int:
    return GRACE_PERIOD_SECONDS if failover.grace_period_seconds is None else failover.grace_period_seconds


def _producer(binding: Binding) -> str:
    prefix = "resource-binding" if binding.metadata.namespace else "cluster-resource-binding"
    return f"{prefix}-application-failover-controller"
