"""PodDisruptionBudgets."""

from typing import Any

from gitops_karmada.core.fields import integer, mapping
from gitops_karmada.core.interpreters import Interpretation, Items
from gitops_karmada.core.workload_status import reported, status_of
from gitops_karmada.model.objects import Object

COUNTERS = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")


def is_healthy(obj: Object) -> bool:
    return integer(obj, "status", "currentHealthy") >= integer(obj, "status", "desiredHealthy")


def reflect(obj: Object) -> Object | None:
    status = status_of(obj)
    if status is None:
        return None
    kept: dict[str, Any] = {name: integer(status, name) for name in COUNTERS}
    if disrupted := mapping(status, "disruptedPods"):
        kept["disruptedPods"] = disrupted
    return kept


def aggregate(obj: Object, items: Items) -> Object:
    reports = [(item, report) for item in items or () if (report := reported(item)) is not None]
    status: dict[str, Any] = {name: sum(integer(report, name) for _, report in reports) for name in COUNTERS}
    disrupted = {
        f"{item['clusterName']}/{pod}": since
        for item, report in reports
        for pod, since in mapping(report, "disruptedPods").items()
    }
    return {**obj, "status": {**status, "disruptedPods": disrupted} if disrupted else status}


POD_DISRUPTION_BUDGET = Interpretation(health=is_healthy, reflect=reflect, aggregate=aggregate)
