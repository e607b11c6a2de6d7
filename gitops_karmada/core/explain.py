"""Why an object runs where it runs, as lines that a person reads: the same before a commit is pushed and after."""

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gitops_karmada.core.changes import hidden
from gitops_karmada.core.divide import is_odd
from gitops_karmada.core.strategy import is_aggregated
from gitops_karmada.model.bindings import Binding, TargetCluster
from gitops_karmada.model.decisions import UNKNOWN_ROOM, Attempt, Decision, Division, Method, Outcome
from gitops_karmada.model.decode import decode
from gitops_karmada.model.federation import Commit
from gitops_karmada.model.frozen import NOTHING
from gitops_karmada.model.objects import Key
from gitops_karmada.model.plan import Competitor, Why
from gitops_karmada.model.quantity import Quantity
from gitops_karmada.model.works import AppliedOverride, FieldChange, Work

WON: Final = "✔"
LOST: Final = "✗"

# More seats than these are told as a table of shares, not one by one.
_SEATS_SHOWN: Final = 12
_TITLE_WIDTH: Final = 13

NO_LIMIT: Final = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a decision: its name and what it found."""

    title: str
    lines: tuple[str, ...]


def explain(
    why: Why, binding: Binding | None = None, works: Iterable[Work] = (), commit: Commit | None = None
) -> tuple[str, ...]:
    """The whole explanation. `works` are those of the binding; they say which override changed what."""
    found = tuple(works)
    return (*head(why, binding, commit, found), "", *_numbered(steps(why, binding, found)), *_notes(why))


def decision_of(why: Why) -> Decision | None:
    """The decision, also where it comes from the status branch as plain values."""
    if why.decision is None or isinstance(why.decision, Decision):
        return why.decision
    return decode(Decision, why.decision).value


# Head -----------------------------------------------------------------------------------------------------------------


def head(why: Why, binding: Binding | None, commit: Commit | None, works: Sequence[Work] = ()) -> Iterator[str]:
    """What is explained, where it stands, and in one line where it runs."""
    parts = [name_of(why.key)]
    parts += [str(why.source)] if why.source else []
    parts += [_revision(commit)] if commit and commit.id else []
    yield "   ".join(parts)
    yield verdict(why, binding, works)


def name_of(key: Key) -> str:
    """`shop/Deployment web`."""
    kind = f"{key.kind}.{key.group}" if "." in key.group else key.kind
    return f"{key.namespace}/{kind} {key.name}" if key.namespace else f"{kind} {key.name}"


def _revision(commit: Commit) -> str:
    author = author_of(commit)
    return f"commit {commit.id[:7]} ({author})" if author else f"commit {commit.id[:7]}"


def author_of(commit: Commit) -> str:
    """The author's name, without the address."""
    return commit.author.partition(" <")[0]


def verdict(why: Why, binding: Binding | None, works: Sequence[Work] = ()) -> str:
    decision = decision_of(why)
    if decision is None:
        return _without_decision(why, binding, works)
    if decision.outcome is not Outcome.SUCCESS:
        stays = f"; it stays on {_targets(decision.clusters)}" if decision.clusters else ""
        return f"Decision: {decision.outcome}: {decision.message}{stays}"
    return f"Decision: {_placed(decision)}{_asked(decision, binding)}"


def _without_decision(why: Why, binding: Binding | None, works: Sequence[Work]) -> str:
    if binding is not None and binding.spec.clusters:
        return f"Decision: {_targets(binding.spec.clusters)}"
    if binding is not None and binding.spec.required_by:
        names = {target.name for snapshot in binding.spec.required_by for target in snapshot.clusters}
        return f"Decision: {' · '.join(sorted(names)) or 'nowhere yet'}"
    if binding is None and works:
        return f"Decision: {' · '.join(sorted(work.cluster for work in works))}"
    return "Decision: nothing was scheduled" if why.claim or why.required_by else "Decision: no policy wants it"


