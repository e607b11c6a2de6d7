"""Fields of objects: read with their type, written into a copy."""

from collections.abc import Mapping
from typing import Any

from gitops_karmada.core.interpreters import InterpretError
from gitops_karmada.model.objects import Object, dig


def integer(obj: Any, *path: str | int) -> int:
    """The whole number at the path; 0 where nothing is written."""
    found = optional_integer(obj, *path)
    return 0 if found is None else found


def optional_integer(obj: Any, *path: str | int) -> int | None:
    value = dig(obj, *path)
    if value is None or type(value) is int:
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    raise InterpretError(f"{dotted(path)}: expected an integer, got {value!r}")


def mapping(obj: Any, *path: str | int) -> Object:
    """The map at the path; empty where nothing is written."""
    value = dig(obj, *path)
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return value
    raise InterpretError(f"{dotted(path)}: expected a map, got {type(value).__name__}")


def sequence(obj: Any, *path: str | int) -> list[Any]:
    """The list at the path; empty where nothing is written."""
    value = dig(obj, *path)
    if value is None:
        return []
    if isinstance(value, list):
        return value
    raise InterpretError(f"{dotted(path)}: expected a list, got {type(value).__name__}")


def text(obj: Any, *path: str | int) -> str:
    """The string at the path; empty where nothing is written."""
    value = dig(obj, *path)
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    raise InterpretError(f"{dotted(path)}: expected a string, got {type(value).__name__}")


def with_field(obj: Object, path: tuple[str, ...], value: Any) -> Object:
    """A copy that shares everything except the way to the field."""
    head, *rest = path
    if not rest:
        return {**obj, head: value}
    below = obj.get(head)
    return {**obj, head: with_field(below if isinstance(below, Mapping) else {}, tuple(rest), value)}


def without_field(obj: Object, path: tuple[str, ...]) -> Object:
    """A copy without the field; the object itself where there is none."""
    head, *rest = path
    if head not in obj:
        return obj
    if not rest:
        return {key: value for key, value in obj.items() if key != head}
    below = obj[head]
    if not isinstance(below, Mapping):
        return obj
    shorter = without_field(below, tuple(rest))
    return obj if shorter is below else {**obj, head: shorter}


def dotted(path: tuple[str | int, ...]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")
