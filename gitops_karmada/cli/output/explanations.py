"""The table of codes, as text."""

import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from gitops_karmada.cli.output.tables import table
from gitops_karmada.cli.output.terminal import Line, Span, Tone, line
from gitops_karmada.model.codes import Code


def explanations(codes: Iterable[Code]) -> Iterator[Line]:
    for number, code in enumerate(codes):
        if number:
            yield line()
        yield line(Span(code.code, Tone.STRONG), f" {code.name}")
        yield line(code.meaning)
        yield line()
        for text in textwrap.wrap(code.explanation, 78):
            yield line(f"  {text}")


def listing(codes: Iterable[Code]) -> Iterator[Line]:
    return table(("CODE", "NAME", "MEANING"), [(code.code, code.name, code.meaning) for code in codes])


def values(codes: Iterable[Code]) -> list[dict[str, Any]]:
    return [
        {"code": code.code, "name": code.name, "meaning": code.meaning, "explanation": code.explanation}
        for code in codes
    ]
