"""Findings as people read them: what, where, the line itself, and how to mend it."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from gitops_karmada.cli.output.tables import width
from gitops_karmada.cli.output.terminal import Line, Span, Tone, clean, line
from gitops_karmada.model.problems import Location, Problem, Severity

# The text of the line at a place, or None where there is none to show.
Excerpt: TypeAlias = Callable[[Location], str | None]

SHOWN: Final = 50
"""More findings than these are counted, not shown."""

BESIDE: Final = 12
"""The same where findings are shown beside something else."""

_ORDER: Final = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTICE: 2}

TONES: Final = {Severity.ERROR: Tone.BAD, Severity.WARNING: Tone.CHANGED, Severity.NOTICE: Tone.PLACE}

# Where a line of a file must not be repeated, since it may be a secret.
_SECRETIVE: Final = frozenset({"GK1006"})
_WORD: Final = re.compile(r"""("[^"]*"|'[^']*'|[^\s,\]}#:]+)""")
_LONGEST_LINE: Final = 160


def no_excerpt(_: Location) -> str | None:
    return None


def blocks(
    problems: Sequence[Problem], excerpt: Excerpt = no_excerpt, most: int = SHOWN, verb: str = "validate"
) -> Iterator[Line]:
    """Findings, an empty line after each. Where there are more than `most`, warnings give way to errors."""
    chosen = problems if len(problems) <= most else sorted(problems, key=lambda it: _ORDER[it.severity])[:most]
    for problem in chosen:
        yield from block(problem, excerpt)
        yield line()
    if len(problems) > most:
        rest = tally([problem for problem in problems if problem not in chosen])
        yield line(f"… and {rest} more; all of them: gitops-karmada {verb} -o json")
        yield line()


def block(problem: Problem, excerpt: Excerpt = no_excerpt) -> Iterator[Line]:
    """One finding: a sentence with its code, the place, the line with a caret, the object and the fix."""
    yield line(
        Span(f"{problem.severity}[{problem.code}]", TONES[problem.severity]),
        Span(f": {sentence(problem)}", Tone.STRONG),
    )
    margin = ""
    if problem.location is not None:
        number = str(problem.location.line or "")
        margin = " " * len(number)
        yield line(f"{margin}", Span("-->", Tone.PLACE), f" {problem.location}")
        yield from _quoted(problem, margin, number, excerpt)
    if problem.subject:
        yield line(f"{margin} ", Span("=", Tone.PLACE), f" object: {problem.subject}")
    if problem.hint:
        yield line(f"{margin} ", Span("=", Tone.PLACE), f" fix:    {problem.hint}")


def sentence(problem: Problem) -> str:
    return f"{problem.path}: {problem.message}" if problem.path else problem.message


def _quoted(problem: Problem, margin: str, number: str, excerpt: Excerpt) -> Iterator[Line]:
    """The line of the file and a caret under the word, unless it might show a secret."""
    location = problem.location
    if location is None or not location.line or problem.code in _SECRETIVE or problem.subject.startswith("Secret "):
        return
    text = excerpt(location)
    if text is None:
        return
    shown = clean(text.replace("\t", " "))[:_LONGEST_LINE]
    bar = Span("|", Tone.PLACE)
    yield line(f"{margin} ", bar)
    yield line(Span(number, Tone.PLACE), " ", bar, f" {shown}")
    if location.column and location.column <= len(shown):
        before, word = shown[: location.column - 1], _WORD.match(shown, location.column - 1)
        caret = "^" * (width(word.group()) if word else 1)
        yield line(f"{margin} ", bar, f" {' ' * width(before)}", Span(caret, TONES[problem.severity]))


def count(problems: Iterable[Problem], severity: Severity) -> int:
    return sum(problem.severity is severity for problem in problems)


def tally(problems: Sequence[Problem]) -> str:
    """`1 error, 2 warnings`."""
    errors, warnings = count(problems, Severity.ERROR), count(problems, Severity.WARNING)
    return f"{several(errors, 'error')}, {several(warnings, 'warning')}"


def several(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def explained_by(problems: Iterable[Problem]) -> Iterator[Line]:
    """How to read more of the codes that were shown."""
    codes = sorted({problem.code for problem in problems})
    if codes:
        yield line(f"More about {'it' if len(codes) == 1 else 'them'}: gitops-karmada explain {' '.join(codes)}")


def as_values(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    return [as_value(problem) for problem in problems]


def as_value(problem: Problem) -> dict[str, Any]:
    fields = {
        "code": problem.code,
        "severity": str(problem.severity),
        "message": problem.message,
        "subject": problem.subject,
        "path": problem.path,
        "hint": problem.hint,
        "location": location_value(problem.location),
    }
    return {name: value for name, value in fields.items() if value}


def location_value(location: Location | None) -> dict[str, Any]:
    if location is None:
        return {}
    fields = {"file": location.file, "line": location.line, "column": location.column, "document": location.document}
    return {name: value for name, value in fields.items() if value}
