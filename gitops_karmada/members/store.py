"""A small API server without a server: objects with UIDs, versions, managed fields, finalizers and preconditions.

Members that are folders or memory answer from it, with the same refusals as a real one.
"""

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from datetime import datetime
from typing import Any, Protocol

import jsonpatch

from gitops_karmada.members.builtin_apis import VERBS, built_in
from gitops_karmada.members.refusals import CONFLICT, MANAGER_CONFLICT, RefusalError
from gitops_karmada.members.resources import Discovery, Resource
from gitops_karmada.members.server_side_apply import (
    ApplyConflict,
    DuplicateItemsError,
    Managed,
    applied,
    entry_object,
    replaced,
    updated,
)
from gitops_karmada.model.actions import FieldConflict
from gitops_karmada.model.clusters import APIEnablement
from gitops_karmada.model.managed_fields import entries_of
from gitops_karmada.model.objects import Key, Object, dig, group_of, key_of, labels_of, metadata_of

NAMESPACES = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})
DEFINITION = Key(group="apiextensions.k8s.io", kind="CustomResourceDefinition", name="")
# As in etcd, no object ever has version 1.
FIRST_VERSION = 1
SPACE = uuid.UUID("6b0c4a1e-52a0-4d4b-9a6b-0f6b9f1f7c55")
MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"


class Shelf(Protocol):
    """Where a store keeps its objects, whole."""

    objects: MutableMapping[Key, Object]
    version: int

    def save(self, key: Key, obj: Object) -> None: ...

    def remove(self, key: Key) -> None: ...


class MemoryShelf:
    """Objects kept as long as the process lives."""

    def __init__(self) -> None:
        self.objects: MutableMapping[Key, Object] = {}
        self.version = FIRST_VERSION

    def save(self, key: Key, obj: Object) -> None:
        self.objects[key] = obj

    def remove(self, key: Key) -> None:
        self.objects.pop(key, None)


