"""Doing one action in a member, and what came of it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, assert_never

from gitops_karmada.members.empty import contents_of, objects_of
from gitops_karmada.members.failures import failed
from gitops_karmada.members.member import Member
from gitops_karmada.members.refusals import RefusalError, UnreachedError
from gitops_karmada.members.resources import Resource
from gitops_karmada.model.actions import (
    Action,
    Adopt,
    Applied,
    Apply,
    Conflicting,
    Contest,
    Contested,
    Create,
    Failed,
    Fault,
    Forget,
    Held,
    Keep,
    Outcome,
    Prune,
    Pruned,
    Receipt,
    Refuse,
    Refused,
    Release,
    Released,
    Unchanged,
    Wait,
    Write,
)
from gitops_karmada.model.managed_fields import APPLY, UPDATE, fields_digest
from gitops_karmada.model.marks import PREFIX, field_manager, is_ours
from gitops_karmada.model.objects import Object, annotations_of, labels_of, metadata_of
from gitops_karmada.model.problems import SettingsError
from gitops_karmada.model.secrets import LAST_APPLIED, repeats_values, shown_digest
from gitops_karmada.model.works import Place

# No object ever has this version (etcd counts from 2), so an apply that names it can create but never change one.
NEVER_THERE = "1"
# What Karmada's words on our objects say about us, and nothing about whoever keeps a released object.
RELEASED_KEYS = frozenset({"resourcetemplate.karmada.io/generation", "resourcetemplate.karmada.io/uid"})


class Changed(Exception):  # noqa: N818 - not an error: the next turn looks again
    """The object is not any more what was judged."""


async def execute(member: Member, action: Action, instance: str) -> Outcome:
    """Do an action; every failure is an outcome."""
    match action:
        case Keep():
            return Unchanged(place=action.place, object=action.object, receipt=action.receipt, reason=action.reason)
        case Wait():
            return Held(place=action.place, reason=action.reason, object=action.object)
        case Refuse():
            return Refused(place=action.place, reason=action.reason, owner=action.owner, object=action.object)
        case Contest():
            return _contested(action)
        case Forget():
            return Pruned(place=action.place, reason=action.reason)
        case Create() | Apply() | Adopt() | Release() | Prune():
            return await _write(member, action, instance)
        case _:
            assert_never(action)


async def rehearse(member: Member, action: Apply, instance: str) -> Failed | None:
    """Why the member would not take this apply, as far as it can tell beforehand. Nothing is written.

    None: it would, or what it refuses is made anew as the author asked. Who holds fields is the guard's question.
    """
    try:
        resource = await member.find(action.place.key, str(action.manifest["apiVersion"]))
        if resource is not None:
            body = _with_metadata(action.manifest, uid=action.uid)
            await member.transport.rehearse(resource, body, manager=field_manager(instance))
    except RefusalError as refusal:
        outcome = failed(action.place, refusal)
        return None if action.recreate and outcome.fault is Fault.IMMUTABLE else outcome
    except (UnreachedError, SettingsError) as error:
        reason = f"{action.place.cluster} is unreachable: {error}"
        return Failed(place=action.place, reason=reason, fault=Fault.UNREACHABLE, transient=True)
    return None


def _contested(action: Contest) -> Contested:
    return Contested(
        place=action.place,
        reason=action.reason,
        conflicts=action.conflicts,
        owner=action.owner,
        receipt=action.receipt,
        object=action.object,
    )


async def _write(member: Member, action: Write, instance: str) -> Outcome:
    place = action.place
    if not member.connection.writable:
        reason = f"{place.cluster} is not written to (mode {member.connection.mode})"
        return Held(place=place, reason=reason)
    try:
        return await _Writer(member, instance).write(action)
    except RefusalError as refusal:
        if refusal.conflicts:
            return _conflicting(place, refusal)
        return _discreet(failed(place, refusal), action)
    except (UnreachedError, SettingsError) as error:
        reason = f"{place.cluster} is unreachable: {error}"
        return Failed(place=place, reason=reason, fault=Fault.UNREACHABLE, transient=True)
    except Changed as changed:
        return Failed(place=place, reason=str(changed), fault=Fault.RACE, transient=True)


def _discreet(outcome: Failed, action: Write) -> Failed:
    """API servers and webhooks repeat what they refuse: of a Secret, nothing that it holds is told."""
    manifest = action.manifest if isinstance(action, Create | Apply | Adopt) else {}
    if not repeats_values(outcome.reason, manifest):
        return outcome
    reason = f"{outcome.fault}; the member's answer repeats a value of the Secret and is not shown"
    return replace(outcome, reason=reason)


def _conflicting(place: Place, refusal: RefusalError) -> Conflicting:
    conflicts = refusal.conflicts
    said = "; ".join(str(conflict) for conflict in conflicts)
    managers = ", ".join(sorted({conflict.manager for conflict in conflicts}))
    reason = f"{said}. Nothing was forced: take the fields out of Git, or end what {managers} does"
    return Conflicting(place=place, reason=reason, conflicts=conflicts)


class _Writer:
    """The writes of one member, as one instance."""

    def __init__(self, member: Member, instance: str) -> None:
        self._member = member
        self._instance = instance
        self._manager = field_manager(instance)

    async def write(self, action: Write) -> Outcome:
        await self._member.identity()
        match action:
            case Create():
                return await self._create(action)
            case Apply():
                return await self._apply(action)
            case Adopt():
                return await self._adopt(action)
            case Release():
                return await self._release(action)
            case Prune():
                return await self._prune(action)
            case _:
                assert_never(action)

    # Creating

    async def _create(self, action: Create) -> Outcome:
        resource = await self._resource(action.place, str(action.manifest["apiVersion"]))
        try:
            written = await self._member.transport.apply(
                resource, _with_metadata(action.manifest, resourceVersion=NEVER_THERE), manager=self._manager
            )
        except RefusalError as refusal:
            if refusal.status != 409:
                raise
            return await self._after_lost_race(resource, action)
        if not written.created:
            raise Changed("somebody made this object meanwhile; the next turn judges it")
        return self._applied(action.place, action.manifest, written.object, Receipt(), created=True)

    async def _after_lost_race(self, resource: Resource, action: Create) -> Outcome:
        """Somebody was there first; it may have been our own request, whose answer was lost."""
        live = await self._get(resource, action.place)
        if live is not None and is_ours(live, self._instance):
            return self._applied(action.place, action.manifest, live, Receipt(), created=True)
        raise Changed("somebody made this object meanwhile; the next turn judges it")

    # Applying

    async def _apply(self, action: Apply) -> Outcome:
        resource = await self._resource(action.place, str(action.manifest["apiVersion"]))
        body = _with_metadata(action.manifest, uid=action.uid)
        try:
            obj = await self._applied_over(resource, action.place, body, action.force_managers)
        except RefusalError as refusal:
            outcome = failed(action.place, refusal)
            if outcome.fault is not Fault.IMMUTABLE or not action.recreate or "metadata.uid" in outcome.fields:
                raise
            return await self._recreate(resource, action)
        return replace(
            self._applied(action.place, action.manifest, obj, action.receipt),
            yielded=action.yielded,
            drift=action.drift,
        )

    async def _applied_over(self, resource: Resource, place: Place, body: Object, may_force: frozenset[str]) -> Object:
        """Apply without force; with force only when all who hold a field are among `may_force`."""
        transport = self._member.transport
        try:
            return (await transport.apply(resource, body, manager=self._manager)).object
        except RefusalError as refusal:
            holders = {conflict.manager for conflict in refusal.conflicts}
            if not holders or not holders <= may_force:
                raise
        # From here on the object may not change, so that nobody else's field is forced.
        live = await self._still_the_same(resource, place, str(body["metadata"]["uid"]))
        if freed := await self._applied_unforced(resource, body, may_force):
            return freed
        pinned = _with_metadata(body, resourceVersion=metadata_of(live)["resourceVersion"])
        return (await transport.apply(resource, pinned, manager=self._manager, force=True)).object

    async def _applied_unforced(self, resource: Resource, body: Object, may_force: frozenset[str]) -> Object | None:
        """Ask again after the version was pinned: still only those may be overruled, or nobody has to be any more."""
        try:
            return (await self._member.transport.apply(resource, body, manager=self._manager)).object
        except RefusalError as refusal:
            holders = {conflict.manager for conflict in refusal.conflicts}
            if not holders or not holders <= may_force:
                raise
            return None

    async def _recreate(self, resource: Resource, action: Apply) -> Outcome:
        """Delete our object and make it anew, as its author allowed where a field cannot be changed."""
        live = await self._still_the_same(resource, action.place, action.uid)
        key = action.place.key
        await self._member.transport.delete(
            resource, key.namespace, key.name, uid=action.uid, resource_version=metadata_of(live)["resourceVersion"]
        )
        if remains := await self._get(resource, action.place):
            return Held(place=action.place, reason=_deleting(remains) + " to be made anew", object=remains)
        return await self._create(Create(place=action.place, manifest=action.manifest))

    # Adopting

    async def _adopt(self, action: Adopt) -> Outcome:
        resource = await self._resource(action.place, str(action.manifest["apiVersion"]))
        transport = self._member.transport
        marks = _with_metadata(_marks_only(action.manifest), uid=action.uid, resourceVersion=action.resource_version)
        obj = (await transport.apply(resource, marks, manager=self._manager, force=True)).object
        if action.migrate_managers:
            obj = await self._migrate(resource, action, obj)
        body = _with_metadata(action.manifest, uid=action.uid)
        obj = await self._applied_over(resource, action.place, body, action.force_managers)
        outcome = self._applied(action.place, action.manifest, obj, Receipt(adopted=True))
        return replace(outcome, adopted=True, yielded=action.yielded)

    async def _migrate(self, resource: Resource, action: Adopt, live: Object) -> Object:
        """What a client-side apply held becomes ours, so that what Git does not say goes with the next apply."""
        entries = migrated(metadata_of(live).get("managedFields") or (), action.migrate_managers, self._manager)
        operations: list[Object] = [
            {"op": "add", "path": "/metadata/managedFields", "value": entries},
            {"op": "replace", "path": "/metadata/resourceVersion", "value": metadata_of(live)["resourceVersion"]},
        ]
        if LAST_APPLIED in annotations_of(live):
            operations.append({"op": "remove", "path": f"/metadata/annotations/{_escaped(LAST_APPLIED)}"})
        key = action.place.key
        return await self._member.transport.patch(resource, key.namespace, key.name, operations, manager=self._manager)

    # Leaving

    async def _release(self, action: Release) -> Outcome:
        resource = await self._resource(action.place, action.api_version)
        live = await self._get(resource, action.place)
        if live is None or metadata_of(live).get("uid") != action.uid or not is_ours(live, self._instance):
            return Pruned(place=action.place, reason="not ours any more; left as it is")
        key = action.place.key
        obj = await self._member.transport.patch(
            resource, key.namespace, key.name, _releasing(live, self._manager), manager=self._manager
        )
        return Released(place=action.place, object=obj)

    async def _prune(self, action: Prune) -> Outcome:
        resource = await self._resource(action.place, action.api_version)
        live = await self._get(resource, action.place)
        if live is None:
            return Pruned(place=action.place)
        if not is_ours(live, self._instance) or metadata_of(live).get("uid") != action.uid:
            raise Changed("the object is not ours any more; not deleted")
        if metadata_of(live).get("deletionTimestamp"):
            return Held(place=action.place, reason=_deleting(live), object=live)
        if content := await self._content_of(action.place, live):
            reason = f"not deleted: with it would go {content}"
            return Held(place=action.place, reason=reason, object=live)
        return await self._delete(resource, action, metadata_of(live)["resourceVersion"])

    async def _delete(self, resource: Resource, action: Prune, version: str) -> Outcome:
        key = action.place.key
        try:
            await self._member.transport.delete(
                resource, key.namespace, key.name, uid=action.uid, resource_version=version
            )
        except RefusalError as refusal:
            if refusal.status == 409:
                raise Changed(f"it changed while it was to be deleted: {refusal.message}") from refusal
            if refusal.status != 404:
                raise
        # A delete counts when the member says that the object is gone.
        remains = await self._get(resource, action.place)
        if remains is None or metadata_of(remains).get("uid") != action.uid:
            return Pruned(place=action.place)
        return Held(place=action.place, reason=_deleting(remains), object=remains)

    async def _content_of(self, place: Place, live: Object) -> str:
        match place.key.group, place.key.kind:
            case "", "Namespace":
                return await contents_of(self._member, place.key.name)
            case "apiextensions.k8s.io", "CustomResourceDefinition":
                return await objects_of(self._member, live)
        return ""

    # Common

    async def _resource(self, place: Place, api_version: str) -> Resource:
        resource = await self._member.find(place.key, api_version)
        if resource is None:
            raise RefusalError(404, "NotServed", f"{place.cluster} does not serve {api_version} {place.key.kind}")
        return resource

    async def _get(self, resource: Resource, place: Place) -> Object | None:
        return await self._member.transport.get(resource, place.key.namespace, place.key.name)

    async def _still_the_same(self, resource: Resource, place: Place, uid: str) -> Object:
        live = await self._get(resource, place)
        if live is None or metadata_of(live).get("uid") != uid or not is_ours(live, self._instance):
            raise Changed("the object changed meanwhile; the next turn judges it")
        return live

    def _applied(self, place: Place, intent: Object, obj: Object, before: Receipt, *, created: bool = False) -> Applied:
        receipt = replace(
            before,
            uid=str(metadata_of(obj).get("uid") or ""),
            resource_version=str(metadata_of(obj).get("resourceVersion") or ""),
            api_version=str(intent["apiVersion"]),
            intent=shown_digest(intent),
            fields=fields_digest(obj, self._manager),
            contests=0,
        )
        return Applied(place=place, object=obj, receipt=receipt, created=created)


def _with_metadata(manifest: Object, **more: Any) -> Object:
    return {**manifest, "metadata": {**metadata_of(manifest), **{name: value for name, value in more.items() if value}}}


def _marks_only(manifest: Object) -> Object:
    metadata = metadata_of(manifest)
    named = {name: metadata[name] for name in ("name", "namespace") if metadata.get(name)}
    marks = {
        "annotations": {name: value for name, value in annotations_of(manifest).items() if name.startswith(PREFIX)},
        "labels": {name: value for name, value in labels_of(manifest).items() if name.startswith(PREFIX)},
    }
    return {"apiVersion": manifest["apiVersion"], "kind": manifest["kind"], "metadata": {**named, **marks}}


def migrated(entries: Any, managers: frozenset[str], to: str) -> list[Object]:
    """managedFields in which the client-side entries of `managers` are part of what `to` applied."""
    moved: list[Object] = []
    own: Object | None = None
    for entry in entries:
        if entry.get("manager") == to and entry.get("operation") == APPLY and not entry.get("subresource"):
            own = entry
        elif _is_client_side(entry, managers):
            moved.append(entry)
    if own is None or not moved:
        return list(entries)
    fields = own["fieldsV1"]
    for entry in moved:
        fields = _united(fields, entry.get("fieldsV1") or {})
    return [{**own, "fieldsV1": fields}, *(entry for entry in entries if entry is not own and entry not in moved)]


def _is_client_side(entry: Object, managers: frozenset[str]) -> bool:
    return entry.get("manager") in managers and entry.get("operation") == UPDATE and not entry.get("subresource")


def _united(first: Mapping[str, Any], second: Mapping[str, Any]) -> Mapping[str, Any]:
    return {step: _united(first.get(step, {}), second.get(step, {})) for step in {**first, **second}}


def _releasing(live: Object, manager: str) -> list[Object]:
    """The JSON patch that takes our marks and our name off an object and changes nothing else."""
    entries = [entry for entry in metadata_of(live).get("managedFields") or () if entry.get("manager") != manager]
    operations: list[Object] = [
        {"op": "test", "path": "/metadata/uid", "value": metadata_of(live)["uid"]},
        # An empty entry is how managedFields are emptied; an empty list would mean no change.
        {"op": "add", "path": "/metadata/managedFields", "value": entries or [{}]},
        {"op": "replace", "path": "/metadata/resourceVersion", "value": metadata_of(live)["resourceVersion"]},
    ]
    for part, names in (("annotations", annotations_of(live)), ("labels", labels_of(live))):
        operations += [
            {"op": "remove", "path": f"/metadata/{part}/{_escaped(name)}"} for name in sorted(names) if _is_mark(name)
        ]
    return operations


def _is_mark(name: str) -> bool:
    return name.startswith(PREFIX) or name in RELEASED_KEYS


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _deleting(live: Object) -> str:
    finalizers = [str(name) for name in metadata_of(live).get("finalizers") or ()]
    if not finalizers:
        return "deleting"
    return f"deleting, blocked by finalizer{'s' if len(finalizers) > 1 else ''} {', '.join(finalizers)}"
