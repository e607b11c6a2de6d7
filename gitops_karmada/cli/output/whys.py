"""The reasons of one decision, as text and values."""

import re
from collections.abc import Iterator
from typing import Any, Final

from gitops_karmada.cli.output.plans import key_value
from gitops_karmada.cli.output.problems import location_value
from gitops_karmada.cli.output.terminal import Line, Span, Tone, line
from gitops_karmada.cli.reasons import Reasons
from gitops_karmada.core.changes import hidden
from gitops_karmada.core.explain import LOST, WON, decision_of, explain
from gitops_karmada.model.decode import encode

_MARKS: Final = {WON: Tone.GOOD, LOST: Tone.BAD}
_TITLE: Final = re.compile(r"(\d+ \w+)(.*)")


def lines(found: Reasons) -> Iterator[Line]:
    told = explain(found.why, found.binding, found.works, found.commit)
    for number, text in enumerate(told):
        yield line(Span(text, Tone.STRONG)) if number < 2 else _painted(text)


def _painted(text: str) -> Line:
    """Titles strong, and each mark in its colour."""
    title = _TITLE.match(text)
    spans = [Span(title[1], Tone.STRONG)] if title else []
    rest = title[2] if title else text
    spans += [Span(part, _MARKS.get(part, Tone.PLAIN)) for part in re.split(f"([{WON}{LOST}])", rest) if part]
    return tuple(spans)


def value(found: Reasons) -> dict[str, Any]:
    why = found.why
    told: dict[str, Any] = {
        "object": key_value(found.key),
        "commit": found.commit.id,
        "pushed": found.pushed,
        "source": location_value(why.source),
        "claim": why.claim,
        "claimReason": why.claim_reason,
        "competitors": [encode(rival) for rival in why.competitors],
        "requiredBy": list(why.required_by),
        "clusters": encode(found.binding.spec.clusters) if found.binding else [],
        "decision": encode(decision_of(why)),
        "overrides": _overrides(found),
        "text": list(explain(why, found.binding, found.works, found.commit)),
    }
    return {name: item for name, item in told.items() if item or name in ("pushed", "clusters")}


def _overrides(found: Reasons) -> list[dict[str, Any]]:
    return [
        {
            "member": str(work.cluster),
            "policy": override.policy,
            "changes": [encode(hidden(work.key, change)) for change in override.changes],
        }
        for work in sorted(found.works, key=lambda work: work.place)
        for override in work.overrides
    ]
