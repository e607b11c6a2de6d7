"""Server-side apply as values: fields, their managers, merging, conflicts. For members that are folders or memory.

Trees of fields are FieldsV1 (`model.managed_fields`). Lists of built-in kinds that have keys are merged by them, all
other lists are replaced whole, as an API server does for kinds whose schema says nothing else.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gitops_karmada.model.actions import FieldConflict
from gitops_karmada.model.managed_fields import APPLY, UPDATE, Entry, Path, Tree, dotted, value_at
from gitops_karmada.model.objects import Object, group_of

# The name of a list, and the keys of its items; the first set of keys whose first key an item has.
MERGE_KEYS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "containers": (("name",),),
    "initContainers": (("name",),),
    "ephemeralContainers": (("name",),),
    "ports": (("containerPort", "protocol"), ("port", "protocol")),
    "env": (("name",),),
    "volumes": (("name",),),
    "volumeMounts": (("mountPath",),),
    "volumeDevices": (("devicePath",),),
    "imagePullSecrets": (("name",),),
    "secrets": (("name",),),
    "hostAliases": (("ip",),),
    "topologySpreadConstraints": (("topologyKey", "whenUnsatisfiable"),),
    "resourceClaims": (("name",),),
    "claims": (("name",),),
    "schedulingGates": (("name",),),
    "conditions": (("type",),),
    "webhooks": (("name",),),
    "ownerReferences": (("uid",),),
}
BEFORE_FIRST_APPLY = "before-first-apply"
SETS = frozenset({"finalizers"})
KEY_DEFAULTS: Mapping[str, Any] = {"protocol": "TCP"}
SERVER_METADATA = frozenset(
    {"name", "namespace", "uid", "resourceVersion", "generation", "managedFields", "creationTimestamp", "selfLink"}
    | {"deletionTimestamp", "deletionGracePeriodSeconds"}
)


class ApplyConflict(Exception):  # noqa: N818 - it is an answer to a request, told to the asker
    def __init__(self, conflicts: Iterable[FieldConflict]) -> None:
        self.conflicts = tuple(conflicts)
        super().__init__(", ".join(str(conflict) for conflict in self.conflicts))


class DuplicateItemsError(Exception):
    """Two items of a list have the same keys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Managed:
    """An object without its managedFields, and who holds what of it."""

    object: Object
    entries: tuple[Entry, ...] = ()


# Fields ---------------------------------------------------------------------------------------------------------------


def fields_of(obj: Object) -> Tree:
    """The tree of all fields that the object sets, without what names it and what the server sets."""
    content = {name: value for name, value in obj.items() if name not in ("apiVersion", "kind", "metadata")}
    metadata = {name: value for name, value in (obj.get("metadata") or {}).items() if name not in SERVER_METADATA}
    if metadata:
        content["metadata"] = metadata
    return _fields(content, has_schema(obj))


def has_schema(obj: Object) -> bool:
    """Whether the kind is one of Kubernetes' own, whose lists we know."""
    group = group_of(str(obj.get("apiVersion") or ""))
    return "." not in group or group.endswith(".k8s.io")


def _fields(value: Mapping[str, Any], schema: bool) -> dict[str, Any]:
    return {f"f:{name}": _fields_below(name, item, schema) for name, item in value.items()}


def _fields_below(name: str, value: Any, schema: bool) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return _fields(value, schema)
    steps = _steps(name, value, schema)
    if steps is None:
        return {}
    if len({step for step, _ in steps}) < len(steps):
        raise DuplicateItemsError(f"{name} holds two items with the same keys")
    return {step: {".": {}, **_fields(item, schema)} if isinstance(item, Mapping) else {} for step, item in steps}


def _steps(name: str, value: Any, schema: bool) -> list[tuple[str, Any]] | None:
    """(step, item) of a list whose items have keys or that is a set; None for anything else."""
    if not isinstance(value, list | tuple) or not (schema or name in ("ownerReferences", "finalizers")):
        return None
    if name in SETS:
        return [(f"v:{json.dumps(item)}", item) for item in value]
    keys = _keys(name, value)
    if keys is None:
        return None
    return [(_step(item, keys), item) for item in value]


def _keys(name: str, items: Any) -> tuple[str, ...] | None:
    for keys in MERGE_KEYS.get(name, ()):
        if items and all(isinstance(item, Mapping) and keys[0] in item for item in items):
            return keys
    return None