def _placed(decision: Decision) -> str:
    before = {target.name: target.replicas for target in decision.previous}
    told = [_share(target, before, bool(decision.previous)) for target in decision.clusters]
    now = {target.name for target in decision.clusters}
    told += [
        f"{name} gone (was {replicas})" if replicas else f"{name} gone"
        for name, replicas in before.items()
        if name not in now
    ]
    return " · ".join(told) or "nowhere"


def _share(target: TargetCluster, before: Mapping[str, int], had_any: bool) -> str:
    share = f"{target.name} {target.replicas}" if target.replicas else target.name
    if target.components:
        share += f" ({', '.join(f'{part.name} {part.replicas}' for part in target.components)})"
    if target.name not in before:
        return f"{share} (new)" if had_any else share
    return share if before[target.name] == target.replicas else f"{share} (was {before[target.name]})"


def _targets(clusters: Iterable[TargetCluster]) -> str:
    return " · ".join(f"{target.name} {target.replicas}" if target.replicas else target.name for target in clusters)


def _asked(decision: Decision, binding: Binding | None) -> str:
    if binding is None or not binding.spec.replicas:
        return ""
    total = sum(target.replicas for target in decision.clusters)
    return f"   {total} replicas, asked {binding.spec.replicas}"


# Steps ----------------------------------------------------------------------------------------------------------------


def steps(why: Why, binding: Binding | None, works: Sequence[Work]) -> tuple[Step, ...]:
    """Every step of which something is known, in the order in which it was decided."""
    decision = decision_of(why)
    found = [Step(title="Policy", lines=tuple(_policy(why, works)))]
    if decision is not None:
        found.append(Step(title="Trigger", lines=tuple(_trigger(why, decision))))
        for attempt in decision.attempts:
            found.extend(_attempt(attempt, decision, binding))
        found.append(Step(title="Preemption", lines=tuple(_victims(decision))))
    found.append(Step(title="Overrides", lines=tuple(_overrides(works))))
    found.append(Step(title="Suspended", lines=tuple(_suspended(binding, works))))
    return tuple(step for step in found if step.lines)


def _numbered(found: Iterable[Step]) -> Iterator[str]:
    for number, step in enumerate(found, start=1):
        title = f"{number} {step.title}"
        for index, text in enumerate(step.lines):
            yield f"{title if index == 0 else '':{_TITLE_WIDTH}}{text}".rstrip()


def _notes(why: Why) -> Iterator[str]:
    if why.messages:
        yield ""
        yield from why.messages


def _policy(why: Why, works: Sequence[Work]) -> Iterator[str]:
    winners = [rival for rival in why.competitors if not rival.lost]
    if why.claim and not winners:
        yield f"{WON} {why.claim}{_because(why.claim_reason)}"
    for rival in winners:
        yield f"{WON} {_rival(rival)}{_because(why.claim_reason)}"
    for rival in why.competitors:
        if rival.lost:
            yield f"{LOST} {_rival(rival)}   lost: {rival.lost}"
    for owner in why.required_by:
        yield f"{WON} follows {owner}, which needs it"
    if not why.claim and not why.competitors and not why.required_by:
        yield (
            f"{WON} no policy selects it; it goes along with what lies in it"
            if works
            else f"{LOST} no policy selects it"
        )


def _because(reason: str) -> str:
    return f"   {reason}" if reason else ""


CLOSENESS: Final[Mapping[int, str]] = {1: "matched by kind", 2: "matched by labels", 3: "matched by name"}


def _rival(rival: Competitor) -> str:
    place = f"   {rival.location}" if rival.location else ""
    closeness = CLOSENESS.get(rival.implicit_priority, "")
    told = ", ".join(part for part in (f"priority {rival.priority}", closeness) if part)
    return f"{rival.policy}{place}   {told}"


def _trigger(why: Why, decision: Decision) -> Iterator[str]:
    trigger = str(decision.trigger) if decision.trigger else why.trigger
    if trigger:
        before = _targets(decision.previous)
        yield f"{trigger}; before: {before}" if before else f"{trigger}; it ran nowhere before"


