"""Custom kinds with replicas that nobody interprets."""

from collections.abc import Iterator
from typing import Any, Final

from gitops_karmada.core.interpret import Interpreter, Operation
from gitops_karmada.core.lints import Repository, about_template
from gitops_karmada.model.federation import Template
from gitops_karmada.model.objects import Object, dig
from gitops_karmada.model.problems import Problem

CODE: Final = "GK2042"


def uninterpreted_kinds(repository: Repository) -> Iterator[Problem]:
    """One finding a kind: at its definition where that is in the repository, else at its first object."""
    told: set[tuple[str, str]] = set()
    for key, template in sorted(repository.federation.templates.items()):
        if key.kind == "CustomResourceDefinition":
            kinds = _defined(template.object)
        elif isinstance(dig(template.object, "spec", "replicas"), int):
            kinds = [(str(template.object.get("apiVersion")), key.kind, "spec.replicas")]
        else:
            continue
        for api_version, kind, path in kinds:
            if (api_version, kind) not in told and not _interpreted(repository.interpreter, api_version, kind):
                yield _finding(template, api_version, kind, path)
            told.add((api_version, kind))


def _defined(definition: Object) -> list[tuple[str, str, str]]:
    """The versions of a definition that have replicas."""
    group, kind = dig(definition, "spec", "group"), dig(definition, "spec", "names", "kind")
    versions = dig(definition, "spec", "versions")
    if not isinstance(versions, list):
        return []
    return [
        (f"{group}/{dig(version, 'name')}", str(kind), f"spec.versions[{number}]")
        for number, version in enumerate(versions)
        if _has_replicas(version)
    ]


def _has_replicas(version: Any) -> bool:
    schema = dig(version, "schema", "openAPIV3Schema", "properties", "spec", "properties", "replicas")
    return bool(dig(version, "subresources", "scale") or schema)


def _interpreted(interpreter: Interpreter, api_version: str, kind: str) -> bool:
    probe = {"apiVersion": api_version, "kind": kind}
    return any(interpreter.by(operation, probe) for operation in (Operation.REPLICAS, Operation.COMPONENTS))


def _finding(template: Template, api_version: str, kind: str, path: str) -> Problem:
    message = f"{api_version} {kind} has replicas, but nothing says how to read them: they are not divided or counted"
    hint = "Add a ResourceInterpreterCustomization with replicaResource and replicaRevision"
    return about_template(template, CODE, path, message, hint)