def _step(item: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    named = {key: item.get(key, KEY_DEFAULTS.get(key)) for key in keys}
    text = json.dumps({key: value for key, value in named.items() if value is not None}, separators=(",", ":"))
    return f"k:{text}"


def leaves(fields: Tree) -> Iterator[Path]:
    """All paths that end in a value, and the items of lists themselves."""
    for step, below in fields.items():
        if step == ".":
            continue
        if step.startswith("k:"):
            yield (step,)
        if any(name != "." for name in below):
            yield from ((step, *path) for path in leaves(below))
        elif not step.startswith("k:"):
            yield (step,)


def united(first: Tree, second: Tree) -> Tree:
    return {
        step: united(first.get(step, {}), second.get(step, {}))
        for step in (*first, *(s for s in second if s not in first))
    }


def without_paths(fields: Tree, paths: Iterable[Path]) -> Tree:
    for path in paths:
        fields = _without_path(fields, path)
    return fields


def _without_path(fields: Tree, path: Path) -> Tree:
    step, rest = path[0], path[1:]
    if step not in fields:
        return fields
    if not rest:
        return {name: below for name, below in fields.items() if name != step}
    below = _without_path(fields[step], rest)
    if not below:
        return {name: item for name, item in fields.items() if name != step}
    return {**fields, step: below}


def _holds(fields: Tree, path: Path) -> bool:
    for step in path:
        if step not in fields:
            return False
        fields = fields[step]
    return True


# Applying -------------------------------------------------------------------------------------------------------------


def applied(live: Managed, intent: Object, manager: str, *, force: bool = False) -> Managed:
    """The object after `manager` applied `intent`. Raise `ApplyConflict` when others hold what it would change."""
    live = _tracked(live)
    fields = fields_of(intent)
    conflicting = list(_conflicts(live, intent, fields, manager))
    if conflicting and not force:
        raise ApplyConflict(
            sorted(
                FieldConflict(manager=entry.manager, field=dotted(path), subresource=entry.subresource)
                for entry, path in conflicting
            )
        )
    before = _own(live.entries, manager)
    others = [_yielding(entry, conflicting) for entry in live.entries if entry is not before]
    content = {name: value for name, value in intent.items() if name not in ("apiVersion", "kind")}
    merged = _merged(live.object, content, has_schema(intent))
    merged = {**merged, "apiVersion": intent["apiVersion"], "kind": intent["kind"]}
    merged = _swept(merged, before.fields if before else {}, fields, [entry.fields for entry in others])
    own = Entry(manager=manager, operation=APPLY, api_version=str(intent["apiVersion"]), fields=fields)
    kept = [entry for entry in others if any(leaves(entry.fields))]
    return Managed(object=merged, entries=tuple(sorted([*kept, own] if fields else kept, key=_entry_order)))


def _tracked(live: Managed) -> Managed:
    """An object that nobody is known to hold anything of belongs to whoever was there before the first apply."""
    fields = {} if live.entries else fields_of(live.object)
    if not fields:
        return live
    before = Entry(manager=BEFORE_FIRST_APPLY, api_version=str(live.object.get("apiVersion")), fields=fields)
    return Managed(object=live.object, entries=(before,))


def _entry_order(entry: Entry) -> tuple[str, str, str]:
    return (entry.manager, entry.operation, entry.subresource)


def _own(entries: Iterable[Entry], manager: str) -> Entry | None:
    for entry in entries:
        if entry.manager == manager and entry.operation == APPLY and not entry.subresource:
            return entry
    return None


def _conflicts(live: Managed, intent: Object, fields: Tree, manager: str) -> Iterator[tuple[Entry, Path]]:
    wanted = [path for path in leaves(fields) if not path[-1].startswith("k:")]
    for entry in live.entries:
        if entry.manager == manager and entry.operation == APPLY:
            continue
        for path in wanted:
            if _holds(entry.fields, path) and _differs(live.object, intent, path):
                yield entry, path


def _differs(live: Object, intent: Object, path: Path) -> bool:
    found, wanted = value_at(intent, path)
    there, value = value_at(live, path)
    # An empty map asks for nothing but a map.
    return (found, wanted) != (there, value) and not (wanted == {} and isinstance(value, Mapping))


def _yielding(entry: Entry, conflicting: Iterable[tuple[Entry, Path]]) -> Entry:
    paths = [path for holder, path in conflicting if holder is entry]
    if not paths:
        return entry
    return Entry(
        manager=entry.manager,
        operation=entry.operation,
        subresource=entry.subresource,
        api_version=entry.api_version,
        fields=without_paths(entry.fields, paths),
    )


def _merged(live: Any, intent: Any, schema: bool, name: str = "") -> Any:
    if isinstance(intent, Mapping) and isinstance(live, Mapping):
        changed = {key: _merged(live.get(key), value, schema, key) for key, value in intent.items()}
        return {**live, **changed}
    steps = _steps(name, intent, schema)
    if steps is None or not isinstance(live, list | tuple):
        return intent
    old = dict(_steps(name, live, schema) or [])
    new = dict(steps)
    kept = [_merged(item, new[step], schema) if step in new else item for step, item in old.items()]
    return [*kept, *(item for step, item in steps if step not in old)]


def _swept(value: Any, before: Tree, now: Tree, others: list[Tree]) -> Any:
    """The value without what the manager held before, does not set now, and nobody else holds."""
    for step, below in before.items():
        if step == ".":
            continue
        held = [fields[step] for fields in others if step in fields]
        if step in now and not any(name != "." for name in below):
            continue
        value = _swept_step(value, step, below, now.get(step), held)
    return value


def _swept_step(value: Any, step: str, below: Tree, now: Tree | None, held: list[Tree]) -> Any:
    found, item = value_at(value, (step,))
    if not found:
        return value
    is_leaf = not any(name != "." for name in below)
    if now is None and _is_unheld(step, is_leaf, held):
        return _dropped(value, step)
    if is_leaf or not isinstance(item, Mapping | list):
        return value
    rest = _swept(item, below, now or {}, held)
    if now is None and not held and not rest:
        return _dropped(value, step)
    return _replaced(value, step, rest)


def _is_unheld(step: str, is_leaf: bool, held: list[Tree]) -> bool:
    """An item of a list goes when nobody else holds it as such, a value when nobody else holds it."""
    if step.startswith("k:"):
        return not any("." in fields for fields in held)
    return is_leaf and not held


def _dropped(value: Any, step: str) -> Any:
    if isinstance(value, Mapping):
        return {name: item for name, item in value.items() if f"f:{name}" != step}
    return [item for item in value if value_at([item], (step,))[0] is False]


def _replaced(value: Any, step: str, item: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: item if f"f:{name}" == step else old for name, old in value.items()}
    return [item if value_at([old], (step,))[0] else old for old in value]


# Updating -------------------------------------------------------------------------------------------------------------


def replaced(live: Managed, new: Object, manager: str, subresource: str = "") -> Managed:
    """An object that is there after an update. Where nobody is known to hold anything, an update does not begin it."""
    return updated(live, new, manager, subresource) if live.entries else Managed(object=new)


def updated(live: Managed, new: Object, manager: str, subresource: str = "") -> Managed:
    """The object after `manager` replaced it by `new`: what it changed is its own, and nobody else's any more."""
    before, after = fields_of(live.object), fields_of(new)
    changed = [path for path in leaves(after) if value_at(live.object, path) != value_at(new, path)]
    added = [path for path in changed if not path[-1].startswith("k:") or not value_at(live.object, path)[0]]
    gone = [path for path in leaves(before) if not value_at(new, path)[0]]
    entries = [_losing(entry, [*added, *gone]) for entry in live.entries]
    mine = next((entry for entry in entries if _is(entry, manager, subresource)), None)
    own = Entry(
        manager=manager,
        operation=UPDATE,
        subresource=subresource,
        api_version=str(new["apiVersion"]),
        fields=united(mine.fields if mine else {}, _tree(added)),
    )
    kept = [entry for entry in entries if entry is not mine and any(leaves(entry.fields))]
    return Managed(object=new, entries=tuple(sorted([*kept, *([own] if own.fields else [])], key=_entry_order)))


def _is(entry: Entry, manager: str, subresource: str) -> bool:
    return (entry.manager, entry.operation, entry.subresource) == (manager, UPDATE, subresource)


def _losing(entry: Entry, paths: Iterable[Path]) -> Entry:
    return Entry(
        manager=entry.manager,
        operation=entry.operation,
        subresource=entry.subresource,
        api_version=entry.api_version,
        fields=without_paths(entry.fields, paths),
    )


def _tree(paths: Iterable[Path]) -> Tree:
    tree: dict[str, Any] = {}
    for path in paths:
        node = tree
        for step in path:
            node = node.setdefault(step, {})
        if path[-1].startswith("k:"):
            node["."] = {}
    return tree


def entry_object(entry: Entry) -> Object:
    """The entry as it stands in managedFields."""
    subresource = {"subresource": entry.subresource} if entry.subresource else {}
    return {
        "manager": entry.manager,
        "operation": entry.operation,
        "apiVersion": entry.api_version,
        "fieldsType": "FieldsV1",
        "fieldsV1": entry.fields,
        **subresource,
    }
