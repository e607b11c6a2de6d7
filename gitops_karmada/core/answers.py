"""Answers that scripts and webhooks give: checked before they are believed. What is wrong is a ValueError."""

from collections.abc import Mapping
from typing import Any

from gitops_karmada.model.bindings import Component, ReplicaRequirements
from gitops_karmada.model.decode import decode, encode
from gitops_karmada.model.objects import Object
from gitops_karmada.model.selectors import LabelSelector

NAMES = ("apiVersion", "kind", "namespace", "name")
OPERATORS = frozenset({"In", "NotIn", "Exists", "DoesNotExist"})


def requirements_in(value: Any) -> Object:
    """ReplicaRequirements, with quantities in their canonical form."""
    found: Object = encode(_decoded(ReplicaRequirements, value))
    return found


def components_in(values: list[Any]) -> list[Object]:
    return [encode(_decoded(Component, value, f"[{index}]")) for index, value in enumerate(values)]


def object_in(value: Object) -> Object:
    if not value.get("kind"):
        raise ValueError("an object without a kind")
    return value


def references_in(values: list[Any]) -> list[Object]:
    """DependentObjectReferences as they were given, in the shape of the API."""
    return [_reference(value, f"[{index}]") for index, value in enumerate(values)]


def verified(references: list[Object]) -> list[Object]:
    """The references, each of which names an object or selects some by label."""
    for index, reference in enumerate(references):
        missing = [name for name in ("apiVersion", "kind") if not reference[name]]
        if missing:
            raise ValueError(f"[{index}]: a reference without {' and '.join(missing)}")
        if not reference.get("name") and "labelSelector" not in reference:
            raise ValueError(f"[{index}]: a reference with neither name nor labelSelector")
        if "labelSelector" in reference:
            _check_selector(reference["labelSelector"], f"[{index}].labelSelector")
    return references


def _reference(value: Any, path: str) -> Object:
    if not isinstance(value, Mapping):
        raise ValueError(f"{path}: expected a reference")
    wrong = [name for name in NAMES if not isinstance(value.get(name) or "", str)]
    if wrong:
        raise ValueError(f"{path}.{wrong[0]}: expected a text")
    optional = {name: value[name] for name in ("namespace", "name", "labelSelector") if value.get(name)}
    return {"apiVersion": value.get("apiVersion") or "", "kind": value.get("kind") or "", **optional}


def _check_selector(value: Any, path: str) -> None:
    for requirement in _decoded(LabelSelector, value, path).match_expressions:
        if requirement.operator not in OPERATORS:
            raise ValueError(f"{path}: {requirement.operator!r} is not an operator of a label selector")
        if (requirement.operator in ("In", "NotIn")) != bool(requirement.values):
            raise ValueError(f"{path}: {requirement.operator} needs {'' if not requirement.values else 'no '}values")


def _decoded(noun: Any, value: Any, path: str = "") -> Any:
    decoded = decode(noun, value, path)
    if decoded.value is None:
        raise ValueError("; ".join(f"{fault.path}: {fault.message}" for fault in decoded.faults if fault.fatal))
    return decoded.value
