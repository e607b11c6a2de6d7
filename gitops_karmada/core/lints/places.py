"""Clusters, labels and fields that policies ask for and that no registered cluster has."""

import difflib
from collections.abc import Iterator
from typing import Any, Final

from gitops_karmada.core.affinity import matches_cluster
from gitops_karmada.core.lints import Repository, about
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.federation import Declared
from gitops_karmada.model.placement import ClusterAffinity, Placement, SpreadField
from gitops_karmada.model.policies import OverridePolicy, PropagationPolicy
from gitops_karmada.model.problems import Problem

CODE: Final = "GK2004"
SPREAD: Final = "GK2005"


def missing_clusters(repository: Repository) -> Iterator[Problem]:
    """Only where clusters are registered at all: a repository without any may be checked before they are."""
    if not repository.clusters:
        return
    federation = repository.federation
    for policy in federation.propagation_policies:
        for path, affinity in placement_affinities(policy.value.spec.placement):
            yield from _affinity(repository, policy, path, affinity)
        yield from _suspended(repository, policy)
    for override in federation.override_policies:
        for path, target in _targets(override.value):
            yield from _affinity(repository, override, path, target)
    for taints in federation.taint_policies:
        if taints.value.spec.target_clusters is not None:
            yield from _affinity(repository, taints, "spec.targetClusters", taints.value.spec.target_clusters)
    for quota in federation.quotas:
        for number, assignment in enumerate(quota.value.spec.static_assignments):
            path = f"spec.staticAssignments[{number}].clusterName"
            yield from _names(repository, quota, path, (assignment.cluster_name,))


def placement_affinities(placement: Placement) -> Iterator[tuple[str, ClusterAffinity]]:
    """Every affinity that chooses clusters, with its path. Weights choose none."""
    place = "spec.placement"
    if placement.cluster_affinity is not None:
        yield f"{place}.clusterAffinity", placement.cluster_affinity
    for number, term in enumerate(placement.cluster_affinities):
        path = f"{place}.clusterAffinities[{number}]"
        yield path, term
        for index, overflow in enumerate(term.overflow_affinities):
            yield f"{path}.overflowAffinities[{index}]", overflow


def _targets(policy: OverridePolicy) -> Iterator[tuple[str, ClusterAffinity]]:
    for number, rule in enumerate(policy.spec.override_rules):
        if rule.target_cluster is not None:
            yield f"spec.overrideRules[{number}].targetCluster", rule.target_cluster
    if policy.spec.target_cluster is not None:
        yield "spec.targetCluster", policy.spec.target_cluster


def _affinity(
    repository: Repository, declared: Declared[Any], path: str, affinity: ClusterAffinity
) -> Iterator[Problem]:
    missing = [
        *_names(repository, declared, f"{path}.clusterNames", affinity.cluster_names),
        *_names(repository, declared, f"{path}.exclude", affinity.exclude),
    ]
    yield from missing
    if not missing and not chosen(repository, affinity):
        yield about(declared, CODE, path, "matches no registered cluster", _labels(repository, affinity))


def chosen(repository: Repository, affinity: ClusterAffinity) -> list[Cluster]:
    return [cluster for cluster in repository.clusters.values() if matches_cluster(affinity, cluster)]


def _names(repository: Repository, declared: Declared[Any], path: str, names: tuple[str, ...]) -> Iterator[Problem]:
    for number, name in enumerate(names):
        if name not in repository.clusters:
            close = difflib.get_close_matches(name, sorted(repository.clusters), n=1)
            hint = f"Did you mean {close[0]}?" if close else f"Registered are {', '.join(sorted(repository.clusters))}"
            place = f"{path}[{number}]" if not path.endswith("clusterName") else path
            yield about(declared, CODE, place, f"there is no cluster {name!r}", hint)


def _labels(repository: Repository, affinity: ClusterAffinity) -> str:
    """What clusters carry under the labels that the selector asks for."""
    if affinity.label_selector is None or not affinity.label_selector.match_labels:
        return ""
    key = min(affinity.label_selector.match_labels)
    carried = [
        f"{cluster.metadata.labels[key]} ({name})"
        for name, cluster in sorted(repository.clusters.items())
        if key in cluster.metadata.labels
    ]
    return f"Clusters carry {key}: {', '.join(carried)}" if carried else f"No cluster has the label {key}"


def _suspended(repository: Repository, policy: Declared[PropagationPolicy]) -> Iterator[Problem]:
    suspension = policy.value.spec.suspension
    if suspension is not None and suspension.dispatching_on_clusters is not None:
        path = "spec.suspension.dispatchingOnClusters.clusterNames"
        yield from _names(repository, policy, path, suspension.dispatching_on_clusters.cluster_names)


def unmet_spread(repository: Repository) -> Iterator[Problem]:
    """More groups wanted than the chosen clusters make."""
    if not repository.clusters:
        return
    for declared in repository.federation.propagation_policies:
        placement = declared.value.spec.placement
        for number, constraint in enumerate(placement.spread_constraints):
            groups = _groups(repository, placement, constraint.spread_by_field)
            if constraint.spread_by_field is not None and groups < constraint.min_groups:
                path = f"spec.placement.spreadConstraints[{number}].minGroups"
                message = f"asks for {constraint.min_groups} by {constraint.spread_by_field}, there are {groups}"
                yield about(declared, SPREAD, path, message)


def _groups(repository: Repository, placement: Placement, field: SpreadField | None) -> int:
    """The most that one affinity group can offer."""
    affinities = [affinity for _, affinity in placement_affinities(placement)] or [ClusterAffinity()]
    return max(len(_of_field(chosen(repository, affinity), field)) for affinity in affinities)


def _of_field(clusters: list[Cluster], field: SpreadField | None) -> set[str]:
    match field:
        case SpreadField.REGION:
            return {cluster.spec.region for cluster in clusters} - {""}
        case SpreadField.PROVIDER:
            return {cluster.spec.provider for cluster in clusters} - {""}
        case SpreadField.ZONE:
            return {zone for cluster in clusters for zone in cluster.spec.zones}
        case _:
            return {cluster.name for cluster in clusters}
