"""Jobs."""

from collections.abc import Sequence
from typing import Any

from gitops_karmada.core.fields import integer, mapping, optional_integer, sequence, with_field
from gitops_karmada.core.interpreters import Interpretation, Items, Replicas
from gitops_karmada.core.times import earliest, latest
from gitops_karmada.core.workload_status import compact, has_condition, reported, status_of
from gitops_karmada.core.workloads import POD_TEMPLATE, pod_dependencies, requirements, revise
from gitops_karmada.model.objects import Object, dig

COUNTERS = ("active", "succeeded", "failed")


def replicas(obj: Object) -> Replicas:
    """As many pods as run at once."""
    parallelism = integer(obj, "spec", "parallelism")
    completions = optional_integer(obj, "spec", "completions")
    at_once = parallelism if completions is None else min(parallelism, completions)
    return at_once, requirements(obj, POD_TEMPLATE)


def retain(desired: Object, observed: Object) -> Object:
    """Keep the selector that the member's API server generated, and the labels it selects."""
    for path in (("spec", "selector", "matchLabels"), ("spec", "template", "metadata", "labels")):
        generated = dig(observed, *path)
        if generated is not None:
            desired = with_field(desired, path, mapping(observed, *path))
    return desired


def reflect(obj: Object) -> Object | None:
    status = status_of(obj)
    if status is None:
        return None
    kept: dict[str, Any] = {name: number for name in COUNTERS if (number := integer(status, name))}
    if conditions := sequence(status, "conditions"):
        kept["conditions"] = conditions
    kept.update((name, status[name]) for name in ("startTime", "completionTime") if status.get(name))
    return kept


def aggregate(obj: Object, items: Items) -> Object:
    """Complete when every member's Job is, failed as soon as one is; a finished one stays as it is."""
    old = mapping(obj, "status")
    if has_condition(old, "Complete") or has_condition(old, "Failed"):
        return obj
    items = items or ()
    reports = [report for item in items if (report := reported(item)) is not None]
    status = {name: total for name in COUNTERS if (total := sum(integer(report, name) for report in reports))}
    kept = {name: value for name, value in compact(old).items() if name not in COUNTERS}
    return {**obj, "status": {**kept, **status, **_times(old, items), **_conditions(old, items)}}


def _conditions(old: Object, items: Sequence[Object]) -> Object:
    failed = [item["clusterName"] for item in items if has_condition(item.get("status"), "Failed")]
    complete = [item for item in items if has_condition(item.get("status"), "Complete")]
    met = [item for item in items if has_condition(item.get("status"), "SuccessCriteriaMet")]
    found = []
    if failed:
        message = f"Job executed failed in member clusters {','.join(failed)}"
        found.append({"type": "Failed", "status": "True", "reason": "JobFailed", "message": message})
    if items and len(complete) == len(items):
        if len(met) == len(items):
            message = "All member clusters have met success criteria"
            reason = "CompletionsReached"
            found.append({"type": "SuccessCriteriaMet", "status": "True", "reason": reason, "message": message})
        found.append({"type": "Complete", "status": "True", "reason": "Completed", "message": "Job completed"})
    return {"conditions": [*sequence(old, "conditions"), *found]} if found else {}


def _times(old: Object, items: Sequence[Object]) -> Object:
    starts = [dig(item, "status", "startTime") for item in items]
    ends = [dig(item, "status", "completionTime") for item in items]
    times = {}
    if not old.get("startTime") and starts and all(starts):
        times["startTime"] = earliest(starts)
    if ends and all(ends):
        times["completionTime"] = latest(ends)
    return times


JOB = Interpretation(
    replicas=replicas,
    revise=revise("parallelism"),
    retain=retain,
    reflect=reflect,
    aggregate=aggregate,
    dependencies=pod_dependencies,
)
