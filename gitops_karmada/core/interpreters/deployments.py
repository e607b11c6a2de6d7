"""Deployments."""

from gitops_karmada.core.fields import integer, optional_integer, with_field
from gitops_karmada.core.interpreters import Interpretation, InterpretError
from gitops_karmada.core.workload_status import Counters, aggregate_counters, has_seen_template, reflect_counters
from gitops_karmada.core.workloads import pod_dependencies, replicas, revise
from gitops_karmada.model.objects import Object, dig, labels_of

RETAIN_REPLICAS = "resourcetemplate.karmada.io/retain-replicas"
COUNTERS = Counters(
    names=("replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas"),
)


def retain(desired: Object, observed: Object) -> Object:
    """Leave the number of replicas to the member where the template asks for it."""
    if labels_of(desired).get(RETAIN_REPLICAS) != "true":
        return desired
    kept = optional_integer(observed, "spec", "replicas")
    if kept is None:
        raise InterpretError("spec.replicas: nothing observed to retain")
    return desired if dig(desired, "spec", "replicas") == kept else with_field(desired, ("spec", "replicas"), kept)


def is_healthy(obj: Object) -> bool:
    status = obj.get("status")
    if integer(status, "observedGeneration") != integer(obj, "metadata", "generation"):
        return False
    wished = optional_integer(obj, "spec", "replicas")
    updated = integer(status, "updatedReplicas")
    return (wished is None or updated >= wished) and integer(status, "availableReplicas") >= updated


DEPLOYMENT = Interpretation(
    replicas=replicas,
    revise=revise("replicas"),
    retain=retain,
    health=is_healthy,
    reflect=reflect_counters(COUNTERS),
    aggregate=aggregate_counters(COUNTERS, has_seen_template),
    dependencies=pod_dependencies,
)
