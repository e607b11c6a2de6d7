"""Room counted on the nodes of the member, as a scheduler would fill them."""

from typing import assert_never

from gitops_karmada.core.amounts import MAX_INT32
from gitops_karmada.core.capacity import Demand, Replicas, Room, Sets
from gitops_karmada.core.first_fit import fill


def room_on_nodes(room: Room, demand: Demand) -> int | None:
    """A member without nodes has no room; one whose nodes are not known cannot be judged here."""
    if room.nodes is None:
        return None
    match demand:
        case Replicas(part=part):
            return min(room.fitting(room.nodes, part), MAX_INT32)
        case Sets(parts=parts):
            nodes = [node.copy() for node in room.nodes]
            return fill(nodes, parts, MAX_INT32) if nodes else 0
        case _:
            assert_never(demand)
