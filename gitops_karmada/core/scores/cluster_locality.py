"""Clusters that run it already are preferred."""

from gitops_karmada.core.filters import Request
from gitops_karmada.model.clusters import Cluster


def locality(request: Request, cluster: Cluster) -> int:
    return 100 if cluster.name in request.targets else 0
