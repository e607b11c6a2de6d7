"""Selectors that match nothing in the repository, with the closest thing that is there."""

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from gitops_karmada.core.lints import Repository, about
from gitops_karmada.model.federation import Declared
from gitops_karmada.model.objects import Key
from gitops_karmada.model.policies import ResourceSelector
from gitops_karmada.model.problems import Problem

CODE: Final = "GK2001"


def idle_selectors(repository: Repository) -> Iterator[Problem]:
    """What cannot be read may be what a selector means."""
    if repository.federation.unread:
        return
    used = _used(repository)
    shelf = _Shelf.of(repository)
    for declared in repository.selecting:
        for number, selector in enumerate(declared.value.spec.resource_selectors):
            if (id(declared.value), selector) not in used and not _means_broken(selector, declared, repository):
                yield _idle(declared, number, selector, shelf)


def idle_override_policies(repository: Repository) -> Iterator[Problem]:
    """Overrides without selectors mean all objects of their namespace; there may be none."""
    namespaces = {key.namespace for key in repository.competing}
    for declared in repository.federation.override_policies:
        namespace = declared.value.metadata.namespace
        if namespace and not declared.value.spec.resource_selectors and namespace not in namespaces:
            yield about(declared, CODE, "metadata.namespace", f"there is no object in namespace {namespace}")


def idle_rebalancers(repository: Repository) -> Iterator[Problem]:
    """A rebalancer finds bindings by kind, namespace and name."""
    known = {(key.kind, key.namespace, key.name) for key in repository.competing}
    for declared in repository.federation.rebalancers:
        for number, workload in enumerate(declared.value.spec.workloads):
            if (workload.kind, workload.namespace, workload.name) not in known:
                place = f"{workload.namespace}/{workload.name}" if workload.namespace else workload.name
                message = f"there is no {workload.kind} {place} in the repository"
                yield about(declared, CODE, f"spec.workloads[{number}]", message)


def _used(repository: Repository) -> set[tuple[int, ResourceSelector]]:
    found = set()
    for key in repository.competing:
        obj = repository.federation.templates[key].object
        for _, selector, policy in repository.policies.propagation.hits(obj):
            found.add((id(policy), selector))
        for _, selector, override in repository.policies.overrides.hits(obj):
            found.add((id(override), selector))
    return found


def _means_broken(selector: ResourceSelector, declared: Declared[Any], repository: Repository) -> bool:
    """Whether the selector may mean an object whose manifest is there but wrong. Of that only the name is known."""
    namespace = declared.value.metadata.namespace or selector.namespace
    return any(
        selector.kind == key.kind and selector.name in ("", key.name) and namespace in ("", key.namespace)
        for key in repository.federation.broken
    )


@dataclass(frozen=True, slots=True)
class _Shelf:
    """Templates by kind, with their apiVersions."""

    by_kind: dict[str, list[tuple[Key, str]]] = field(default_factory=dict)

    @classmethod
    def of(cls, repository: Repository) -> "_Shelf":
        shelf = cls()
        for key in repository.competing:
            api_version = str(repository.federation.templates[key].object.get("apiVersion"))
            shelf.by_kind.setdefault(key.kind, []).append((key, api_version))
        return shelf

    def advice(self, selector: ResourceSelector, namespace: str) -> str:
        """The apiVersion, namespace or name that was probably meant."""
        same = self.by_kind.get(selector.kind, [])
        if not same:
            close = difflib.get_close_matches(selector.kind, sorted(self.by_kind), n=1)
            return f"Did you mean kind {close[0]}?" if close else ""
        versions = sorted({version for key, version in same if not selector.name or key.name == selector.name})
        if versions and selector.api_version not in versions:
            return f"Did you mean {' or '.join(versions)}?"
        homes = sorted({key.namespace for key, _ in same if key.name == selector.name})
        if selector.name and homes and namespace and namespace not in homes:
            return f"There is one in namespace {' and '.join(homes)}"
        names = sorted({key.name for key, _ in same if not namespace or key.namespace == namespace})
        close = difflib.get_close_matches(selector.name, names, n=1) if selector.name else []
        return f"Did you mean {close[0]}?" if close else ""


def _idle(declared: Declared[Any], number: int, selector: ResourceSelector, shelf: _Shelf) -> Problem:
    namespace = declared.value.metadata.namespace or selector.namespace
    message = f"{_said(selector, namespace)} matches no object"
    return about(declared, CODE, f"spec.resourceSelectors[{number}]", message, shelf.advice(selector, namespace))


def _said(selector: ResourceSelector, namespace: str) -> str:
    where = f" in {namespace}" if namespace else ""
    if selector.name:
        return f"{selector.api_version} {selector.kind} {selector.name}{where}"
    labels = " with these labels" if selector.label_selector is not None else ""
    return f"{selector.api_version} {selector.kind}{labels}{where}"


def never_propagated(repository: Repository) -> Iterator[Problem]:
    """Policies that select what stays where it is."""
    for declared in repository.federation.propagation_policies:
        for number, selector in enumerate(declared.value.spec.resource_selectors):
            namespace = declared.value.metadata.namespace or selector.namespace
            probe = _probe(selector, namespace)
            refusal = repository.propagable.refusal(probe)
            if refusal:
                yield about(declared, "GK2048", f"spec.resourceSelectors[{number}]", refusal)


def _probe(selector: ResourceSelector, namespace: str) -> Mapping[str, object]:
    return {"apiVersion": selector.api_version, "kind": selector.kind, "metadata": {"namespace": namespace}}
