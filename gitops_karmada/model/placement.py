"""Where a policy wants things: affinities, tolerations, spread, division (policy.karmada.io/v1alpha1 Placement)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from gitops_karmada.model.frozen import NOTHING
from gitops_karmada.model.selectors import FieldSelector, LabelSelector

REQUIRED = {"required": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterAffinity:
    """Which clusters: all parts must hold; an empty one matches every cluster."""

    label_selector: LabelSelector | None = None
    field_selector: FieldSelector | None = None
    cluster_names: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OverflowAffinity(ClusterAffinity):
    affinity_name: str = field(default="", metadata=REQUIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class AffinityTerm(ClusterAffinity):
    """One of the ordered groups of `clusterAffinities`."""

    affinity_name: str = field(default="", metadata=REQUIRED)
    overflow_affinities: tuple[OverflowAffinity, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Toleration:
    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


class SpreadField(StrEnum):
    CLUSTER = "cluster"
    REGION = "region"
    ZONE = "zone"
    PROVIDER = "provider"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadConstraint:
    """How many groups at least and at most; `max_groups` 0 is no limit."""

    spread_by_field: SpreadField | None = None
    spread_by_label: str = ""
    max_groups: int = 0
    min_groups: int = 0


class ReplicaSchedulingType(StrEnum):
    DUPLICATED = "Duplicated"
    DIVIDED = "Divided"


class ReplicaDivisionPreference(StrEnum):
    AGGREGATED = "Aggregated"
    WEIGHTED = "Weighted"


class DynamicWeight(StrEnum):
    AVAILABLE_REPLICAS = "AvailableReplicas"


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticClusterWeight:
    target_cluster: ClusterAffinity = field(default=ClusterAffinity(), metadata=REQUIRED)
    weight: int = field(default=0, metadata=REQUIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPreferences:
    static_weight_list: tuple[StaticClusterWeight, ...] = ()
    dynamic_weight: DynamicWeight | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaSchedulingStrategy:
    """An absent strategy behaves as Duplicated; a present one without type is Divided (the CRD's default)."""

    replica_scheduling_type: ReplicaSchedulingType | None = None
    replica_division_preference: ReplicaDivisionPreference | None = None
    weight_preference: ClusterPreferences | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadAffinityTerm:
    group_by_label_key: str = field(default="", metadata=REQUIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadAffinity:
    affinity: WorkloadAffinityTerm | None = None
    anti_affinity: WorkloadAffinityTerm | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    cluster_affinity: ClusterAffinity | None = None
    cluster_affinities: tuple[AffinityTerm, ...] = ()
    cluster_tolerations: tuple[Toleration, ...] = ()
    spread_constraints: tuple[SpreadConstraint, ...] = ()
    replica_scheduling: ReplicaSchedulingStrategy | None = None
    workload_affinity: WorkloadAffinity | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatePreservationRule:
    alias_label_name: str = field(default="", metadata=REQUIRED)
    json_path: str = field(default="", metadata=REQUIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatePreservation:
    rules: tuple[StatePreservationRule, ...] = ()


class PurgeMode(StrEnum):
    DIRECTLY = "Directly"
    GRACEFULLY = "Gracefully"
    NEVER = "Never"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionConditions:
    toleration_seconds: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationFailover:
    decision_conditions: DecisionConditions = field(default=DecisionConditions(), metadata=REQUIRED)
    purge_mode: PurgeMode | None = None
    grace_period_seconds: int | None = None
    state_preservation: StatePreservation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterFailover:
    purge_mode: PurgeMode | None = None
    state_preservation: StatePreservation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failover:
    application: ApplicationFailover | None = None
    cluster: ClusterFailover | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspendClusters:
    cluster_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspension:
    """`scheduling` is never set by a policy, only on a binding."""

    dispatching: bool | None = None
    dispatching_on_clusters: SuspendClusters | None = None
    scheduling: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeClaim:
    hard_node_affinity: Mapping[str, Any] | None = None
    node_selector: Mapping[str, str] = field(default=NOTHING)
    tolerations: tuple[Toleration, ...] = ()
