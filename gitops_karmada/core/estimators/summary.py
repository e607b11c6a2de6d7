"""Room by the member's summary, or by its resource models. Node selectors and tolerations do not count here."""

from collections.abc import Mapping, Sequence

from gitops_karmada.core.amounts import CPU, MAX_INT32, PODS, amounts_of, times_in
from gitops_karmada.core.capacity import Demand, ModelNode, Replicas, Room, Sets, part_of
from gitops_karmada.core.first_fit import fill
from gitops_karmada.model.bindings import Component, ReplicaRequirements
from gitops_karmada.model.quantity import Format, Quantity


def room_by_summary(room: Room, demand: Demand) -> int | None:
    """A member that has never reported a summary has no room."""
    pods = room.free.get(PODS, Quantity()).value if room.free is not None else 0
    if room.free is None or pods <= 0:
        return 0
    match demand:
        case Replicas(requirements=None):
            return min(pods, MAX_INT32)
        case Replicas(requirements=requirements) if requirements is not None:
            return min(pods, _replicas(room, requirements), MAX_INT32)
        case Sets(components=components):
            return min(_sets(room, pods, components), MAX_INT32)
        case _:
            raise AssertionError(demand)


def _replicas(room: Room, requirements: ReplicaRequirements) -> int:
    request = requirements.resource_request
    if room.models is not None:
        # The models replace the bound by the summary, they do not add to it.
        wanted = amounts_of(request)
        return sum(times_in(node.free, wanted) for node in room.models)
    return min(
        (_times(room.free or {}, name, wish) for name, wish in request.items() if wish.value > 0), default=MAX_INT32
    )


def _times(free: Mapping[str, Quantity], name: str, wish: Quantity) -> int:
    left = free.get(name)
    if left is None or left.value <= 0:
        return 0
    return left.milli // wish.milli if name == CPU else left.value // wish.value


def _sets(room: Room, pods: int, components: Sequence[Component]) -> int:
    pods_of_set = sum(component.replicas for component in components)
    if pods_of_set <= 0:
        return pods
    most = min(pods // pods_of_set, _sets_by_resources(room.free or {}, components))
    if room.models is None:
        return most
    nodes = [ModelNode(dict(node.free)) for node in room.models]
    return min(most, fill(nodes, [part_of(component) for component in components], most))


def _sets_by_resources(free: Mapping[str, Quantity], components: Sequence[Component]) -> int:
    wanted: dict[str, int] = {}
    for component in components:
        if component.replica_requirements is None:
            continue
        for name, wish in component.replica_requirements.resource_request.items():
            wanted[name] = wanted.get(name, 0) + _as_written(wish) * component.replicas
    return min(
        (max(_as_written(free.get(name, Quantity())), 0) // wish for name, wish in wanted.items() if wish > 0),
        default=MAX_INT32,
    )


def _as_written(amount: Quantity) -> int:
    # Karmada counts what is written in decimal units in thousandths, what is written in binary units in ones.
    return amount.value if amount.format is Format.BINARY else amount.milli
