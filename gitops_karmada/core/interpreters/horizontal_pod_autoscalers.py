"""HorizontalPodAutoscalers."""

from gitops_karmada.core.fields import integer
from gitops_karmada.core.interpreters import Interpretation, Items
from gitops_karmada.core.workload_status import reported, status_of
from gitops_karmada.model.objects import Object


def reflect(obj: Object) -> Object | None:
    status = status_of(obj)
    return None if status is None else _counted(integer(status, "currentReplicas"), integer(status, "desiredReplicas"))


def aggregate(obj: Object, items: Items) -> Object:
    reports = [report for item in items or () if (report := reported(item)) is not None]
    current = sum(integer(report, "currentReplicas") for report in reports)
    return {**obj, "status": _counted(current, sum(integer(report, "desiredReplicas") for report in reports))}


def _counted(current: int, desired: int) -> Object:
    return {"currentReplicas": current, "desiredReplicas": desired} if current else {"desiredReplicas": desired}


HORIZONTAL_POD_AUTOSCALER = Interpretation(reflect=reflect, aggregate=aggregate)
