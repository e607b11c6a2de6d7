"""Kubeflow's PyTorchJob and TFJob."""

from collections.abc import Callable, Sequence
from typing import Any

from gitops_karmada.core.fields import mapping, sequence, text
from gitops_karmada.core.interpreters import Interpretation, Items
from gitops_karmada.core.thirdparty_status import (
    count,
    greatest,
    reports_of,
    returned,
    smallest,
    total,
    with_status,
    without_nothing,
)
from gitops_karmada.core.workload_status import has_condition, reported
from gitops_karmada.core.workloads import component, pod_dependencies
from gitops_karmada.model.objects import Object, dig

PYTORCH = ("pytorchReplicaSpecs", ("Master", "Worker"))
TENSORFLOW = ("tfReplicaSpecs", ("PS", "Worker", "Chief", "Master", "Evaluator"))
COUNTERS = ("active", "failed", "succeeded")


def components(specs: str, kinds: tuple[str, ...]) -> Callable[[Object], list[Object]]:
    def parts(obj: Object) -> list[Object]:
        replica_specs = mapping(obj, "spec", specs)
        return [_component(kind, replica_specs[kind]) for kind in kinds if replica_specs.get(kind) is not None]

    return parts


def _component(kind: str, spec: Object) -> Object:
    template = mapping(spec, "template") if spec.get("template") is not None else None
    return component(kind.lower(), count(spec.get("replicas"), 1), template)


def dependencies(specs: str, kinds: tuple[str, ...]) -> Callable[[Object], list[Object]]:
    def needed(obj: Object) -> list[Object]:
        found: list[Object] = []
        for kind in kinds:
            found += (ref for ref in pod_dependencies(obj, ("spec", specs, kind, "template")) if ref not in found)
        return found

    return needed


def is_healthy(obj: Object) -> bool:
    if dig(obj, "status", "conditions") is None:
        return False
    return not has_condition(mapping(obj, "status"), "Failed")


def aggregate_tensorflow(obj: Object, items: Items) -> Object:
    if items is None:
        return _unstarted(obj)
    last_words = [_last_word(item) for item in items]
    failed = [str(item["clusterName"]) for item, word in zip(items, last_words, strict=True) if word == "Failed"]
    # Karmada adds the time at which it looked, which would make every look a change.
    conditions: list[Object] = []
    if failed:
        message = f"TFJob executed failed in member clusters: {', '.join(failed)}"
        conditions.append({"type": "Failed", "status": "True", "reason": "TFJobFailed", "message": message})
    succeeded = bool(items) and all(word == "Succeeded" for word in last_words)
    if succeeded:
        message = "TFJob completed successfully"
        conditions.append({"type": "Succeeded", "status": "True", "reason": "Completed", "message": message})
    return _aggregated(obj, reports_of(items), TENSORFLOW[1], conditions, succeeded)


def _last_word(item: Object) -> str | None:
    ends = [text(c, "type") for c in sequence(reported(item), "conditions") if text(c, "status") == "True"]
    return next((end for end in reversed(ends) if end in ("Succeeded", "Failed")), None)


def aggregate_pytorch(obj: Object, items: Items) -> Object:
    if not items:
        return _unstarted(obj)
    reports = reports_of(items)
    failed = [str(item["clusterName"]) for item in items if has_condition(item.get("status"), "Failed")]
    succeeded = not failed and all(has_condition(item.get("status"), "Succeeded") for item in items)
    conditions = [
        *_created(reports),
        *_running(reports, ended=bool(failed) or succeeded),
        *_ended(reports, failed, succeeded),
    ]
    return _aggregated(obj, reports, PYTORCH[1], conditions, succeeded)


def _created(reports: Sequence[Object]) -> list[Object]:
    if not any(has_condition(report, "Created") for report in reports):
        return []
    return [
        _condition("Created", "True", smallest(reports, "startTime"), "PyTorchJobCreated", "PyTorchJob is created.")
    ]


def _running(reports: Sequence[Object], *, ended: bool) -> list[Object]:
    said = [c for report in reports for c in sequence(report, "conditions") if text(c, "type") == "Running"]
    if not said:
        return []
    times = {name: said[-1].get(name) for name in ("lastUpdateTime", "lastTransitionTime")}
    state = "False" if ended else "True"
    return [{**_condition("Running", state, None, "PyTorchJobRunning", "PyTorchJob is running."), **times}]


def _ended(reports: Sequence[Object], failed: list[str], succeeded: bool) -> list[Object]:
    when = greatest(reports, "completionTime")
    if failed:
        message = f"PyTorchJob executed failed in member clusters: {', '.join(failed)}"
        return [_condition("Failed", "True", when, "PyTorchJobFailed", message)]
    if succeeded:
        return [_condition("Succeeded", "True", when, "PyTorchJobSucceeded", "PyTorchJob is successfully completed.")]
    return []


def _condition(kind: str, state: str, when: str | None, reason: str, message: str) -> dict[str, Any]:
    times = {"lastUpdateTime": when, "lastTransitionTime": when}
    return {"type": kind, "status": state, **times, "reason": reason, "message": message}


def _unstarted(obj: Object) -> Object:
    return with_status(obj, **dict.fromkeys(("startTime", "completionTime", "replicaStatuses", "conditions")))


def _aggregated(
    obj: Object, reports: Sequence[Object], kinds: tuple[str, ...], conditions: list[Object], succeeded: bool
) -> Object:
    statuses = {kind: {n: total(reports, "replicaStatuses", kind, n) for n in COUNTERS} for kind in kinds}
    status: dict[str, Any] = {
        **mapping(obj, "status"),
        "startTime": smallest(reports, "startTime"),
        "lastReconcileTime": greatest(reports, "lastReconcileTime"),
        "replicaStatuses": statuses,
        "conditions": conditions,
    }
    if succeeded:
        status["completionTime"] = greatest(reports, "completionTime")
    return returned(obj, without_nothing(status))


PYTORCH_JOB = Interpretation(
    components=components(*PYTORCH),
    health=is_healthy,
    aggregate=aggregate_pytorch,
    dependencies=dependencies(*PYTORCH),
)
TENSORFLOW_JOB = Interpretation(
    components=components(*TENSORFLOW),
    health=is_healthy,
    aggregate=aggregate_tensorflow,
    dependencies=dependencies(*TENSORFLOW),
)
