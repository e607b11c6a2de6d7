"""Nothing comes back to a cluster while it is being evicted from it."""

from gitops_karmada.core.filters import Request
from gitops_karmada.model.clusters import Cluster


def is_not_evicting(request: Request, cluster: Cluster) -> str | None:
    return "cluster(s) is in the process of eviction" if cluster.name in request.evicting else None
