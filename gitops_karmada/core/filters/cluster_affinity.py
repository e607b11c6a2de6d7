"""The cluster is one that the placement wants; targets that are no longer wanted go at the next pass."""

from gitops_karmada.core.affinity import matches_cluster, term_of
from gitops_karmada.core.filters import Request
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.placement import ClusterAffinity


def is_wanted(request: Request, cluster: Cluster) -> str | None:
    wanted = _affinities(request)
    if not wanted or any(matches_cluster(affinity, cluster) for affinity in wanted):
        return None
    return "cluster(s) did not match the placement cluster affinity constraint"


def _affinities(request: Request) -> tuple[ClusterAffinity, ...]:
    if request.placement.cluster_affinity is not None:
        return (request.placement.cluster_affinity,)
    term = term_of(request.placement, request.affinity_name)
    if term is None:
        return ()
    return (term, *term.overflow_affinities) if request.is_workload else (term,)
