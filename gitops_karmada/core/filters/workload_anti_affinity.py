"""A workload keeps away from where others of its anti-affinity group are."""

from gitops_karmada.core.filters import Request
from gitops_karmada.model.clusters import Cluster


def keeps_away(request: Request, cluster: Cluster) -> str | None:
    if cluster.name in request.targets or cluster.name not in request.rivals:
        return None
    return "cluster already has workload with the same anti-affinity group"
