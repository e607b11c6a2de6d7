"""What a plan would do in the members, compared with what the last turn left there."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, TypeAlias

from gitops_karmada.core.field_changes import changes_between
from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.federation import Federation, Ledger
from gitops_karmada.model.files import FieldPath
from gitops_karmada.model.objects import ClusterName, Key
from gitops_karmada.model.plan import Cause, Hold, Plan, Why
from gitops_karmada.model.policies import OverridePolicy
from gitops_karmada.model.problems import Location
from gitops_karmada.model.works import AppliedOverride, FieldChange, Place, Work

SENSITIVE: Final = "(sensitive value)"

_LAST_APPLIED: Final = "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration"
# What says nothing beside the fields that it counts: the generation of the template, kept on every object.
_BOOKKEEPING: Final = "/metadata/annotations/resourcetemplate.karmada.io~1"
_SECRET_FIELDS: Final = ("/data", "/stringData", "/metadata/annotations", "/metadata/managedFields")


class ChangeAction(StrEnum):
    CREATE = "create"
    UPDATE = "update"
    MOVE = "move"
    DELETE = "delete"
    RELEASE = "release"
    HOLD = "hold"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One object in one member that would not stay as it is; `place` is None where a whole binding is held.

    Replicas are None for what has none. A MOVE is a workload that loses replicas in some members and wins them in
    others, counted from 0 and to 0; `arrives` and `leaves` say whether the object itself comes or goes, `evicted` that
    it goes once its replacement runs.
    `fields` are what differs in the manifest, `overridden_by` the policies that changed it for this member; `where` is
    the line that caused it, `reason` says so in words.
    """

    place: Place | None
    key: Key
    action: ChangeAction
    replicas_before: int | None = None
    replicas_after: int | None = None
    arrives: bool = False
    leaves: bool = False
    evicted: bool = False
    fields: tuple[FieldChange, ...] = ()
    overridden_by: tuple[str, ...] = ()
    reason: str = ""
    hint: str = ""
    where: Location | None = None

    @property
    def cluster(self) -> ClusterName | None:
        return self.place.cluster if self.place else None


def changes(plan: Plan, ledger: Ledger, federation: Federation | None = None) -> tuple[Change, ...]:
    """Everything that would change, by cluster and object. `federation` says where policies and clusters stand."""
    lines = _Lines(federation or Federation(), plan.bindings)
    moving = frozenset(_moving(plan, ledger))
    found = [change for place in _places(plan, ledger) if (change := _change(place, plan, ledger, moving, lines))]
    held = {hold.place: hold for hold in plan.holds if hold.place is not None}
    seen = {change.place for change in found}
    judged = [_held(change, held[change.place]) if change.place in held else change for change in found]
    rest = [_hold(hold, plan) for hold in plan.holds if hold.place is None or hold.place not in seen]
    return tuple(sorted([*judged, *rest], key=_order))


def counts(all_changes: Iterable[Change]) -> dict[ChangeAction, int]:
    """How many objects of each action; a workload that moves counts once."""
    found = tuple(all_changes)
    totals = {action: sum(change.action is action for change in found) for action in ChangeAction}
    totals[ChangeAction.MOVE] = len({change.key for change in found if change.action is ChangeAction.MOVE})
    return totals


def moved_replicas(all_changes: Iterable[Change]) -> int:
    """Replicas that end in another member than they started in."""
    gains: dict[Key, int] = {}
    losses: dict[Key, int] = {}
    for change in all_changes:
        if change.action is ChangeAction.MOVE:
            step = (change.replicas_after or 0) - (change.replicas_before or 0)
            side = gains if step > 0 else losses
            side[change.key] = side.get(change.key, 0) + abs(step)
    return sum(min(gain, losses.get(key, 0)) for key, gain in gains.items())


# One place ------------------------------------------------------------------------------------------------------------


def _places(plan: Plan, ledger: Ledger) -> list[Place]:
    return sorted(plan.works.keys() | plan.retiring.keys())


