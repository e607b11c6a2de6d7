"""A template, its policy's wishes and where it runs: ResourceBinding (work.karmada.io/v1alpha2)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from gitops_karmada.model.clusters import Condition
from gitops_karmada.model.frozen import NOTHING
from gitops_karmada.model.metadata import ObjectMeta
from gitops_karmada.model.objects import Key, group_of
from gitops_karmada.model.placement import Failover, NodeClaim, Placement, PurgeMode, Suspension
from gitops_karmada.model.quantity import Quantity

REQUIRED = {"required": True}
ALWAYS = {"always": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectReference:
    api_version: str = field(default="", metadata=REQUIRED)
    kind: str = field(default="", metadata=REQUIRED)
    namespace: str = ""
    name: str = field(default="", metadata=REQUIRED)
    uid: str = ""
    resource_version: str = ""

    @property
    def key(self) -> Key:
        return Key(group=group_of(self.api_version), kind=self.kind, namespace=self.namespace, name=self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaRequirements:
    """What one replica needs. Amounts are per replica."""

    node_claim: NodeClaim | None = None
    resource_request: Mapping[str, Quantity] = field(default=NOTHING)
    namespace: str = ""
    priority_class_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComponentRequirements:
    node_claim: NodeClaim | None = None
    resource_request: Mapping[str, Quantity] = field(default=NOTHING)
    priority_class_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """One pod template of a workload that has several."""

    name: str = field(default="", metadata=REQUIRED)
    replicas: int = field(default=0, metadata=ALWAYS)
    replica_requirements: ComponentRequirements | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetComponent:
    name: str = field(default="", metadata=REQUIRED)
    replicas: int = field(default=0, metadata=ALWAYS)


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetCluster:
    name: str = field(default="", metadata=REQUIRED)
    replicas: int = 0
    components: tuple[TargetComponent, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GracefulEvictionTask:
    from_cluster: str = field(default="", metadata=REQUIRED)
    purge_mode: PurgeMode | None = None
    replicas: int | None = None
    reason: str = ""
    message: str = ""
    producer: str = ""
    grace_period_seconds: int | None = None
    suppress_deletion: bool | None = None
    preserved_label_state: Mapping[str, str] = field(default=NOTHING)
    creation_timestamp: datetime | None = None
    clusters_before_failover: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BindingSnapshot:
    """Who needs this object, and where."""

    namespace: str = ""
    name: str = field(default="", metadata=REQUIRED)
    clusters: tuple[TargetCluster, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulePriority:
    """`preempts` is ours: it may displace less important bindings when room is short."""

    priority: int = field(default=0, metadata=ALWAYS)
    preempts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadAffinityGroups:
    affinity_group: str = ""
    anti_affinity_group: str = ""


class ConflictResolution(StrEnum):
    ABORT = "Abort"
    OVERWRITE = "Overwrite"


@dataclass(frozen=True, slots=True, kw_only=True)
class BindingSpec:
    resource: ObjectReference = ObjectReference()
    propagate_deps: bool = False
    replica_requirements: ReplicaRequirements | None = None
    replicas: int = 0
    components: tuple[Component, ...] = ()
    clusters: tuple[TargetCluster, ...] = ()
    placement: Placement | None = None
    graceful_eviction_tasks: tuple[GracefulEvictionTask, ...] = ()
    required_by: tuple[BindingSnapshot, ...] = ()
    scheduler_name: str = ""
    failover: Failover | None = None
    conflict_resolution: ConflictResolution | None = None
    reschedule_triggered_at: datetime | None = None
    suspension: Suspension | None = None
    preserve_resources_on_deletion: bool | None = None
    schedule_priority: SchedulePriority | None = None
    workload_affinity_groups: WorkloadAffinityGroups | None = None

    @property
    def is_workload(self) -> bool:
        return self.replicas > 0 or self.replica_requirements is not None or bool(self.components)


class Health(StrEnum):
    HEALTHY = "Healthy"
    UNHEALTHY = "Unhealthy"
    UNKNOWN = "Unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregatedStatusItem:
    cluster_name: str = field(default="", metadata=REQUIRED)
    status: Mapping[str, Any] | None = None
    applied: bool = False
    applied_message: str = ""
    health: Health | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BindingStatus:
    scheduler_observed_generation: int = 0
    scheduler_observed_affinity_name: str = field(default="", metadata={"json": "schedulerObservingAffinityName"})
    last_scheduled_time: datetime | None = None
    conditions: tuple[Condition, ...] = ()
    aggregated_status: tuple[AggregatedStatusItem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """A ResourceBinding (template with a namespace) or ClusterResourceBinding (without)."""

    api_version: str = "work.karmada.io/v1alpha2"
    kind: str = "ResourceBinding"
    metadata: ObjectMeta = ObjectMeta()
    spec: BindingSpec = BindingSpec()
    status: BindingStatus = BindingStatus()

    @property
    def key(self) -> Key:
        """The template's identity, which is also the binding's: two groups' same-named kinds never share one."""
        return self.spec.resource.key
