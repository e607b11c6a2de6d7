"""Which workloads want to be together and which apart (workload affinity), and where they are by now."""

from collections.abc import Iterable

from gitops_karmada.model.bindings import Binding, TargetCluster

Member = tuple[str, str]


class Peers:
    """The members of all affinity and anti-affinity groups with their clusters, while a turn places them.

    Groups live in a namespace; bindings of cluster-scoped templates are never in one.
    """

    def __init__(self, bindings: Iterable[Binding] = ()) -> None:
        self._together: dict[tuple[str, str], dict[Member, frozenset[str]]] = {}
        self._apart: dict[tuple[str, str], dict[Member, frozenset[str]]] = {}
        for binding in bindings:
            self.place(binding, binding.spec.clusters)

    def place(self, binding: Binding, targets: Iterable[TargetCluster]) -> None:
        groups, namespace = binding.spec.workload_affinity_groups, binding.metadata.namespace
        if groups is None or not namespace:
            return
        names, member = frozenset(target.name for target in targets), _member(binding)
        if groups.affinity_group:
            self._together.setdefault((namespace, groups.affinity_group), {})[member] = names
        if groups.anti_affinity_group:
            self._apart.setdefault((namespace, groups.anti_affinity_group), {})[member] = names

    def companions(self, binding: Binding) -> frozenset[str] | None:
        """The clusters that all placed members of its affinity group share; None while none of them is placed."""
        groups = binding.spec.workload_affinity_groups
        if groups is None or not groups.affinity_group:
            return None
        members = self._together.get((binding.metadata.namespace, groups.affinity_group), {})
        placed = [names for member, names in members.items() if names and member != _member(binding)]
        return frozenset.intersection(*placed) if placed else None

    def rivals(self, binding: Binding) -> frozenset[str]:
        """The clusters that any member of its anti-affinity group is in."""
        groups = binding.spec.workload_affinity_groups
        if groups is None or not groups.anti_affinity_group:
            return frozenset()
        members = self._apart.get((binding.metadata.namespace, groups.anti_affinity_group), {})
        return frozenset().union(*(names for member, names in members.items() if member != _member(binding)))


def _member(binding: Binding) -> Member:
    return binding.kind, binding.metadata.name
