"""What a member reports of its nodes and pods: the status that decisions use."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gitops_karmada.core.amounts import PODS, Amounts, amount_of, amounts_of, is_counted, nano_of
from gitops_karmada.core.pods import is_over
from gitops_karmada.model.clusters import AllocatableModeling, NodeSummary, ResourceModel, ResourceSummary
from gitops_karmada.model.objects import Object, dig, metadata_of
from gitops_karmada.model.quantity import Format, Quantity, quantity


def node_summary(nodes: Iterable[Object]) -> NodeSummary:
    ready = [_is_ready(node) for node in nodes]
    return NodeSummary(total_num=len(ready), ready_num=sum(ready))


def resource_summary(
    nodes: Sequence[Object], pods: Sequence[Object], models: Sequence[ResourceModel] = ()
) -> ResourceSummary:
    """All nodes count, ready or not. A pod without a node is about to run whatever its phase says, as in Karmada."""
    placed = [pod for pod in pods if dig(pod, "spec", "nodeName") and not is_over(pod)]
    waiting = [pod for pod in pods if not dig(pod, "spec", "nodeName")]
    return ResourceSummary(
        allocatable=_allocatable(nodes),
        allocating=_quantities(running_total(waiting)),
        allocated=_quantities(running_total(placed)),
        allocatable_modelings=modelings(nodes, placed, models),
    )


def _is_ready(node: Object) -> bool:
    conditions = dig(node, "status", "conditions") or ()
    return any(it.get("type") == "Ready" and it.get("status") == "True" for it in conditions)


def _allocatable(nodes: Iterable[Object]) -> dict[str, Quantity]:
    total: dict[str, Quantity] = {}
    for node in nodes:
        for name, amount in (dig(node, "status", "allocatable") or {}).items():
            total[name] = total[name] + quantity(amount) if name in total else quantity(amount)
    return total


def running_total(pods: Iterable[Object]) -> Amounts:
    """What pods request together, and how many they are."""
    total: Amounts = {}
    count = 0
    for pod in pods:
        count += 1
        spec = dig(pod, "spec")
        for container in dig(spec, "containers") or ():
            _add(total, dig(container, "resources", "requests"))
        # Karmada raises the total of all pods so far, so that an init container seldom counts.
        for container in dig(spec, "initContainers") or ():
            _raise(total, dig(container, "resources", "requests"))
        _add(total, dig(spec, "overhead"))
    total[PODS] = total.get(PODS, 0) + count
    return total


def _add(total: Amounts, resources: Any) -> None:
    for name, amount in _counted(resources):
        total[name] = total.get(name, 0) + amount


def _raise(total: Amounts, resources: Any) -> None:
    for name, amount in _counted(resources):
        total[name] = max(total.get(name, 0), amount)


def _counted(resources: Any) -> list[tuple[str, int]]:
    if not isinstance(resources, Mapping):
        return []
    return [
        (name, amount_of(name, quantity(amount)))
        for name, amount in resources.items()
        if name == PODS or is_counted(name)
    ]


def _quantities(total: Amounts) -> dict[str, Quantity]:
    return {name: Quantity(nano_of(name, amount), _format(name)) for name, amount in sorted(total.items()) if amount}


def _format(name: str) -> Format:
    return Format.BINARY if name in ("memory", "ephemeral-storage") or name.startswith("hugepages-") else Format.DECIMAL


def modelings(
    nodes: Iterable[Object], placed: Iterable[Object], models: Sequence[ResourceModel]
) -> tuple[AllocatableModeling, ...]:
    """How many nodes have about as much free as each grade says: the largest grade whose minima all fit."""
    if not models:
        return ()
    by_node: dict[str, list[Object]] = {}
    for pod in placed:
        by_node.setdefault(str(dig(pod, "spec", "nodeName")), []).append(pod)
    ranked = sorted(models, key=lambda model: model.grade)
    minima = [amounts_of({limit.name: limit.min for limit in model.ranges}) for model in ranked]
    counts = [0] * len(ranked)
    for node in nodes:
        free = _free(node, by_node.get(str(metadata_of(node).get("name") or ""), ()))
        if free is None:
            # Karmada stops at the first node whose pods are all taken: the nodes after it are not counted.
            break
        grade = _grade(free, minima)
        if grade >= 0:
            counts[grade] += 1
    return tuple(
        AllocatableModeling(grade=model.grade, count=count) for model, count in zip(ranked, counts, strict=True)
    )


def _free(node: Object, pods: Sequence[Object]) -> Amounts | None:
    """What a node has left; None where it takes no more pods."""
    allocatable = {
        name: amount_of(name, quantity(amount)) for name, amount in (dig(node, "status", "allocatable") or {}).items()
    }
    if not pods:
        return allocatable
    used = running_total(pods)
    if allocatable.get(PODS, 0) <= used[PODS]:
        return None
    return {name: amount - used.get(name, 0) for name, amount in allocatable.items()}


def _grade(free: Amounts, minima: Sequence[Amounts]) -> int:
    """The index of the largest grade that fits in every modelled resource; -1 where not even the smallest does."""
    resources = sorted({name for least in minima for name in least})
    return min(
        (
            max((index for index, least in enumerate(minima) if least.get(name, 0) <= free.get(name, 0)), default=-1)
            for name in resources
        ),
        default=-1,
    )
