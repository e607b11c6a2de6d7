"""ReplicaSets."""

from gitops_karmada.core.fields import integer, optional_integer
from gitops_karmada.core.interpreters import Interpretation
from gitops_karmada.core.workload_status import Counters, aggregate_counters, has_seen_template, reflect_counters
from gitops_karmada.core.workloads import pod_dependencies, replicas, revise
from gitops_karmada.model.objects import Object

COUNTERS = Counters(names=("replicas", "readyReplicas", "availableReplicas"), always=frozenset({"replicas"}))


def is_healthy(obj: Object) -> bool:
    status = obj.get("status")
    if integer(status, "observedGeneration") != integer(obj, "metadata", "generation"):
        return False
    wished = optional_integer(obj, "spec", "replicas")
    return wished is None or integer(status, "availableReplicas") >= wished


REPLICASET = Interpretation(
    replicas=replicas,
    revise=revise("replicas"),
    health=is_healthy,
    reflect=reflect_counters(COUNTERS),
    aggregate=aggregate_counters(COUNTERS, has_seen_template),
    dependencies=pod_dependencies,
)
