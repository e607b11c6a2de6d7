"""Which policies want an object, and which of them gets it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Generic, TypeAlias, TypeVar

from gitops_karmada.model.decode import encode
from gitops_karmada.model.managed_fields import digest
from gitops_karmada.model.objects import Object, labels_of, metadata_of
from gitops_karmada.model.policies import OverridePolicy, PropagationPolicy, ResourceSelector
from gitops_karmada.model.selectors import is_valid, matches


class ImplicitPriority(IntEnum):
    """How closely a selector means an object."""

    NONE = 0
    ALL = 1
    LABELS = 2
    NAME = 3


def implicit_priority(selector: ResourceSelector, obj: Object) -> ImplicitPriority:
    """A name makes the label selector count for nothing; an empty label selector still counts as labels."""
    if selector.api_version != obj.get("apiVersion") or selector.kind != obj.get("kind"):
        return ImplicitPriority.NONE
    metadata = metadata_of(obj)
    if selector.namespace and selector.namespace != metadata.get("namespace"):
        return ImplicitPriority.NONE
    if selector.name:
        return ImplicitPriority.NAME if selector.name == metadata.get("name") else ImplicitPriority.NONE
    if selector.label_selector is None:
        return ImplicitPriority.ALL
    return ImplicitPriority.LABELS if matches(selector.label_selector, labels_of(obj)) else ImplicitPriority.NONE


def best_priority(selectors: Iterable[ResourceSelector], obj: Object) -> ImplicitPriority:
    """The closest of the selectors; no selectors, no match."""
    return max((implicit_priority(selector, obj) for selector in selectors), default=ImplicitPriority.NONE)


Policy = TypeVar("Policy", PropagationPolicy, OverridePolicy)

# apiVersion, kind, namespace ("" any), and what must be there besides: ("name", n), ("label", key, value) or ().
_Handle: TypeAlias = tuple[str, ...]
_Address: TypeAlias = tuple[str, str, str, _Handle]


class SelectorIndex(Generic[Policy]):
    """Policies by what their selectors ask for, so that an object meets only those that could mean it.

    `everything` are policies that match all objects of their namespace without naming any (overrides only).
    """

    def __init__(self, policies: Iterable[Policy], *, everything: Iterable[Policy] = ()) -> None:
        self._addresses: dict[_Address, list[tuple[ResourceSelector, Policy]]] = {}
        self._everything: dict[str, list[Policy]] = {}
        for policy in policies:
            for selector in dict.fromkeys(policy.spec.resource_selectors):
                self._add(selector, policy)
        for policy in everything:
            self._everything.setdefault(policy.metadata.namespace, []).append(policy)

    def _add(self, selector: ResourceSelector, policy: Policy) -> None:
        home = policy.metadata.namespace
        if home and selector.namespace not in ("", home):
            return
        if selector.label_selector is not None and not selector.name and not is_valid(selector.label_selector):
            return
        address = (selector.api_version, selector.kind, home or selector.namespace, _handle_of(selector))
        self._addresses.setdefault(address, []).append((selector, policy))

    def find(self, obj: Object) -> list[tuple[ImplicitPriority, Policy]]:
        """Every policy that means the object, each once, with its closest selector; in no particular order."""
        found: dict[int, tuple[ImplicitPriority, Policy]] = {}
        namespace = str(metadata_of(obj).get("namespace") or "")
        for home in {namespace, ""}:
            for policy in self._everything.get(home, ()):
                found[id(policy)] = ImplicitPriority.ALL, policy
        for level, _, policy in self.hits(obj):
            if level > found.get(id(policy), (ImplicitPriority.NONE, policy))[0]:
                found[id(policy)] = level, policy
        return list(found.values())

    def hits(self, obj: Object) -> Iterator[tuple[ImplicitPriority, ResourceSelector, Policy]]:
        """Every selector that means the object."""
        namespace = str(metadata_of(obj).get("namespace") or "")
        for address in _addresses_of(obj, namespace):
            for selector, policy in self._addresses.get(address, ()):
                level = implicit_priority(selector, obj)
                if level is not ImplicitPriority.NONE:
                    yield level, selector, policy


def _handle_of(selector: ResourceSelector) -> _Handle:
    if selector.name:
        return ("name", selector.name)
    if selector.label_selector is not None and selector.label_selector.match_labels:
        key, value = min(selector.label_selector.match_labels.items())
        return ("label", key, value)
    return ()


def _addresses_of(obj: Object, namespace: str) -> Iterator[_Address]:
    api_version, kind = str(obj.get("apiVersion") or ""), str(obj.get("kind") or "")
    handles: list[_Handle] = [(), ("name", str(metadata_of(obj).get("name") or ""))]
    handles.extend(("label", key, value) for key, value in labels_of(obj).items())
    for home in {namespace, ""}:
        for handle in handles:
            yield api_version, kind, home, handle


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A policy that wants the object. `lost` says why another gets it; empty for the winner."""

    policy: PropagationPolicy
    implicit_priority: ImplicitPriority
    lost: str = ""

    @property
    def rank(self) -> tuple[int, int, str]:
        """Smaller is better. UTF-8 sorts as its code points do, so Python's order is Go's."""
        return -self.policy.spec.priority, -self.implicit_priority, self.policy.metadata.name


