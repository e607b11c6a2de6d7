"""Before bindings are scheduled: what failover, evictions, rebalancers and the descheduler take away from them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

from gitops_karmada.core.deschedule import descheduled, stuck_replicas
from gitops_karmada.core.evict import assess_tasks, evict_repelled, eviction_budget, kept_where_homeless
from gitops_karmada.core.failover import watch
from gitops_karmada.core.interpret import Interpreter, Operation
from gitops_karmada.core.rebalance import rebalance
from gitops_karmada.core.record import object_path
from gitops_karmada.core.times import read_time, text_of
from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.federation import Template
from gitops_karmada.model.frozen import Frozen
from gitops_karmada.model.members import Observed, Unreachable
from gitops_karmada.model.objects import ClusterName, Key
from gitops_karmada.model.plan import Question
from gitops_karmada.model.policies import WorkloadRebalancer
from gitops_karmada.model.problems import Problem, Severity

# In the turn's memory: since when targets are unhealthy, by binding and cluster; when the last evictions were.
UNHEALTHY: Final = "unhealthy"
EVICTED_AT: Final = "evictedAt"


@dataclass(slots=True)
class Unsettled:
    """All bindings, with less where something has to leave. `memory` is for the next turn.

    `released` are those whose tasks ended, as they were before.
    """

    bindings: dict[Key, Binding]
    released: dict[Key, Binding] = field(default_factory=dict)
    rebalancers: dict[str, WorkloadRebalancer] = field(default_factory=dict)
    memory: dict[str, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def unsettled(
    bindings: Mapping[Key, Binding],
    clusters: Mapping[ClusterName, Cluster],
    question: Question,
    interpreter: Interpreter,
) -> Unsettled:
    """Evict, assess what evictions left behind, ask anew what rebalancers name: in this order."""
    found = Unsettled(bindings=dict(bindings))
    _repel(found, clusters, question)
    _watch(found, question, interpreter)
    _assess(found, question)
    _rebalance(found, question)
    if question.federation.settings.spec.features.descheduler:
        _deschedule(found, question)
    return found


# Evictions ------------------------------------------------------------------------------------------------------------


def _repel(found: Unsettled, clusters: Mapping[ClusterName, Cluster], question: Question) -> None:
    settings = question.federation.settings.spec
    named = {str(name): cluster for name, cluster in clusters.items()}
    budget = eviction_budget(settings.failover.eviction_rate, _since_last(question))
    evictions = evict_repelled(found.bindings.values(), named, settings.failover, question.now, budget)
    found.bindings.update({key: _moved(binding) for key, binding in evictions.bindings.items()})
    found.problems.extend(_refused(key, why, question) for key, why in sorted(evictions.refused.items()))
    if evictions.waiting:
        found.memory[EVICTED_AT] = text_of(question.now)


def _since_last(question: Question) -> timedelta:
    """The time that the rate of evictions is counted over; a turn's while none is waiting."""
    last = read_time(question.ledger.memory.get(EVICTED_AT))
    if last is None:
        return timedelta(seconds=question.federation.settings.spec.poll_interval_seconds)
    return question.now - last


def _moved(binding: Binding) -> Binding:
    """Not scheduled as it is now: what it leaves stays until a pass has found it another place."""
    return replace(binding, status=replace(binding.status, scheduler_observed_generation=0))


def _watch(found: Unsettled, question: Question, interpreter: Interpreter) -> None:
    timers = question.ledger.memory.get(UNHEALTHY, {})
    seen: dict[str, Any] = {}
    for key, binding in sorted(found.bindings.items()):
        if binding.spec.failover is None or binding.spec.failover.application is None:
            continue
        since = _times(timers.get(object_path(key), {}))
        template = question.federation.templates.get(key)
        watched = watch(binding, since, question.now, has_health=_has_health(template, interpreter))
        if watched.binding is not binding:
            found.bindings[key] = _moved(watched.binding)
        if watched.since:
            seen[object_path(key)] = Frozen({name: text_of(first) for name, first in sorted(watched.since.items())})
        if watched.refused:
            found.problems.append(_refused(key, watched.refused, question))
    if seen:
        found.memory[UNHEALTHY] = Frozen(seen)


def _times(written: Mapping[str, Any]) -> dict[str, datetime]:
    read = {name: read_time(text) for name, text in written.items()}
    return {name: time for name, time in read.items() if time is not None}


def _has_health(template: Template | None, interpreter: Interpreter) -> bool:
    return template is not None and interpreter.by(Operation.HEALTH, template.object) is not None


def _refused(key: Key, why: str, question: Question) -> Problem:
    template = question.federation.templates.get(key)
    return Problem(
        code="GK2054",
        severity=Severity.WARNING,
        location=template.location if template else None,
        subject=str(key),
        message=f"stays where it is although it should leave: {why}",
        hint="The next turn tries again",
    )


def _assess(found: Unsettled, question: Question) -> None:
    timeout = timedelta(seconds=question.federation.settings.spec.failover.graceful_eviction_timeout_seconds)
    silent = frozenset(str(name) for name, state in question.members.items() if isinstance(state, Unreachable))
    for key, binding in found.bindings.items():
        if binding.spec.graceful_eviction_tasks:
            found.bindings[key] = assess_tasks(binding, question.now, timeout, silent)
            if found.bindings[key] is not binding:
                found.released[key] = binding


def homeless_kept(placed: Mapping[Key, Binding], found: Unsettled, now: datetime) -> dict[Key, Binding]:
    """All bindings after they were placed; those that found no other place keep what they were to leave."""
    kept = {key: kept_where_homeless(placed[key], before, now) for key, before in found.released.items()}
    return {**placed, **kept}


# Rebalancers ----------------------------------------------------------------------------------------------------------


def _rebalance(found: Unsettled, question: Question) -> None:
    for declared in sorted(question.federation.rebalancers, key=lambda it: it.value.metadata.name):
        name = declared.value.metadata.name
        known = _known(declared.value, question.ledger.rebalancers.get(name), question.now)
        answer = rebalance(known, found.bindings, question.now)
        found.bindings.update(answer.bindings)
        found.rebalancers[name] = answer.rebalancer


def _known(declared: WorkloadRebalancer, last: WorkloadRebalancer | None, now: datetime) -> WorkloadRebalancer:
    """The rebalancer with its age and its results so far. It is as old as the first turn that saw it.

    A commit may be pushed long after it was made, and a rebalancer asks from when it came, as in an API server.
    """
    metadata = declared.metadata
    if last is None:
        return replace(declared, metadata=replace(metadata, creation_timestamp=now, generation=1))
    changed = last.spec != declared.spec
    metadata = replace(
        metadata,
        creation_timestamp=last.metadata.creation_timestamp,
        generation=last.metadata.generation + 1 if changed else last.metadata.generation,
    )
    return replace(declared, metadata=metadata, status=last.status)


# Descheduler ----------------------------------------------------------------------------------------------------------


def _deschedule(found: Unsettled, question: Question) -> None:
    pods = {
        str(name): state.pods
        for name, state in question.members.items()
        if isinstance(state, Observed) and state.pods is not None
    }
    for key, binding in found.bindings.items():
        if key.kind == "Deployment" and key.group == "apps":
            found.bindings[key] = descheduled(binding, _stuck(binding, pods, question.now))


def _stuck(binding: Binding, pods: Mapping[str, Iterable[Any]], now: datetime) -> dict[str, int]:
    key = binding.key
    return {
        target.name: stuck_replicas(key.name, key.namespace, pods[target.name], now)
        for target in binding.spec.clusters
        if target.name in pods
    }
