"""Overrides that cannot be applied to an object of the repository, found before anything is placed."""

from collections.abc import Iterator
from typing import Final, TypeAlias

from gitops_karmada.core.affinity import matches_cluster
from gitops_karmada.core.lints import Repository, about
from gitops_karmada.core.override import OverrideFailed, override, rules_for
from gitops_karmada.core.render import in_clusters
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.objects import Key, Object
from gitops_karmada.model.placement import Placement
from gitops_karmada.model.problems import Problem, Severity

CODE: Final = "GK2006"

# The rules that apply in a cluster. Where they are the same, so is what they make of an object.
_Rules: TypeAlias = tuple[tuple[int, str], ...]


def failing_overrides(repository: Repository) -> Iterator[Problem]:
    """For every claimed template and failure one finding for all the clusters that its policy may choose."""
    if repository.yaml is None:
        return
    for key, candidates in sorted(repository.competing.items()):
        obj = repository.federation.templates[key].object
        if not candidates:
            continue
        chosen = [it for it in repository.clusters.values() if _may_choose(candidates[0].policy.spec.placement, it)]
        found: dict[tuple[int, str, str], tuple[OverrideFailed, list[str]]] = {}
        for clusters in _alike(repository, obj, chosen):
            failure = override(obj, clusters[0], repository.policies.overrides, repository.yaml)
            if isinstance(failure, OverrideFailed):
                _, names = found.setdefault((id(failure.policy), failure.path, failure.reason), (failure, []))
                names.extend(cluster.name for cluster in clusters)
        for failure, names in found.values():
            yield _problem(repository, key, failure, sorted(names))


def _may_choose(placement: Placement, cluster: Cluster) -> bool:
    """Overflow affinities may choose any cluster."""
    if placement.cluster_affinity is not None:
        return matches_cluster(placement.cluster_affinity, cluster)
    terms = placement.cluster_affinities
    return not terms or any(term.overflow_affinities or matches_cluster(term, cluster) for term in terms)


def _alike(repository: Repository, obj: Object, clusters: list[Cluster]) -> list[list[Cluster]]:
    overrides = repository.policies.overrides
    policies = (*overrides.cluster_policies(obj), *overrides.policies(obj))
    groups: dict[_Rules, list[Cluster]] = {}
    for cluster in sorted(clusters, key=lambda it: it.name):
        rules = tuple((id(policy), place) for policy in policies for place, _ in rules_for(policy, cluster))
        groups.setdefault(rules, []).append(cluster)
    return [found for rules, found in groups.items() if rules]


def _problem(repository: Repository, key: Key, failure: OverrideFailed, clusters: list[str]) -> Problem:
    declared = next(one for one in repository.federation.override_policies if one.value is failure.policy)
    message = f"cannot be applied to {key}: {failure.reason} ({in_clusters(clusters)})"
    return about(declared, CODE, failure.path, message, severity=Severity.ERROR)
