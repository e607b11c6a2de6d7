"""Kubeflow's Notebook."""

from collections.abc import Sequence
from typing import Any

from gitops_karmada.core.fields import integer, mapping, text
from gitops_karmada.core.interpreters import Interpretation, Items, Replicas
from gitops_karmada.core.thirdparty_status import only_status, reports_of, returned, total, without_empty
from gitops_karmada.core.workload_status import reported, status_of
from gitops_karmada.core.workloads import POD_TEMPLATE, template_requirements
from gitops_karmada.model.objects import Object, dig

LOST = frozenset({"Error", "OOMKilled", "ContainerCannotRun"})
UNSCHEDULABLE = {"waiting": {"reason": "Unschedulable"}}


def replicas(obj: Object) -> Replicas:
    return 1, template_requirements(obj, POD_TEMPLATE)


def is_healthy(obj: Object) -> bool:
    state = mapping(obj, "status", "containerState")
    if state.get("running") is not None:
        return True
    if state.get("waiting") is not None:
        return text(state, "waiting", "reason") == "ContainerCreating"
    if state.get("terminated") is None:
        return False
    return text(state, "terminated", "reason") not in LOST and integer(state, "terminated", "exitCode") == 0


def reflect(obj: Object) -> Object:
    status = status_of(obj)
    if status is None:
        return {}
    kept: dict[str, Any] = {"readyReplicas": integer(status, "readyReplicas")}
    for name in ("containerState", "conditions"):
        if status.get(name):
            kept[name] = status[name]
    return without_empty(kept)


def aggregate(obj: Object, items: Items) -> Object:
    if items is None:
        return without_empty(obj)
    if len(items) == 1:
        return only_status(obj, items)
    reports = [(item, report) for item in items if (report := reported(item)) is not None]
    lost = [(item["clusterName"], mapping(report, "containerState")) for item, report in reports if _is_lost(report)]
    status: dict[str, Any] = {"readyReplicas": total(reports_of(items), "readyReplicas")}
    status["containerState"] = (lost[-1][1] or UNSCHEDULABLE) if lost else _running([report for _, report in reports])
    status["conditions"] = _conditions([str(cluster) for cluster, _ in lost], len(reports), len(items))
    return returned(obj, status)


def _is_lost(report: Object) -> bool:
    state = mapping(report, "containerState")
    return not state or state.get("terminated") is not None or state.get("waiting") is not None


def _running(reports: Sequence[Object]) -> Object:
    starts = [started for report in reports if (started := dig(report, "containerState", "running", "startedAt"))]
    return {"running": {"startedAt": max(starts)}} if starts else {}


def _conditions(lost: list[str], seen: int, members: int) -> list[Object]:
    # Karmada adds the time at which it looked, which would make every look a change.
    if lost:
        message = f"Notebook executed failed in member clusters: {', '.join(lost)}"
        return [{"type": "Failed", "status": "True", "reason": "NotebookFailed", "message": message}]
    if members and seen == members:
        return [{"type": "Ready", "status": "True", "reason": "Ready", "message": "All notebooks are ready"}]
    return []


NOTEBOOK = Interpretation(replicas=replicas, health=is_healthy, reflect=reflect, aggregate=aggregate)
