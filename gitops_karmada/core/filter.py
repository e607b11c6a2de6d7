"""Which clusters are candidates, and why the others are not."""

from collections import Counter
from collections.abc import Iterable, Mapping

from gitops_karmada.core.filters import Filter, Request
from gitops_karmada.core.filters.api_enablement import serves
from gitops_karmada.core.filters.cluster_affinity import is_wanted
from gitops_karmada.core.filters.cluster_eviction import is_not_evicting
from gitops_karmada.core.filters.spread_constraint import has_property
from gitops_karmada.core.filters.taint_toleration import is_tolerated
from gitops_karmada.core.filters.workload_affinity import follows
from gitops_karmada.core.filters.workload_anti_affinity import keeps_away
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.decisions import Unfit

# By name: the first that refuses gives the reason. Which clusters are left does not depend on the order.
FILTERS: Mapping[str, Filter] = {
    "APIEnablement": serves,
    "ClusterAffinity": is_wanted,
    "ClusterEviction": is_not_evicting,
    "SpreadConstraint": has_property,
    "TaintToleration": is_tolerated,
    "WorkloadAffinity": follows,
    "WorkloadAntiAffinity": keeps_away,
}
LEAVING = Unfit(filter="", reason="cluster(s) is being removed from the federation")


def fit(request: Request, clusters: Iterable[Cluster]) -> tuple[tuple[Cluster, ...], dict[str, Unfit]]:
    """The feasible clusters, and for each of the others the first filter that refused it."""
    feasible, unfit = [], {}
    for cluster in clusters:
        refusal = refused(request, cluster)
        if refusal is None:
            feasible.append(cluster)
        else:
            unfit[cluster.name] = refusal
    return tuple(feasible), unfit


def refused(request: Request, cluster: Cluster) -> Unfit | None:
    if cluster.metadata.deletion_timestamp is not None:
        return LEAVING
    for name, plugin in FILTERS.items():
        reason = plugin(request, cluster)
        if reason is not None:
            return Unfit(filter=name, reason=reason)
    return None


def no_cluster_fits(unfit: Mapping[str, Unfit]) -> str:
    """Karmada's text. Leaving clusters count among all, but have no reason of their own."""
    reasons = Counter(refusal.reason for refusal in unfit.values() if refusal is not LEAVING)
    details = ", ".join(sorted(f"{count} {reason}" for reason, count in reasons.items()))
    return f"0/{len(unfit)} clusters are available: {details or 'no cluster exists'}."
