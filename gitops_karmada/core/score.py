"""How much each candidate is preferred."""

from collections.abc import Iterable, Mapping

from gitops_karmada.core.filters import Request
from gitops_karmada.core.scores import Score
from gitops_karmada.core.scores.cluster_locality import locality
from gitops_karmada.model.clusters import Cluster

# Karmada's ClusterAffinity score is always 0 and has no plugin here.
SCORES: Mapping[str, Score] = {"ClusterLocality": locality}


def score(request: Request, clusters: Iterable[Cluster]) -> dict[str, int]:
    return {cluster.name: sum(plugin(request, cluster) for plugin in SCORES.values()) for cluster in clusters}
