"""What workloads with a pod template have in common."""

from collections.abc import Callable

from gitops_karmada.core.fields import integer, mapping, optional_integer, with_field
from gitops_karmada.core.interpreters import InterpretError, Replicas
from gitops_karmada.model.objects import Object, dig, metadata_of
from gitops_karmada.model.pod_templates import dependencies_of, requirements_of

POD_TEMPLATE = ("spec", "template")


def replicas(obj: Object) -> Replicas:
    return integer(obj, "spec", "replicas"), requirements(obj, POD_TEMPLATE)


def requirements(obj: Object, path: tuple[str, ...]) -> Object | None:
    """What one pod of the template at the path needs."""
    try:
        return requirements_of(mapping(obj, *path))
    except ValueError as wrong:
        raise InterpretError(f"{'.'.join(path)}: {wrong}") from wrong


def revise(field: str) -> Callable[[Object, int], Object]:
    """Write the number only where the template has one, as Karmada does."""

    def revised(obj: Object, number: int) -> Object:
        current = optional_integer(obj, "spec", field)
        if current is None or current == number:
            return obj
        return with_field(obj, ("spec", field), number)

    return revised


def pod_dependencies(obj: Object, path: tuple[str, ...] = POD_TEMPLATE) -> list[Object]:
    """ConfigMaps, Secrets, a ServiceAccount and claims that the pods mount or read."""
    return dependencies_of(mapping(obj, *path), str(metadata_of(obj).get("namespace") or ""))


def reference(kind: str, namespace: str, name: str, api_version: str = "v1") -> Object:
    return {"apiVersion": api_version, "kind": kind, "namespace": namespace, "name": name}


def named(obj: Object, kind: str, *path: str) -> list[Object]:
    """A reference to what the field at the path names; none where it is empty."""
    name = dig(obj, *path)
    return [reference(kind, str(metadata_of(obj).get("namespace") or ""), str(name))] if name else []