def _attempt(attempt: Attempt, decision: Decision, binding: Binding | None) -> Iterator[Step]:
    group = f" of group {attempt.affinity_name}" if attempt.affinity_name else ""
    yield Step(title="Filters", lines=tuple(_filters(attempt, group)))
    if attempt.candidates.names:
        yield Step(title="Scores", lines=tuple(_scores(attempt)))
    yield Step(title="Spread", lines=tuple(_spread(attempt)))
    if attempt.candidates.names and attempt.candidates.room:
        yield Step(title="Capacity", lines=tuple(_capacity(attempt, binding)))
    uid = binding.spec.resource.uid if binding else ""
    placement = binding.spec.placement if binding else None
    fewest = "the fewest clusters that hold them, " if placement and is_aggregated(placement.replica_scheduling) else ""
    division = tuple(f"{fewest if index == 0 else ''}{text}" for index, text in enumerate(_divisions(attempt, uid)))
    yield Step(title="Division", lines=division)
    if attempt.error:
        following = "" if attempt is decision.attempts[-1] else "; the next group is tried"
        yield Step(title="Result", lines=(f"{LOST} {attempt.error.rstrip('.')}{following}",))


def _victims(decision: Decision) -> Iterator[str]:
    for victim in decision.victims:
        yield f"{_several(victim.replicas, 'replica')} of {victim.binding} had to leave {victim.cluster}"


def _filters(attempt: Attempt, group: str) -> Iterator[str]:
    fit, unfit = attempt.candidates.names, attempt.unfit
    fitting = len(fit) + attempt.candidates.omitted
    yield f"{_several(fitting + len(unfit), 'cluster')} known, {_fitting(fitting)}{group}"
    width = max((len(name) for name in unfit), default=0)
    filters = max((len(reason.filter) for reason in unfit.values()), default=0)
    for name, reason in sorted(unfit.items()):
        yield f"{LOST} {name:{width}}   {reason.filter:{filters}}   {reason.reason}"
    if fit:
        more = f" and {attempt.candidates.omitted} more" if attempt.candidates.omitted else ""
        yield f"{WON} {' '.join(sorted(fit))}{more}"


