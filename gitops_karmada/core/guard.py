"""What may be done at a place in a member: every live object is judged before it is written."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, assert_never

from gitops_karmada.core.detect import owners_of
from gitops_karmada.core.detectors.controllers import CONTROLLER
from gitops_karmada.core.writers import Writer, writer_of
from gitops_karmada.model.actions import (
    Action,
    Adopt,
    Apply,
    Certainty,
    Contest,
    Create,
    FieldConflict,
    Forget,
    Keep,
    Owner,
    Prune,
    Receipt,
    Refuse,
    Release,
    Wait,
)
from gitops_karmada.model.managed_fields import (
    APPLY,
    Loss,
    Path,
    entries_of,
    fields_digest,
    held_apart,
    losses,
    without,
)
from gitops_karmada.model.marks import (
    PRODUCT,
    PRUNE_ANNOTATION,
    RECREATE_ANNOTATION,
    field_manager,
    is_adopted,
    is_ours,
    marked,
    marked_adopted,
)
from gitops_karmada.model.members import Absent, LiveObject, Present, Unknown
from gitops_karmada.model.objects import Object, annotations_of, dig, labels_of, metadata_of
from gitops_karmada.model.secrets import same_values, shown_digest
from gitops_karmada.model.works import Place, Work

OVERWRITE = "overwrite"
REPLICAS: Path = ("f:spec", "f:replicas")
RETAIN_REPLICAS = "resourcetemplate.karmada.io/retain-replicas"
DELETION_PROTECTED = "resourcetemplate.karmada.io/deletion-protected"

# Appliers that keep what they applied in an annotation: their fields become ours when we take over.
CLIENT_SIDE_APPLIERS = frozenset({"kubectl-client-side-apply", "kubectl"})

# The name that an API server gives to everything in an object whose managed fields were lost.
BEFORE_FIRST_APPLY = "before-first-apply"

# Five corrections within half an hour or so are a fight. What was counted halves in ten minutes.
FIGHT = 5.0
HALF_LIFE_SECONDS = 600.0
# People keep their own things there: such a namespace is protected, what stands in it is not.
OPEN_NAMESPACES = frozenset({"default"})
# Recreating one of these loses what it holds.
NEVER_RECREATED = frozenset({"PersistentVolumeClaim", "PersistentVolume", "Namespace", "CustomResourceDefinition"})


def _as_declared(manifest: Object, live: Object) -> Object:
    return manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What a judgement needs besides the object: who we are, the time (seconds of the epoch), and who else scales.

    `autoscaled` are places whose replicas an autoscaler holds, found in the repository or in the member.
    `retain` completes a manifest from the live object, as the interpreter of its kind says.
    """

    instance: str
    now: float = 0.0
    autoscaled: frozenset[Place] = frozenset()
    protected_namespaces: frozenset[str] = frozenset({"kube-system", "kube-public", "kube-node-lease"})
    retain: Callable[[Object, Object], Object] = _as_declared

    @property
    def manager(self) -> str:
        return field_manager(self.instance)


def judge(work: Work, receipt: Receipt | None, live: LiveObject, circumstances: Circumstances) -> Action:
    """What to do where an object is wanted. `receipt` is what our last write there left, if there was one."""
    if work.suspended:
        return Wait(place=work.place, reason="dispatching is suspended", object=_object(live))
    match live:
        case Unknown(no_such_api=False):
            return Wait(place=work.place, reason=live.reason)
        case Unknown() | Absent():
            # A kind that is not served yet may come with a CustomResourceDefinition of the same turn.
            return Create(place=work.place, manifest=marked(work.manifest, circumstances.instance))
        case Present(object=object_):
            return _judge_present(work, receipt or Receipt(), object_, circumstances)
        case _:
            assert_never(live)


