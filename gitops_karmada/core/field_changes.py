"""Which fields of an object changed, from the object before and after.

Parts that are the same object in memory are passed over, so the cost follows what changed.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, TypeAlias

from gitops_karmada.core.patch import pointer_of
from gitops_karmada.model.works import FieldChange

_Keys: TypeAlias = tuple[str | int, ...]

_ABSENT = object()


def changes_between(before: Any, after: Any) -> tuple[FieldChange, ...]:
    return tuple(_changes(before, after, ()))


def _changes(before: Any, after: Any, at: _Keys) -> Iterator[FieldChange]:
    if before is after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _map_changes(before, after, at)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _list_changes(before, after, at)
    elif type(before) is not type(after) or before != after:
        yield FieldChange(path=pointer_of(at), before=_shown(before), after=_shown(after))


def _shown(value: Any) -> Any:
    return None if value is _ABSENT else value


def _map_changes(before: Mapping[str, Any], after: Mapping[str, Any], at: _Keys) -> Iterator[FieldChange]:
    for key in sorted(_differing(before, after)):
        yield from _changes(before.get(key, _ABSENT), after.get(key, _ABSENT), (*at, key))


def _differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The keys whose values are not one and the same object."""
    gone = [key for key in before if key not in after]
    return gone + [key for key, value in after.items() if before.get(key, _ABSENT) is not value]


def _list_changes(before: Sequence[Any], after: Sequence[Any], at: _Keys) -> Iterator[FieldChange]:
    """Elements that both ends share are no change; what is left over on one side was added or removed."""
    start = _shared(before, after)
    end = _shared(before[start:][::-1], after[start:][::-1])
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    for index, (was, now) in enumerate(zip_longest(old, new, fillvalue=_ABSENT)):
        yield from _changes(was, now, (*at, start + index))


def _shared(before: Sequence[Any], after: Sequence[Any]) -> int:
    """How many elements from the start are the same."""
    pairs = enumerate(zip(before, after, strict=False))
    differing = (index for index, (old, new) in pairs if old is not new and old != new)
    return next(differing, min(len(before), len(after)))
