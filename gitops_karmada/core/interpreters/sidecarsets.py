"""OpenKruise's SidecarSet."""

from typing import Any

from gitops_karmada.core.fields import integer, sequence
from gitops_karmada.core.interpreters import Interpretation, InterpretError, Items, Replicas
from gitops_karmada.core.thirdparty_status import reports_of, total
from gitops_karmada.core.workload_status import status_of
from gitops_karmada.model.objects import Object, metadata_of
from gitops_karmada.model.pod_templates import dependencies_of

COUNTERS = ("matchedPods", "updatedPods", "readyPods")
VOLUMES = ("configMap", "secret", "projected")


def replicas(_obj: Object) -> Replicas:
    """None of its own: it only joins pods of others."""
    return 0, None


def retain(desired: Object, _observed: Object) -> Object:
    return desired


def is_healthy(obj: Object) -> bool:
    status = status_of(obj)
    if status is None:
        return False
    matched = integer(status, "matchedPods")
    return matched == 0 or integer(status, "updatedPods") == matched


def reflect(obj: Object) -> Object:
    status = status_of(obj)
    return {} if status is None else {name: integer(status, name) for name in COUNTERS}


def aggregate(obj: Object, items: Items) -> Object:
    if items is None:
        raise InterpretError("no member has it yet")
    reports = reports_of(items)
    kept = {name: obj[name] for name in ("apiVersion", "kind", "metadata")}
    return {**kept, "status": {name: total(reports, name) for name in COUNTERS}}


def dependencies(obj: Object) -> list[Object]:
    """What its containers read and its volumes hold."""
    volumes: list[dict[str, Any]] = [
        {name: volume[name] for name in VOLUMES if name in volume} for volume in sequence(obj, "spec", "volumes")
    ]
    spec = {"containers": sequence(obj, "spec", "containers"), "volumes": volumes}
    return dependencies_of({"spec": spec}, str(metadata_of(obj).get("namespace") or ""))


SIDECARSET = Interpretation(
    replicas=replicas,
    retain=retain,
    health=is_healthy,
    reflect=reflect,
    aggregate=aggregate,
    dependencies=dependencies,
)
