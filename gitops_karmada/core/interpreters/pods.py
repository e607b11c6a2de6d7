"""Pods that stand alone."""

from collections.abc import Mapping
from typing import Any

from gitops_karmada.core.fields import mapping, sequence, text, with_field
from gitops_karmada.core.interpreters import Interpretation, Items, Replicas
from gitops_karmada.core.workload_status import has_condition, reported
from gitops_karmada.core.workloads import pod_dependencies, requirements
from gitops_karmada.model.objects import Object, dig

# The worst one seen in a member speaks for all of them.
PHASES = ("Failed", "Pending", "Running", "Succeeded")


def replicas(obj: Object) -> Replicas:
    return 1, requirements(obj, ())


def retain(desired: Object, observed: Object) -> Object:
    """Keep what the member's API server and scheduler filled in; a pod's spec can hardly be changed."""
    spec = dict(mapping(desired, "spec"))
    for name in ("nodeName", "serviceAccountName", "volumes"):
        _keep(spec, name, mapping(observed, "spec"))
    for name in ("containers", "initContainers"):
        if name in spec:
            spec[name] = _with_mounts(sequence(spec, name), sequence(observed, "spec", name))
    return with_field(desired, ("spec",), spec)


def _keep(part: dict[str, Any], name: str, observed: Object) -> None:
    if observed.get(name):
        part[name] = observed[name]
    else:
        part.pop(name, None)


def _with_mounts(desired: list[Object], observed: list[Object]) -> list[Object]:
    seen = {container.get("name"): container for container in observed}
    return [_with_observed_mounts(c, seen[c.get("name")]) if c.get("name") in seen else c for c in desired]


def _with_observed_mounts(container: Object, observed: Object) -> Object:
    kept = dict(container)
    _keep(kept, "volumeMounts", observed)
    return kept


def is_healthy(obj: Object) -> bool:
    phase = dig(obj, "status", "phase")
    return phase == "Succeeded" or (phase == "Running" and has_condition(mapping(obj, "status"), "Ready"))


def aggregate(obj: Object, items: Items) -> Object:
    if items is None:
        return obj
    status: dict[str, Any] = {}
    phases = {_phase(item) for item in items}
    if phase := next((phase for phase in PHASES if phase in phases), None):
        status["phase"] = phase
    for name in ("initContainerStatuses", "containerStatuses"):
        if states := [_container_state(s) for item in items for s in sequence(reported(item), name)]:
            status[name] = states
    return {**obj, "status": status}


def _phase(item: Object) -> str:
    report = reported(item)
    return "Pending" if report is None else text(report, "phase")


def _container_state(state: Any) -> Object:
    """Only whether it is ready and what it does: which container in which member it was is not told."""
    known = state if isinstance(state, Mapping) else {}
    required = {"name": "", "ready": bool(known.get("ready")), "restartCount": 0, "image": "", "imageID": ""}
    return {**required, "state": known.get("state") or {}, "lastState": {}}


def dependencies(obj: Object) -> list[Object]:
    return pod_dependencies(obj, ())


POD = Interpretation(
    replicas=replicas, retain=retain, health=is_healthy, aggregate=aggregate, dependencies=dependencies
)