def _change(place: Place, plan: Plan, ledger: Ledger, moving: frozenset[Key], lines: "_Lines") -> Change | None:
    before, after = ledger.works.get(place), plan.works.get(place)
    change = Change(
        place=place,
        key=place.key,
        action=_action(before, after),
        replicas_before=_replicas(ledger.bindings, before),
        replicas_after=_replicas(plan.bindings, after),
        arrives=before is None or bool(before.retiring),
        leaves=after is None,
        evicted=after is not None and _is_evicted(plan.bindings.get(place.key), place.cluster),
        fields=_fields(before, after),
        overridden_by=tuple(sorted(_by_policy(after))) if after else (),
    )
    if after is not None and not _differs(change, before, after):
        return None
    if change.key in moving and change.replicas_before != change.replicas_after:
        change = _as_move(change)
    return _explained(change, plan, ledger, lines)


def _action(before: Work | None, after: Work | None) -> ChangeAction:
    if after is None:
        return ChangeAction.RELEASE if before is not None and before.preserve else ChangeAction.DELETE
    return ChangeAction.CREATE if before is None or before.retiring else ChangeAction.UPDATE


def _differs(change: Change, before: Work | None, after: Work) -> bool:
    if before is None or change.arrives or change.fields or change.replicas_before != change.replicas_after:
        return True
    return before.suspended != after.suspended


def _as_move(change: Change) -> Change:
    """A move counts from nothing and to nothing, so that both ends show their replicas."""
    return replace(
        change,
        action=ChangeAction.MOVE,
        replicas_before=change.replicas_before or 0,
        replicas_after=change.replicas_after or 0,
    )


def _replicas(bindings: Mapping[Key, Binding], work: Work | None) -> int | None:
    """The replicas that the binding gave the cluster, or None for an object without replicas."""
    binding = bindings.get(work.key) if work else None
    if work is None or binding is None or not binding.spec.is_workload:
        return None
    return _spread(binding).get(work.cluster, 0)


def _is_evicted(binding: Binding | None, cluster: str) -> bool:
    return binding is not None and any(task.from_cluster == cluster for task in binding.spec.graceful_eviction_tasks)


def _fields(before: Work | None, after: Work | None) -> tuple[FieldChange, ...]:
    if before is None or after is None or before.retiring:
        return ()
    found = changes_between(before.manifest, after.manifest)
    return tuple(hidden(after.key, change) for change in found if not change.path.startswith(_BOOKKEEPING))


def hidden(key: Key, change: FieldChange) -> FieldChange:
    """The change without values that nobody may read: that something changed is still said."""
    secret = key.kind == "Secret" and not key.group and change.path.startswith(_SECRET_FIELDS)
    whole = change.path in ("", "/metadata", "/metadata/annotations")
    if not secret and not whole and not change.path.startswith(_LAST_APPLIED):
        return change
    return FieldChange(
        path=change.path,
        before=None if change.before is None else SENSITIVE,
        after=None if change.after is None else SENSITIVE,
    )


# Moves ----------------------------------------------------------------------------------------------------------------


def _moving(plan: Plan, ledger: Ledger) -> Iterator[Key]:
    """Workloads that lose replicas in one member and win them in another."""
    for key, binding in plan.bindings.items():
        last = ledger.bindings.get(key)
        if last is None or not binding.spec.is_workload or last.spec.clusters == binding.spec.clusters:
            continue
        old, new = _spread(last), _spread(binding)
        steps = [new.get(cluster, 0) - old.get(cluster, 0) for cluster in old.keys() | new.keys()]
        if min(steps) < 0 < max(steps):
            yield key


def _spread(binding: Binding) -> dict[str, int]:
    return {target.name: target.replicas for target in binding.spec.clusters}


# Holds ----------------------------------------------------------------------------------------------------------------


def _held(change: Change, hold: Hold) -> Change:
    return replace(change, action=ChangeAction.HOLD, reason=f"{change.action} held: {hold.reason}", hint=hold.hint)


def _hold(hold: Hold, plan: Plan) -> Change:
    why = plan.whys.get(hold.key)
    return Change(
        place=hold.place,
        key=hold.key,
        action=ChangeAction.HOLD,
        reason=hold.reason,
        hint=hold.hint,
        where=why.source if why else None,
    )


