"""What interpreters said, as text and values."""

from collections.abc import Iterator
from typing import Any

from gitops_karmada.cli.interpreting import Answer, Findings
from gitops_karmada.cli.output.problems import several
from gitops_karmada.cli.output.terminal import Line, Span, Tone, line
from gitops_karmada.model.decode import encode


def lines(found: Findings) -> Iterator[Line]:
    if not found.answers:
        tone = Tone.BAD if found.problems else Tone.GOOD
        yield line(Span(f"{several(found.scripts, 'customization')}: {several(len(found.problems), 'problem')}", tone))
        return
    for answer in found.answers:
        yield line(Span(str(answer.operation), Tone.STRONG), f"   by {answer.by}")
        yield from (line("  ", text) for text in _text(answer))


def _text(answer: Answer) -> list[str]:
    from gitops_karmada.repo.yaml_writer import to_yaml

    if answer.error:
        return [f"failed: {answer.error}"]
    return to_yaml(encode(answer.result)).rstrip("\n").split("\n")


def value(found: Findings) -> dict[str, Any]:
    return {
        "customizations": found.scripts,
        "answers": [
            {
                "operation": str(answer.operation),
                "by": str(answer.by),
                **({"error": answer.error} if answer.error else {"result": encode(answer.result)}),
            }
            for answer in found.answers
        ],
    }
