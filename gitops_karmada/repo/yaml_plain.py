"""The plain part of YAML that most manifests keep to, read three times as fast. All else is left to the exact reader.

A text is taken only when every line of it is a comment, or keys, dashes and one-line ASCII scalars; nothing is guessed.
"""

import re
from functools import lru_cache
from typing import Any, TypeAlias

from gitops_karmada.repo.yaml_scalars import json_number, plain

_PLAIN = (
    r"(?:[A-Za-z0-9_/.+]|-(?=[!-~]))"  # no indicator may start it
    r"(?:[!\"$-9;-~]++|:(?=[!-~])|(?<=[!-~])#| ++(?=[!\"$-~]))*+"  # no ': ' and no ' #' may be in it
)
_LINE = re.compile(
    r"( *)((?:- +)*)(?:([A-Za-z_][A-Za-z0-9_./-]*):(?: +|$))?"
    rf"(?:({_PLAIN})|\"([ !#-\[\]-~]*)\"|'([ -&(-~]*)'|(\{{\}}|\[\]))?"
    r" *(?:(?<= )#[ -~]*)?\Z"
)
_COMMENT = re.compile(r" *(?:#[ -~]*)?\Z")
_LONGEST_LINE = 1000

# What a token is; a token is (column, kind, key, value).
_DASH, _PAIR, _OPEN, _ITEM = range(4)
_Token: TypeAlias = tuple[int, int, str, Any]


_NOTHING, _UNUSUAL = object(), object()
_COLLECTIONS = (dict, list)


class _Unusual(Exception):  # noqa: N818 - no error, only too much for here
    pass


def plain_document(text: bytes, depth: int) -> tuple[Any, int] | None:
    """The value of a document and the number of its first line, from 0; None where it takes the exact reader."""
    if not text.isascii():
        return None
    try:
        tokens, line = _tokens(text.decode("ascii"))
        if not tokens:
            return None
        value, end = _block(tokens, 0, depth)
    except _Unusual:
        return None
    return (value, line) if end == len(tokens) else None


def _tokens(text: str) -> tuple[list[_Token], int]:
    tokens: list[_Token] = []
    first = -1
    for number, line in enumerate(text.split("\n")):
        if number == 0 and line == "---":
            continue
        found = _line(line)
        if found:
            first = number if first < 0 else first
            tokens += found
        elif found is None:
            raise _Unusual
    return tokens, first


@lru_cache(maxsize=16384)
def _line(line: str) -> tuple[_Token, ...] | None:
    """The tokens of a line: none of a comment, None where it is unusual. Lines repeat, in a file and between files."""
    match = _LINE.match(line)
    if match is None or len(line) > _LONGEST_LINE or line == "...":
        return None
    indent, dashes, key, *values = match.groups()
    column = len(indent) + len(dashes)
    if key is None and all(value is None for value in values):
        return () if not dashes and _COMMENT.match(line) else None
    if (key is None and not dashes) or (key is not None and not isinstance(plain(key), str)):
        return None
    value = _value(*values)
    return None if value is _UNUSUAL else (*_dashes(dashes, len(indent)), _token(column, key, value))


def _dashes(dashes: str, column: int) -> list[_Token]:
    return [(column + place, _DASH, "", None) for place, letter in enumerate(dashes) if letter == "-"]


def _token(column: int, key: str | None, value: Any) -> _Token:
    if key is None:
        return column, _ITEM, "", value
    return (column, _OPEN, key, None) if value is _NOTHING else (column, _PAIR, key, value)


def _value(text: str | None, double: str | None, single: str | None, empty: str | None) -> Any:
    if text is None:
        quoted = double if double is not None else single
        return {"{}": {}, "[]": []}.get(empty or "", _NOTHING) if quoted is None else quoted
    value = plain(text)
    if not isinstance(value, float):
        return value
    return json_number(value) if value - value == 0 else _UNUSUAL


def _block(tokens: list[_Token], at: int, depth: int) -> tuple[Any, int]:
    if depth <= 0:
        raise _Unusual
    column, kind, _, _ = tokens[at]
    return _sequence(tokens, at, column, depth) if kind == _DASH else _mapping(tokens, at, column, depth)


def _mapping(tokens: list[_Token], at: int, column: int, depth: int) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    end = len(tokens)
    while at < end:
        here, kind, key, value = tokens[at]
        if here < column:
            break
        if here > column or kind in (_DASH, _ITEM) or key in found:
            raise _Unusual
        at += 1
        if kind == _OPEN and at < end:
            inner, next_kind, _, _ = tokens[at]
            if inner > column or (inner == column and next_kind == _DASH):
                value, at = _block(tokens, at, depth - 1)
        # A line may be used again: what it holds is not to be shared.
        found[key] = value.copy() if kind == _PAIR and value.__class__ in _COLLECTIONS else value
    return found, at


def _sequence(tokens: list[_Token], at: int, column: int, depth: int) -> tuple[list[Any], int]:
    items: list[Any] = []
    end = len(tokens)
    while at < end:
        here, kind, _, _ = tokens[at]
        if here < column or (here == column and kind != _DASH):
            break
        if here > column:
            raise _Unusual
        _, kind, _, value = tokens[at + 1]
        if kind == _ITEM:
            value = value.copy() if value.__class__ in _COLLECTIONS else value
            at += 2
        else:
            value, at = _block(tokens, at + 1, depth - 1)
        items.append(value)
    return items, at
