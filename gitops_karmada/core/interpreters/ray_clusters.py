"""Ray's RayCluster, and what a RayJob and a RayService have of it."""

from typing import Any

from gitops_karmada.core.fields import mapping, sequence, text
from gitops_karmada.core.interpreters import Interpretation, InterpretError, Items
from gitops_karmada.core.thirdparty_status import (
    count,
    first,
    greatest,
    number,
    only_status,
    reports_of,
    total,
    with_status,
    without_empty,
    without_spec,
)
from gitops_karmada.core.workload_status import has_condition
from gitops_karmada.core.workloads import component
from gitops_karmada.model.objects import Object, dig, metadata_of
from gitops_karmada.model.pod_templates import dependencies_of
from gitops_karmada.model.quantity import Quantity, quantity

WORKERS = (
    "readyWorkerReplicas",
    "availableWorkerReplicas",
    "maxWorkerReplicas",
    "minWorkerReplicas",
    "desiredWorkerReplicas",
)


def groups(cluster: Object) -> list[Object]:
    """The head and each group of workers, as components."""
    head = dig(cluster, "headGroupSpec", "template")
    found = [] if head is None else [component("ray-head", 1, mapping(cluster, "headGroupSpec", "template"))]
    workers = enumerate(sequence(cluster, "workerGroupSpecs"), start=1)
    return found + [_workers(index, group) for index, group in workers]


def _workers(index: int, group: Object) -> Object:
    template = mapping(group, "template") if group.get("template") is not None else None
    return component(text(group, "groupName") or f"worker-{index}", count(group.get("replicas"), 0), template)


def templates_of(cluster: Object) -> list[Object]:
    head = mapping(cluster, "headGroupSpec", "template")
    return [head, *(mapping(group, "template") for group in sequence(cluster, "workerGroupSpecs"))]


def needed_by(obj: Object, templates: list[Object]) -> list[Object]:
    namespace = str(metadata_of(obj).get("namespace") or "")
    found: list[Object] = []
    for template in templates:
        found += (ref for ref in dependencies_of(template, namespace) if ref not in found)
    return found


def components(obj: Object) -> list[Object]:
    return groups(mapping(obj, "spec"))


def is_healthy(obj: Object) -> bool:
    status = mapping(obj, "status")
    return (
        has_condition(status, "HeadPodReady")
        and has_condition(status, "RayClusterProvisioned")
        and not has_condition(status, "RayClusterReplicaFailure")
    )


def aggregate(obj: Object, items: Items) -> Object:
    if items is None:
        return without_empty(obj)
    if len(items) == 1:
        return only_status(without_spec(obj), items)
    reports = reports_of(items)
    states = [report for report in reports if report.get("state") is not None]
    said: dict[str, Any] = {name: total(reports, name) for name in WORKERS}
    said |= {name: _added(reports, name) for name in ("desiredCPU", "desiredMemory")}
    said |= {name: _counted(reports, name) for name in ("desiredGPU", "desiredTPU")}
    said |= {name: first(reports, name) for name in ("endpoints", "head", "state")}
    said["conditions"] = [condition for report in reports for condition in sequence(report, "conditions")]
    said["lastUpdateTime"] = greatest(reports, "lastUpdateTime")
    said["stateTransitionTimes"] = states[0].get("stateTransitionTimes") if states else None
    return with_status(without_spec(obj), **said)


def _added(reports: list[Object], name: str) -> str:
    try:
        return str(sum((quantity(report[name]) for report in reports if report.get(name)), start=Quantity()))
    except ValueError as wrong:
        raise InterpretError(f"status.{name}: {wrong}") from wrong


def _counted(reports: list[Object], name: str) -> str:
    return str(sum(number(report.get(name)) or 0 for report in reports))


RAY_CLUSTER = Interpretation(components=components, health=is_healthy, aggregate=aggregate)
