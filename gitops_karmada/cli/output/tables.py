"""Tables: few columns, aligned, nothing cut."""

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TypeAlias

from gitops_karmada.cli.output.terminal import Line, Span, Tone, line

Cell: TypeAlias = str | Span


def table(header: Sequence[str], rows: Sequence[Sequence[Cell]], indent: str = "") -> Iterator[Line]:
    """Lines of a table. Without a header (an empty one) only the rows."""
    shown = [[_span(cell) for cell in row] for row in rows]
    heads = [[Span(name, Tone.STRONG) for name in header]] if header else []
    columns = zip_longest(*heads, *shown, fillvalue=Span(""))
    widths = [max(width(cell.text) for cell in column) for column in columns]
    for row in (*heads, *shown):
        yield line(indent, *_padded(row, widths))


def _padded(row: Sequence[Span], widths: Sequence[int]) -> Iterator[Span]:
    for index, cell in enumerate(row):
        yield cell
        if index < len(row) - 1:
            yield Span(" " * (widths[index] - width(cell.text) + 3))


def _span(cell: Cell) -> Span:
    return cell if isinstance(cell, Span) else Span(cell)


def width(text: str) -> int:
    """Columns of a terminal: wide characters take two, combining ones none."""
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
