"""The state of a federation on one screen: what is in force, and what needs attention."""

from collections import Counter
from collections.abc import Container, Iterator
from typing import Any

from gitops_karmada.cli.ledgers import State
from gitops_karmada.cli.output.plans import by_whom
from gitops_karmada.cli.output.problems import as_values, count, several
from gitops_karmada.cli.output.terminal import Line, Span, Tone, line
from gitops_karmada.core.aggregate import APPLIED
from gitops_karmada.core.conditions import condition_of
from gitops_karmada.core.explain import name_of
from gitops_karmada.core.place import SCHEDULED
from gitops_karmada.model.bindings import Health
from gitops_karmada.model.federation import Commit
from gitops_karmada.model.problems import Severity
from gitops_karmada.model.settings import MemberMode
from gitops_karmada.model.works import Work

_SHOWN = 12


def lines(state: State) -> Iterator[Line]:
    yield line(Span(f"Federation {state.federation.settings.instance}", Tone.STRONG))
    for name, text in facts(state):
        yield line(f"{name:11}{text}")
    found = attention(state)
    yield line()
    if not found:
        yield line(Span("Nothing needs attention.", Tone.GOOD))
        return
    yield line(Span("Needs attention", Tone.STRONG))
    for text in found[:_SHOWN]:
        yield line(Span("  ✗ ", Tone.BAD), text)
    if len(found) > _SHOWN:
        yield line(f"  … and {len(found) - _SHOWN} more: gitops-karmada status -o json")


def facts(state: State) -> Iterator[tuple[str, str]]:
    yield "Source", _source(state)
    yield "Status", _status(state)
    yield "Clusters", _clusters(state)
    yield "Bindings", _bindings(state)
    yield "Works", _works(state)


def _commit(commit: Commit) -> str:
    told = by_whom(commit)
    return f"{commit.id[:7]} ({told})" if told else commit.id[:7]


def _source(state: State) -> str:
    found = _commit(state.federation.commit)
    problems = state.federation.problems
    errors = count(problems, Severity.ERROR)
    return f"{found}, {several(errors, 'error')}: gitops-karmada validate" if errors else found


def _status(state: State) -> str:
    if state.ledger.commit is None:
        return "nothing was decided yet"
    if not state.is_older:
        return f"{state.ledger.commit[:7]}, up to date with the source"
    decided = f"{state.ledger.commit[:7]}, for {state.ledger.source_commit[:7]}"
    if state.is_pending:
        return f"{decided}: the newest commit is not in force yet"
    return f"{decided}: the newest commit changes nothing in the members"


def _clusters(state: State) -> str:
    found = state.ledger.clusters.values()
    ready = sum(_is_true(cluster.status.conditions, "Ready") for cluster in found)
    return f"{ready} of {len(state.federation.clusters)} ready"


def _is_true(conditions: Any, kind: str) -> bool:
    condition = condition_of(conditions, kind)
    return condition is not None and condition.status == "True"


def _bindings(state: State) -> str:
    found = state.ledger.bindings.values()
    placed = sum(bool(binding.spec.clusters or binding.spec.required_by) for binding in found)
    wished = sum(binding.spec.replicas for binding in found if binding.spec.is_workload)
    given = sum(target.replicas for binding in found if binding.spec.is_workload for target in binding.spec.clusters)
    return f"{placed} of {len(found)} placed, {given} replicas ({wished} wished)"


def _works(state: State) -> str:
    found = state.ledger.works.values()
    applied = sum(_is_true(work.status.conditions, APPLIED) for work in found)
    folders = _folders(state)
    health = Counter(reported for work in found if (reported := _health(work, folders)))
    told = [f"{health[kind]} {str(kind).lower()}" for kind in Health if health[kind]]
    silent = sum(_is_silent(work, folders) for work in found)
    told += [f"{silent} in folders, where nothing runs"] if silent else []
    leaving = sum(bool(work.retiring) for work in found)
    parts = [f"{applied} of {len(found)} applied", *told, *([f"{leaving} leaving"] if leaving else [])]
    return ", ".join(parts)


def _folders(state: State) -> frozenset[str]:
    members = state.federation.settings.spec.members
    return frozenset(member.name for member in members if member.mode is MemberMode.DIRECTORY)


def _health(work: Work, folders: Container[str]) -> Health | None:
    if _is_silent(work, folders):
        return None
    return next((status.health for status in work.status.manifest_statuses if status.health), None)


def _is_silent(work: Work, folders: Container[str]) -> bool:
    """A workload in a folder, of which nobody reports: not healthy, and nothing that a person could look after."""
    statuses = work.status.manifest_statuses
    return work.cluster in folders and any(it.health is Health.UNHEALTHY and not it.status for it in statuses)


# What needs attention -------------------------------------------------------------------------------------------------


def attention(state: State) -> list[str]:
    """Everything that somebody should look at, the most pressing first."""
    return [
        *_unready(state),
        *_unplaced(state),
        *_unapplied(state),
        *_unhealthy(state),
        *_leaving(state),
        *_late(state),
        *_findings(state),
    ]


def _unready(state: State) -> Iterator[str]:
    for name, cluster in sorted(state.ledger.clusters.items()):
        ready = condition_of(cluster.status.conditions, "Ready")
        if ready is not None and ready.status != "True":
            yield f"cluster {name}: {ready.reason}: {ready.message}"


def _unplaced(state: State) -> Iterator[str]:
    for key, binding in sorted(state.ledger.bindings.items()):
        scheduled = condition_of(binding.status.conditions, SCHEDULED)
        if scheduled is not None and scheduled.status == "False":
            yield f"{name_of(key)}: {scheduled.reason}: {scheduled.message}"


def _unapplied(state: State) -> Iterator[str]:
    members = state.federation.settings.spec.members
    ours = {member.name for member in members if member.mode in (MemberMode.PUSH, MemberMode.DIRECTORY)}
    for place, work in sorted(state.ledger.works.items()):
        applied = condition_of(work.status.conditions, APPLIED)
        if applied is not None and applied.status == "False":
            yield f"{name_of(place.key)} in {place.cluster}: {applied.message}"
        elif applied is None and not work.suspended and place.cluster in ours:
            yield f"{name_of(place.key)} in {place.cluster}: not applied yet"


def _unhealthy(state: State) -> Iterator[str]:
    folders = _folders(state)
    for place, work in sorted(state.ledger.works.items()):
        if not work.retiring and _health(work, folders) is Health.UNHEALTHY:
            yield f"{name_of(place.key)} in {place.cluster}: unhealthy"


def _leaving(state: State) -> Iterator[str]:
    for place, work in sorted(state.ledger.works.items()):
        if work.retiring:
            yield f"{name_of(place.key)} in {place.cluster}: to be deleted ({work.retiring})"


def _late(state: State) -> Iterator[str]:
    if state.is_pending:
        yield f"commit {state.federation.commit.id[:7]} is not in force yet: gitops-karmada plan, gitops-karmada sync"


def _findings(state: State) -> Iterator[str]:
    for problem in state.federation.problems:
        if problem.severity is Severity.ERROR:
            yield f"{problem.code} {problem}"


def value(state: State) -> dict[str, Any]:
    ledger, federation = state.ledger, state.federation
    return {
        "instance": federation.settings.instance,
        "sourceCommit": federation.commit.id,
        "statusCommit": ledger.commit or "",
        "decidedCommit": ledger.source_commit,
        "upToDate": ledger.commit is not None and not state.is_pending,
        "facts": {name.lower(): text for name, text in facts(state)},
        "attention": attention(state),
        "problems": as_values(federation.problems),
    }
