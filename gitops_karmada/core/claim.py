"""Which policy a template belongs to. A claim is kept in the binding, and stays while its policy lasts."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from gitops_karmada.core.identity import uid_of
from gitops_karmada.core.match import Candidate, ImplicitPriority, PolicyIndex, best_priority
from gitops_karmada.core.override import OverrideIndex
from gitops_karmada.core.propagable import CLAIMED_BY
from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.frozen import Frozen
from gitops_karmada.model.objects import Key, Object, labels_of
from gitops_karmada.model.policies import ActivationPreference, OverridePolicy, Preemption, PropagationPolicy

NAMESPACED: Final = "PropagationPolicy"
CLUSTER: Final = "ClusterPropagationPolicy"
POLICY_GROUP: Final = "policy.karmada.io"
UNSELECTED: Final = "no policy selects it"

_NAMESPACED_ID: Final = "propagationpolicy.karmada.io/permanent-id"
_NAMESPACED_NAMESPACE: Final = "propagationpolicy.karmada.io/namespace"
_NAMESPACED_NAME: Final = "propagationpolicy.karmada.io/name"
_CLUSTER_ID: Final = "clusterpropagationpolicy.karmada.io/permanent-id"
_CLUSTER_NAME: Final = "clusterpropagationpolicy.karmada.io/name"
# The content of the policy that was applied last: what tells a changed policy from a changed template.
APPLIED_POLICY: Final = "gitops-karmada.io/applied-policy"

_LABELS: Final = frozenset({_NAMESPACED_ID, _CLUSTER_ID})
_ANNOTATIONS: Final = frozenset({_NAMESPACED_NAMESPACE, _NAMESPACED_NAME, _CLUSTER_NAME, APPLIED_POLICY})


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """The policy is applied to the template: its binding is made or brought up to date."""

    policy: PropagationPolicy
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """The binding stays as it was. `policy` has the claim, where there is one to be had."""

    policy: PropagationPolicy | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unclaimed:
    """No policy has it. What an earlier one placed stays in place, without a claim."""

    reason: str


Claim: TypeAlias = Claimed | Waiting | Unclaimed


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """All policies of a commit. `broken` are those whose manifest is there but wrong: they are not gone. Where a file
    could not be read (`is_complete` false), any policy may be in it.

    `takers` are those that may take templates from others.
    """

    propagation: PolicyIndex
    takers: PolicyIndex
    overrides: OverrideIndex
    broken: frozenset[Key] = frozenset()
    is_complete: bool = True


def policies_of(
    propagation: Iterable[PropagationPolicy],
    overrides: Iterable[OverridePolicy] = (),
    *,
    broken: frozenset[Key] = frozenset(),
    is_complete: bool = True,
    preemption: bool = True,
) -> Policies:
    held = tuple(propagation)
    takers = (policy for policy in held if preemption and policy.spec.preemption is Preemption.ALWAYS)
    return Policies(
        propagation=PolicyIndex(held),
        takers=PolicyIndex(takers),
        overrides=OverrideIndex(overrides),
        broken=broken,
        is_complete=is_complete,
    )


def claim(
    obj: Object, policies: Policies, *, previous: Binding | None, content: str, last_content: str | None = None
) -> Claim:
    """Decide for one template.

    `content` is its digest now, `last_content` that of the last turn: None means that there was no such template.
    Where it is left out, the binding tells.
    """
    owner = labels_of(obj).get(CLAIMED_BY)
    if owner:
        return Unclaimed(reason=f"the label {CLAIMED_BY} gives it to {owner}: no policy touches it")
    if last_content is None and previous is not None:
        last_content = previous.spec.resource.resource_version
    held = claim_of(previous) if previous is not None else None
    if held is None:
        return _first(obj, policies, content, last_content, "")
    kept = policies.propagation.named(held.namespace, held.name)
    if kept is None:
        return _without_policy(obj, policies, held, content, last_content)
    taker = _taker(obj, kept, policies)
    if taker is not None:
        return _applied(taker, policies, content, last_content, f"preempts {kept}: {_why_taken(taker, kept)}")
    if best_priority(kept.spec.resource_selectors, obj) is ImplicitPriority.NONE:
        return _no_longer_selected(obj, kept, policies, previous, content, last_content)
    return _applied(
        kept, policies, content, last_content, "has the claim, which it keeps while it selects the template"
    )


def _first(obj: Object, policies: Policies, content: str, last_content: str | None, before: str) -> Claim:
    policy = policies.propagation.best(obj)
    if policy is None:
        return Unclaimed(reason=before or UNSELECTED)
    reason = f"{before}, now the best match" if before else "the best match"
    return _applied(policy, policies, content, last_content, reason)


def _without_policy(obj: Object, policies: Policies, held: Key, content: str, last_content: str | None) -> Claim:
    if held in policies.broken:
        return Waiting(policy=None, reason=f"{held} is in the repository but cannot be used: what it placed stays")
    if not policies.is_complete:
        return Waiting(policy=None, reason=f"{held} may be in a file that cannot be read: what it placed stays")
    return _first(obj, policies, content, last_content, f"{held} is gone")


def _no_longer_selected(
    obj: Object, kept: PropagationPolicy, policies: Policies, previous: Binding | None, content: str, last: str | None
) -> Claim:
    """A changed policy lets go; a changed template stays claimed, and is not propagated until it matches again."""
    applied = previous.metadata.annotations.get(APPLIED_POLICY) if previous is not None else None
    if applied == policies.propagation.content(kept):
        return Waiting(policy=kept, reason=f"the template changed so that {kept} no longer selects it")
    return _first(obj, policies, content, last, f"{kept} no longer selects it")


def _applied(
    policy: PropagationPolicy, policies: Policies, content: str, last_content: str | None, reason: str
) -> Claim:
    missing = _missing_overrides(policy, policies.overrides)
    if missing:
        return Waiting(policy=policy, reason=f"{policy} waits for the override policies {', '.join(missing)}")
    lazy = policy.spec.activation_preference is ActivationPreference.LAZY
    if lazy and content == last_content:
        return Waiting(policy=policy, reason=f"{policy} is lazy: it waits for the next change of the template")
    return Claimed(policy=policy, reason=reason)


def _missing_overrides(policy: PropagationPolicy, overrides: OverrideIndex) -> list[str]:
    wanted = policy.spec.dependent_overrides
    return [name for name in wanted if overrides.named(policy.metadata.namespace, name) is None]


def _taker(obj: Object, kept: PropagationPolicy, policies: Policies) -> PropagationPolicy | None:
    """The policy that takes the template away from the one that has it."""
    return next((one.policy for one in policies.takers.candidates(obj) if _takes(one, kept)), None)


def _takes(candidate: Candidate, kept: PropagationPolicy) -> bool:
    """Names only: a policy that preempts must name what it takes. Closeness and names of policies play no part."""
    taker = candidate.policy
    if taker is kept or candidate.implicit_priority is not ImplicitPriority.NAME:
        return False
    if bool(taker.metadata.namespace) == bool(kept.metadata.namespace):
        return taker.spec.priority > kept.spec.priority
    return bool(taker.metadata.namespace)


def _why_taken(taker: PropagationPolicy, kept: PropagationPolicy) -> str:
    if bool(taker.metadata.namespace) == bool(kept.metadata.namespace):
        return f"its priority {taker.spec.priority} is higher than {kept.spec.priority}"
    return "a PropagationPolicy takes from every ClusterPropagationPolicy"


# Claims in bindings ---------------------------------------------------------------------------------------------------


def claim_of(binding: Binding) -> Key | None:
    """The policy that has the binding."""
    labels, annotations = binding.metadata.labels, binding.metadata.annotations
    namespace, name = annotations.get(_NAMESPACED_NAMESPACE), annotations.get(_NAMESPACED_NAME)
    if labels.get(_NAMESPACED_ID) and namespace and name:
        return Key(group=POLICY_GROUP, kind=NAMESPACED, namespace=namespace, name=name)
    cluster = annotations.get(_CLUSTER_NAME)
    if labels.get(_CLUSTER_ID) and cluster:
        return Key(group=POLICY_GROUP, kind=CLUSTER, name=cluster)
    return None


def policy_key(policy: PropagationPolicy) -> Key:
    namespace = policy.metadata.namespace
    kind = NAMESPACED if namespace else CLUSTER
    return Key(group=POLICY_GROUP, kind=kind, namespace=namespace, name=policy.metadata.name)


def with_claim(binding: Binding, policy: PropagationPolicy, instance: str, applied: str | None = None) -> Binding:
    """The binding in the policy's hands. `applied` is the content of the policy that it now follows."""
    identity = uid_of(instance, policy_key(policy))
    if policy.metadata.namespace:
        labels = {_NAMESPACED_ID: identity}
        annotations = {_NAMESPACED_NAMESPACE: policy.metadata.namespace, _NAMESPACED_NAME: policy.metadata.name}
    else:
        labels, annotations = {_CLUSTER_ID: identity}, {_CLUSTER_NAME: policy.metadata.name}
    followed = applied or binding.metadata.annotations.get(APPLIED_POLICY)
    if followed:
        annotations[APPLIED_POLICY] = followed
    return _marked(binding, labels, annotations)


def without_claim(binding: Binding) -> Binding:
    """The binding in nobody's hands: where it runs stays as it is."""
    return _marked(binding, {}, {})


def _marked(binding: Binding, labels: dict[str, str], annotations: dict[str, str]) -> Binding:
    """The binding with these marks of a claim and no others; the binding itself where it has them."""
    metadata = binding.metadata
    marked = {key: value for key, value in metadata.labels.items() if key not in _LABELS} | labels
    noted = {key: value for key, value in metadata.annotations.items() if key not in _ANNOTATIONS} | annotations
    if marked == metadata.labels and noted == metadata.annotations:
        return binding
    return replace(binding, metadata=replace(metadata, labels=Frozen(marked), annotations=Frozen(noted)))