class PolicyIndex:
    """All propagation policies of a repository, of both kinds."""

    def __init__(self, policies: Iterable[PropagationPolicy]) -> None:
        held = tuple(policies)
        self._by_name = {(policy.metadata.namespace, policy.metadata.name): policy for policy in held}
        self._contents: dict[int, str] = {}
        self._namespaced = SelectorIndex(policy for policy in held if policy.metadata.namespace)
        self._cluster = SelectorIndex(policy for policy in held if not policy.metadata.namespace)

    def named(self, namespace: str, name: str) -> PropagationPolicy | None:
        return self._by_name.get((namespace, name))

    def best(self, obj: Object) -> PropagationPolicy | None:
        """The policy that an unclaimed object gets: one of its namespace, whatever the priority of the others."""
        return self.best_namespaced(obj) or self.best_cluster(obj)

    def best_namespaced(self, obj: Object) -> PropagationPolicy | None:
        return _best(self._namespaced.find(obj)) if metadata_of(obj).get("namespace") else None

    def best_cluster(self, obj: Object) -> PropagationPolicy | None:
        return _best(self._cluster.find(obj))

    def content(self, policy: PropagationPolicy) -> str:
        """A digest of what one of these policies says."""
        if id(policy) not in self._contents:
            self._contents[id(policy)] = digest(encode(policy.spec))
        return self._contents[id(policy)]

    def candidates(self, obj: Object) -> tuple[Candidate, ...]:
        """Every policy that wants the object, best first, with the reason why each of the others lost."""
        ranked = sorted(self._ranked(obj), key=lambda one: (not one.policy.metadata.namespace, one.rank))
        return tuple(
            Candidate(policy=one.policy, implicit_priority=one.implicit_priority, lost=_lost(one, ranked[0]))
            for one in ranked
        )

    def hits(self, obj: Object) -> Iterator[tuple[ImplicitPriority, ResourceSelector, PropagationPolicy]]:
        """Every selector that means the object, whoever wins."""
        if metadata_of(obj).get("namespace"):
            yield from self._namespaced.hits(obj)
        yield from self._cluster.hits(obj)

    def _ranked(self, obj: Object) -> Iterator[Candidate]:
        namespaced = self._namespaced.find(obj) if metadata_of(obj).get("namespace") else []
        for level, policy in [*namespaced, *self._cluster.find(obj)]:
            yield Candidate(policy=policy, implicit_priority=level)


def _best(found: list[tuple[ImplicitPriority, PropagationPolicy]]) -> PropagationPolicy | None:
    candidates = (Candidate(policy=policy, implicit_priority=level) for level, policy in found)
    best = min(candidates, key=lambda candidate: candidate.rank, default=None)
    return best.policy if best else None


def _lost(candidate: Candidate, winner: Candidate) -> str:
    if candidate is winner:
        return ""
    if winner.policy.metadata.namespace and not candidate.policy.metadata.namespace:
        return f"{winner.policy} wins: a PropagationPolicy goes before every ClusterPropagationPolicy"
    ours, theirs = candidate.policy.spec.priority, winner.policy.spec.priority
    if ours != theirs:
        return f"{winner.policy} wins: its priority {theirs} is higher than {ours}"
    if candidate.implicit_priority != winner.implicit_priority:
        means, mine = _MEANS[winner.implicit_priority], _MEANS[candidate.implicit_priority]
        return f"{winner.policy} wins: it selects {means}, this one {mine}"
    return f"{winner.policy} wins: equal priority and selectors, and its name sorts first"


_MEANS = {
    ImplicitPriority.NONE: "nothing",
    ImplicitPriority.ALL: "all of the kind",
    ImplicitPriority.LABELS: "by labels",
    ImplicitPriority.NAME: "by name",
}
