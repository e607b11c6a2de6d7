"""What a turn did, as text and values."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, assert_never

from gitops_karmada.cli.output.plans import by_whom, key_value
from gitops_karmada.cli.output.problems import as_values, several
from gitops_karmada.cli.output.tables import table
from gitops_karmada.cli.output.terminal import Line, Span, Tone, line
from gitops_karmada.core.explain import name_of
from gitops_karmada.model.actions import (
    Applied,
    Conflicting,
    Contested,
    Failed,
    Held,
    Outcome,
    Pruned,
    Refused,
    Released,
    Unchanged,
)
from gitops_karmada.model.members import Unreachable
from gitops_karmada.model.works import Place
from gitops_karmada.reconcile import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """One outcome in a word, with its symbol and what a person should know."""

    word: str
    symbol: str
    tone: Tone
    detail: str = ""


def deed_of(outcome: Outcome) -> Deed:
    match outcome:
        case Applied(adopted=True):
            return Deed(word="adopted", symbol="+", tone=Tone.GOOD, detail=_beside(outcome))
        case Applied(created=True):
            return Deed(word="created", symbol="+", tone=Tone.GOOD, detail=_beside(outcome))
        case Applied():
            return Deed(word="updated", symbol="~", tone=Tone.CHANGED, detail=_beside(outcome))
        case Unchanged(reason=reason):
            return Deed(word="unchanged", symbol="=", tone=Tone.FAINT, detail=reason)
        case Pruned():
            return Deed(word="deleted", symbol="-", tone=Tone.BAD)
        case Released():
            return Deed(word="released", symbol="○", tone=Tone.CHANGED, detail="left in place, no longer ours")
        case Held(reason=reason):
            return Deed(word="held", symbol="!", tone=Tone.CHANGED, detail=reason)
        case Refused(reason=reason):
            return Deed(word="refused", symbol="✗", tone=Tone.BAD, detail=reason)
        case Conflicting(reason=reason):
            return Deed(word="conflicting", symbol="✗", tone=Tone.BAD, detail=reason)
        case Contested(reason=reason):
            return Deed(word="contested", symbol="✗", tone=Tone.BAD, detail=reason)
        case Failed(reason=reason, fault=fault):
            return Deed(word="failed", symbol="✗", tone=Tone.BAD, detail=f"{fault}: {reason}")
        case _:
            assert_never(outcome)


def _beside(outcome: Applied) -> str:
    """What the write left to others, or took back from them."""
    left = [f"left alone: {conflict}" for conflict in outcome.yielded]
    return "; ".join([*left, *(f"corrected: {conflict}" for conflict in outcome.drift)])


WORDS: Final = (
    "created",
    "adopted",
    "updated",
    "deleted",
    "released",
    "unchanged",
    "held",
    "refused",
    "conflicting",
    "contested",
    "failed",
)


def lines(turn: Turn) -> Iterator[Line]:
    yield line(Span(headline(turn), Tone.STRONG))
    missed = {name: _waiting(turn, name) for name in unreachable(turn)}
    for name, reason in unreachable(turn).items():
        waiting = f", {several(len(missed[name]), 'object')} wait" if missed[name] else ""
        yield line(Span(f"Not reached: {name}: {reason}; what runs there stays as it is{waiting}", Tone.BAD))
    said = {place for places in missed.values() for place in places}
    told = ((place, outcome) for place, outcome in sorted(turn.outcomes.items()) if place not in said)
    rows = [_row(place, outcome) for place, outcome in told if _tells(outcome)]
    if rows:
        yield line()
        yield from table((), list(_grouped(rows)))
    if held := holds(turn):
        yield line()
        yield from (line(Span(f"! {told}", Tone.CHANGED)) for told in held)
    yield line()
    yield line(summary(turn))
    yield line(_published(turn))


def headline(turn: Turn) -> str:
    commit = turn.plan.commit
    told = by_whom(commit)
    return f"Turn for {commit.id[:7]} ({told})" if told else f"Turn for {commit.id[:7]}"


def unreachable(turn: Turn) -> dict[str, str]:
    states = sorted(turn.question.members.items())
    return {name: state.reason for name, state in states if isinstance(state, Unreachable)}


def _waiting(turn: Turn, member: str) -> list[Place]:
    """What could not be done because the member was not reached, which is said once for all of it."""
    return [
        place
        for place, outcome in turn.outcomes.items()
        if place.cluster == member and isinstance(outcome, Held | Failed)
    ]


def holds(turn: Turn) -> list[str]:
    """What was decided not to be done, beside the outcomes: with the next step."""
    told = {place for place, outcome in turn.outcomes.items() if isinstance(outcome, Held)}
    found = [hold for hold in turn.plan.holds if hold.place not in told]
    return sorted({f"{hold.place or hold.key}: {hold.reason}. {hold.hint}".rstrip(" .") for hold in found})


def _tells(outcome: Outcome) -> bool:
    return not isinstance(outcome, Unchanged) or bool(outcome.reason)


def _row(place: Place, outcome: Outcome) -> tuple[Span, Span, str, str]:
    deed = deed_of(outcome)
    return (
        Span(place.cluster, Tone.STRONG),
        Span(f"{deed.symbol} {name_of(place.key)}", deed.tone),
        deed.word,
        deed.detail,
    )


def _grouped(rows: list[tuple[Span, Span, str, str]]) -> Iterator[tuple[Span, Span, str, str]]:
    """A member's name stands before its first row only."""
    last = ""
    for member, *rest in rows:
        yield (Span("") if member.text == last else member, *rest)  # type: ignore[misc]  # the same four columns
        last = member.text


def counts(outcomes: Mapping[Place, Outcome]) -> dict[str, int]:
    found = Counter(deed_of(outcome).word for outcome in outcomes.values())
    return {word: found[word] for word in WORDS}


def summary(turn: Turn) -> str:
    told = [f"{number} {word}" for word, number in counts(turn.outcomes).items() if number]
    members = several(len(turn.question.members), "member")
    return f"{', '.join(told) or 'Nothing to do'} in {members}."


def _published(turn: Turn) -> str:
    if not turn.published:
        return "The status branch is as it was."
    return f"Status branch: {several(len(turn.published), 'commit')}, now {turn.published[-1][:7]}."


def value(turn: Turn) -> dict[str, Any]:
    commit = turn.plan.commit
    return {
        "commit": {"id": commit.id, "ref": commit.ref},
        "cause": str(turn.plan.cause),
        "published": list(turn.published),
        "summary": counts(turn.outcomes),
        "unreachable": [{"member": name, "reason": reason} for name, reason in unreachable(turn).items()],
        "held": holds(turn),
        "outcomes": [_value(place, outcome) for place, outcome in sorted(turn.outcomes.items())],
        "problems": as_values(turn.problems),
    }


def _value(place: Place, outcome: Outcome) -> dict[str, Any]:
    deed = deed_of(outcome)
    told = {"member": str(place.cluster), "object": key_value(place.key), "outcome": deed.word}
    return told | ({"detail": deed.detail} if deed.detail else {})
