"""What `validate` found, in every form."""

from collections.abc import Iterator, Sequence
from typing import Any

from gitops_karmada.cli.output import markdown
from gitops_karmada.cli.output.problems import (
    Excerpt,
    as_values,
    blocks,
    count,
    explained_by,
    sentence,
    several,
    tally,
)
from gitops_karmada.cli.output.terminal import Line, Span, Tone, line
from gitops_karmada.model.federation import Federation
from gitops_karmada.model.problems import Problem, Severity


def lines(
    federation: Federation, problems: Sequence[Problem], excerpt: Excerpt, seconds: float | None
) -> Iterator[Line]:
    yield from blocks(problems, excerpt)
    tone = Tone.BAD if count(problems, Severity.ERROR) else Tone.CHANGED if problems else Tone.GOOD
    time = "" if seconds is None else f" ({seconds:.1f} s)"
    yield line(f"{inventory(federation)}: ", Span(tally(problems), tone), time)
    yield from explained_by(problems)


def inventory(federation: Federation) -> str:
    """`4 templates, 2 policies, 3 clusters`."""
    policies = len(federation.propagation_policies) + len(federation.override_policies)
    parts = (
        several(len(federation.templates), "template"),
        f"{policies} {'policy' if policies == 1 else 'policies'}",
        several(len(federation.clusters), "cluster"),
    )
    return ", ".join(parts)


def value(federation: Federation, problems: Sequence[Problem]) -> dict[str, Any]:
    return {
        "commit": federation.commit.id,
        "summary": {
            "errors": count(problems, Severity.ERROR),
            "warnings": count(problems, Severity.WARNING),
            "notices": count(problems, Severity.NOTICE),
            "templates": len(federation.templates),
            "propagationPolicies": len(federation.propagation_policies),
            "overridePolicies": len(federation.override_policies),
            "clusters": len(federation.clusters),
        },
        "problems": as_values(problems),
    }


def as_markdown(federation: Federation, problems: Sequence[Problem]) -> str:
    head = [f"### {tally(problems)}", "", markdown.escaped(inventory(federation)), ""]
    rows = [*markdown.table(("", "Where", "Object", "What"), map(_row, problems))] if problems else []
    return markdown.within_limit(head, rows, [])


def _row(problem: Problem) -> tuple[str, str, str, str]:
    where = markdown.code(str(problem.location)) if problem.location else ""
    told = f"{sentence(problem)}. {problem.hint}" if problem.hint else sentence(problem)
    return f"{problem.severity} {problem.code}", where, markdown.code(problem.subject), markdown.escaped(told)