def judge_removal(work: Work, receipt: Receipt | None, live: LiveObject, circumstances: Circumstances) -> Action:
    """What to do where the ledger knows an object that is wanted no more. `work` is the last one."""
    match live:
        case Unknown(no_such_api=False):
            return Wait(place=work.place, reason=live.reason)
        case Unknown() | Absent():
            return Forget(place=work.place, reason="already gone")
        case Present(object=object_):
            return _judge_leaving(work, receipt or Receipt(), object_, circumstances)
        case _:
            assert_never(live)


def _object(live: LiveObject) -> Object | None:
    return live.object if isinstance(live, Present) else None


def _judge_present(work: Work, receipt: Receipt, live: Object, circumstances: Circumstances) -> Action:
    if _is_as_we_left_it(work, receipt, live, circumstances):
        return Keep(place=work.place, object=live, receipt=receipt)
    if going := deletion_of(live):
        return Wait(place=work.place, reason=going, object=live)
    owners = _foreign_owners(work, live, circumstances)
    if owners:
        return _judge_foreign(work, receipt, live, owners, circumstances)
    if is_ours(live, circumstances.instance):
        return _judge_ours(work, receipt, live, circumstances)
    return _judge_unowned(work, receipt, live, circumstances)


def _is_as_we_left_it(work: Work, receipt: Receipt, live: Object, circumstances: Circumstances) -> bool:
    """The short way: nobody wrote the object since we did, and Git says what it said then."""
    metadata = metadata_of(live)
    if receipt.contests or not receipt.uid:
        return False
    if (receipt.uid, receipt.resource_version) != (metadata.get("uid"), metadata.get("resourceVersion")):
        return False
    if work.place in circumstances.autoscaled:
        return False
    return _says_the_same(receipt, _intent(work, live, circumstances), live)


def _says_the_same(receipt: Receipt, intent: Object, live: Object) -> bool:
    """Whether we wished for the same the last time. A Secret's values are in no receipt: the live object tells."""
    return receipt.intent == shown_digest(intent) and same_values(intent, live)


def deletion_of(live: Object) -> str:
    """Why an object that is being deleted is still there, or an empty string when it is not being deleted."""
    if not metadata_of(live).get("deletionTimestamp"):
        return ""
    finalizers = [str(name) for name in metadata_of(live).get("finalizers") or ()]
    if not finalizers:
        return "deleting"
    return f"deleting, blocked by finalizer{'s' if len(finalizers) > 1 else ''} {', '.join(finalizers)}"


# Somebody else's ------------------------------------------------------------------------------------------------------


def _foreign_owners(work: Work, live: Object, circumstances: Circumstances) -> tuple[Owner, ...]:
    """Certain owners other than us. Marks that our own manifest writes are no evidence on an object of ours."""
    owners = [
        owner for owner in owners_of(live) if owner.certainty is Certainty.CERTAIN and not _is_us(owner, circumstances)
    ]
    if not owners or not is_ours(live, circumstances.instance):
        return tuple(owners)
    declared = {(owner.tool, owner.unit) for owner in owners_of(work.manifest)}
    return tuple(owner for owner in owners if (owner.tool, owner.unit) not in declared)


def _is_us(owner: Owner, circumstances: Circumstances) -> bool:
    return owner.tool == PRODUCT and owner.instance == circumstances.instance


def _judge_foreign(
    work: Work, receipt: Receipt, live: Object, owners: tuple[Owner, ...], circumstances: Circumstances
) -> Action:
    reason = f"owned by {_names(owners)}"
    if is_ours(live, circumstances.instance):
        return Contest(
            place=work.place,
            reason=f"{reason}, which took over an object of ours; end one of the two",
            owner=owners[0],
            receipt=_contested(receipt, live, circumstances),
            object=live,
        )
    if _is_namespace(work):
        return Keep(place=work.place, object=live, reason=f"{reason}; a namespace that is there is left as it is")
    return Refuse(place=work.place, reason=f"{reason}; {_way_out(owners[0])}", owner=owners[0], object=live)


