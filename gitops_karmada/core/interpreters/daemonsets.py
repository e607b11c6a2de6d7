"""DaemonSets."""

from gitops_karmada.core.fields import integer
from gitops_karmada.core.interpreters import Interpretation
from gitops_karmada.core.workload_status import Counters, aggregate_counters, has_seen_template, reflect_counters
from gitops_karmada.core.workloads import pod_dependencies
from gitops_karmada.model.objects import Object

COUNTERS = Counters(
    names=(
        "currentNumberScheduled",
        "desiredNumberScheduled",
        "numberAvailable",
        "numberMisscheduled",
        "numberReady",
        "updatedNumberScheduled",
        "numberUnavailable",
    ),
    always=frozenset({"currentNumberScheduled", "desiredNumberScheduled", "numberMisscheduled", "numberReady"}),
)


def is_healthy(obj: Object) -> bool:
    status = obj.get("status")
    updated = integer(status, "updatedNumberScheduled")
    return (
        integer(status, "observedGeneration") == integer(obj, "metadata", "generation")
        and updated >= integer(status, "desiredNumberScheduled")
        and integer(status, "numberAvailable") >= updated
    )


DAEMONSET = Interpretation(
    health=is_healthy,
    reflect=reflect_counters(COUNTERS),
    aggregate=aggregate_counters(COUNTERS, has_seen_template),
    dependencies=pod_dependencies,
)
