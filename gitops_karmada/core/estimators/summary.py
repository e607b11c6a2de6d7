"""Room by the member's summary, or by its resource models. Node selectors and tolerations do not count here."""

from collections.abc import Mapping, Sequence
from typing import assert_never

from gitops_karmada.core.amounts import CPU, MAX_INT32, PODS
from gitops_karmada.core.capacity import Demand, ModelNode, Replicas, Room, Sets
from gitops_karmada.core.first_fit import fill
from gitops_karmada.model.bindings import Component
from gitops_karmada.model.quantity import MILLI, NANO, Format, Quantity


def room_by_summary(room: Room, demand: Demand) -> int | None:
    """A member that has never reported a summary has no room."""
    if room.free is None:
        return 0
    pods = -(-room.free.get(PODS, 0) // NANO)
    if pods <= 0:
        return 0
    match demand:
        case Replicas():
            return min(pods, _replicas(room, room.free, demand), MAX_INT32)
        case Sets():
            return min(_sets(room, room.free, pods, demand), MAX_INT32)
        case _:
            assert_never(demand)


def _replicas(room: Room, free: Mapping[str, int], demand: Replicas) -> int:
    if room.models is not None and demand.is_specified:
        # The models replace the bound by the summary, they do not add to it.
        return room.fitting(room.models, demand.part)
    most = MAX_INT32
    for name, wanted in demand.asked.items():
        left = free.get(name, 0)
        if left <= 0:
            return 0
        unit = MILLI if name == CPU else NANO
        most = min(most, -(-left // unit) // wanted)
    return most


def _sets(room: Room, free: Mapping[str, int], pods: int, demand: Sets) -> int:
    pods_of_set = sum(component.replicas for component in demand.components)
    if pods_of_set <= 0:
        return pods
    most = min(pods // pods_of_set, _sets_by_resources(room, free, demand.components))
    if room.models is None:
        return most
    return min(most, fill([ModelNode(dict(node.free)) for node in room.models], demand.parts, most))


def _sets_by_resources(room: Room, free: Mapping[str, int], components: Sequence[Component]) -> int:
    wanted: dict[str, int] = {}
    for component in components:
        if component.replica_requirements is None:
            continue
        for name, wish in component.replica_requirements.resource_request.items():
            wanted[name] = wanted.get(name, 0) + _as_written(wish) * component.replicas
    left = {name: _as_written(Quantity(free[name], room.formats[name])) for name in wanted if name in free}
    return min((max(left.get(name, 0), 0) // wish for name, wish in wanted.items() if wish > 0), default=MAX_INT32)


def _as_written(amount: Quantity) -> int:
    # Karmada counts what is written in decimal units in thousandths, what is written in binary units in ones.
    return amount.value if amount.format is Format.BINARY else amount.milli
