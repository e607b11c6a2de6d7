"""What workloads with a pod template have in common."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gitops_karmada.core.fields import integer, mapping, optional_integer, with_field
from gitops_karmada.core.interpreters import InterpretError, Replicas
from gitops_karmada.model.objects import Object, dig, metadata_of
from gitops_karmada.model.pod_templates import dependencies_of, requirements_of

POD_TEMPLATE = ("spec", "template")


def replicas(obj: Object) -> Replicas:
    return integer(obj, "spec", "replicas"), requirements(obj, POD_TEMPLATE)


def requirements(obj: Object, path: tuple[str, ...]) -> Object | None:
    """What one pod of the template at the path needs."""
    return _requirements_of(".".join(path), mapping(obj, *path))


def _requirements_of(where: str, template: Object) -> Object | None:
    try:
        return requirements_of(template)
    except ValueError as wrong:
        raise InterpretError(f"{where}: {wrong}") from wrong


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


def reference(kind: str, namespace: str, name: str) -> Object:
    return {"apiVersion": "v1", "kind": kind, **({"namespace": namespace} if namespace else {}), "name": name}


def references(obj: Object, names: Mapping[str, Iterable[Any]]) -> list[Object]:
    """References by kind to names in the object's namespace, each once; what names nothing is left out."""
    namespace = str(metadata_of(obj).get("namespace") or "")
    return [
        reference(kind, namespace, name)
        for kind, found in names.items()
        for name in sorted({name for name in found if name and isinstance(name, str)})
    ]


def names_at(obj: Object, *paths: tuple[str, ...]) -> list[Any]:
    return [dig(obj, *path) for path in paths]


def template_requirements(obj: Object, path: tuple[str, ...]) -> Object | None:
    """What one pod needs, of a kind that cannot be without a pod template."""
    if dig(obj, *path) is None:
        raise InterpretError(f"{'.'.join(path)}: missing")
    return requirements(obj, path)


def needed_by_pods(obj: Object, path: tuple[str, ...] = POD_TEMPLATE) -> list[Object]:
    """What the pods need beside them; Karmada's rules for these kinds fail where that is nothing."""
    found = pod_dependencies(obj, path)
    if not found:
        raise InterpretError(f"{'.'.join(path)}: its pods need nothing beside them")
    return found


def component(name: str, number: int, template: Object | None) -> Object:
    """One pod template of a workload that has several."""
    found = {"name": name, "replicas": number}
    needs = None if template is None else _requirements_of(f"pod template of {name}", template)
    return {**found, "replicaRequirements": needs} if needs else found
