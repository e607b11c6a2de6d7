"""Empty tables that came back from Lua, where an empty map and an empty list are the same."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from gitops_karmada.model.objects import Object

Path: TypeAlias = tuple[str, ...]


def repaired(value: Any, references: Iterable[Object] = ()) -> Any:
    """Each empty list becomes what a reference has at its place, and is dropped where none has anything empty.

    The places in a list are one place: what the first entry has empty, all may have.
    """
    maps: set[Path] = set()
    lists: set[Path] = set()
    for reference in references:
        _find_empty(reference, (), maps, lists)
    return _repaired(value, (), maps, lists)


def _find_empty(value: Any, path: Path, maps: set[Path], lists: set[Path]) -> None:
    for entry_path, entry in _entries(value, path):
        if isinstance(entry, Mapping) and not entry:
            maps.add(entry_path)
        elif isinstance(entry, list) and not entry:
            lists.add(entry_path)
        else:
            _find_empty(entry, entry_path, maps, lists)


def _entries(value: Any, path: Path) -> Iterable[tuple[Path, Any]]:
    if isinstance(value, Mapping):
        return [((*path, key), entry) for key, entry in value.items()]
    return [(path, entry) for entry in value] if isinstance(value, list) else []


def _repaired(value: Any, path: Path, maps: set[Path], lists: set[Path]) -> Any:
    if isinstance(value, Mapping):
        return {
            key: _entry(entry, (*path, key), maps, lists)
            for key, entry in value.items()
            if _stays(entry, (*path, key), maps, lists)
        }
    if isinstance(value, list):
        return [_entry(entry, path, maps, lists) for entry in value if _stays(entry, path, maps, lists)]
    return value


def _stays(entry: Any, path: Path, maps: set[Path], lists: set[Path]) -> bool:
    return entry != [] or path in maps or path in lists


def _entry(entry: Any, path: Path, maps: set[Path], lists: set[Path]) -> Any:
    if entry == []:
        return {} if path in maps else []
    return _repaired(entry, path, maps, lists)
