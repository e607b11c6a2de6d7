"""A template in its policy's hands: the binding, made or brought up to date."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, TypeVar

from gitops_karmada.core.claim import claim_of, policy_key, with_claim
from gitops_karmada.core.identity import uid_of
from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.core.interpreters import InterpretError
from gitops_karmada.core.names import binding_name
from gitops_karmada.model.bindings import (
    Binding,
    BindingSpec,
    Component,
    ConflictResolution,
    ObjectReference,
    ReplicaRequirements,
    SchedulePriority,
    WorkloadAffinityGroups,
)
from gitops_karmada.model.decode import decode
from gitops_karmada.model.frozen import Frozen
from gitops_karmada.model.metadata import ObjectMeta
from gitops_karmada.model.objects import Key, Object, dig, key_of, labels_of
from gitops_karmada.model.placement import Suspension, WorkloadAffinityTerm
from gitops_karmada.model.policies import PropagationPolicy
from gitops_karmada.model.settings import FeatureSettings

T = TypeVar("T")

KUBE_PRIORITY_CLASS: Final = "KubePriorityClass"
PERMANENT_ID: Final = {
    "ResourceBinding": "resourcebinding.karmada.io/permanent-id",
    "ClusterResourceBinding": "clusterresourcebinding.karmada.io/permanent-id",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BindSettings:
    """`priorities` are the values of the PriorityClasses, by name; `preempting` those that may displace others."""

    instance: str
    features: FeatureSettings = FeatureSettings()
    priorities: Mapping[str, int]
    preempting: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a template asks for: replicas and what one of them needs, or components."""

    replicas: int = 0
    requirements: ReplicaRequirements | None = None
    components: tuple[Component, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unbound:
    """The binding stays as it was, or is not made yet."""

    code: str
    reason: str
    hint: str = ""


def wish_of(obj: Object, interpreter: Interpreter, features: FeatureSettings) -> Wish:
    """Ask the interpreter; InterpretError where it cannot tell. Components, where the kind has them, go alone."""
    if features.multiple_pod_templates_scheduling:
        components = interpreter.components(obj)
        if components is not None:
            return Wish(components=tuple(_read(Component, part) for part in components))
    answer = interpreter.replicas(obj)
    if answer is None:
        return Wish()
    replicas, needs = answer
    requirements = None if needs is None else _requirements(json.dumps(needs, sort_keys=True))
    if requirements is not None and features.resource_quota_estimate and not requirements.namespace:
        priority_class = str(dig(obj, "spec", "template", "spec", "priorityClassName") or "")
        requirements = replace(requirements, namespace=key_of(obj).namespace, priority_class_name=priority_class)
    return Wish(replicas=replicas, requirements=requirements)


def bind(
    obj: Object,
    policy: PropagationPolicy,
    wish: Wish,
    settings: BindSettings,
    *,
    content: str,
    applied: str,
    previous: Binding | None = None,
) -> Binding | Unbound:
    """The binding of a claimed template. What the scheduler, dependents and failover wrote into it stays.

    `content` is the digest of the template, `applied` that of the policy.
    """
    if previous is not None and _changes_scheduler(policy, previous):
        return Unbound(
            code="GK2035",
            reason=f"{policy}: spec.schedulerName never changes, it was {previous.spec.scheduler_name!r}",
            hint="Set it back, or make a new policy",
        )
    namespaced = bool(key_of(obj).namespace)
    priority = _priority(policy, settings) if namespaced else None
    if isinstance(priority, Unbound):
        return priority
    binding = placed(obj, settings.instance, content=content, previous=previous)
    spec = _replaced(
        binding.spec,
        replicas=wish.replicas,
        replica_requirements=wish.requirements,
        components=wish.components,
        propagate_deps=policy.spec.propagate_deps,
        scheduler_name=policy.spec.scheduler_name,
        placement=policy.spec.placement,
        failover=policy.spec.failover,
        conflict_resolution=policy.spec.conflict_resolution or ConflictResolution.ABORT,
        preserve_resources_on_deletion=policy.spec.preserve_resources_on_deletion,
        suspension=merged_suspension(policy.spec.suspension, binding.spec.suspension),
        schedule_priority=priority,
        workload_affinity_groups=_groups(obj, policy, settings.features) if namespaced else None,
    )
    followed = binding if spec is binding.spec else replace(binding, spec=spec)
    return with_claim(followed, policy, settings.instance, applied)


def _replaced(spec: BindingSpec, **fields: Any) -> BindingSpec:
    """The spec itself where nothing differs: most bindings of most turns."""
    if all(getattr(spec, name) == value for name, value in fields.items()):
        return spec
    return replace(spec, **fields)


def _changes_scheduler(policy: PropagationPolicy, previous: Binding) -> bool:
    same = claim_of(previous) == policy_key(policy)
    return same and previous.spec.scheduler_name != policy.spec.scheduler_name


def placed(obj: Object, instance: str, *, content: str, previous: Binding | None = None) -> Binding:
    """The binding of a template with its names for life, whoever asked for it.

    `metadata.generation` counts the contents that the template has had, from 1.
    """
    key = key_of(obj)
    resource = ObjectReference(
        api_version=str(obj.get("apiVersion") or ""),
        kind=key.kind,
        namespace=key.namespace,
        name=key.name,
        uid=uid_of(instance, key),
        resource_version=content,
    )
    binding = previous or _new(key, instance)
    if binding.spec.resource == resource:
        return binding
    changed = binding.spec.resource.resource_version != content
    generation = binding.metadata.generation + 1 if changed else binding.metadata.generation
    return replace(
        binding,
        metadata=replace(binding.metadata, generation=generation),
        spec=replace(binding.spec, resource=resource),
    )


def _new(key: Key, instance: str) -> Binding:
    kind = "ResourceBinding" if key.namespace else "ClusterResourceBinding"
    name = binding_name(key.kind, key.name)
    # The template's group tells apart what Karmada's name does not.
    identity = uid_of(
        instance, Key(group=f"work.karmada.io/{key.group}", kind=kind, namespace=key.namespace, name=name)
    )
    labels = Frozen({PERMANENT_ID[kind]: identity})
    metadata = ObjectMeta(name=name, namespace=key.namespace, labels=labels, uid=identity)
    return Binding(kind=kind, metadata=metadata, spec=BindingSpec())


def permanent_id(binding: Binding) -> str:
    return binding.metadata.labels.get(PERMANENT_ID[binding.kind], "")


def merged_suspension(wanted: Suspension | None, current: Suspension | None) -> Suspension | None:
    """The policy decides on dispatching; `scheduling` belongs to whoever set it on the binding."""
    scheduling = current.scheduling if current is not None else None
    if wanted is None:
        return Suspension(scheduling=scheduling) if scheduling else None
    return replace(wanted, scheduling=scheduling)


def _priority(policy: PropagationPolicy, settings: BindSettings) -> SchedulePriority | Unbound | None:
    wanted = policy.spec.schedule_priority
    if wanted is None:
        return None
    if wanted.priority_class_source != KUBE_PRIORITY_CLASS:
        return Unbound(
            code="GK2011",
            reason=f"{policy}: spec.schedulePriority.priorityClassSource {wanted.priority_class_source!r} is unknown",
            hint=f"Use {KUBE_PRIORITY_CLASS}",
        )
    if wanted.priority_class_name not in settings.priorities:
        return Unbound(
            code="GK2049",
            reason=f"{policy}: there is no PriorityClass {wanted.priority_class_name!r} in the repository",
            hint="Commit it, or remove spec.schedulePriority",
        )
    name = wanted.priority_class_name
    return SchedulePriority(priority=settings.priorities[name], preempts=name in settings.preempting)


def _groups(obj: Object, policy: PropagationPolicy, features: FeatureSettings) -> WorkloadAffinityGroups | None:
    affinity = policy.spec.placement.workload_affinity
    if affinity is None or not features.workload_affinity:
        return None
    together, apart = _group(obj, affinity.affinity), _group(obj, affinity.anti_affinity)
    if not together and not apart:
        return None
    return WorkloadAffinityGroups(affinity_group=together, anti_affinity_group=apart)


def _group(obj: Object, term: WorkloadAffinityTerm | None) -> str:
    value = labels_of(obj).get(term.group_by_label_key) if term is not None else None
    return f"{term.group_by_label_key}={value}" if term is not None and value is not None else ""


@lru_cache(maxsize=10_000)
def _requirements(needs: str) -> ReplicaRequirements:
    """Workloads that need the same share one value."""
    return _read(ReplicaRequirements, json.loads(needs))


def _read(noun: type[T], answer: Object) -> T:
    decoded = decode(noun, answer)
    if decoded.value is None:
        raise InterpretError("; ".join(f"{fault.path}: {fault.message}" for fault in decoded.faults if fault.fatal))
    return decoded.value
