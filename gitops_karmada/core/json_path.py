"""The part of kubectl's JSONPath that names values: `{.status.replicas}`, `{.items[0]['a.b']}`, `{.items[*].name}`."""

import json
import re
from collections.abc import Mapping
from typing import Any

_STEP = re.compile(
    r"\.(?P<name>(?:\\.|[^.\[\]\s'\"\\])+)"
    r"|\[\s*'(?P<single>[^']*)'\s*\]"
    r"|\[\s*\"(?P<double>[^\"]*)\"\s*\]"
    r"|\[\s*(?P<index>-?\d+)\s*\]"
    r"|\[\s*(?P<all>\*)\s*\]"
)


class PathError(ValueError):
    """The path cannot be read, or leads to nothing."""


def evaluate(template: str, value: Any) -> str:
    """The text that a template makes of a value: what is in braces is a path, the rest stays. Raises PathError."""
    parts = re.split(r"(\{[^{}]*\})", template)
    return "".join(_joined(part[1:-1].strip(), value) if part.startswith("{") else part for part in parts)


def _joined(path: str, value: Any) -> str:
    return " ".join(_text(found) for found in find(path, value))


def find(path: str, value: Any) -> list[Any]:
    """The values at a path. Raises PathError where a step leads to nothing."""
    found, place = [value], 1 if path.startswith(("$", "@")) else 0
    while place < len(path):
        step = _STEP.match(path, place)
        if step is None:
            if path[place:] == ".":
                break
            raise PathError(f"{path!r} is not a path, from {path[place:]!r} on")
        found = [item for one in found for item in _walk(one, step)]
        place = step.end()
    return found


def _walk(value: Any, step: "re.Match[str]") -> list[Any]:
    if step["all"] or step["name"] == "*":
        return list(value.values()) if isinstance(value, Mapping) else _list(value)
    if step["index"] is not None:
        items, index = _list(value), int(step["index"])
        if not -len(items) <= index < len(items):
            raise PathError(f"array index out of bounds: index {index}, length {len(items)}")
        return [items[index]]
    name = step["single"] or step["double"] or re.sub(r"\\(.)", r"\1", step["name"] or "")
    if not isinstance(value, Mapping) or name not in value:
        raise PathError(f"{name} is not found")
    return [value[name]]


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise PathError("is not a list")
    return list(value)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: ""}[value]
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return (
        str(value) if isinstance(value, int | float) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    )
