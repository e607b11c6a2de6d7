"""JSON patches (RFC 6902: add, remove, replace) on values that are never changed in place.

Maps are dicts, as everywhere in JSON. Only what lies on the way to a changed field is copied, all else is shared.
The dialect is that of the patch library Karmada uses: negative indexes count from the end, an absent value is null.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, TypeAlias

from gitops_karmada.model.policies import OverriderOperator

_Change: TypeAlias = Callable[[Any, str], Any]

_INDEX = re.compile(r"[+-]?[0-9]+")


class PatchError(ValueError):
    """An operation that does not apply."""


def patched(document: Any, pointer: str, operator: OverriderOperator | None, value: Any = None) -> Any:
    """The document with one operation applied."""
    match operator:
        case OverriderOperator.ADD:
            return value if pointer == "" else _at(document, pointer, lambda parent, key: _added(parent, key, value))
        case OverriderOperator.REPLACE:
            return value if pointer == "" else _at(document, pointer, lambda parent, key: _replaced(parent, key, value))
        case OverriderOperator.REMOVE:
            return _at(document, pointer, _removed)
        case None:
            raise PatchError(f"{pointer}: an operator is required: add, remove or replace")


def resolve(document: Any, pointer: str) -> Any:
    """What lies at the pointer."""
    here = document
    for key in keys_of(pointer):
        here = _child(here, key)
    return here


@lru_cache(maxsize=4096)
def keys_of(pointer: str) -> tuple[str, ...]:
    if pointer == "":
        return ()
    if not pointer.startswith("/"):
        raise PatchError(f"{pointer!r} is no JSON pointer: it must start with '/'")
    return tuple(unescape(key) for key in pointer[1:].split("/"))


def escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def unescape(key: str) -> str:
    return key.replace("~1", "/").replace("~0", "~")


def pointer_of(keys: Iterable[str | int]) -> str:
    return "".join(f"/{escape(str(key))}" for key in keys)


def _at(document: Any, pointer: str, change: _Change) -> Any:
    keys = keys_of(pointer)
    if not keys:
        raise PatchError("the whole document cannot be removed")
    try:
        return _descend(document, keys, change)
    except PatchError as wrong:
        raise PatchError(f"{pointer}: {wrong}") from wrong


def _descend(here: Any, keys: tuple[str, ...], change: _Change) -> Any:
    key = keys[0]
    if len(keys) == 1:
        return change(here, key)
    return _with(here, key, _descend(_child(here, key), keys[1:], change))


def _child(here: Any, key: str) -> Any:
    if isinstance(here, dict):
        if key not in here:
            raise PatchError(f"missing path: there is no {key!r}")
        return here[key]
    if isinstance(here, list):
        return here[_index(here, key)]
    raise PatchError(f"missing path: {key!r} is looked for in a value that is neither map nor list")


def _with(here: Any, key: str, value: Any) -> Any:
    if isinstance(here, dict):
        return {**here, key: value}
    index = _index(here, key)
    return [*here[:index], value, *here[index + 1 :]]


def _index(items: Any, key: str, room: int = 0) -> int:
    """The place of an existing element, or with room 1 also the place behind the last one."""
    if not _INDEX.fullmatch(key):
        raise PatchError(f"{key!r} is no index of a list")
    index, size = int(key), len(items) + room
    if not -size <= index < size:
        raise PatchError(f"index {key} is out of range: the list has {len(items)} elements")
    return index + size if index < 0 else index


def _added(here: Any, key: str, value: Any) -> Any:
    if isinstance(here, dict):
        return {**here, key: value}
    if isinstance(here, list):
        index = len(here) if key == "-" else _index(here, key, room=1)
        return [*here[:index], value, *here[index:]]
    raise PatchError(f"missing path: {key!r} cannot be added to a value that is neither map nor list")


def _replaced(here: Any, key: str, value: Any) -> Any:
    _child(here, key)
    return _with(here, key, value)


def _removed(here: Any, key: str) -> Any:
    _child(here, key)
    if isinstance(here, dict):
        return {name: value for name, value in here.items() if name != key}
    index = _index(here, key)
    return [*here[:index], *here[index + 1 :]]
