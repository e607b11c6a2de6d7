"""Which clusters an affinity means, and which taints a toleration lets pass."""

from collections.abc import Iterable

from gitops_karmada.model.clusters import Cluster, Taint
from gitops_karmada.model.placement import AffinityTerm, ClusterAffinity, Placement, Toleration
from gitops_karmada.model.selectors import FieldSelector, Requirement, matches, matches_all

REPELLING = frozenset({"NoSchedule", "NoExecute"})


def matches_cluster(affinity: ClusterAffinity, cluster: Cluster) -> bool:
    """Whether all parts of the affinity hold; an empty affinity matches every cluster, `exclude` beats everything."""
    if cluster.name in affinity.exclude:
        return False
    if affinity.label_selector is not None and not matches(affinity.label_selector, cluster.metadata.labels):
        return False
    if affinity.field_selector is not None and not _matches_fields(affinity.field_selector, cluster):
        return False
    return not affinity.cluster_names or cluster.name in affinity.cluster_names


def _matches_fields(selector: FieldSelector, cluster: Cluster) -> bool:
    zones = cluster.spec.zones
    about_zones = [wish for wish in selector.match_expressions if wish.key == "zone"]
    others = [wish for wish in selector.match_expressions if wish.key != "zone"]
    fields = {"provider": cluster.spec.provider, "region": cluster.spec.region}
    return all(_matches_zones(wish, zones) for wish in about_zones) and matches_all(
        others, {name: value for name, value in fields.items() if value}
    )


def _matches_zones(wish: Requirement, zones: tuple[str, ...]) -> bool:
    match wish.operator:
        case "In":
            return any(zone in wish.values for zone in zones)
        case "NotIn":
            return not any(zone in wish.values for zone in zones)
        case "Exists":
            return bool(zones)
        case "DoesNotExist":
            return not zones
        case _:
            return False


def term_of(placement: Placement, affinity_name: str) -> AffinityTerm | None:
    """The affinity group of that name."""
    return next((term for term in placement.cluster_affinities if term.affinity_name == affinity_name), None)


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """As Kubernetes' ToleratesTaint. How long it is tolerated plays no role here."""
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    match toleration.operator:
        case "" | "Equal":
            return toleration.value == taint.value
        case "Exists":
            return True
        case _:
            return False


def untolerated(taints: Iterable[Taint], tolerations: Iterable[Toleration]) -> Taint | None:
    """The first taint that keeps new things away and that nothing tolerates."""
    wanted = tuple(tolerations)
    for taint in taints:
        if taint.effect in REPELLING and not any(tolerates(toleration, taint) for toleration in wanted):
            return taint
    return None


def taint_text(taint: Taint) -> str:
    """`key=value:Effect`, as Kubernetes writes it."""
    named = f"{taint.key}={taint.value}" if taint.value else taint.key
    return f"{named}:{taint.effect}" if taint.effect or taint.value else named
