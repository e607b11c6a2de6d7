"""Short ways to say clusters, placements and bindings in tests."""

from datetime import UTC, datetime
from typing import Any

from gitops_karmada.core.schedule import Scheduled, ScheduleResult, SchedulingWorld, schedule
from gitops_karmada.model.bindings import (
    Binding,
    BindingSpec,
    BindingStatus,
    ObjectReference,
    ReplicaRequirements,
    TargetCluster,
)
from gitops_karmada.model.clusters import (
    APIEnablement,
    APIResource,
    Cluster,
    ClusterSpec,
    ClusterStatus,
    ResourceSummary,
    Taint,
)
from gitops_karmada.model.decode import decode
from gitops_karmada.model.frozen import Frozen
from gitops_karmada.model.metadata import ObjectMeta
from gitops_karmada.model.placement import Placement
from gitops_karmada.model.quantity import quantity

SERVED = (
    APIEnablement(group_version="apps/v1", resources=(APIResource(name="deployments", kind="Deployment"),)),
    APIEnablement(group_version="v1", resources=(APIResource(name="configmaps", kind="ConfigMap"),)),
)
EARLIER = datetime(2026, 1, 1, 10, 0, tzinfo=UTC)
LATER = datetime(2026, 1, 1, 10, 1, tzinfo=UTC)


def cluster(name: str, pods: int = 1000, **fields: Any) -> Cluster:
    """A cluster with room for so many pods. `fields` are of the spec, or `labels`, `apis`, `room`."""
    labels, apis = fields.pop("labels", {}), fields.pop("apis", SERVED)
    room = fields.pop("room", {})
    allocatable = Frozen({"pods": quantity(pods), **{key: quantity(value) for key, value in room.items()}})
    return Cluster(
        metadata=ObjectMeta(
            name=name, labels=Frozen(labels), deletion_timestamp=fields.pop("deletion_timestamp", None)
        ),
        spec=ClusterSpec(**fields),
        status=ClusterStatus(api_enablements=apis, resource_summary=ResourceSummary(allocatable=allocatable)),
    )


def taint(text: str) -> Taint:
    """`key=value:Effect`."""
    named, _, effect = text.rpartition(":")
    key, _, value = named.partition("=")
    return Taint(key=key, value=value, effect=effect)


def placement(**fields: Any) -> Placement:
    """A placement from the JSON that a policy would have."""
    return decode(Placement, fields).unwrap()


def divided(preference: str, weights: dict[str, int] | None = None, *, dynamic: bool = False) -> dict[str, Any]:
    strategy: dict[str, Any] = {"replicaSchedulingType": "Divided", "replicaDivisionPreference": preference}
    if dynamic:
        strategy["weightPreference"] = {"dynamicWeight": "AvailableReplicas"}
    if weights:
        rules = [{"targetCluster": {"clusterNames": [name]}, "weight": weight} for name, weight in weights.items()]
        strategy["weightPreference"] = {"staticWeightList": rules}
    return strategy


AGGREGATED = divided("Aggregated")
DYNAMIC = divided("Weighted", dynamic=True)


def binding(replicas: int, wanted: Placement, clusters: dict[str, int] | None = None, **fields: Any) -> Binding:
    """A Deployment's binding. `clusters` are its targets; `fields` are of the spec, or `status`, `name`, `requests`."""
    name, status = fields.pop("name", "web"), fields.pop("status", BindingStatus())
    requests = fields.pop("requests", None)
    if requests is not None:
        request = Frozen({key: quantity(value) for key, value in requests.items()})
        fields["replica_requirements"] = ReplicaRequirements(resource_request=request)
    kind, version = fields.pop("kind", "Deployment"), fields.pop("api_version", "apps/v1")
    resource = ObjectReference(api_version=version, kind=kind, namespace="shop", name=name, uid=fields.pop("uid", ""))
    targets = tuple(TargetCluster(name=key, replicas=value) for key, value in (clusters or {}).items())
    return Binding(
        metadata=ObjectMeta(name=f"{name}-{kind.lower()}", namespace="shop"),
        spec=BindingSpec(resource=resource, replicas=replicas, placement=wanted, clusters=targets, **fields),
        status=status,
    )


def world(*clusters: Cluster, **options: Any) -> SchedulingWorld:
    return SchedulingWorld(clusters, **options)


def shares(result: ScheduleResult) -> dict[str, int]:
    """What each cluster gets. Fails where the pass did."""
    assert isinstance(result, Scheduled), result.message
    return {target.name: target.replicas for target in result.clusters}


def scheduled(wish: Binding, *clusters: Cluster, **options: Any) -> dict[str, int]:
    return shares(schedule(wish, world(*clusters, **options)))


def rooms(**pods: int) -> list[Cluster]:
    return [cluster(name, pods=count) for name, count in pods.items()]