# Causes ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """All that a cause is found from. `owner` is the template whose binding brought the work."""

    change: Change
    owner: Key
    before: Work | None
    after: Work | None
    plan: Plan
    ledger: Ledger
    lines: "_Lines"

    @property
    def leaving(self) -> str:
        """Why the object is to go, if it is."""
        work = self.plan.retiring.get(self.change.place) if self.change.place else None
        return work.retiring if work else ""

    @property
    def why(self) -> Why:
        return self.plan.whys.get(self.owner) or Why(key=self.owner)

    @property
    def needing(self) -> str:
        """The workloads that bring the object along."""
        required_by = self.plan.bindings[self.owner].spec.required_by
        found = sorted(self.lines.binding(it.namespace, it.name) for it in required_by)
        return ", ".join(f"{key.kind} {key.namespace}/{key.name}" for key in found)


_Cause: TypeAlias = tuple[str, Location | None]


def _explained(change: Change, plan: Plan, ledger: Ledger, lines: "_Lines") -> Change:
    """The change with what caused it: the first cause that applies."""
    before, after = (works.get(change.place) if change.place else None for works in (ledger.works, plan.works))
    work = after or before
    owner = work.binding if work is not None and work.binding is not None else change.key
    case = _Case(change=change, owner=owner, before=before, after=after, plan=plan, ledger=ledger, lines=lines)
    reason, where = next(found for cause in CAUSES if (found := cause(case)))
    return replace(change, reason=reason, where=where)


def _namespace(case: _Case) -> _Cause | None:
    """A namespace that members get because something goes into it has no binding of its own."""
    if case.after is None or case.owner in case.plan.bindings:
        return None
    return "needed by what goes into it", case.lines.template(case.owner)


def _template_gone(case: _Case) -> _Cause | None:
    if case.owner in case.plan.bindings:
        return None
    template = case.lines.template(case.owner)
    source = case.ledger.sources.get(case.owner, "")
    if source and template is None:
        return f"removed from {source}", None
    return case.leaving or "no policy wants it any more", template


def _brought_along(case: _Case) -> _Cause | None:
    """A dependency that goes where the workloads go that need it."""
    binding = case.plan.bindings[case.owner]
    if case.before is not None or binding.spec.placement is not None or not binding.spec.required_by:
        return None
    return f"because of {case.needing}", case.why.source


def _follows(case: _Case) -> _Cause | None:
    """A dependency that leaves with the workloads that need it."""
    binding = case.plan.bindings[case.owner]
    if case.after is not None or binding.spec.placement is not None or not binding.spec.required_by:
        return None
    is_failover = case.plan.cause is Cause.FAILOVER
    where = case.lines.cluster(case.change.cluster) if is_failover else case.why.source
    return f"follows {case.needing}", where


def _new_template(case: _Case) -> _Cause | None:
    return ("new", case.why.source) if case.owner not in case.ledger.bindings else None


def _policy(case: _Case) -> _Cause | None:
    old, new = case.ledger.bindings[case.owner], case.plan.bindings[case.owner]
    last = case.ledger.whys.get(case.owner)
    if old.spec.placement == new.spec.placement and (last is None or last.claim == case.why.claim):
        return None
    winner = next((competitor for competitor in case.why.competitors if not competitor.lost), None)
    words = f"placement of {case.why.claim}" if case.why.claim else "its placement changed"
    return words, winner.location if winner and winner.location else case.why.source


def _template(case: _Case) -> _Cause | None:
    old, new = case.ledger.bindings[case.owner], case.plan.bindings[case.owner]
    differing = _beyond_overrides(case)
    if old.spec.replicas == new.spec.replicas and not differing:
        return None
    path = differing[0] if differing else "/spec/replicas"
    return "the template changed", case.lines.field(case.owner, path) or case.why.source


def _override(case: _Case) -> _Cause | None:
    if case.before is None or case.after is None or case.before.overrides == case.after.overrides:
        return None
    policy = _differing_override(case.before, case.after)
    return f"{policy} changed", case.lines.policy(policy) or case.why.source


