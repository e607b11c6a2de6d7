"""Leaving a cluster: who has to, how, and when what is left behind may go."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from fractions import Fraction

from gitops_karmada.core.affinity import tolerates
from gitops_karmada.core.preserve import StateError, preserved_state
from gitops_karmada.core.triggers import APPLIED_PLACEMENT, read_applied
from gitops_karmada.model.bindings import Binding, GracefulEvictionTask, Health
from gitops_karmada.model.clusters import Cluster, Taint
from gitops_karmada.model.objects import Key
from gitops_karmada.model.placement import PurgeMode, Toleration
from gitops_karmada.model.settings import FailoverSettings

NO_EXECUTE = "NoExecute"
TAINT_UNTOLERATED, TAINT_MANAGER = "TaintUntolerated", "TaintManager"
AT_ONCE = timedelta()
WORKERS = 3  # of the taint manager's queue, each of them keeps to the rate


# Taints ---------------------------------------------------------------------------------------------------------------


def time_tolerated(taints: Iterable[Taint], tolerations: Sequence[Toleration], now: datetime) -> timedelta | None:
    """For how long what runs in a cluster may still stay: not at all, for a while, or (None) for ever."""
    repelling = [taint for taint in taints if taint.effect == NO_EXECUTE]
    used = [next((it for it in tolerations if tolerates(it, taint)), None) for taint in repelling]
    if None in used:
        return AT_ONCE
    ends = [
        taint.time_added + timedelta(seconds=toleration.toleration_seconds)
        for taint in repelling
        for toleration in used
        if toleration is not None and toleration.toleration_seconds is not None
        if taint.time_added is not None and tolerates(toleration, taint)
    ]
    return max(min(ends) - now, AT_ONCE) if ends else None


def repelled(binding: Binding, clusters: Mapping[str, Cluster], now: datetime) -> tuple[str, ...]:
    """The targets that a binding has to leave now. What was applied counts, not what is wished by now."""
    applied = read_applied(binding.metadata.annotations.get(APPLIED_PLACEMENT, ""))
    if applied is None:
        return ()
    return tuple(
        target.name
        for target in binding.spec.clusters
        if target.name in clusters
        if time_tolerated(clusters[target.name].spec.taints, applied.cluster_tolerations, now) == AT_ONCE
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Evictions:
    """The bindings that changed, and what could not be done, by binding: the state to preserve was not there."""

    bindings: Mapping[Key, Binding]
    refused: Mapping[Key, str]
    waiting: int = 0


def evict_repelled(
    bindings: Iterable[Binding],
    clusters: Mapping[str, Cluster],
    settings: FailoverSettings,
    now: datetime,
    budget: int | None = None,
) -> Evictions:
    """Make bindings leave clusters whose NoExecute taints they do not tolerate, at most `budget` of each kind.

    Nothing happens unless both failover and eviction by taints are switched on. The rest waits for the next turn.
    """
    changed: dict[Key, Binding] = {}
    refused: dict[Key, str] = {}
    left: dict[str, int] = {}
    waiting = 0
    if not settings.enabled or not settings.no_execute_taint_eviction:
        return Evictions(bindings={}, refused={})
    for binding in sorted(bindings, key=lambda it: it.key):
        for name in repelled(binding, clusters, now):
            if budget is not None and left.setdefault(binding.kind, budget) <= 0:
                waiting += 1
                continue
            try:
                changed[binding.key] = _evict_repelled(changed.get(binding.key, binding), name, settings)
            except StateError as error:
                refused[binding.key] = str(error)
            else:
                left[binding.kind] = left.get(binding.kind, 0) - 1
    return Evictions(bindings=changed, refused=refused, waiting=waiting)


def eviction_budget(rate: str, elapsed: timedelta) -> int:
    """How many evictions a rate (per second and worker, such as `0.5`) allows since the last turn; at least one."""
    a_second = Fraction(rate) or Fraction(1, 1800)
    seconds = Fraction(int(elapsed.total_seconds() * 1000), 1000)
    return max(1, int(a_second * WORKERS * seconds))


def _evict_repelled(binding: Binding, name: str, settings: FailoverSettings) -> Binding:
    failover = binding.spec.failover.cluster if binding.spec.failover else None
    if failover is not None:
        mode = failover.purge_mode or PurgeMode.GRACEFULLY
    else:
        direct = settings.no_execute_purge_mode == PurgeMode.DIRECTLY
        mode = PurgeMode.DIRECTLY if direct else PurgeMode.GRACEFULLY
    task = GracefulEvictionTask(
        from_cluster=name,
        purge_mode=mode,
        reason=TAINT_UNTOLERATED,
        producer=TAINT_MANAGER,
        preserved_label_state=preserved_state(binding, failover.state_preservation if failover else None, name),
    )
    return evict(binding, task)


# Tasks ----------------------------------------------------------------------------------------------------------------


def evict(binding: Binding, task: GracefulEvictionTask) -> Binding:
    """Take a cluster from the targets and leave a task for what runs there. One that is no target changes nothing."""
    spec = binding.spec
    gone = next((target for target in spec.clusters if target.name == task.from_cluster), None)
    if gone is None:
        return binding
    clusters = tuple(target for target in spec.clusters if target is not gone)
    tasks = spec.graceful_eviction_tasks
    if all(known.from_cluster != task.from_cluster for known in tasks):
        tasks = (*tasks, replace(task, replicas=gone.replicas or None, creation_timestamp=None))
    return replace(binding, spec=replace(spec, clusters=clusters, graceful_eviction_tasks=tasks))


def assess_tasks(binding: Binding, now: datetime, timeout: timedelta, silent: frozenset[str] = frozenset()) -> Binding:
    """Date new tasks, and drop those that are done: replaced by healthy clusters, out of time, or released by hand.

    A dropped task is what lets the old cluster's work go. What a `silent` cluster said last does not make it healthy.
    """
    tasks = binding.spec.graceful_eviction_tasks
    kept = tuple(_dated(task, now) for task in tasks if _is_kept(task, binding, now, timeout, silent))
    if kept == tasks:
        return binding
    return replace(binding, spec=replace(binding.spec, graceful_eviction_tasks=kept))


def kept_where_homeless(placed: Binding, before: Binding, now: datetime) -> Binding:
    """What has found no other place stays, whatever the time: its tasks that ran out are there again.

    `before` is as it was before its tasks were assessed. Each turn tries anew, with the old cluster among the choices.
    """
    if placed.status.scheduler_observed_generation == placed.metadata.generation:
        return placed
    there = {task.from_cluster for task in placed.spec.graceful_eviction_tasks}
    lost = tuple(
        _dated(task, now)
        for task in before.spec.graceful_eviction_tasks
        if task.from_cluster not in there and task.suppress_deletion is None
    )
    if not lost:
        return placed
    tasks = (*placed.spec.graceful_eviction_tasks, *lost)
    return replace(placed, spec=replace(placed.spec, graceful_eviction_tasks=tasks))


def _dated(task: GracefulEvictionTask, now: datetime) -> GracefulEvictionTask:
    return replace(task, creation_timestamp=now) if task.creation_timestamp is None else task


def _is_kept(
    task: GracefulEvictionTask, binding: Binding, now: datetime, timeout: timedelta, silent: frozenset[str]
) -> bool:
    if task.creation_timestamp is None:
        return True
    if task.suppress_deletion is not None:
        return task.suppress_deletion
    grace = timeout if task.grace_period_seconds is None else timedelta(seconds=task.grace_period_seconds)
    return now <= task.creation_timestamp + grace and not _is_replaced(binding, silent)


def _is_replaced(binding: Binding, silent: frozenset[str]) -> bool:
    """Scheduled as it is now, and healthy in every target. With no target at all there is nothing to wait for."""
    healthy = {item.cluster_name for item in binding.status.aggregated_status if item.health is Health.HEALTHY}
    return binding.status.scheduler_observed_generation == binding.metadata.generation and all(
        target.name in healthy and target.name not in silent for target in binding.spec.clusters
    )