class ObjectStore:
    """`name` makes UIDs differ between members, `clock` dates deletions, `declared` replaces the built-in APIs."""

    def __init__(
        self,
        name: str,
        shelf: Shelf,
        *,
        clock: Callable[[], datetime],
        declared: Iterable[APIEnablement] = (),
    ) -> None:
        self._name = name
        self._shelf = shelf
        self._clock = clock
        self._base = tuple(_declared(declared)) or tuple(built_in())

    # Reading

    def discover(self) -> Discovery:
        definitions = (obj for key, obj in self._shelf.objects.items() if key.kind == DEFINITION.kind)
        return Discovery(resources=(*self._base, *(item for obj in definitions for item in _defined(obj))))

    def list(self, resource: Resource, selector: str = "", namespace: str = "") -> tuple[Object, ...]:
        """Objects of the kind in this version; `selector` is one `label=value`."""
        label, _, value = selector.partition("=")
        found = (
            obj
            for key, obj in sorted(self._shelf.objects.items())
            if key.kind == resource.kind and key.group == resource.group and namespace in ("", key.namespace)
        )
        return tuple(_served(obj, resource) for obj in found if not label or labels_of(obj).get(label) == value)

    def get(self, resource: Resource, namespace: str, name: str) -> Object | None:
        live = self._shelf.objects.get(_key(resource, namespace, name))
        return None if live is None else _served(live, resource)

    # Writing

    def apply(self, resource: Resource, body: Object, manager: str, force: bool = False) -> tuple[Object, bool]:
        """Server-side apply; the object, and whether it is new."""
        key = key_of(body)
        uid, version = metadata_of(body).get("uid"), metadata_of(body).get("resourceVersion")
        intent = _without_nulls(body)
        live = self._shelf.objects.get(key)
        if live is None:
            if uid:
                raise _conflict(
                    key, f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
                )
            return self._create(key, intent, manager), True
        _check(key, live, uid, version)
        return self._save(key, live, _applied(key, live, intent, manager, force)), False

    def rehearse(self, body: Object, manager: str) -> None:
        """Apply over whoever holds the fields, and keep nothing of it."""
        key, live = key_of(body), self._shelf.objects.get(key_of(body))
        if live is None:
            self._check_namespace(key)
            return
        _check(key, live, metadata_of(body).get("uid"), metadata_of(body).get("resourceVersion"))
        _applied(key, live, _without_nulls(body), manager, True)

    def patch(
        self, resource: Resource, namespace: str, name: str, operations: Sequence[Object], manager: str
    ) -> Object:
        """JSON patch. A patch that sets managedFields sets them; else what it changes becomes the manager's."""
        key = _key(resource, namespace, name)
        live = self._shelf.objects.get(key)
        if live is None:
            raise _absent(resource, name)
        try:
            new = jsonpatch.apply_patch(live, list(operations))
        except jsonpatch.JsonPatchTestFailed as error:
            raise RefusalError(422, "Invalid", f"the server rejected our request: {error}") from error
        except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException) as error:
            raise RefusalError(400, "BadRequest", str(error)) from error
        if metadata_of(new).get("resourceVersion") != metadata_of(live).get("resourceVersion"):
            raise _conflict(key, MODIFIED)
        bare = _bare(new)
        after = replaced(Managed(object=_bare(live), entries=entries_of(live)), bare, manager)
        if any(str(operation.get("path")).startswith("/metadata/managedFields") for operation in operations):
            after = Managed(object=bare, entries=tuple(entry for entry in entries_of(new) if entry.fields))
        return self._save(key, live, after)

    def replace(self, obj: Object, manager: str, subresource: str = "") -> Object:
        """Put the object as it is, as a person or a controller would; create it when it is absent."""
        key, live = key_of(obj), self._shelf.objects.get(key_of(obj))
        new = {**_bare(obj), "metadata": {**_server_metadata(live or {}), **_own_metadata(obj)}}
        if live is None:
            return self._settle(key, updated(Managed(object=_named(obj)), new, manager, subresource))
        before = Managed(object=_bare(live), entries=entries_of(live))
        return self._save(key, live, replaced(before, new, manager, subresource))

    def delete(self, resource: Resource, namespace: str, name: str, uid: str = "", version: str = "") -> None:
        key = _key(resource, namespace, name)
        live = self._shelf.objects.get(key)
        if live is None:
            raise _absent(resource, name)
        metadata = metadata_of(live)
        if uid and uid != metadata.get("uid"):
            raise _conflict(
                key, f"the UID in the precondition ({uid}) does not match the UID in record ({metadata['uid']})"
            )
        if version and version != metadata.get("resourceVersion"):
            raise _conflict(
                key, "the ResourceVersion in the precondition does not match. The object might have been modified"
            )
        self._delete(key, live)

    # Inside

    def _create(self, key: Key, intent: Object, manager: str) -> Object:
        self._check_namespace(key)
        try:
            return self._settle(key, applied(Managed(object=_named(intent)), intent, manager))
        except DuplicateItemsError as error:
            raise RefusalError(422, "Invalid", f"{key.kind} {key.name} is invalid: {error}") from error

    def _check_namespace(self, key: Key) -> None:
        if not key.namespace or key.namespace in NAMESPACES:
            return
        namespace = self._shelf.objects.get(Key(group="", kind="Namespace", name=key.namespace))
        if namespace is None:
            raise RefusalError(404, "NotFound", f'namespaces "{key.namespace}" not found')
        if metadata_of(namespace).get("deletionTimestamp"):
            cause = {"reason": "NamespaceTerminating", "message": f"namespace {key.namespace} is being terminated"}
            message = f"unable to create new content in namespace {key.namespace} because it is being terminated"
            raise RefusalError(403, "Forbidden", message, [cause])

    def _settle(self, key: Key, new: Managed) -> Object:
        """Save a new object, with the UID and version that it will have."""
        version = self._next_version()
        uid = str(uuid.uuid5(SPACE, f"{self._name}/{key}/{version}"))
        metadata = {**metadata_of(new.object), "uid": uid, "resourceVersion": version, "generation": 1}
        obj = _with_status({**new.object, "metadata": metadata})
        return self._keep(key, obj, new)

    def _save(self, key: Key, live: Object, new: Managed) -> Object:
        """Save a changed object; one that did not change keeps its version."""
        entries = [entry_object(entry) for entry in new.entries]
        if _bare(live) == new.object and [entry_object(entry) for entry in entries_of(live)] == entries:
            return live
        changed = dig(new.object, "spec") != live.get("spec") or new.object.get("data") != live.get("data")
        generation = int(metadata_of(live).get("generation") or 1) + changed
        metadata = {
            **metadata_of(new.object),
            "uid": metadata_of(live)["uid"],
            "resourceVersion": self._next_version(),
            "generation": generation,
        }
        kept = self._keep(key, {**new.object, "metadata": metadata}, new)
        if metadata.get("deletionTimestamp") and not metadata.get("finalizers"):
            self._shelf.remove(key)
        return kept

    def _keep(self, key: Key, obj: Object, new: Managed) -> Object:
        entries = [entry_object(entry) for entry in new.entries]
        metadata = {**metadata_of(obj), **({"managedFields": entries} if entries else {})}
        kept = {**obj, "metadata": metadata}
        self._shelf.save(key, kept)
        return kept

    def _delete(self, key: Key, live: Object) -> None:
        if metadata_of(live).get("finalizers"):
            self._mark_deleted(key, live)
            return
        if key.kind == "Namespace" and not key.group:
            for inner, obj in _inside(self._shelf.objects, key.name):
                self._delete(inner, obj)
            if any(True for _ in _inside(self._shelf.objects, key.name)):
                self._mark_deleted(key, live)
                return
        self._shelf.remove(key)

    def _mark_deleted(self, key: Key, live: Object) -> None:
        if metadata_of(live).get("deletionTimestamp"):
            return
        time = self._clock().strftime("%Y-%m-%dT%H:%M:%SZ")
        metadata = {**metadata_of(live), "deletionTimestamp": time, "resourceVersion": self._next_version()}
        self._shelf.save(key, {**live, "metadata": metadata})

    def _next_version(self) -> str:
        self._shelf.version += 1
        return str(self._shelf.version)


