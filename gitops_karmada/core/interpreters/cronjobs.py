"""CronJobs."""

from typing import Any

from gitops_karmada.core.fields import sequence
from gitops_karmada.core.interpreters import Interpretation, Items
from gitops_karmada.core.times import latest
from gitops_karmada.core.workload_status import reported
from gitops_karmada.core.workloads import pod_dependencies
from gitops_karmada.model.objects import Object

POD_TEMPLATE = ("spec", "jobTemplate", "spec", "template")


def aggregate(obj: Object, items: Items) -> Object:
    reports = [report for item in items or () if (report := reported(item)) is not None]
    status: dict[str, Any] = {}
    if active := [job for report in reports for job in sequence(report, "active")]:
        status["active"] = active
    for name in ("lastScheduleTime", "lastSuccessfulTime"):
        if times := [report[name] for report in reports if report.get(name)]:
            status[name] = latest(times)
    return {**obj, "status": status}


def dependencies(obj: Object) -> list[Object]:
    return pod_dependencies(obj, POD_TEMPLATE)


CRONJOB = Interpretation(aggregate=aggregate, dependencies=dependencies)
