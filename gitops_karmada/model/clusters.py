"""What Git registers as a cluster, and the status that decisions use (cluster.karmada.io/v1alpha1)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from gitops_karmada.model.frozen import NOTHING
from gitops_karmada.model.metadata import ObjectMeta
from gitops_karmada.model.quantity import Quantity

REQUIRED = {"required": True}
ALWAYS = {"always": True}


class SyncMode(StrEnum):
    PUSH = "Push"
    PULL = "Pull"


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretReference:
    namespace: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Taint:
    key: str = field(default="", metadata=REQUIRED)
    value: str = ""
    effect: str = field(default="", metadata=REQUIRED)
    time_added: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceModelRange:
    name: str = field(default="", metadata=REQUIRED)
    min: Quantity = field(default=Quantity(), metadata=REQUIRED)
    max: Quantity = field(default=Quantity(), metadata=REQUIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceModel:
    grade: int = field(default=0, metadata=ALWAYS)
    ranges: tuple[ResourceModelRange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSpec:
    id: str = ""
    sync_mode: SyncMode | None = None
    api_endpoint: str = ""
    secret_ref: SecretReference | None = None
    impersonator_secret_ref: SecretReference | None = None
    insecure_skip_tls_verification: bool = field(default=False, metadata={"json": "insecureSkipTLSVerification"})
    proxy_url: str = field(default="", metadata={"json": "proxyURL"})
    proxy_header: Mapping[str, str] = field(default=NOTHING)
    provider: str = ""
    region: str = ""
    zone: str = ""
    zones: tuple[str, ...] = ()
    taints: tuple[Taint, ...] = ()
    resource_models: tuple[ResourceModel, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class APIResource:
    name: str = ""
    kind: str = field(default="", metadata=REQUIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class APIEnablement:
    group_version: str = field(default="", metadata=REQUIRED)
    resources: tuple[APIResource, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    open_ended: ClassVar[bool] = True

    type: str = field(default="", metadata=REQUIRED)
    status: str = field(default="", metadata=REQUIRED)
    reason: str = ""
    message: str = ""
    last_transition_time: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSummary:
    total_num: int = field(default=0, metadata=ALWAYS)
    ready_num: int = field(default=0, metadata=ALWAYS)


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocatableModeling:
    grade: int = field(default=0, metadata=ALWAYS)
    count: int = field(default=0, metadata=ALWAYS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceSummary:
    allocatable: Mapping[str, Quantity] = field(default=NOTHING)
    allocating: Mapping[str, Quantity] = field(default=NOTHING)
    allocated: Mapping[str, Quantity] = field(default=NOTHING)
    allocatable_modelings: tuple[AllocatableModeling, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterStatus:
    kubernetes_version: str = ""
    api_enablements: tuple[APIEnablement, ...] = ()
    conditions: tuple[Condition, ...] = ()
    node_summary: NodeSummary | None = None
    resource_summary: ResourceSummary | None = None
    remedy_actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    api_version: str = "cluster.karmada.io/v1alpha1"
    kind: str = "Cluster"
    metadata: ObjectMeta = ObjectMeta()
    spec: ClusterSpec = ClusterSpec()
    status: ClusterStatus = ClusterStatus()

    @property
    def name(self) -> str:
        return self.metadata.name