def _declared(enablements: Iterable[APIEnablement]) -> Iterator[Resource]:
    known = {(item.group_version, item.kind): item for item in built_in()}
    for enablement in enablements:
        for served in enablement.resources:
            yield known.get((enablement.group_version, served.kind)) or Resource(
                group=group_of(enablement.group_version),
                version=enablement.group_version.rpartition("/")[2],
                kind=served.kind,
                plural=served.name or served.kind.lower() + "s",
                namespaced=True,
                verbs=VERBS,
            )


def _defined(definition: Object) -> Iterator[Resource]:
    spec = definition.get("spec") or {}
    for version in spec.get("versions") or ():
        if version.get("served"):
            yield Resource(
                group=str(spec.get("group")),
                version=str(version.get("name")),
                kind=str(dig(spec, "names", "kind")),
                plural=str(dig(spec, "names", "plural")),
                namespaced=spec.get("scope") == "Namespaced",
                verbs=VERBS,
            )


def _with_status(obj: Object) -> Object:
    """A definition is served at once, a namespace is active at once."""
    kind = obj.get("kind")
    if kind == DEFINITION.kind and group_of(str(obj["apiVersion"])) == DEFINITION.group:
        return {**obj, "status": {"conditions": [{"type": "Established", "status": "True"}]}}
    if kind == "Namespace" and obj.get("apiVersion") == "v1":
        return {**obj, "status": {"phase": "Active"}}
    return obj


def _key(resource: Resource, namespace: str, name: str) -> Key:
    return Key(group=resource.group, kind=resource.kind, namespace=namespace, name=name)


def _served(obj: Object, resource: Resource) -> Object:
    """The object in the version that was asked for; what differs between versions beyond the name is not converted."""
    return obj if obj.get("apiVersion") == resource.group_version else {**obj, "apiVersion": resource.group_version}


def _inside(objects: Mapping[Key, Object], namespace: str) -> Iterator[tuple[Key, Object]]:
    yield from [(key, obj) for key, obj in objects.items() if key.namespace == namespace]


def _bare(obj: Object) -> Object:
    """The object without what the store adds on saving."""
    added = ("managedFields", "uid", "resourceVersion", "generation")
    return {**obj, "metadata": {name: item for name, item in metadata_of(obj).items() if name not in added}}


def _named(obj: Object) -> Object:
    """Only what names the object."""
    named = {name: item for name, item in metadata_of(obj).items() if name in ("name", "namespace")}
    return {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": named}


def _server_metadata(obj: Object) -> Object:
    return {name: item for name, item in metadata_of(obj).items() if name in ("deletionTimestamp", "creationTimestamp")}


def _own_metadata(obj: Object) -> Object:
    return metadata_of(_bare(obj))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _without_nulls(item) for name, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_without_nulls(item) for item in value]
    return value


def _check(key: Key, live: Object, uid: Any, version: Any) -> None:
    """The preconditions of an apply."""
    if uid and uid != metadata_of(live).get("uid"):
        cause = {"reason": "FieldValueInvalid", "message": "field is immutable", "field": "metadata.uid"}
        raise RefusalError(
            422, "Invalid", f"{key.kind} {key.name} is invalid: metadata.uid: field is immutable", [cause]
        )
    if version and version != metadata_of(live).get("resourceVersion"):
        raise _conflict(key, MODIFIED)


def _applied(key: Key, live: Object, intent: Object, manager: str, force: bool) -> Managed:
    managed = Managed(object=_bare(live), entries=entries_of(live))
    own = {**intent, "metadata": _own_metadata(intent)}
    try:
        return applied(managed, own, manager, force=force)
    except ApplyConflict as error:
        raise _manager_conflict(error.conflicts) from error
    except DuplicateItemsError as error:
        raise RefusalError(422, "Invalid", f"{key.kind} {key.name} is invalid: {error}") from error


def _manager_conflict(conflicts: Sequence[FieldConflict]) -> RefusalError:
    causes = [
        {
            "reason": MANAGER_CONFLICT,
            "message": f'conflict with "{conflict.manager}"'
            + (f' with subresource "{conflict.subresource}"' if conflict.subresource else ""),
            "field": conflict.field,
        }
        for conflict in conflicts
    ]
    said = "; ".join(f"{cause['message']}: {cause['field']}" for cause in causes)
    return RefusalError(409, CONFLICT, f"Apply failed with {len(causes)} conflict(s): {said}", causes)


def _conflict(key: Key, message: str) -> RefusalError:
    return RefusalError(409, CONFLICT, f'Operation cannot be fulfilled on {key.kind} "{key.name}": {message}')


def _absent(resource: Resource, name: str) -> RefusalError:
    return RefusalError(404, "NotFound", f'{resource.plural} "{name}" not found')
