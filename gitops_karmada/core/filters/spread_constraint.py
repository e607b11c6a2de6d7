"""The cluster says the property that the placement spreads by. Also where the strategy ignores the spreading itself."""

from gitops_karmada.core.filters import Request
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.placement import SpreadField


def has_property(request: Request, cluster: Cluster) -> str | None:
    for constraint in request.placement.spread_constraints:
        match constraint.spread_by_field:
            case SpreadField.PROVIDER if not cluster.spec.provider:
                return "cluster(s) did not have provider property"
            case SpreadField.REGION if not cluster.spec.region:
                return "cluster(s) did not have region property"
            case SpreadField.ZONE if not cluster.spec.zones:
                return "cluster(s) did not have zones property"
    return None