def _decision(case: _Case) -> _Cause:
    """What moved it though nobody changed it: a cluster that is left (its taints say why), or what the turn says."""
    if case.plan.cause is Cause.FAILOVER and (left := _left(case)):
        return f"failover from {' '.join(left)}", case.lines.cluster(left[0])
    return case.leaving or case.why.trigger or _removed(case) or str(case.plan.cause), None


def _removed(case: _Case) -> str:
    """The clusters that the binding leaves because nobody declares them any more."""
    gone = [name for name in _left(case) if case.lines.cluster(name) is None]
    return f"{' '.join(gone)} was removed" if gone else ""


def _left(case: _Case) -> list[str]:
    """The clusters that the binding leaves."""
    old, new = _spread(case.ledger.bindings[case.owner]), _spread(case.plan.bindings[case.owner])
    return sorted(old.keys() - new.keys())


CAUSES: Final[tuple[Callable[[_Case], _Cause | None], ...]] = (
    _namespace,
    _template_gone,
    _brought_along,
    _follows,
    _new_template,
    _policy,
    _template,
    _override,
    _decision,
)


def _beyond_overrides(case: _Case) -> list[str]:
    """The fields that differ, and that neither the division of replicas nor an override explains."""
    works = [work for work in (case.before, case.after) if work]
    overridden = tuple(field.path for work in works for override in work.overrides for field in override.changes)
    differing = [field.path for field in case.change.fields if field.path not in _DIVIDED]
    return [path for path in differing if not path.startswith(overridden)]


# Where the replicas of the native kinds stand in their manifests.
_DIVIDED: Final = frozenset({"/spec/replicas", "/spec/parallelism", "/spec/completions"})


def _differing_override(before: Work, after: Work) -> str:
    old, new = _by_policy(before), _by_policy(after)
    return min(policy for policy in old.keys() | new.keys() if old.get(policy) != new.get(policy))


def _by_policy(work: Work) -> dict[str, list[AppliedOverride]]:
    """A policy with several rules has a part for each."""
    found: dict[str, list[AppliedOverride]] = {}
    for override in work.overrides:
        found.setdefault(override.policy, []).append(override)
    return found


class _Lines:
    """Where things stand in the repository."""

    def __init__(self, federation: Federation, bindings: Mapping[Key, Binding]) -> None:
        self._bindings = bindings
        self._named: dict[tuple[str, str], Key] = {}
        self._templates = federation.templates
        self._policies = {_policy_name(declared.value): declared for declared in federation.override_policies}
        self._clusters = {declared.value.name: declared for declared in federation.clusters}

    def binding(self, namespace: str, name: str) -> Key:
        """The template of a binding, which is called otherwise."""
        if not self._named:
            found = self._bindings.items()
            self._named = {(it.metadata.namespace, it.metadata.name): key for key, it in found}
        return self._named[namespace, name]

    def field(self, key: Key, pointer: str) -> Location | None:
        """The line of a template's field, or of what holds it."""
        template = self._templates.get(key)
        locate = template.locate if template else None
        return locate(_steps(pointer)) if locate else self.template(key)

    def template(self, key: Key) -> Location | None:
        template = self._templates.get(key)
        return template.location if template else None

    def policy(self, name: str) -> Location | None:
        """An override policy, called as `AppliedOverride` calls it."""
        declared = self._policies.get(name)
        return declared.location if declared else None

    def cluster(self, name: str | None) -> Location | None:
        declared = self._clusters.get(name or "")
        if declared is None or declared.locate is None or not declared.value.spec.taints:
            return declared.location if declared else None
        return declared.locate(("spec", "taints"))


def _policy_name(policy: OverridePolicy) -> str:
    return "/".join(filter(None, (policy.kind, policy.metadata.namespace, policy.metadata.name)))


def _steps(pointer: str) -> FieldPath:
    """`/spec/containers/0` → ("spec", "containers", 0)."""
    names = [name.replace("~1", "/").replace("~0", "~") for name in pointer.split("/")[1:]]
    return tuple(int(name) if name.isdecimal() else name for name in names)


def _order(change: Change) -> tuple[str, Key]:
    return (change.cluster or "", change.key)
