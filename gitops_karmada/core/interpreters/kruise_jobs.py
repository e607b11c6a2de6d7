"""OpenKruise's BroadcastJob and AdvancedCronJob."""

from gitops_karmada.core.fields import optional_integer, sequence, text, with_field
from gitops_karmada.core.interpreters import Interpretation, Items, Replicas
from gitops_karmada.core.thirdparty_status import (
    keep,
    last,
    must_have_status,
    reports_of,
    total,
    with_status,
    without_empty,
)
from gitops_karmada.core.workload_status import reported
from gitops_karmada.core.workloads import POD_TEMPLATE, needed_by_pods, template_requirements
from gitops_karmada.model.objects import Object, dig

COUNTERS = ("active", "succeeded", "failed", "desired")
LABELS = ("spec", "template", "metadata", "labels")


def replicas(obj: Object) -> Replicas:
    parallelism = optional_integer(obj, "spec", "parallelism")
    return 1 if parallelism is None else parallelism, template_requirements(obj, POD_TEMPLATE)


def revise(obj: Object, number: int) -> Object:
    return with_field(obj, ("spec", "parallelism"), number)


def retain(desired: Object, observed: Object) -> Object:
    labels = dig(observed, *LABELS)
    return desired if labels is None else with_field(desired, LABELS, labels)


def is_healthy(obj: Object) -> bool:
    status = must_have_status(obj)
    # A count of failures that is missing is not zero: only a job that says so has had none.
    if optional_integer(status, "desired") == 0 or optional_integer(status, "failed") != 0:
        return False
    return not (optional_integer(status, "succeeded") == 0 and optional_integer(status, "active") == 0)


def aggregate(obj: Object, items: Items) -> Object:
    if items is None:
        return without_empty(obj)
    reports = reports_of(items)
    sums = {name: total(reports, name) for name in COUNTERS}
    return with_status(obj, **sums, phase=last(reports, "phase", ""), conditions=_conditions(items))


def _conditions(items: Items) -> list[Object]:
    items = items or ()
    ends = [(item["clusterName"], _end(item)) for item in items]
    failed = [cluster for cluster, end in ends if end == "Failed"]
    conditions: list[Object] = []
    if failed:
        message = f"Job executed failed in member clusters: {', '.join(failed)}"
        conditions.append({"type": "Failed", "status": "True", "reason": "JobFailed", "message": message})
    if ends and all(end == "Complete" for _, end in ends):
        done = {"type": "Completed", "status": "True", "reason": "Completed", "message": "Job completed"}
        conditions.append(done)
    return conditions


def _end(item: Object) -> str | None:
    """How it ended in the member: what it says first counts."""
    true = [text(c, "type") for c in sequence(reported(item), "conditions") if text(c, "status") == "True"]
    return next((end for end in true if end in ("Complete", "Failed")), None)


def aggregate_cronjob(obj: Object, items: Items) -> Object:
    if items is None:
        return without_empty(obj)
    reports = reports_of(items)
    active = [job for report in reports for job in sequence(report, "active")]
    scheduled = last(reports, "lastScheduleTime")
    return with_status(obj, active=active, type=last(reports, "type", ""), lastScheduleTime=scheduled)


def cronjob_dependencies(obj: Object) -> list[Object]:
    for kind in ("broadcastJobTemplate", "jobTemplate"):
        if dig(obj, "spec", "template", kind) is not None:
            return needed_by_pods(obj, ("spec", "template", kind, "spec", "template"))
    return needed_by_pods(obj, ("spec", "template", "jobTemplate", "spec", "template"))


BROADCASTJOB = Interpretation(
    replicas=replicas,
    revise=revise,
    retain=retain,
    health=is_healthy,
    reflect=keep(*COUNTERS, "conditions", "startTime", "completionTime", "phase"),
    aggregate=aggregate,
    dependencies=needed_by_pods,
)
ADVANCED_CRONJOB = Interpretation(aggregate=aggregate_cronjob, dependencies=cronjob_dependencies)