def _names(owners: Iterable[Owner]) -> str:
    return " and ".join(str(owner) for owner in owners)


def _way_out(owner: Owner) -> str:
    if owner.tool == CONTROLLER:
        return "manage the parent instead"
    return f"remove it from {owner.tool} first, or take it out of this repository"


# Nobody's -------------------------------------------------------------------------------------------------------------


def _judge_unowned(work: Work, receipt: Receipt, live: Object, circumstances: Circumstances) -> Action:
    likely = [owner for owner in owners_of(live) if owner.certainty is Certainty.LIKELY]
    if work.conflict_resolution.lower() != OVERWRITE and _is_namespace(work):
        return Keep(place=work.place, object=live, reason="the namespace was there before us and is left as it is")
    if likely:
        reason = f"probably owned by {_names(likely)} ({', '.join(likely[0].evidence)}); {_way_out(likely[0])}"
        return Refuse(place=work.place, reason=reason, owner=likely[0], object=live)
    if work.conflict_resolution.lower() != OVERWRITE:
        return Refuse(place=work.place, reason=_not_ours(receipt, live), object=live)
    return _adopt(work, live, circumstances)


def _is_namespace(work: Work) -> bool:
    return work.key.kind == "Namespace" and not work.key.group


def _not_ours(receipt: Receipt, live: Object) -> str:
    if receipt.uid and receipt.uid == metadata_of(live).get("uid"):
        reason = "our mark was taken off this object, so it is left alone"
    else:
        reason = "an object that is not ours is already there"
    return f"{reason}; set conflictResolution: Overwrite in the policy to take it over"


def _adopt(work: Work, live: Object, circumstances: Circumstances) -> Action:
    intent = marked_adopted(_intent(work, live, circumstances))
    intent, yielded = _leave_replicas(work, intent, live, circumstances)
    lost = losses(intent, live, circumstances.manager)
    scaled, others = _split(lost, lambda loss: writer_of(loss) is Writer.AUTOSCALER)
    return Adopt(
        place=work.place,
        manifest=without(intent, [loss.path for loss in scaled]),
        uid=str(metadata_of(live).get("uid") or ""),
        resource_version=str(metadata_of(live).get("resourceVersion") or ""),
        force_managers=frozenset({BEFORE_FIRST_APPLY, *(loss.conflict.manager for loss in others)}),
        migrate_managers=frozenset(_client_side_appliers(live)),
        yielded=(*yielded, *(loss.conflict for loss in scaled)),
    )


def _client_side_appliers(live: Object) -> Iterable[str]:
    return (
        entry.manager
        for entry in entries_of(live)
        if entry.manager in CLIENT_SIDE_APPLIERS and entry.operation != APPLY and not entry.subresource
    )


# Ours -----------------------------------------------------------------------------------------------------------------


def _judge_ours(work: Work, receipt: Receipt, live: Object, circumstances: Circumstances) -> Action:
    intent, yielded = _leave_replicas(work, _intent(work, live, circumstances), live, circumstances)
    scaled, lost = _split(
        losses(intent, live, circumstances.manager), lambda loss: writer_of(loss) is Writer.AUTOSCALER
    )
    intent = without(intent, [loss.path for loss in scaled])
    yielded = (*yielded, *(loss.conflict for loss in scaled))
    people, others = _split(lost, lambda loss: writer_of(loss) is Writer.PEOPLE)
    same_wish = _says_the_same(receipt, intent, live)
    if others and same_wish:
        return _contest(work, receipt, live, others, circumstances)
    if same_wish and not lost and not receipt.contests and _is_untouched(receipt, live, circumstances):
        return Keep(place=work.place, object=live, receipt=receipt)
    drift = _drift(intent, live, people, circumstances) if same_wish else tuple(loss.conflict for loss in people)
    heated = _heated(receipt, circumstances.now) if drift and same_wish else receipt
    if drift and same_wish and heated.heat > FIGHT:
        return _stop_fighting(work, receipt, live, drift)
    return Apply(
        place=work.place,
        manifest=intent,
        uid=str(metadata_of(live).get("uid") or ""),
        receipt=heated,
        force_managers=frozenset({BEFORE_FIRST_APPLY, *(loss.conflict.manager for loss in people)}),
        yielded=yielded,
        drift=drift,
        recreate=_may_recreate(work),
    )


