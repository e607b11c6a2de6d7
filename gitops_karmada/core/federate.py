"""What a commit asks for: its manifests sorted into templates, policies, clusters and the rest."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Generic, TypeVar

from gitops_karmada.core.defaults import with_defaults
from gitops_karmada.core.policy_defaults import with_policy_defaults
from gitops_karmada.core.scopes import DEFAULT_NAMESPACE, Scopes
from gitops_karmada.core.validate import field_path, validate
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.customizations import (
    ResourceInterpreterCustomization,
    ResourceInterpreterWebhookConfiguration,
)
from gitops_karmada.model.decode import decode
from gitops_karmada.model.federation import Commit, Declared, Federation, Template
from gitops_karmada.model.files import Manifest
from gitops_karmada.model.objects import Key, Object, group_of, key_of, metadata_of
from gitops_karmada.model.policies import (
    ClusterTaintPolicy,
    FederatedResourceQuota,
    OverridePolicy,
    PriorityClass,
    PropagationPolicy,
    WorkloadRebalancer,
)
from gitops_karmada.model.problems import Problem, Severity
from gitops_karmada.model.settings import SecretHandling, Settings

T = TypeVar("T")

# What is read as a noun, by group and kind, and the list of the Federation that it goes to.
NOUNS: Final[Mapping[tuple[str, str], tuple[type[Any], str]]] = {
    ("cluster.karmada.io", "Cluster"): (Cluster, "clusters"),
    ("policy.karmada.io", "PropagationPolicy"): (PropagationPolicy, "propagation_policies"),
    ("policy.karmada.io", "ClusterPropagationPolicy"): (PropagationPolicy, "propagation_policies"),
    ("policy.karmada.io", "OverridePolicy"): (OverridePolicy, "override_policies"),
    ("policy.karmada.io", "ClusterOverridePolicy"): (OverridePolicy, "override_policies"),
    ("policy.karmada.io", "ClusterTaintPolicy"): (ClusterTaintPolicy, "taint_policies"),
    ("policy.karmada.io", "FederatedResourceQuota"): (FederatedResourceQuota, "quotas"),
    ("apps.karmada.io", "WorkloadRebalancer"): (WorkloadRebalancer, "rebalancers"),
    ("config.karmada.io", "ResourceInterpreterCustomization"): (ResourceInterpreterCustomization, "customizations"),
    ("config.karmada.io", "ResourceInterpreterWebhookConfiguration"): (
        ResourceInterpreterWebhookConfiguration,
        "webhooks",
    ),
    ("scheduling.k8s.io", "PriorityClass"): (PriorityClass, "priority_classes"),
}

# Decisions of ours, which nobody writes by hand, and the settings, which are read before.
NOT_TEMPLATES: Final = frozenset({"work.karmada.io", "config.gitops-karmada.io"})


@dataclass(slots=True)
class _Reading(Generic[T]):
    """What has been read so far."""

    templates: dict[Key, Template] = field(default_factory=dict)
    namespaces: dict[str, Template] = field(default_factory=dict)
    nouns: dict[str, list[Declared[Any]]] = field(default_factory=dict)
    broken: set[Key] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)


def federate(
    manifests: Iterable[Manifest],
    settings: Settings,
    *,
    commit: Commit | None = None,
    problems: Iterable[Problem] = (),
    unread: Iterable[str] = (),
    broken: Iterable[Key] = (),
) -> Federation:
    """Sort a commit's manifests. `problems`, `unread` and `broken` are what reading them has already found."""
    given = tuple(manifests)
    scopes = Scopes(manifest.object for manifest in given if manifest.object.get("kind") == "CustomResourceDefinition")
    placed = [replace(manifest, object=in_its_scope(manifest.object, scopes)) for manifest in given]
    reading: _Reading[Any] = _Reading(problems=list(problems), broken=set(broken))
    for manifest in _once(placed, reading):
        if manifest.leak is not None and not _may_be_read(manifest, settings):
            reading.problems.append(manifest.leak)
            reading.broken.add(key_of(manifest.object))
        else:
            _read(manifest, reading)
    nouns: dict[str, Any] = {name: tuple(declared) for name, declared in reading.nouns.items()}
    return Federation(
        commit=commit or Commit(),
        settings=settings,
        templates=reading.templates,
        namespaces=reading.namespaces,
        unread=frozenset(unread),
        broken=frozenset(reading.broken),
        problems=tuple(reading.problems),
        **nouns,
    )


