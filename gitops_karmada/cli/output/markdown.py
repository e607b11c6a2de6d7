"""Text from a repository inside Markdown: shown as it is, never as markup, a link or a mention."""

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from gitops_karmada.cli.output.terminal import clean

LIMIT: Final = 65_000
"""A comment holds 65,536 characters; what is longer is refused, so we stop before."""

_MARKUP: Final = re.compile(r"([\\`*_{}\[\]()#+!|~-])")


def escaped(text: str) -> str:
    shown = html.escape(clean(text), quote=False)
    return _MARKUP.sub(r"\\\1", shown).replace("@", "&#64;").replace("://", "&#58;//")


def code(text: str) -> str:
    """Text in a code span: backticks in it would end the span, so they go."""
    shown = clean(text).replace("`", "'").replace("|", "\\|").strip()
    return f"`{shown}`" if shown else ""


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"|{'|'.join(' --- ' for _ in header)}|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def within_limit(head: Sequence[str], rows: Sequence[str], foot: Sequence[str]) -> str:
    """The whole text; where it would be too long, fewer rows and a line that says how many are missing."""
    room = LIMIT - sum(len(text) + 1 for text in (*head, *foot)) - 100
    kept: list[str] = []
    for row in rows:
        room -= len(row) + 1
        if room < 0:
            break
        kept.append(row)
    missing = len(rows) - len(kept)
    note = ["", f"… and {missing} more lines, left out because of the length"] if missing else []
    return "\n".join([*head, *kept, *note, *foot]) + "\n"
