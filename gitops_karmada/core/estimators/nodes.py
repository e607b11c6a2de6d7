"""Room counted on the nodes of the member, as a scheduler would fill them."""

from typing import assert_never

from gitops_karmada.core.amounts import MAX_INT32, amounts_of, times_in
from gitops_karmada.core.capacity import Demand, Replicas, Room, Sets, part_of
from gitops_karmada.core.first_fit import fill
from gitops_karmada.core.nodes import Node
from gitops_karmada.model.bindings import ReplicaRequirements


def room_on_nodes(room: Room, demand: Demand) -> int | None:
    """A member without nodes has no room; one whose nodes are not known cannot be judged here."""
    if room.nodes is None:
        return None
    match demand:
        case Replicas(requirements=requirements):
            return min(_replicas(room.nodes, requirements), MAX_INT32)
        case Sets(components=components):
            nodes = [node.copy() for node in room.nodes]
            return fill(nodes, [part_of(component) for component in components], MAX_INT32) if nodes else 0
        case _:
            assert_never(demand)


def _replicas(nodes: list[Node], requirements: ReplicaRequirements | None) -> int:
    claim = requirements.node_claim if requirements else None
    request = amounts_of(requirements.resource_request) if requirements else {}
    return sum(times_in(node.free, request) for node in nodes if node.admits(claim))
