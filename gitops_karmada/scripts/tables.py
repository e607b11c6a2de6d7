"""JSON values as Lua tables and back, as Karmada's encoder does it."""

import math
from typing import Any

import lupa.lua51 as lua

MAX_DEPTH = 200


class EncodeError(ValueError):
    """A Lua value that is no JSON."""


def to_table(runtime: Any, value: Any) -> Any:
    """Maps and lists become new tables; null is nil."""
    if isinstance(value, dict | list):
        return runtime.table_from(value, recursive=True)
    return value


def to_json(value: Any, depth: int = 0) -> Any:
    """A table with names is a map, one that counts from 1 a list; an empty one is an empty list."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return _number(value)
    if lua.lua_type(value) != "table":
        raise EncodeError(f"cannot encode {lua.lua_type(value)} to JSON")
    if depth == MAX_DEPTH:
        raise EncodeError("cannot encode recursively nested tables to JSON")
    entries = list(value.items())
    if all(isinstance(key, str) for key, _ in entries) and entries:
        return {key: to_json(entry, depth + 1) for key, entry in entries}
    return _list(entries, depth)


def _list(entries: list[tuple[Any, Any]], depth: int) -> list[Any]:
    if any(isinstance(key, bool) or not isinstance(key, int | float) for key, _ in entries):
        raise EncodeError("cannot encode mixed or invalid key types")
    by_index = dict(entries)
    if any(index not in by_index for index in range(1, len(by_index) + 1)):
        raise EncodeError("cannot encode sparse array")
    return [to_json(by_index[index], depth + 1) for index in range(1, len(by_index) + 1)]


def _number(value: int | float) -> int | float:
    if isinstance(value, int):
        return value
    if not math.isfinite(value):
        raise EncodeError(f"cannot encode the number {value}")
    return int(value) if value.is_integer() and abs(value) < 2**63 else value
