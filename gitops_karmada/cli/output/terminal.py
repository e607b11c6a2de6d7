"""The terminal: colours, symbols, and text from elsewhere made harmless."""

import os
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TextIO, TypeAlias


class Tone(StrEnum):
    """What a colour says; a word or a symbol beside it always says the same."""

    PLAIN = ""
    STRONG = "1"
    FAINT = "2"
    GOOD = "32"
    CHANGED = "33"
    BAD = "31"
    MOVED = "36"
    PLACE = "34"


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of text in one tone."""

    text: str
    tone: Tone = Tone.PLAIN


Line: TypeAlias = tuple[Span, ...]

# Control characters (C0 but tab, DEL, C1), line and paragraph separators, and what turns or hides text.
_HARMFUL: Final = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u00ad\u061c\u115f\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)

# What a terminal without Unicode shows instead.
_ASCII: Final[Mapping[int, str]] = str.maketrans(
    {"→": "->", "↦": ">", "✔": "+", "✗": "x", "·": ",", "…": "...", "—": "-", "–": "-", "≥": ">=", "≤": "<=", "×": "x"}
)


def clean(text: str) -> str:
    """Text that a terminal only shows: nothing from Git or a cluster moves the cursor or hides what is written."""
    return _HARMFUL.sub("\N{REPLACEMENT CHARACTER}", text)


def line(*parts: str | Span) -> Line:
    return tuple(part if isinstance(part, Span) else Span(part) for part in parts)


def plain(spans: Iterable[Span]) -> str:
    return "".join(span.text for span in spans)


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """Where a verb writes: data to `out`, messages to `err`. `verbosity` -1 is quiet, 1 tells more."""

    out: TextIO = field(default_factory=lambda: sys.stdout)
    err: TextIO = field(default_factory=lambda: sys.stderr)
    out_colour: bool = False
    err_colour: bool = False
    verbosity: int = 0

    def data(self, lines: Iterable[Line]) -> None:
        for spans in lines:
            _write(self.out, spans, self.out_colour)

    def text(self, text: str) -> None:
        """Machine-readable data: written as it is."""
        self.out.write(text)

    def message(self, *parts: str | Span) -> None:
        if self.verbosity >= 0:
            _write(self.err, line(*parts), self.err_colour)

    def detail(self, *parts: str | Span) -> None:
        if self.verbosity > 0:
            _write(self.err, line(*parts), self.err_colour)

    def errors(self, lines: Iterable[Line]) -> None:
        """What a person must read even when quiet was asked for."""
        for spans in lines:
            _write(self.err, spans, self.err_colour)


def screen_for(colour: str = "auto", verbosity: int = 0) -> Screen:
    """`colour` is auto, always or never."""
    return Screen(
        out_colour=_coloured(sys.stdout, colour, os.environ),
        err_colour=_coloured(sys.stderr, colour, os.environ),
        verbosity=verbosity,
    )


def _coloured(stream: TextIO, colour: str, environment: Mapping[str, str]) -> bool:
    if colour != "auto":
        return colour == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    return stream.isatty() and environment.get("TERM") != "dumb"


def _write(stream: TextIO, spans: Line, coloured: bool) -> None:
    text = "".join(_shown(span, coloured) for span in spans)
    encoding = (stream.encoding or "utf-8").lower().replace("-", "")
    if not encoding.startswith("utf"):
        text = text.translate(_ASCII).encode(encoding, "backslashreplace").decode(encoding)
    stream.write(text.rstrip(" ") + "\n")


def _shown(span: Span, coloured: bool) -> str:
    text = clean(span.text)
    return f"\x1b[{span.tone}m{text}\x1b[0m" if coloured and span.tone and text.strip() else text
