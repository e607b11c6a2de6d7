"""Ingresses."""

from gitops_karmada.core.fields import sequence, text
from gitops_karmada.core.interpreters import Interpretation, InterpretError
from gitops_karmada.core.load_balancers import aggregate_ingress, listens
from gitops_karmada.core.workloads import reference
from gitops_karmada.model.objects import Object, metadata_of


def dependencies(obj: Object) -> list[Object]:
    """The certificates."""
    namespace = str(metadata_of(obj).get("namespace") or "")
    names = [text(tls, "secretName") for tls in sequence(obj, "spec", "tls")]
    if not all(names):
        raise InterpretError("spec.tls: an entry names no secretName, so its certificate cannot follow")
    return [reference("Secret", namespace, name) for name in sorted(set(names))]


INGRESS = Interpretation(health=listens, aggregate=aggregate_ingress, dependencies=dependencies)
