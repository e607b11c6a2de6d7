"""Static weights: for clusters that are never chosen, or beside constraints that they make ineffective."""

from collections.abc import Iterator
from typing import Final

from gitops_karmada.core.lints import Repository, about
from gitops_karmada.core.lints.places import chosen, placement_affinities
from gitops_karmada.core.strategy import ignores_spread
from gitops_karmada.model.placement import ClusterAffinity, Placement, StaticClusterWeight
from gitops_karmada.model.problems import Problem

WITHOUT_CLUSTER: Final = "GK2009"
BESIDE_SPREAD: Final = "GK2041"
LIST: Final = "spec.placement.replicaScheduling.weightPreference.staticWeightList"


def weights_without_cluster(repository: Repository) -> Iterator[Problem]:
    if not repository.clusters:
        return
    for declared in repository.federation.propagation_policies:
        placement = declared.value.spec.placement
        affinities = [affinity for _, affinity in placement_affinities(placement)] or [ClusterAffinity()]
        reachable = {cluster.name for affinity in affinities for cluster in chosen(repository, affinity)}
        for number, weight in enumerate(_weights(placement)):
            weighted = {cluster.name for cluster in chosen(repository, weight.target_cluster)}
            path = f"{LIST}[{number}].targetCluster"
            if not weighted:
                named = ", ".join(weight.target_cluster.cluster_names) or "its target"
                yield about(
                    declared, WITHOUT_CLUSTER, path, f"weight {weight.weight}: {named} is no registered cluster"
                )
            elif not weighted & reachable:
                message = f"weight {weight.weight}: the affinity never chooses {', '.join(sorted(weighted))}"
                yield about(declared, WITHOUT_CLUSTER, path, message, "Add it to the affinity, or remove the weight")


def _weights(placement: Placement) -> tuple[StaticClusterWeight, ...]:
    scheduling = placement.replica_scheduling
    preference = scheduling.weight_preference if scheduling is not None else None
    return preference.static_weight_list if preference is not None else ()


def weights_beside_spread(repository: Repository) -> Iterator[Problem]:
    for declared in repository.federation.propagation_policies:
        placement = declared.value.spec.placement
        if placement.spread_constraints and _weights(placement) and ignores_spread(placement):
            yield about(
                declared,
                BESIDE_SPREAD,
                "spec.placement.spreadConstraints",
                "is ignored, because replicas are divided by spec.placement.replicaScheduling."
                "weightPreference.staticWeightList",
                "Remove one of the two, or use dynamicWeight: AvailableReplicas",
            )
