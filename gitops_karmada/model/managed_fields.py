"""Who holds which field: `metadata.managedFields` (FieldsV1) of a live object, compared with what we declare.

A tree of fields is FieldsV1 as it stands: `f:NAME` for a key of a map, `k:{…}` for an item of a list with keys,
`v:…` for an item of a set, `.` for the thing itself; a leaf is an empty map. The tree itself tells how its lists are
merged, so no schema is needed to lay it over a declared object.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from gitops_karmada.model.actions import FieldConflict
from gitops_karmada.model.objects import Object, metadata_of

Tree: TypeAlias = Mapping[str, Any]
Path: TypeAlias = tuple[str, ...]

APPLY = "Apply"
UPDATE = "Update"
UNNAMED = "unknown"

# What the API server fills into the keys of a list's item when the author leaves them out.
_KEY_DEFAULTS: Mapping[str, Any] = {"protocol": "TCP"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of managedFields."""

    manager: str
    operation: str = UPDATE
    subresource: str = ""
    api_version: str = ""
    fields: Tree


def entries_of(live: Object) -> tuple[Entry, ...]:
    entries = metadata_of(live).get("managedFields")
    if not isinstance(entries, Sequence) or isinstance(entries, str):
        return ()
    return tuple(_entry(entry) for entry in entries if isinstance(entry, Mapping))


def _entry(entry: Object) -> Entry:
    fields = entry.get("fieldsV1")
    return Entry(
        # A client that gives no name has none here either.
        manager=str(entry.get("manager") or UNNAMED),
        operation=str(entry.get("operation") or UPDATE),
        subresource=str(entry.get("subresource") or ""),
        api_version=str(entry.get("apiVersion") or ""),
        fields=fields if isinstance(fields, Mapping) else {},
    )


def held_by(live: Object, manager: str) -> tuple[Entry, ...]:
    """What the manager holds by applying; a subresource is somebody else's business."""
    return tuple(entry for entry in entries_of(live) if entry.manager == manager and not entry.subresource)


def fields_digest(live: Object, manager: str) -> str:
    """A digest of what the manager holds; empty when it holds nothing. Times are left out."""
    held = sorted(
        ([entry.operation, entry.api_version, entry.fields] for entry in held_by(live, manager)),
        key=lambda item: (item[0], item[1]),
    )
    return digest(held) if held else ""


def digest(value: Any) -> str:
    """A digest of JSON values that depends on nothing but their content."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def declared_paths(declared: Any, fields: Tree) -> Iterator[Path]:
    """The paths of the tree's leaves that the declared object sets too."""
    for step, below in sorted(fields.items()):
        if step == ".":
            continue
        found, value = _descend(declared, step)
        if not found:
            continue
        if _is_leaf(below) or not isinstance(value, Mapping | list | tuple):
            yield (step,)
            continue
        yield from ((step, *path) for path in declared_paths(value, below))


def _is_leaf(fields: Tree) -> bool:
    return not any(step != "." for step in fields)


def _descend(value: Any, step: str) -> tuple[bool, Any]:
    """(found, value) below one step of a tree."""
    kind, _, name = step.partition(":")
    if kind == "f":
        return (True, value[name]) if isinstance(value, Mapping) and name in value else (False, None)
    if kind not in ("k", "v") or not isinstance(value, list | tuple):
        return False, None
    wanted = json.loads(name)
    if kind == "v":
        return (True, wanted) if wanted in value else (False, None)
    return next(((True, item) for item in value if _has_keys(item, wanted)), (False, None))


def _has_keys(item: Any, wanted: Mapping[str, Any]) -> bool:
    if not isinstance(item, Mapping):
        return False
    return all(item.get(key, _KEY_DEFAULTS.get(key, value)) == value for key, value in wanted.items())


def value_at(value: Any, path: Path) -> tuple[bool, Any]:
    """(found, value) at a path of a tree."""
    found = True
    for step in path:
        found, value = _descend(value, step)
        if not found:
            return False, None
    return found, value


def dotted(path: Path) -> str:
    """The path as the API server writes it in its conflicts: `.spec.containers[name="main"].image`."""
    return "".join(_dotted(step) for step in path)


def _dotted(step: str) -> str:
    kind, _, name = step.partition(":")
    if kind == "f":
        return f".{name}"
    if kind == "v":
        return f"[={name}]"
    keys = ",".join(f"{key}={json.dumps(value)}" for key, value in sorted(json.loads(name).items()))
    return f"[{keys}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """A field that we declare and somebody else holds, with another value than ours."""

    conflict: FieldConflict
    operation: str
    path: Path


def losses(declared: Object, live: Object, manager: str) -> tuple[Loss, ...]:
    """Fields that we declare, that differ in the live object, and that others hold and we do not."""
    ours = {path for entry in held_by(live, manager) for path in declared_paths(declared, entry.fields)}
    found = [
        Loss(
            conflict=FieldConflict(manager=entry.manager, field=dotted(path), subresource=entry.subresource),
            operation=entry.operation,
            path=path,
        )
        for entry in entries_of(live)
        if entry.manager != manager and entry.subresource != "status"
        for path in declared_paths(declared, entry.fields)
        if path not in ours and not _same(declared, live, path)
    ]
    return tuple(sorted(found, key=lambda loss: loss.conflict))


def _same(declared: Object, live: Object, path: Path) -> bool:
    return value_at(declared, path) == value_at(live, path)


def without(declared: Any, paths: Iterable[Path]) -> Any:
    """The declared object without the values at the paths. Items of lists keep the keys that name them."""
    for path in paths:
        declared = _without(declared, path)
    return declared


def _without(value: Any, path: Path) -> Any:
    step, rest = path[0], path[1:]
    kind, _, name = step.partition(":")
    if kind == "f" and isinstance(value, Mapping):
        if not rest:
            return {key: item for key, item in value.items() if key != name}
        return {key: _without(item, rest) if key == name else item for key, item in value.items()}
    if kind == "k" and isinstance(value, list | tuple):
        wanted = json.loads(name)
        return [_without(item, rest) if rest and _has_keys(item, wanted) else item for item in value]
    return value


def held_apart(live: Object, manager: str, path: Path) -> bool:
    """Whether the manager holds exactly this path."""
    return any(_holds(entry.fields, path) for entry in held_by(live, manager))


def _holds(fields: Tree, path: Path) -> bool:
    for step in path:
        if step not in fields:
            return False
        fields = fields[step]
    return True
