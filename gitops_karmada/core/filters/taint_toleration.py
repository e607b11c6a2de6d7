"""Taints of the cluster that the placement does not tolerate keep new things away; what runs there stays."""

from gitops_karmada.core.affinity import taint_text, untolerated
from gitops_karmada.core.filters import Request
from gitops_karmada.model.clusters import Cluster


def is_tolerated(request: Request, cluster: Cluster) -> str | None:
    if cluster.name in request.targets:
        return None
    taint = untolerated(cluster.spec.taints, request.placement.cluster_tolerations)
    return f"cluster(s) had untolerated taint {{{taint_text(taint)}}}" if taint else None
