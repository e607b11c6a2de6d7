"""OpenKruise's BroadcastJob and AdvancedCronJob."""

from gitops_karmada.core.fields import optional_integer, sequence, with_field
from gitops_karmada.core.interpreters import Interpretation, Items, Replicas
from gitops_karmada.core.thirdparty_status import keep, last, must_have_status, reports_of, total, with_status
from gitops_karmada.core.workload_status import has_condition
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
        return obj
    reports = reports_of(items)
    sums = {name: total(reports, name) for name in COUNTERS}
    return with_status(obj, **sums, phase=last(reports, "phase", ""), conditions=_conditions(items))


def _conditions(items: Items) -> list[Object]:
    items = items or ()
    failed = [item["clusterName"] for item in items if has_condition(item.get("status"), "Failed")]
    complete = [item for item in items if has_condition(item.get("status"), "Complete")]
    conditions: list[Object] = []
    if failed:
        message = f"Job executed failed in member clusters: {', '.join(failed)}"
        conditions.append({"type": "Failed", "status": "True", "reason": "JobFailed", "message": message})
    if items and len(complete) == len(items):
        done = {"type": "Completed", "status": "True", "reason": "Completed", "message": "Job completed"}
        conditions.append(done)
    return conditions


def aggregate_cronjob(obj: Object, items: Items) -> Object:
    if items is None:
        return obj
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