def _intent(work: Work, live: Object, circumstances: Circumstances) -> Object:
    manifest = marked(work.manifest, circumstances.instance)
    if is_adopted(live) and is_ours(live, circumstances.instance):
        manifest = marked_adopted(manifest)
    retained = circumstances.retain(manifest, live)
    return manifest if retained is manifest else declared_part(retained, manifest)


def declared_part(retained: Any, manifest: Any) -> Any:
    """What the manifest declares, with the values that were retained for it.

    Fields that only the live object has stay there by themselves under server-side apply; declaring them would take
    them over from whoever set them.
    """
    if isinstance(retained, Mapping) and isinstance(manifest, Mapping):
        return {name: declared_part(retained[name], value) for name, value in manifest.items() if name in retained}
    if isinstance(retained, list | tuple) and isinstance(manifest, list | tuple):
        return _declared_items(retained, manifest)
    return retained


def _declared_items(retained: Sequence[Any], manifest: Sequence[Any]) -> Sequence[Any]:
    named = {item["name"]: item for item in retained if isinstance(item, Mapping) and "name" in item}
    if all(isinstance(item, Mapping) and item.get("name") in named for item in manifest):
        return [declared_part(named[item["name"]], item) for item in manifest]
    return manifest if all(item in retained for item in manifest) else retained


def _leave_replicas(
    work: Work, intent: Object, live: Object, circumstances: Circumstances
) -> tuple[Object, tuple[FieldConflict, ...]]:
    """Where an autoscaler scales: declare what is there while we hold it (letting go would reset it), else nothing."""
    retained = work.place in circumstances.autoscaled or labels_of(work.manifest).get(RETAIN_REPLICAS) == "true"
    replicas = dig(live, "spec", "replicas")
    if not retained or replicas is None or dig(intent, "spec", "replicas") is None:
        return intent, ()
    yielded = (FieldConflict(manager="an autoscaler", field=".spec.replicas", subresource="scale"),)
    if held_apart(live, circumstances.manager, REPLICAS):
        return {**intent, "spec": {**intent["spec"], "replicas": replicas}}, yielded
    return without(intent, [REPLICAS]), yielded


def _split(lost: Iterable[Loss], belongs: Callable[[Loss], bool]) -> tuple[list[Loss], list[Loss]]:
    first: list[Loss] = []
    second: list[Loss] = []
    for loss in lost:
        (first if belongs(loss) else second).append(loss)
    return first, second


def _is_untouched(receipt: Receipt, live: Object, circumstances: Circumstances) -> bool:
    """Nobody changed a field of ours since our last write: we would hold fewer fields now."""
    held = fields_digest(live, circumstances.manager)
    return bool(held) and receipt.uid == metadata_of(live).get("uid") and receipt.fields == held


def _drift(
    intent: Object, live: Object, people: Iterable[Loss], circumstances: Circumstances
) -> tuple[FieldConflict, ...]:
    removed = (FieldConflict(manager="somebody", field=path) for path in missing_fields(intent, live))
    return tuple(sorted({*(loss.conflict for loss in people), *removed}))


def missing_fields(declared: Object, live: Object, above: str = "") -> Iterable[str]:
    """Paths of declared keys that the live object lacks. Lists are not looked into."""
    for name, value in sorted(declared.items()):
        path = f"{above}.{name}"
        if name not in live:
            # The server drops empty values and nulls by itself.
            if value not in (None, "", {}, [], False, 0):
                yield path
        elif isinstance(value, Mapping) and isinstance(live[name], Mapping):
            yield from missing_fields(value, live[name], path)


