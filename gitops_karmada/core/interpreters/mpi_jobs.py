"""Kubeflow's MPIJob."""

from collections.abc import Sequence
from typing import Any

from gitops_karmada.core.fields import mapping, sequence, text
from gitops_karmada.core.interpreters import Interpretation, Items
from gitops_karmada.core.thirdparty_status import (
    count,
    greatest,
    keep,
    only_status,
    reports_of,
    returned,
    smallest,
    total,
    without_empty,
)
from gitops_karmada.core.workload_status import has_condition
from gitops_karmada.core.workloads import component
from gitops_karmada.model.objects import Object

COUNTERS = ("active", "succeeded", "failed")
TIMES = ("startTime", "completionTime", "lastReconcileTime")


def components(obj: Object) -> list[Object]:
    """One for each kind of replica; without a number, no workers and one of the others."""
    specs = mapping(obj, "spec", "mpiReplicaSpecs")
    return [_component(kind, spec) for kind, spec in sorted(specs.items()) if spec and spec.get("template") is not None]


def _component(kind: str, spec: Object) -> Object:
    default = 0 if kind.lower() == "worker" else 1
    return component(kind, count(spec.get("replicas"), default), mapping(spec, "template"))


def is_healthy(obj: Object) -> bool:
    return bool(sequence(obj, "status", "conditions")) and not has_condition(mapping(obj, "status"), "Failed")


def reflect(obj: Object) -> Object:
    kept = dict(keep("conditions", *TIMES)(obj))
    statuses = {
        kind: {name: counted[name] for name in (*COUNTERS, "selector") if counted.get(name) is not None}
        for kind, counted in mapping(obj, "status", "replicaStatuses").items()
        if counted
    }
    return without_empty({**kept, "replicaStatuses": statuses})


def aggregate(obj: Object, items: Items) -> Object:
    if not items:
        return without_empty(obj)
    if len(items) == 1:
        return only_status(obj, items)
    reports = reports_of(items)
    kinds = sorted({kind for report in reports for kind in mapping(report, "replicaStatuses")})
    status: dict[str, Any] = {
        "replicaStatuses": {k: {n: total(reports, "replicaStatuses", k, n) for n in COUNTERS} for k in kinds},
        "conditions": _newest_conditions(reports),
        "startTime": smallest(reports, "startTime"),
        "completionTime": greatest(reports, "completionTime"),
        "lastReconcileTime": greatest(reports, "lastReconcileTime"),
    }
    return returned(obj, {name: value for name, value in status.items() if value is not None})


def _newest_conditions(reports: Sequence[Object]) -> list[Object]:
    """The newest of each type, in the order in which the types were met; one without a time is not counted."""
    newest: dict[str, Object] = {}
    for condition in (c for report in reports for c in sequence(report, "conditions") if _time(c)):
        known = newest.get(text(condition, "type"))
        if known is None or _time(condition) > _time(known):
            newest[text(condition, "type")] = condition
    return list(newest.values())


def _time(condition: Object) -> str:
    return text(condition, "lastUpdateTime") or text(condition, "lastTransitionTime")


MPI_JOB = Interpretation(components=components, health=is_healthy, reflect=reflect, aggregate=aggregate)
