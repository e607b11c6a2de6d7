"""Where one document of a file ends and the next begins: by lines, as kubectl splits before it parses."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Private use: nobody else may mean anything by it.
STAND_IN = "\uf8ff"

_SEPARATOR = re.compile(rb"^---(.*)$", re.MULTILINE)
# go-yaml decodes its input in pieces of this size.
_PIECE = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """The bytes from `start` to `end` of a normalized file, whose first line is line `line`."""

    text: bytes
    line: int
    start: int
    end: int
    bad_separator: str = ""
    bad_line: int = 0


def normalized(data: bytes) -> bytes:
    """Lines end in a line feed, the last one too."""
    if b"\r\n" in data:
        data = data.replace(b"\r\n", b"\n")
    return data if data.endswith(b"\n") or not data else data + b"\n"


def chunks(data: bytes) -> Iterator[Chunk]:
    """The pieces of a normalized file. A separator that kubectl refuses spoils the piece that follows it."""
    if not data.startswith(b"---") and b"\n---" not in data:
        if data:
            yield Chunk(text=data, line=1, start=0, end=len(data))
        return
    yield from _separated(data)


def _separated(data: bytes) -> Iterator[Chunk]:
    start, line, bad, bad_line = 0, 1, "", 0
    for match in _SEPARATOR.finditer(data):
        here = line + data.count(b"\n", start, match.start())
        rest = match[1].strip()
        wrong = bool(rest) and not rest.startswith(b"#")
        if match.start() > start or bad:
            yield _chunk(data, start, match.start(), line, bad, bad_line)
            start, line = match.end() + 1, here + 1
        elif wrong:
            start, line = match.end() + 1, here + 1
        # A first separator stays with its document, as it does in kubectl.
        bad, bad_line = (rest.decode("utf-8", "replace"), here) if wrong else ("", 0)
    if start < len(data) or bad:
        yield _chunk(data, start, len(data), line, bad, bad_line)


def _chunk(data: bytes, start: int, end: int, line: int, bad: str, bad_line: int) -> Chunk:
    return Chunk(text=data[start:end], line=line, start=start, end=end, bad_separator=bad, bad_line=bad_line)


def parser_text(chunk: bytes) -> tuple[bytes, str]:
    """What go-yaml sees of a chunk, in a form that libyaml reads alike, and a warning where that surprises.

    After a second byte order mark go-yaml takes every line for one that starts with a mark and drops its first
    character, until its first piece of input is used up. Marks further down are text to it, and spaces to libyaml.
    """
    warning = ""
    doubled = BYTE_ORDER_MARK + BYTE_ORDER_MARK
    if chunk.startswith(doubled):
        head, tail = chunk[len(doubled) : _PIECE], chunk[max(_PIECE, len(doubled)) :]
        chunk = b" " + re.sub(rb"\n.", b"\n ", head) + tail
        warning = "two byte order marks at the start; kubectl loses the first character of each line"
    if BYTE_ORDER_MARK in chunk[1:]:
        chunk = chunk[:1] + chunk[1:].replace(BYTE_ORDER_MARK, STAND_IN.encode())
        warning = warning or "a byte order mark in the middle of the document becomes part of the text"
    return chunk, warning


def restored(value: Any) -> Any:
    """The value with byte order marks where `parser_text` put its stand-in."""
    if isinstance(value, dict):
        return {restored(key): restored(item) for key, item in value.items()}
    if isinstance(value, list):
        return [restored(item) for item in value]
    return value.replace(STAND_IN, "\ufeff") if isinstance(value, str) else value