def _heated(receipt: Receipt, now: float) -> Receipt:
    return replace(receipt, heat=heat_at(receipt, now) + 1, heated_at=now)


def heat_at(receipt: Receipt, now: float) -> float:
    """What is left of the counted corrections."""
    elapsed = max(now - receipt.heated_at, 0.0)
    return receipt.heat * math.pow(0.5, elapsed / HALF_LIFE_SECONDS)


def _may_recreate(work: Work) -> bool:
    wished = annotations_of(work.manifest).get(RECREATE_ANNOTATION) == "true"
    return wished and work.key.kind not in NEVER_RECREATED


def _contest(
    work: Work, receipt: Receipt, live: Object, others: Iterable[Loss], circumstances: Circumstances
) -> Contest:
    conflicts = tuple(loss.conflict for loss in others)
    managers = ", ".join(sorted({conflict.manager for conflict in conflicts}))
    fields = ", ".join(conflict.field for conflict in conflicts)
    return Contest(
        place=work.place,
        reason=f"{managers} writes {fields} too; nothing was forced. Take the field out of Git or stop {managers}",
        conflicts=conflicts,
        receipt=_contested(receipt, live, circumstances),
        object=live,
    )


def _contested(receipt: Receipt, live: Object, circumstances: Circumstances) -> Receipt:
    """Count a contest once for every time that we lost fields, so that a standing one changes nothing."""
    held = fields_digest(live, circumstances.manager)
    if receipt.contests and receipt.fields == held:
        return receipt
    return replace(receipt, fields=held, contests=receipt.contests + 1)


def _stop_fighting(work: Work, receipt: Receipt, live: Object, drift: tuple[FieldConflict, ...]) -> Contest:
    managers = ", ".join(sorted({conflict.manager for conflict in drift}))
    reason = f"changed again and again by {managers} after {FIGHT:.0f} corrections; left alone for a while"
    return Contest(place=work.place, reason=reason, conflicts=drift, receipt=receipt, object=live)


# Leaving --------------------------------------------------------------------------------------------------------------


def _judge_leaving(work: Work, receipt: Receipt, live: Object, circumstances: Circumstances) -> Action:
    if not is_ours(live, circumstances.instance):
        return Forget(place=work.place, reason="not ours any more; left as it is", object=live)
    if going := deletion_of(live):
        return Wait(place=work.place, reason=going, object=live)
    uid = str(metadata_of(live).get("uid") or "")
    if work.preserve or receipt.adopted or is_adopted(live) or _foreign_owners(work, live, circumstances):
        return Release(place=work.place, api_version=str(live.get("apiVersion") or ""), uid=uid)
    if receipt.uid and receipt.uid != uid:
        reason = "somebody deleted our object and made this one since; it is not deleted"
        return Wait(place=work.place, reason=reason, object=live)
    if protection := protection_of(work.place, live, circumstances):
        return Wait(place=work.place, reason=protection, object=live)
    return Prune(
        place=work.place,
        api_version=str(live.get("apiVersion") or ""),
        uid=uid,
        resource_version=str(metadata_of(live).get("resourceVersion") or ""),
    )


def protection_of(place: Place, live: Object, circumstances: Circumstances) -> str:
    """Why the object must not be deleted, or an empty string."""
    if labels_of(live).get(DELETION_PROTECTED) == "Always":
        return f"protected by its label {DELETION_PROTECTED}: Always"
    if annotations_of(live).get(PRUNE_ANNOTATION) == "disabled":
        return f"protected by its annotation {PRUNE_ANNOTATION}: disabled"
    key = place.key
    if key.kind == "Namespace" and not key.group and key.name in circumstances.protected_namespaces | OPEN_NAMESPACES:
        return f"the namespace {key.name} is protected"
    if key.namespace in circumstances.protected_namespaces - OPEN_NAMESPACES:
        return f"everything in the namespace {key.namespace} is protected"
    return ""
