"""A workload goes where all the others of its affinity group are."""

from gitops_karmada.core.filters import Request
from gitops_karmada.model.clusters import Cluster


def follows(request: Request, cluster: Cluster) -> str | None:
    if request.companions is None or cluster.name in request.targets or cluster.name in request.companions:
        return None
    return "ResourceBinding with the same affinity group does not target this cluster"