def _may_be_read(manifest: Manifest, settings: Settings) -> bool:
    """Whether a Secret with readable values is propagated. Half encrypted is a mistake under any settings."""
    return settings.spec.secrets is SecretHandling.REDACT and not manifest.encrypted


def in_its_scope(obj: Object, scopes: Scopes) -> Object:
    """The object with the namespace that `kubectl apply` would send it to, or without one where its kind has none."""
    metadata = metadata_of(obj)
    namespaced = scopes.is_namespaced(group_of(str(obj.get("apiVersion") or "")), str(obj.get("kind") or ""))
    if namespaced and not metadata.get("namespace"):
        return {**obj, "metadata": {**metadata, "namespace": DEFAULT_NAMESPACE}}
    if namespaced is False and "namespace" in metadata:
        return {**obj, "metadata": {name: value for name, value in metadata.items() if name != "namespace"}}
    return obj


def _once(manifests: Iterable[Manifest], reading: _Reading[Any]) -> Iterable[Manifest]:
    """Manifests of objects that are declared once. Which of two to believe is not ours to guess."""
    by_key: dict[Key, list[Manifest]] = {}
    for manifest in manifests:
        by_key.setdefault(key_of(manifest.object), []).append(manifest)
    for key, same in sorted(by_key.items()):
        if len(same) == 1:
            yield same[0]
            continue
        reading.broken.add(key)
        for manifest in same:
            others = ", ".join(_stands(other) for other in same if other is not manifest)
            reading.problems.append(
                Problem(
                    code="GK1007",
                    location=manifest.location,
                    subject=str(key),
                    message=f"is declared more than once: also at {others}",
                    hint="Keep one of them. Until then nothing is changed for this object",
                )
            )


def _stands(manifest: Manifest) -> str:
    return f"{manifest.location} (document {manifest.document})" if manifest.document > 1 else str(manifest.location)


def _read(manifest: Manifest, reading: _Reading[Any]) -> None:
    key = key_of(manifest.object)
    known = NOUNS.get((key.group, key.kind))
    if known is not None:
        _read_noun(manifest, key, *known, reading)
    # A PriorityClass is both: it orders our bindings, and members need it beside the pods that name it.
    if known is None or key.kind == "PriorityClass":
        _read_template(manifest, key, reading)


def _read_noun(manifest: Manifest, key: Key, noun: type[Any], name: str, reading: _Reading[Any]) -> None:
    defaulted = with_policy_defaults(manifest.object)
    decoded = decode(noun, defaulted)
    found = [
        Problem(
            code="GK2011" if fault.fatal else "GK2012",
            severity=Severity.ERROR if fault.fatal else Severity.WARNING,
            location=manifest.locate(field_path(fault.path)),
            subject=str(key),
            path=fault.path,
            message=fault.message,
        )
        for fault in decoded.faults
    ]
    if decoded.value is not None:
        found.extend(validate(defaulted, decoded.value, manifest.location, manifest.locate))
    reading.problems.extend(found)
    if decoded.value is None or any(problem.severity is Severity.ERROR for problem in found):
        reading.broken.add(key)
        return
    declared = Declared(
        value=decoded.value, manifest=manifest.object, location=manifest.location, locate=manifest.locate
    )
    reading.nouns.setdefault(name, []).append(declared)


def _read_template(manifest: Manifest, key: Key, reading: _Reading[Any]) -> None:
    if key.group in NOT_TEMPLATES:
        return
    template = Template(object=with_defaults(manifest.object), location=manifest.location, locate=manifest.locate)
    reading.templates[key] = template
    if (key.group, key.kind) == ("", "Namespace"):
        reading.namespaces[key.name] = template
