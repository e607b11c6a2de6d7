"""Argo's Workflow."""

from gitops_karmada.core.fields import mapping, optional_integer, sequence, text, with_field
from gitops_karmada.core.interpreters import Interpretation, Replicas
from gitops_karmada.core.workloads import pod_dependencies, references
from gitops_karmada.model.objects import Object, dig
from gitops_karmada.model.pod_templates import node_claim_of


def replicas(obj: Object) -> Replicas:
    """As many pods as may run at once; what they request is known only when they do."""
    parallelism = optional_integer(obj, "spec", "parallelism")
    claim = node_claim_of({"spec": mapping(obj, "spec")})
    return 1 if parallelism is None else parallelism, None if claim is None else {"nodeClaim": claim}


def revise(obj: Object, number: int) -> Object:
    return with_field(obj, ("spec", "parallelism"), number)


def retain(desired: Object, observed: Object) -> Object:
    """Leave to the member whether it is suspended and how far it is."""
    if dig(observed, "spec", "suspend") is not None:
        desired = with_field(desired, ("spec", "suspend"), observed["spec"]["suspend"])
    return desired if observed.get("status") is None else {**desired, "status": observed["status"]}


def is_healthy(obj: Object) -> bool:
    return text(obj, "status", "phase") not in ("", "Error", "Failed")


def dependencies(obj: Object) -> list[Object]:
    claims = [dig(claim, "metadata", "name") for claim in sequence(obj, "spec", "volumeClaimTemplates")]
    executor = dig(obj, "spec", "executor", "serviceAccountName")
    found = {
        (reference["kind"], reference["name"]): reference
        for reference in (
            *_of_pods(obj),
            *references(obj, {"ServiceAccount": [executor], "PersistentVolumeClaim": claims}),
        )
    }
    return list(found.values())


def _of_pods(obj: Object) -> list[Object]:
    """Volumes, image pull secrets and account stand in its spec, as they do in a pod's."""
    return pod_dependencies(obj, ())


WORKFLOW = Interpretation(replicas=replicas, revise=revise, retain=retain, health=is_healthy, dependencies=dependencies)
