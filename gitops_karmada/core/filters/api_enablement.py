"""The cluster serves the API of the object."""

from gitops_karmada.core.filters import Request
from gitops_karmada.model.clusters import Cluster


def serves(request: Request, cluster: Cluster) -> str | None:
    if cluster.name in request.targets:
        return None
    for enabled in cluster.status.api_enablements:
        if enabled.group_version == request.api_version and any(it.kind == request.kind for it in enabled.resources):
            return None
    return "cluster(s) did not have the API resource"
