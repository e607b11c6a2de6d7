"""OpenKruise's CloneSet, UnitedDeployment, StatefulSet and DaemonSet."""

from collections.abc import Callable
from typing import Any

from gitops_karmada.core.fields import integer, optional_integer, sequence, text, with_field
from gitops_karmada.core.interpreters import Interpretation, InterpretError, Items, Replicas
from gitops_karmada.core.interpreters.deployments import is_healthy as is_deployment_healthy
from gitops_karmada.core.thirdparty_status import (
    keep,
    last,
    must_have_status,
    observed_generation,
    reports_of,
    total,
    with_status,
)
from gitops_karmada.core.workload_status import status_of
from gitops_karmada.core.workloads import POD_TEMPLATE, needed_by_pods, pod_dependencies, template_requirements
from gitops_karmada.model.objects import Object

PODS = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
CLONES = (*PODS, "updatedReadyReplicas", "expectedUpdatedReplicas")
UNITED = (*PODS, "unavailableReplicas")
STATEFUL = (*PODS, "currentReplicas", "updatedReadyReplicas")
DAEMONS = (
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
)
REVISIONS = ("updateRevision", "currentRevision")


def replicas(obj: Object) -> Replicas:
    wished = optional_integer(obj, "spec", "replicas")
    if wished is None:
        raise InterpretError("spec.replicas: missing")
    return wished, template_requirements(obj, POD_TEMPLATE)


def revise(obj: Object, number: int) -> Object:
    return with_field(obj, ("spec", "replicas"), number)


def is_healthy(obj: Object) -> bool:
    must_have_status(obj)
    return is_deployment_healthy(obj)


def is_united_healthy(obj: Object) -> bool:
    return status_of(obj) is not None and is_deployment_healthy(obj)


def is_daemonset_healthy(obj: Object) -> bool:
    status = must_have_status(obj)
    updated = integer(status, "updatedNumberScheduled")
    return (
        integer(status, "observedGeneration") == integer(obj, "metadata", "generation")
        and updated >= integer(status, "desiredNumberScheduled")
        and integer(status, "numberAvailable") >= updated
    )


def aggregate(counters: tuple[str, ...], words: dict[str, Any]) -> Callable[[Object, Items], Object]:
    """Sum the counters; of the words the last one said counts, else the default beside it."""

    def aggregated(obj: Object, items: Items) -> Object:
        reports = reports_of(items)
        sums = {name: total(reports, name) for name in counters}
        said = {name: last(reports, name, default) for name, default in words.items()}
        return with_status(obj, **sums, **said, observedGeneration=observed_generation(obj, items))

    return aggregated


def aggregate_clones(obj: Object, items: Items) -> Object:
    """Where no member has it any more, its last revisions stay."""
    words = {} if items is None else {**dict.fromkeys(REVISIONS, ""), "labelSelector": ""}
    return aggregate(CLONES, words)(obj, items)


def aggregate_united(obj: Object, items: Items) -> Object:
    conditions = {text(c, "type"): c for report in reports_of(items) for c in sequence(report, "conditions")}
    summed = aggregate(UNITED, {})(obj, items)
    return with_status(summed, conditions=list(conditions.values())) if conditions else summed


def daemonset_dependencies(obj: Object) -> list[Object]:
    return pod_dependencies(obj)


CLONESET = Interpretation(
    replicas=replicas,
    revise=revise,
    health=is_healthy,
    reflect=keep(*CLONES, *REVISIONS, "labelSelector", "observedGeneration", generations=True),
    aggregate=aggregate_clones,
    dependencies=needed_by_pods,
)
UNITED_DEPLOYMENT = Interpretation(
    replicas=replicas,
    revise=revise,
    health=is_united_healthy,
    reflect=keep(*UNITED, "observedGeneration", "conditions", generations=True),
    aggregate=aggregate_united,
    dependencies=needed_by_pods,
)
KRUISE_STATEFULSET = Interpretation(
    replicas=replicas,
    revise=revise,
    health=is_healthy,
    reflect=keep(*STATEFUL, *REVISIONS, "observedGeneration", generations=True),
    aggregate=aggregate(STATEFUL, dict.fromkeys(REVISIONS, "")),
    dependencies=needed_by_pods,
)
KRUISE_DAEMONSET = Interpretation(
    health=is_daemonset_healthy,
    reflect=keep(*DAEMONS, "daemonSetHash", "observedGeneration", generations=True),
    aggregate=aggregate(DAEMONS, {"daemonSetHash": 0}),
    dependencies=daemonset_dependencies,
)
