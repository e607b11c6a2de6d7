"""What people ask for: policies, overrides, quotas, rebalancers (policy.karmada.io, apps.karmada.io)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from gitops_karmada.model.bindings import ConflictResolution
from gitops_karmada.model.frozen import NOTHING
from gitops_karmada.model.metadata import ObjectMeta
from gitops_karmada.model.placement import ClusterAffinity, Failover, Placement, Suspension
from gitops_karmada.model.quantity import Quantity
from gitops_karmada.model.selectors import LabelSelector

REQUIRED = {"required": True}
ALWAYS = {"always": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceSelector:
    api_version: str = field(default="", metadata=REQUIRED)
    kind: str = field(default="", metadata=REQUIRED)
    namespace: str = ""
    name: str = ""
    label_selector: LabelSelector | None = None


class Preemption(StrEnum):
    ALWAYS = "Always"
    NEVER = "Never"


class ActivationPreference(StrEnum):
    LAZY = "Lazy"


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulePriorityReference:
    priority_class_source: str = field(default="", metadata=REQUIRED)
    priority_class_name: str = field(default="", metadata=REQUIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class PropagationSpec:
    resource_selectors: tuple[ResourceSelector, ...] = field(default=(), metadata=REQUIRED)
    association: bool = False
    propagate_deps: bool = False
    placement: Placement = Placement()
    priority: int = 0
    preemption: Preemption | None = None
    dependent_overrides: tuple[str, ...] = ()
    scheduler_name: str = ""
    failover: Failover | None = None
    conflict_resolution: ConflictResolution | None = None
    activation_preference: ActivationPreference | None = None
    suspension: Suspension | None = None
    preserve_resources_on_deletion: bool | None = None
    schedule_priority: SchedulePriorityReference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PropagationPolicy:
    """A PropagationPolicy (namespaced) or ClusterPropagationPolicy (`metadata.namespace` empty)."""

    api_version: str = "policy.karmada.io/v1alpha1"
    kind: str = "PropagationPolicy"
    metadata: ObjectMeta = ObjectMeta()
    spec: PropagationSpec = field(default=PropagationSpec(), metadata=REQUIRED)

    def __str__(self) -> str:
        name = self.metadata.name
        return f"{self.kind} {self.metadata.namespace}/{name}" if self.metadata.namespace else f"{self.kind} {name}"


class OverriderOperator(StrEnum):
    ADD = "add"
    REMOVE = "remove"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaintextOverrider:
    path: str = field(default="", metadata=REQUIRED)
    operator: OverriderOperator | None = field(default=None, metadata=REQUIRED)
    value: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePredicate:
    path: str = field(default="", metadata=REQUIRED)


class ImageComponent(StrEnum):
    REGISTRY = "Registry"
    REPOSITORY = "Repository"
    TAG = "Tag"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageOverrider:
    predicate: ImagePredicate | None = None
    component: ImageComponent | None = field(default=None, metadata=REQUIRED)
    operator: OverriderOperator | None = field(default=None, metadata=REQUIRED)
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandArgsOverrider:
    container_name: str = field(default="", metadata=REQUIRED)
    operator: OverriderOperator | None = field(default=None, metadata=REQUIRED)
    value: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelAnnotationOverrider:
    operator: OverriderOperator | None = field(default=None, metadata=REQUIRED)
    value: Mapping[str, str] = field(default=NOTHING)


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchOperation:
    sub_path: str = field(default="", metadata=REQUIRED)
    operator: OverriderOperator | None = field(default=None, metadata=REQUIRED)
    value: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldOverrider:
    field_path: str = field(default="", metadata=REQUIRED)
    json: tuple[PatchOperation, ...] = ()
    yaml: tuple[PatchOperation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Overriders:
    plaintext: tuple[PlaintextOverrider, ...] = ()
    image_overrider: tuple[ImageOverrider, ...] = ()
    command_overrider: tuple[CommandArgsOverrider, ...] = ()
    args_overrider: tuple[CommandArgsOverrider, ...] = ()
    labels_overrider: tuple[LabelAnnotationOverrider, ...] = ()
    annotations_overrider: tuple[LabelAnnotationOverrider, ...] = ()
    field_overrider: tuple[FieldOverrider, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OverrideRule:
    target_cluster: ClusterAffinity | None = None
    overriders: Overriders = field(default=Overriders(), metadata=REQUIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class OverrideSpec:
    resource_selectors: tuple[ResourceSelector, ...] = ()
    override_rules: tuple[OverrideRule, ...] = ()
    target_cluster: ClusterAffinity | None = None
    overriders: Overriders = Overriders()


@dataclass(frozen=True, slots=True, kw_only=True)
class OverridePolicy:
    """An OverridePolicy (namespaced) or ClusterOverridePolicy (`metadata.namespace` empty)."""

    api_version: str = "policy.karmada.io/v1alpha1"
    kind: str = "OverridePolicy"
    metadata: ObjectMeta = ObjectMeta()
    spec: OverrideSpec = field(default=OverrideSpec(), metadata=REQUIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaintPolicyTaint:
    key: str = field(default="", metadata=REQUIRED)
    value: str = ""
    effect: str = field(default="", metadata=REQUIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchCondition:
    condition_type: str = field(default="", metadata=REQUIRED)
    operator: str = field(default="", metadata=REQUIRED)
    status_values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterTaintSpec:
    target_clusters: ClusterAffinity | None = None
    add_on_conditions: tuple[MatchCondition, ...] = ()
    remove_on_conditions: tuple[MatchCondition, ...] = ()
    taints: tuple[TaintPolicyTaint, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterTaintPolicy:
    api_version: str = "policy.karmada.io/v1alpha1"
    kind: str = "ClusterTaintPolicy"
    metadata: ObjectMeta = ObjectMeta()
    spec: ClusterTaintSpec = field(default=ClusterTaintSpec(), metadata=REQUIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class RebalancedWorkload:
    api_version: str = field(default="", metadata=REQUIRED)
    kind: str = field(default="", metadata=REQUIRED)
    namespace: str = ""
    name: str = field(default="", metadata=REQUIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class RebalancerSpec:
    workloads: tuple[RebalancedWorkload, ...] = ()
    ttl_seconds_after_finished: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedWorkload:
    workload: RebalancedWorkload = RebalancedWorkload()
    result: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RebalancerStatus:
    observed_workloads: tuple[ObservedWorkload, ...] = ()
    observed_generation: int = 0
    finish_time: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadRebalancer:
    """`metadata.creation_timestamp` is the commit time of its first appearance."""

    api_version: str = "apps.karmada.io/v1alpha1"
    kind: str = "WorkloadRebalancer"
    metadata: ObjectMeta = ObjectMeta()
    spec: RebalancerSpec = field(default=RebalancerSpec(), metadata=REQUIRED)
    status: RebalancerStatus = RebalancerStatus()


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticClusterAssignment:
    cluster_name: str = field(default="", metadata=REQUIRED)
    hard: Mapping[str, Quantity] = field(default=NOTHING)


@dataclass(frozen=True, slots=True, kw_only=True)
class FederatedResourceQuotaSpec:
    overall: Mapping[str, Quantity] = field(default=NOTHING)
    static_assignments: tuple[StaticClusterAssignment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterQuotaStatus:
    cluster_name: str = field(default="", metadata=REQUIRED)
    hard: Mapping[str, Quantity] = field(default=NOTHING)
    used: Mapping[str, Quantity] = field(default=NOTHING)


@dataclass(frozen=True, slots=True, kw_only=True)
class FederatedResourceQuotaStatus:
    overall: Mapping[str, Quantity] = field(default=NOTHING)
    overall_used: Mapping[str, Quantity] = field(default=NOTHING)
    aggregated_status: tuple[ClusterQuotaStatus, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FederatedResourceQuota:
    api_version: str = "policy.karmada.io/v1alpha1"
    kind: str = "FederatedResourceQuota"
    metadata: ObjectMeta = ObjectMeta()
    spec: FederatedResourceQuotaSpec = field(default=FederatedResourceQuotaSpec(), metadata=REQUIRED)
    status: FederatedResourceQuotaStatus = FederatedResourceQuotaStatus()


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorityClass:
    open_ended: ClassVar[bool] = True

    api_version: str = "scheduling.k8s.io/v1"
    kind: str = "PriorityClass"
    metadata: ObjectMeta = ObjectMeta()
    value: int = field(default=0, metadata=ALWAYS)
    preemption_policy: str = ""
