"""Volcano's Job."""

import re
from collections.abc import Sequence
from typing import Any

from gitops_karmada.core.fields import integer, mapping, sequence, text
from gitops_karmada.core.interpreters import Interpretation, InterpretError, Items
from gitops_karmada.core.thirdparty_status import (
    count,
    keep,
    only_status,
    reports_of,
    returned,
    total,
    without_empty,
    without_nothing,
)
from gitops_karmada.core.workloads import component
from gitops_karmada.model.objects import Object, dig

COUNTERS = ("minAvailable", "pending", "running", "succeeded", "failed", "terminating", "unknown", "retryCount")
HEALTHY = frozenset(
    {
        "Running",
        "Completed",
        "Pending",
        "Aborting",
        "Aborted",
        "Restarting",
        "Completing",
        "Terminating",
        "Terminated",
    }
)
FAILED = frozenset({"Failed", "Aborted", "Aborting", "Terminated", "Terminating"})
SECONDS = {"h": 3600, "m": 60, "s": 1}


def components(obj: Object) -> list[Object]:
    """One for each task, with as many replicas as it needs to start."""
    return [_component(index, task) for index, task in enumerate(sequence(obj, "spec", "tasks"))]


def _component(index: int, task: Object) -> Object:
    if task.get("template") is None:
        raise InterpretError(f"spec.tasks[{index}].template: missing")
    name = text(task, "name") or f"task-{index}"
    return component(name, count(task.get("minAvailable"), 1), mapping(task, "template"))


def is_healthy(obj: Object) -> bool:
    return text(obj, "status", "state", "phase") in HEALTHY


def aggregate(obj: Object, items: Items) -> Object:
    if items is None:
        return without_empty(obj)
    if len(items) == 1:
        return only_status(obj, items)
    reports = reports_of(items)
    status: dict[str, Any] = {name: total(reports, name) for name in COUNTERS}
    status["version"] = max((integer(report, "version") for report in reports), default=0)
    status["runningDuration"] = max((text(report, "runningDuration") for report in reports), key=_seconds, default="")
    status["taskStatusCount"] = _tasks(reports)
    status["controlledResources"] = {k: v for r in reports for k, v in mapping(r, "controlledResources").items()}
    status["state"] = _state(items)
    status["conditions"] = _conditions(reports)
    return returned(obj, without_nothing(status))


def _tasks(reports: Sequence[Object]) -> Object:
    tasks: dict[str, dict[str, dict[str, int]]] = {}
    for report in reports:
        for task, counted in mapping(report, "taskStatusCount").items():
            phases = tasks.setdefault(task, {"phase": {}})["phase"]
            for phase, number in mapping(counted, "phase").items():
                phases[phase] = phases.get(phase, 0) + number
    return tasks


def _state(items: Sequence[Object]) -> Object:
    # Karmada adds the time at which it looked, which would make every look a change.
    phases = [(item.get("clusterName"), dig(item, "status", "state", "phase")) for item in items]
    failed = [str(cluster) for cluster, phase in phases if phase in ("Failed", "Aborted")]
    if items and all(phase == "Completed" for _, phase in phases):
        return {"phase": "Completed", "reason": "Completed", "message": "Job completed successfully"}
    if not failed:
        return {}
    message = f"Job failed in clusters: {','.join(failed)}"
    return {"phase": "Failed", "reason": "VolcanoJobFailed", "message": message}


def _conditions(reports: Sequence[Object]) -> list[Object]:
    """Those of the first member that failed; without one, the newest of each status."""
    histories = [sequence(report, "conditions") for report in reports]
    failed = next((history for history in histories if any(text(c, "status") in FAILED for c in history)), None)
    if failed is not None:
        return failed
    newest: dict[str, Object] = {}
    for condition in (condition for history in histories for condition in history):
        known = newest.get(text(condition, "status"))
        if known is None or text(condition, "lastTransitionTime") > text(known, "lastTransitionTime"):
            newest[text(condition, "status")] = condition
    return list(newest.values())


def _seconds(duration: str) -> float:
    return sum(float(number) * SECONDS[unit] for number, unit in re.findall(r"(\d+(?:\.\d+)?)([hms])", duration))


VOLCANO_JOB = Interpretation(
    components=components,
    health=is_healthy,
    reflect=keep(
        *COUNTERS, "version", "runningDuration", "taskStatusCount", "controlledResources", "state", "conditions"
    ),
    aggregate=aggregate,
)
