"""What room there is in the members, and what is left of it while a turn hands it out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gitops_karmada.core.amounts import PODS, Amounts, amounts_of, nano_of
from gitops_karmada.core.first_fit import Part, fill
from gitops_karmada.core.nodes import Node
from gitops_karmada.model.bindings import BindingSpec, Component, ReplicaRequirements, TargetCluster
from gitops_karmada.model.clusters import Cluster, ResourceModel, ResourceSummary
from gitops_karmada.model.placement import NodeClaim
from gitops_karmada.model.quantity import NANO, Quantity

MODEL_NODE_PODS = 110


@dataclass(frozen=True, slots=True, kw_only=True)
class Replicas:
    """Room for single replicas, each with these requirements."""

    requirements: ReplicaRequirements | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sets:
    """Room for whole sets of components."""

    components: tuple[Component, ...] = ()


Demand: TypeAlias = Replicas | Sets


class ModelNode:
    """A node that a resource model stands for: it admits everybody, and is as small as its grade allows."""

    __slots__ = ("free",)

    def __init__(self, free: Amounts) -> None:
        self.free = free

    def admits(self, claim: NodeClaim | None) -> bool:
        return True


class Room:
    """One member. `free` is what its summary leaves, by resource; `models` its modelled nodes, `nodes` its real ones.

    None: not known.
    """

    __slots__ = ("free", "models", "nodes")

    def __init__(self, cluster: Cluster, nodes: Sequence[Node] | None, by_models: bool) -> None:
        summary = cluster.status.resource_summary
        self.free = None if summary is None else _left(summary)
        self.models = _model_nodes(cluster, summary) if by_models and summary is not None else None
        self.nodes = None if nodes is None else [node.copy() for node in nodes]

    def take(self, parts: Sequence[Part]) -> None:
        """Use room for one set of these parts."""
        if self.free is not None:
            self.free = _without(self.free, parts)
        for bins in (self.models, self.nodes):
            if bins is not None:
                fill(bins, parts, 1)


class Capacity:
    """The room in all members of one turn. Clusters without an entry in `nodes` are known by their summary only.

    `taken` names the clusters whose room was used, in order, so that an estimate knows what to ask again.
    """

    def __init__(
        self, clusters: Iterable[Cluster], nodes: Mapping[str, Sequence[Node]] | None = None, by_models: bool = True
    ) -> None:
        known = nodes or {}
        self.rooms = {cluster.name: Room(cluster, known.get(cluster.name), by_models) for cluster in clusters}
        self.taken: list[str] = []

    def take(self, spec: BindingSpec, previous: Iterable[TargetCluster], targets: Iterable[TargetCluster]) -> None:
        """Deduct what is placed anew: replicas that run already are part of what the members reported."""
        before = {target.name: target for target in previous}
        for target in targets:
            parts = parts_of(spec, target, before.get(target.name))
            room = self.rooms.get(target.name)
            if parts and room is not None:
                room.take(parts)
                self.taken.append(target.name)


def parts_of(spec: BindingSpec, target: TargetCluster, before: TargetCluster | None) -> list[Part]:
    """The pods that a target gets and did not have."""
    if spec.components:
        return [] if before is not None else [part_of(component) for component in spec.components]
    added = target.replicas - (before.replicas if before else 0)
    return [_part(added, spec.replica_requirements)] if added > 0 else []


def part_of(component: Component) -> Part:
    return _part(component.replicas, component.replica_requirements)


def _part(replicas: int, requirements: object) -> Part:
    request = getattr(requirements, "resource_request", None) or {}
    return Part(replicas=replicas, request=amounts_of(request), claim=getattr(requirements, "node_claim", None))


def _left(summary: ResourceSummary) -> dict[str, Quantity]:
    """Allocatable without what runs and what is about to."""
    nothing = Quantity()
    return {
        name: amount - summary.allocated.get(name, nothing) - summary.allocating.get(name, nothing)
        for name, amount in summary.allocatable.items()
    }


def _without(free: Mapping[str, Quantity], parts: Sequence[Part]) -> dict[str, Quantity]:
    used: dict[str, int] = {}
    for part in parts:
        used[PODS] = used.get(PODS, 0) + part.replicas * NANO
        for name, amount in part.request.items():
            if name != PODS:
                used[name] = used.get(name, 0) + nano_of(name, amount) * part.replicas
    return {name: Quantity(amount.nano - used.get(name, 0), amount.format) for name, amount in free.items()}


def _model_nodes(cluster: Cluster, summary: ResourceSummary) -> list[ModelNode] | None:
    """Each modelled node is as large as the minimum of its grade. None: the models cannot be used."""
    counts = {modeling.grade: modeling.count for modeling in summary.allocatable_modelings}
    models = sorted(cluster.spec.resource_models, key=lambda model: model.grade)
    if not counts or not models or any(counts.get(model.grade, 0) < 0 for model in models):
        return None
    return [ModelNode(_smallest(model)) for model in models for _ in range(counts.get(model.grade, 0))]


def _smallest(model: ResourceModel) -> Amounts:
    return amounts_of({limit.name: limit.min for limit in model.ranges}) | {PODS: MODEL_NODE_PODS}
