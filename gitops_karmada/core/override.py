"""How an object differs in one member: which override policies apply, in which order, and what each of them changed."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gitops_karmada.core.affinity import matches_cluster
from gitops_karmada.core.field_changes import changes_between
from gitops_karmada.core.match import ImplicitPriority, SelectorIndex
from gitops_karmada.core.overriders import Overrider, YamlText
from gitops_karmada.core.overriders.annotations import override_annotations
from gitops_karmada.core.overriders.args import override_args
from gitops_karmada.core.overriders.command import override_command
from gitops_karmada.core.overriders.field import override_field
from gitops_karmada.core.overriders.image import override_image
from gitops_karmada.core.overriders.labels import override_labels
from gitops_karmada.core.overriders.plaintext import override_plaintext
from gitops_karmada.core.patch import PatchError
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.decode import encode, json_name
from gitops_karmada.model.objects import Object, metadata_of
from gitops_karmada.model.policies import OverridePolicy, Overriders, OverrideRule, ResourceSelector
from gitops_karmada.model.works import AppliedOverride, FieldChange

# In this order within a rule; each element sees what the one before it did.
OVERRIDERS: dict[str, Overrider] = {
    "image_overrider": override_image,
    "command_overrider": override_command,
    "args_overrider": override_args,
    "labels_overrider": override_labels,
    "annotations_overrider": override_annotations,
    "field_overrider": override_field,
    "plaintext": override_plaintext,
}

# A list that is expected to change something wherever it applies: when it does not, people want to hear of it.
_EXPECTED_TO_CHANGE = frozenset({"image_overrider", "command_overrider", "args_overrider"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Overridden:
    """`applied` has one entry a rule, in order. `idle` names overriders that met nothing to change."""

    object: Object
    applied: tuple[AppliedOverride, ...] = ()
    idle: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OverrideFailed:
    """One element that could not be applied: the object keeps what it has in that member."""

    policy: OverridePolicy
    path: str
    reason: str

    def __str__(self) -> str:
        return f"{policy_name(self.policy)}: {self.path}: {self.reason}"


class OverrideIndex:
    """All override policies of a repository, of both kinds."""

    def __init__(self, policies: Iterable[OverridePolicy]) -> None:
        held = tuple(policies)
        self._by_name = {(policy.metadata.namespace, policy.metadata.name): policy for policy in held}
        self._told: dict[int, Mapping[str, Any]] = {}
        self._cluster = _index(policy for policy in held if not policy.metadata.namespace)
        self._namespaced = _index(policy for policy in held if policy.metadata.namespace)

    def named(self, namespace: str, name: str) -> OverridePolicy | None:
        return self._by_name.get((namespace, name))

    def told(self, overriders: Overriders) -> Mapping[str, Any]:
        """What one rule of these policies says, as JSON."""
        if id(overriders) not in self._told:
            self._told[id(overriders)] = encode(overriders)
        return self._told[id(overriders)]

    def hits(self, obj: Object) -> Iterator[tuple[ImplicitPriority, ResourceSelector, OverridePolicy]]:
        """Every selector that means the object."""
        if metadata_of(obj).get("namespace"):
            yield from self._namespaced.hits(obj)
        yield from self._cluster.hits(obj)

    def cluster_policies(self, obj: Object) -> list[OverridePolicy]:
        """The ClusterOverridePolicies that mean the object, in the order in which they apply: the closest last."""
        return _ordered(self._cluster, obj)

    def policies(self, obj: Object) -> list[OverridePolicy]:
        """The OverridePolicies of its namespace, likewise."""
        return _ordered(self._namespaced, obj) if metadata_of(obj).get("namespace") else []


def override(obj: Object, cluster: Cluster, index: OverrideIndex, yaml: YamlText) -> Overridden | OverrideFailed:
    """The object for this cluster. OverridePolicies are chosen by what ClusterOverridePolicies made of the object."""
    applied: list[AppliedOverride] = []
    idle: list[str] = []
    for policies in (index.cluster_policies, index.policies):
        for policy in policies(obj):
            for place, rule in rules_for(policy, cluster):
                changed = _apply(obj, policy, place, rule, yaml, idle)
                if isinstance(changed, OverrideFailed):
                    return changed
                applied.append(_record(obj, changed, policy, rule, index))
                obj = changed
    return Overridden(object=obj, applied=tuple(applied), idle=tuple(idle))


def rules_for(policy: OverridePolicy, cluster: Cluster) -> Iterator[tuple[str, OverrideRule]]:
    """Every rule that targets the cluster, with its path; the deprecated pair counts only without rules."""
    for place, rule in rules_of(policy):
        if rule.target_cluster is None or matches_cluster(rule.target_cluster, cluster):
            yield place, rule


def rules_of(policy: OverridePolicy) -> list[tuple[str, OverrideRule]]:
    spec = policy.spec
    if spec.override_rules:
        return [(f"spec.overrideRules[{number}].overriders", rule) for number, rule in enumerate(spec.override_rules)]
    return [("spec.overriders", OverrideRule(target_cluster=spec.target_cluster, overriders=spec.overriders))]


def policy_name(policy: OverridePolicy) -> str:
    namespace = f"{policy.metadata.namespace}/" if policy.metadata.namespace else ""
    return f"{policy.kind}/{namespace}{policy.metadata.name}"


def _index(policies: Iterable[OverridePolicy]) -> SelectorIndex[OverridePolicy]:
    held = tuple(policies)
    return SelectorIndex(held, everything=(policy for policy in held if not policy.spec.resource_selectors))


def _ordered(index: SelectorIndex[OverridePolicy], obj: Object) -> list[OverridePolicy]:
    return [policy for _, policy in sorted(index.find(obj), key=lambda found: (found[0], found[1].metadata.name))]


def _apply(
    obj: Object, policy: OverridePolicy, place: str, rule: OverrideRule, yaml: YamlText, idle: list[str]
) -> Object | OverrideFailed:
    for attribute, overrider in OVERRIDERS.items():
        for number, element in enumerate(getattr(rule.overriders, attribute)):
            path = f"{place}.{json_name(attribute)}[{number}]"
            try:
                changed = overrider(obj, element, yaml)
            except PatchError as wrong:
                return OverrideFailed(policy=policy, path=path, reason=str(wrong))
            if changed is obj and attribute in _EXPECTED_TO_CHANGE:
                idle.append(f"{policy_name(policy)}: {path}")
            obj = changed
    if not isinstance(obj.get("kind"), str) or not obj["kind"]:
        return OverrideFailed(policy=policy, path=f"{place}.plaintext", reason="would leave an object without a kind")
    return obj


def _record(
    before: Object, after: Object, policy: OverridePolicy, rule: OverrideRule, index: OverrideIndex
) -> AppliedOverride:
    changes = changes_between(before, after)
    if before.get("kind") == "Secret":
        return AppliedOverride(policy=policy_name(policy), changes=tuple(map(_without_value, changes)))
    return AppliedOverride(policy=policy_name(policy), overriders=index.told(rule.overriders), changes=changes)


def _without_value(change: FieldChange) -> FieldChange:
    """A Secret's values are nobody's business, before and after."""
    hidden = change.path.split("/")[1:2] not in (["metadata"], ["kind"], ["apiVersion"], ["type"])
    if not hidden:
        return change
    return FieldChange(path=change.path, before=_hide(change.before), after=_hide(change.after))


def _hide(value: Any) -> Any:
    return None if value is None else "(hidden)"
