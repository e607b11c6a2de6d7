"""What room there is in the members, and what is left of it while a turn hands it out."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gitops_karmada.core.amounts import CPU, PODS, Amounts, amount_of, amounts_of, times_in
from gitops_karmada.core.first_fit import Bin, FirstFit, Part
from gitops_karmada.core.member_quotas import MemberQuota
from gitops_karmada.core.nodes import Node
from gitops_karmada.model.bindings import (
    BindingSpec,
    Component,
    ComponentRequirements,
    ReplicaRequirements,
    TargetCluster,
)
from gitops_karmada.model.clusters import Cluster, ResourceModel, ResourceSummary
from gitops_karmada.model.placement import NodeClaim
from gitops_karmada.model.quantity import MILLI, NANO, Format, Quantity

MODEL_NODE_PODS = 110


@dataclass(frozen=True, slots=True, kw_only=True)
class Replicas:
    """Room for single replicas. `part` is one of them, `asked` all that it requests, whether nodes count it or not."""

    part: Part
    asked: Mapping[str, int]
    is_specified: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Sets:
    """Room for whole sets of components."""

    components: tuple[Component, ...]
    parts: tuple[Part, ...]


Demand: TypeAlias = Replicas | Sets


def replicas_of(requirements: ReplicaRequirements | None) -> Replicas:
    request = requirements.resource_request if requirements else {}
    asked = {name: amount_of(name, amount) for name, amount in request.items() if amount.value > 0}
    return Replicas(part=_part(1, requirements), asked=asked, is_specified=requirements is not None)


def sets_of(components: tuple[Component, ...], namespace: str = "") -> Sets:
    parts = tuple(_part(it.replicas, it.replica_requirements, namespace) for it in components)
    return Sets(components=components, parts=parts)


def _part(replicas: int, requirements: ReplicaRequirements | ComponentRequirements | None, namespace: str = "") -> Part:
    if requirements is None:
        return Part(replicas=replicas, request={}, namespace=namespace)
    return Part(
        replicas=replicas,
        request=amounts_of(requirements.resource_request),
        claim=requirements.node_claim,
        namespace=requirements.namespace if isinstance(requirements, ReplicaRequirements) else namespace,
        priority_class=requirements.priority_class_name,
    )


class ModelNode:
    """A node that a resource model stands for: it admits everybody, and is as small as its grade allows."""

    __slots__ = ("free",)

    def __init__(self, free: Amounts) -> None:
        self.free = free

    def copy(self) -> "ModelNode":
        return ModelNode(dict(self.free))

    def admits(self, claim: NodeClaim | None) -> bool:
        return True


FreedNode = ModelNode  # the place that a displaced pod leaves on a node that is not known


class Room:
    """One member. `free` is what its summary leaves, in nano-units, written in `formats`; `models` are its modelled
    nodes, `nodes` its real ones. None: not known.
    """

    __slots__ = ("_counts", "_fillings", "_used", "formats", "free", "models", "nodes", "quotas")

    def __init__(
        self, cluster: Cluster, nodes: Sequence[Node] | None, by_models: bool, quotas: Sequence[MemberQuota] = ()
    ) -> None:
        summary = cluster.status.resource_summary
        left = {} if summary is None else _left(summary)
        self.free = None if summary is None else {name: amount.nano for name, amount in left.items()}
        self.formats: Mapping[str, Format] = {name: amount.format for name, amount in left.items()}
        self.models = _model_nodes(cluster, summary) if by_models and summary is not None else None
        self.nodes: list[Node | ModelNode] | None = None if nodes is None else [node.copy() for node in nodes]
        self.quotas = [quota.copy() for quota in quotas]
        self._forget()

    def _forget(self) -> None:
        self._counts: dict[tuple[int, int], _Count] = {}
        self._fillings: dict[Hashable, list[FirstFit]] = {}
        self._used: list[Bin] = []

    def take(self, parts: Sequence[Part], times: int, kind: Hashable) -> None:
        """Use the room of so many sets of these parts; `kind` stands for what they ask for, however many they are."""
        if self.free is not None:
            for part in parts:
                _use(self.free, part, part.replicas * times)
        for quota in self.quotas:
            for part in parts:
                if quota.limits(part):
                    quota.use(part, part.replicas * times)
        known = self._fillings.get(kind)
        if known is None:
            known = self._fillings[kind] = [FirstFit(it, parts) for it in (self.models, self.nodes) if it is not None]
        for filling in known:
            filling.fill(parts, times, self._used)

    def fitting(self, bins: Sequence[Bin], part: Part) -> int:
        """How many replicas like this one there is room for in these bins of the room, each counted by itself.

        Counted again only where room was used.
        """
        key = (id(bins), id(part))
        count = self._counts.get(key)
        if count is None:
            each = {id(it): times_in(it.free, part.request) for it in bins if it.admits(part.claim)}
            count = self._counts[key] = _Count(part, each, len(self._used))
            count.total = sum(each.values())
        for used in {id(it): it for it in self._used[count.seen :]}.values():
            if id(used) in count.each:
                fits = times_in(used.free, part.request)
                count.total += fits - count.each[id(used)]
                count.each[id(used)] = fits
        count.seen = len(self._used)
        return count.total

    def give(self, part: Part, replicas: int) -> None:
        """The opposite. On which nodes the pods are is not known: each leaves a place of its own size."""
        if self.free is not None:
            _use(self.free, part, -replicas)
        for quota in self.quotas:
            if quota.limits(part):
                quota.use(part, -replicas)
        freed = {**part.request, PODS: 1}
        for bins in (self.models, self.nodes):
            if bins is not None:
                bins.extend(FreedNode(dict(freed)) for _ in range(replicas))
        self._forget()

    def copy(self) -> "Room":
        other = Room.__new__(Room)
        other.free = None if self.free is None else dict(self.free)
        other.formats = self.formats
        other.models = None if self.models is None else [node.copy() for node in self.models]
        other.nodes = None if self.nodes is None else [node.copy() for node in self.nodes]
        other.quotas = [quota.copy() for quota in self.quotas]
        other._forget()
        return other


class _Count:
    """How many replicas fit, together and in each bin (by identity), up to a point in what was used."""

    __slots__ = ("each", "part", "seen", "total")

    def __init__(self, part: Part, each: dict[int, int], seen: int) -> None:
        self.part, self.each, self.seen, self.total = part, each, seen, 0


class Capacity:
    """The room in all members of one turn. Clusters without an entry in `nodes` are known by their summary only.

    What is taken is noted at once and worked out when somebody asks: most takings are alike, many are never asked for.
    `version` grows with every taking, `changes` names the clusters whose room has changed, in order.
    """

    def __init__(
        self,
        clusters: Iterable[Cluster],
        nodes: Mapping[str, Sequence[Node]] | None = None,
        by_models: bool = True,
        quotas: Mapping[str, Sequence[MemberQuota]] | None = None,
    ) -> None:
        known, limits = nodes or {}, quotas or {}
        self.rooms = {it.name: Room(it, known.get(it.name), by_models, limits.get(it.name, ())) for it in clusters}
        self.version = 0
        self.changes: list[str] = []
        self._noted: dict[Hashable, _Taking] = {}
        self._kinds: dict[Hashable, Part | tuple[Part, ...]] = {}

    def take(
        self,
        spec: BindingSpec,
        previous: tuple[TargetCluster, ...],
        targets: tuple[TargetCluster, ...],
        kind: Hashable,
    ) -> None:
        """Deduct what is placed anew: replicas that run already are part of what the members reported.

        `kind` stands for what is placed: the same for bindings with the same requirements and components.
        """
        if targets == previous:
            return
        self.version += 1
        key = (id(previous), id(targets), kind)
        taking = self._noted.get(key)
        if taking is None:
            self._noted[key] = _Taking(self._parts_of(spec, kind), kind, previous, targets)
        else:
            taking.times += 1

    def give(self, spec: BindingSpec, cluster: str, replicas: int) -> None:
        """Count the room of replicas that are to go as free again."""
        self.settle()
        room = self.rooms.get(cluster)
        if room is not None:
            room.give(_part(1, spec.replica_requirements), replicas)
            self.version += 1
            self.changes.append(cluster)

    def copy(self) -> "Capacity":
        """The same room, to be handed out on trial."""
        self.settle()
        other = Capacity(())
        other.rooms = {name: room.copy() for name, room in self.rooms.items()}
        return other

    def settle(self) -> None:
        """Work out what was noted."""
        for taking in self._noted.values():
            for name, parts in taking.added():
                room = self.rooms.get(name)
                if room is not None:
                    room.take(parts, taking.times, taking.kind)
                    self.changes.append(name)
        self._noted.clear()

    def _parts_of(self, spec: BindingSpec, kind: Hashable) -> Part | tuple[Part, ...]:
        """One replica, or a whole set of components."""
        known = self._kinds.get(kind)
        if known is None:
            whole_set = sets_of(spec.components, spec.resource.namespace).parts if spec.components else None
            known = self._kinds[kind] = whole_set or _part(1, spec.replica_requirements)
        return known


class _Taking:
    """The same targets, given to so many bindings that ask the same."""

    __slots__ = ("kind", "placed", "previous", "targets", "times")

    def __init__(
        self,
        placed: Part | tuple[Part, ...],
        kind: Hashable,
        previous: tuple[TargetCluster, ...],
        targets: tuple[TargetCluster, ...],
    ) -> None:
        self.kind = kind
        self.placed, self.previous, self.targets, self.times = placed, previous, targets, 1

    def added(self) -> Iterator[tuple[str, tuple[Part, ...]]]:
        """What is new in each target: replicas, or a set of components where there was none."""
        before = {target.name: target.replicas for target in self.previous}
        for target in self.targets:
            if isinstance(self.placed, tuple):
                if target.name not in before:
                    yield target.name, self.placed
            elif (more := target.replicas - before.get(target.name, 0)) > 0:
                one = self.placed
                more_of_it = Part(
                    replicas=more,
                    request=one.request,
                    claim=one.claim,
                    namespace=one.namespace,
                    priority_class=one.priority_class,
                )
                yield target.name, (more_of_it,)


def _use(free: dict[str, int], part: Part, replicas: int) -> None:
    if PODS in free:
        free[PODS] -= replicas * NANO
    for name, amount in part.request.items():
        if name in free and name != PODS:
            free[name] -= amount * replicas * (MILLI if name == CPU else NANO)


def _left(summary: ResourceSummary) -> dict[str, Quantity]:
    """Allocatable without what runs and what is about to."""
    nothing = Quantity()
    return {
        name: amount - summary.allocated.get(name, nothing) - summary.allocating.get(name, nothing)
        for name, amount in summary.allocatable.items()
    }


def _model_nodes(cluster: Cluster, summary: ResourceSummary) -> list[ModelNode] | None:
    """Each modelled node is as large as the minimum of its grade. None: the models cannot be used."""
    counts = {modeling.grade: modeling.count for modeling in summary.allocatable_modelings}
    models = sorted(cluster.spec.resource_models, key=lambda model: model.grade)
    if not counts or not models or any(counts.get(model.grade, 0) < 0 for model in models):
        return None
    return [ModelNode(_smallest(model)) for model in models for _ in range(counts.get(model.grade, 0))]


def _smallest(model: ResourceModel) -> Amounts:
    return amounts_of({limit.name: limit.min for limit in model.ranges}) | {PODS: MODEL_NODE_PODS}
