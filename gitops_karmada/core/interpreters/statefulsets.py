"""StatefulSets."""

from gitops_karmada.core.fields import integer, sequence
from gitops_karmada.core.interpreters import Interpretation
from gitops_karmada.core.interpreters.deployments import is_healthy
from gitops_karmada.core.workload_status import Counters, aggregate_counters, reflect_counters
from gitops_karmada.core.workloads import pod_dependencies, replicas, revise
from gitops_karmada.model.objects import Object, dig

COUNTERS = Counters(
    names=("availableReplicas", "currentReplicas", "readyReplicas", "updatedReplicas", "replicas"),
    always=frozenset({"replicas", "availableReplicas"}),
)


def has_worked_off(_generation: int, report: Object) -> bool:
    # Karmada compares both numbers with the member's own generation and reflects no observedGeneration.
    return integer(report, "observedGeneration") >= integer(report, "generation") and integer(
        report, "resourceTemplateGeneration"
    ) >= integer(report, "generation")


def dependencies(obj: Object) -> list[Object]:
    """Those of its pods, without the claims that the StatefulSet makes itself."""
    own = {dig(claim, "metadata", "name") for claim in sequence(obj, "spec", "volumeClaimTemplates")}
    found = pod_dependencies(obj)
    return [ref for ref in found if ref["kind"] != "PersistentVolumeClaim" or ref["name"] not in own]


STATEFULSET = Interpretation(
    replicas=replicas,
    revise=revise("replicas"),
    health=is_healthy,
    reflect=reflect_counters(COUNTERS, observes=False),
    aggregate=aggregate_counters(COUNTERS, has_worked_off),
    dependencies=dependencies,
)