def _several(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _fitting(number: int) -> str:
    return {0: "none fits", 1: "1 fits"}.get(number, f"{number} fit")


def _scores(attempt: Attempt) -> Iterator[str]:
    yield _columns(attempt.candidates.names, attempt.candidates.scores)
    if running := [
        name for name, count in zip(attempt.candidates.names, attempt.candidates.assigned, strict=False) if count
    ]:
        yield f"already runs on {' '.join(running)}"


def _columns(names: Iterable[str], numbers: Iterable[int]) -> str:
    return "  ".join(f"{name} {_number(number)}" for name, number in zip(names, numbers, strict=False))


def _number(number: int) -> str:
    if number == UNKNOWN_ROOM:
        return "?"
    return "no limit" if number >= NO_LIMIT else str(number)


def _spread(attempt: Attempt) -> Iterator[str]:
    selection = attempt.selection
    if selection.rule == "all":
        yield "no constraint: all that fit"
    elif selection.rule:
        yield f"by {selection.rule}: {' '.join(selection.selected) or 'none'} chosen"
    for region in selection.regions:
        mark = WON if region.chosen else LOST
        yield f"{mark} region {region.name}   score {region.score}, {_several(region.clusters, 'cluster')}"
    for name, reason in sorted(selection.left_out.items()):
        yield f"{LOST} {name}   {reason}"


def _capacity(attempt: Attempt, binding: Binding | None) -> Iterator[str]:
    candidates = attempt.candidates
    yield f"{_columns(candidates.names, candidates.room)}{_unit(binding)}"
    answers = {name: room for name, room in candidates.rooms.items() if any(it != UNKNOWN_ROOM for it in room)}
    if len(answers) == 1:
        yield f"estimated by {next(iter(answers))}"
        return
    for estimator, room in sorted(answers.items()):
        yield f"{estimator}: {_columns(candidates.names, room)}"


def _unit(binding: Binding | None) -> str:
    if binding is None:
        return ""
    if binding.spec.components:
        return "   sets of its components"
    requests = binding.spec.replica_requirements.resource_request if binding.spec.replica_requirements else NOTHING
    return f"   replicas of {_amounts(requests)}" if requests else "   replicas without requests"


def _amounts(requests: Mapping[str, Quantity]) -> str:
    return ", ".join(f"{name} {amount}" for name, amount in sorted(requests.items()))


# Division -------------------------------------------------------------------------------------------------------------


def _divisions(attempt: Attempt, uid: str) -> Iterator[str]:
    for division in attempt.divisions:
        yield from _division(division, uid)


def _division(division: Division, uid: str) -> Iterator[str]:
    kept = f", keep {_targets(division.kept)}" if division.kept else ""
    tier = f" (overflow {division.tier})" if division.tier else ""
    yield f"{division.method}{tier}{kept}"
    if not division.votes or division.method is Method.DUPLICATED:
        return
    votes = "  ".join(f"{name} {votes}" for name, votes in division.votes.items())
    yield f"{_several(division.seats, 'replica')} by votes: {votes}"
    if division.seats <= _SEATS_SHOWN and sum(division.votes.values()) > 0:
        yield from _seat_by_seat(division, uid)


def _seat_by_seat(division: Division, uid: str) -> Iterator[str]:
    """Webster's method with its quotients: the next seat to the most votes per 2 × seats + 1."""
    ranks = {name: rank for rank, name in enumerate(sorted(division.votes, reverse=is_odd(uid)))}
    queue = [(-float(votes), 0, ranks[name], name) for name, votes in division.votes.items()]
    heapq.heapify(queue)
    told = []
    for seat in range(division.seats + 1):
        _, won, rank, name = queue[0]
        votes = division.votes[name]
        told.append(
            f"{f'seat {seat + 1} →' if seat < division.seats else 'next would be'} {name} ({votes}/{2 * won + 1})"
        )
        heapq.heapreplace(queue, (-votes / float(2 * won + 3), won + 1, rank, name))
    for start in range(0, len(told), 4):
        yield "   ".join(told[start : start + 4])


# Suspension -----------------------------------------------------------------------------------------------------------


def _suspended(binding: Binding | None, works: Sequence[Work]) -> Iterator[str]:
    """What was decided and is not carried out, or not decided anew."""
    suspension = binding.spec.suspension if binding else None
    if suspension is not None and suspension.scheduling:
        yield "scheduling: it stays as it was placed last, whatever changes"
    if waiting := sorted(work.cluster for work in works if work.suspended):
        yield f"dispatching: nothing is written to {' '.join(waiting)}, what is there stays as it is"


# Overrides ------------------------------------------------------------------------------------------------------------


def _overrides(works: Sequence[Work]) -> Iterator[str]:
    """Each override with the clusters where it changed the same fields in the same way."""
    told: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for work in sorted(works, key=lambda work: work.place):
        for override in work.overrides:
            told.setdefault((override.policy, tuple(_override(work, override))), []).append(work.cluster)
    for (policy, fields), clusters in told.items():
        yield f"{' '.join(clusters)}: {policy}{'' if fields else '   changed nothing'}"
        for text in fields:
            yield f"  {text}"


def _override(work: Work, override: AppliedOverride) -> Iterator[str]:
    for change in override.changes:
        yield changed(hidden(work.key, change))


def changed(change: FieldChange) -> str:
    """`/spec/replicas  2 → 3`; what came or went is said in words."""
    if change.before is None:
        return f"{change.path}  added {shown(change.after)}"
    if change.after is None:
        return f"{change.path}  removed {shown(change.before)}"
    return f"{change.path}  {shown(change.before)} → {shown(change.after)}"


def shown(value: Any) -> str:
    """A value in one short line."""
    text = _flow(value)
    return text if len(text) <= 80 else f"{text[:77]}…"


def _flow(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    return str(value)
