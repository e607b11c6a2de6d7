"""ServiceImports: what a Service of another member becomes here."""

from gitops_karmada.core.interpreters import Interpretation
from gitops_karmada.core.workloads import reference
from gitops_karmada.model.objects import Object, metadata_of

SERVICE_NAME = "kubernetes.io/service-name"


def dependencies(obj: Object) -> list[Object]:
    """The derived Service and its endpoints."""
    namespace = str(metadata_of(obj).get("namespace") or "")
    derived = f"derived-{metadata_of(obj).get('name')}"
    slices = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "namespace": namespace,
        "labelSelector": {"matchLabels": {SERVICE_NAME: derived}},
    }
    return [reference("Service", namespace, derived), slices]


SERVICE_IMPORT = Interpretation(dependencies=dependencies)
