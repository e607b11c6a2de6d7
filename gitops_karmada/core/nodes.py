"""Nodes of a member as schedulers see them: what is free, and which pods they admit."""

from collections.abc import Iterable, Mapping
from itertools import chain, zip_longest
from typing import Any

from gitops_karmada.core.affinity import untolerated
from gitops_karmada.core.amounts import PODS, Amounts, amounts_of
from gitops_karmada.core.pods import is_over, request_of
from gitops_karmada.model.clusters import Taint
from gitops_karmada.model.objects import Object, dig, labels_of, metadata_of
from gitops_karmada.model.placement import NodeClaim
from gitops_karmada.model.quantity import quantity
from gitops_karmada.model.selectors import Requirement, matches_all

CORDONED = Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule")
ZONE_LABELS = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")
REGION_LABELS = ("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region")


class Node:
    """A real node. `free` is never negative."""

    __slots__ = ("free", "labels", "name", "taints")

    def __init__(self, name: str, labels: Mapping[str, str], taints: tuple[Taint, ...], free: Amounts) -> None:
        self.name, self.labels, self.taints, self.free = name, labels, taints, free

    def copy(self) -> "Node":
        return Node(self.name, self.labels, self.taints, dict(self.free))

    def admits(self, claim: NodeClaim | None) -> bool:
        """Node selector, required node affinity and tolerations; preferences and other pods do not count."""
        if untolerated(self.taints, claim.tolerations if claim else ()):
            return False
        return claim is None or (
            all(self.labels.get(key) == value for key, value in claim.node_selector.items())
            and (claim.hard_node_affinity is None or self._matches(claim.hard_node_affinity))
        )

    def _matches(self, affinity: Mapping[str, Any]) -> bool:
        return any(self._matches_term(term) for term in affinity.get("nodeSelectorTerms") or ())

    def _matches_term(self, term: Mapping[str, Any]) -> bool:
        expressions, fields = _requirements(term, "matchExpressions"), _requirements(term, "matchFields")
        if not expressions and not fields:
            return False
        return matches_all(expressions, self.labels) and matches_all(fields, {"metadata.name": self.name})


def nodes_of(nodes: Iterable[Object], pods: Iterable[Object]) -> list[Node]:
    """The nodes with what their pods leave free, one zone after the other, by name within a zone."""
    used = _used(pods)
    zones: dict[tuple[str, str], list[Node]] = {}
    for node in sorted(nodes, key=lambda it: str(metadata_of(it).get("name") or "")):
        zones.setdefault(_zone(node), []).append(_node(node, used))
    return [node for node in chain.from_iterable(zip_longest(*zones.values())) if node is not None]


def _node(node: Object, used: Mapping[str, Amounts]) -> Node:
    name = str(metadata_of(node).get("name") or "")
    allocatable = amounts_of(
        {key: quantity(value) for key, value in (dig(node, "status", "allocatable") or {}).items()}
    )
    gone = used.get(name, {})
    free = {key: max(amount - gone.get(key, 0), 0) for key, amount in allocatable.items()}
    return Node(name, labels_of(node), _taints(node), free)


def _used(pods: Iterable[Object]) -> dict[str, Amounts]:
    used: dict[str, Amounts] = {}
    for pod in pods:
        name = dig(pod, "spec", "nodeName")
        if not name or is_over(pod):
            continue
        amounts = used.setdefault(name, {PODS: 0})
        amounts[PODS] += 1
        for key, amount in request_of(pod).items():
            amounts[key] = amounts.get(key, 0) + amount
    return used


def _taints(node: Object) -> tuple[Taint, ...]:
    taints = tuple(
        Taint(
            key=str(taint.get("key") or ""), value=str(taint.get("value") or ""), effect=str(taint.get("effect") or "")
        )
        for taint in dig(node, "spec", "taints") or ()
    )
    return (CORDONED, *taints) if dig(node, "spec", "unschedulable") else taints


def _zone(node: Object) -> tuple[str, str]:
    labels = labels_of(node)
    region = next((labels[key] for key in REGION_LABELS if key in labels), "")
    return region, next((labels[key] for key in ZONE_LABELS if key in labels), "")


def _requirements(term: Mapping[str, Any], field: str) -> tuple[Requirement, ...]:
    return tuple(
        Requirement(
            key=str(wish.get("key") or ""),
            operator=str(wish.get("operator") or ""),
            values=tuple(str(value) for value in wish.get("values") or ()),
        )
        for wish in term.get(field) or ()
    )
