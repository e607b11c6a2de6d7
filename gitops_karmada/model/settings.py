"""What the operator decided: gitops-karmada.yaml (config.gitops-karmada.io/v1alpha1, kind Federation)."""

from dataclasses import dataclass, field
from enum import StrEnum

from gitops_karmada.model.metadata import ObjectMeta

REQUIRED = {"required": True}

API_VERSION = "config.gitops-karmada.io/v1alpha1"
KIND = "Federation"
FILE = "gitops-karmada.yaml"


class MemberMode(StrEnum):
    PUSH = "push"
    PULL = "pull"
    RENDER_ONLY = "render-only"
    OBSERVE = "observe"
    DIRECTORY = "directory"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberSettings:
    """How one cluster is reached. `credentials` names a file in the operator's folder of them, never a path or URL;
    `in-cluster` is the service account of the pod that runs us."""

    name: str = field(default="", metadata=REQUIRED)
    mode: MemberMode = MemberMode.PUSH
    credentials: str = ""
    context: str = ""
    impersonate: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSettings:
    """Which folders of the repository hold manifests; none named: the whole repository."""

    paths: tuple[str, ...] = ()
    branch: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    name: str = "gitops-karmada"
    email: str = "gitops-karmada@localhost"


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusSettings:
    branch: str = "gitops-karmada/status"
    author: Author = Author()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionSettings:
    """How much one turn may delete: as many objects as the larger of the two allows.

    With `hold_rewritten` nothing is deleted that only a force-push took away; `accept_rewritten` is the commit (its
    first letters, 7 at least) that the source may have lost nevertheless.
    """

    max_objects: int = 10
    max_percent: int = 20
    hold_rewritten: bool = False
    accept_rewritten: str = ""
    protected_namespaces: tuple[str, ...] = ("default", "kube-system", "kube-public", "kube-node-lease")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadlineSettings:
    """Seconds."""

    connect_seconds: int = 5
    request_seconds: int = 15
    member_seconds: int = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class FailoverSettings:
    """Seconds; Karmada's defaults (controller-manager flags)."""

    enabled: bool = False
    no_execute_taint_eviction: bool = False
    no_execute_purge_mode: str = "Gracefully"
    cluster_failure_threshold_seconds: int = 30
    cluster_success_threshold_seconds: int = 30
    graceful_eviction_timeout_seconds: int = 600
    eviction_rate: str = "0.5"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureSettings:
    """Gates, by Karmada's names. The defaults are ours: design 6.7.

    `earlier_affinities` is ours: when the observed affinity group and all later ones fail, earlier ones are tried.
    """

    propagation_policy_preemption: bool = True
    workload_affinity: bool = True
    multiple_pod_templates_scheduling: bool = True
    federated_quota_enforcement: bool = True
    scheduling_overcommit_protection: bool = True
    stateful_failover_injection: bool = True
    resource_quota_estimate: bool = False
    customized_cluster_resource_modeling: bool = True
    earlier_affinities: bool = True
    empty_workload_propagation: bool = False
    descheduler: bool = False


class SecretHandling(StrEnum):
    """What becomes of a Secret with readable values: refused, or propagated and shown nowhere but in the members."""

    REFUSE = "Refuse"
    REDACT = "Redact"


class NotificationSink(StrEnum):
    LOG = "log"
    WEBHOOK = "webhook"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationSettings:
    """Who is told of turns. `credentials` names a file in the operator's folder with a webhook's address and key."""

    sink: NotificationSink = field(default=NotificationSink.LOG, metadata=REQUIRED)
    credentials: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FederationSpec:
    source: SourceSettings = SourceSettings()
    status: StatusSettings = StatusSettings()
    poll_interval_seconds: int = 30
    members: tuple[MemberSettings, ...] = ()
    deletion: DeletionSettings = DeletionSettings()
    deadlines: DeadlineSettings = DeadlineSettings()
    failover: FailoverSettings = FailoverSettings()
    features: FeatureSettings = FeatureSettings()
    preemption: bool = False
    notifications: tuple[NotificationSettings, ...] = ()
    secrets: SecretHandling = SecretHandling.REFUSE
    skipped_propagating_namespaces: tuple[str, ...] = ("kube-.*",)
    skipped_propagating_apis: str = field(default="", metadata={"json": "skippedPropagatingAPIs"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """`metadata.name` is the instance: the owner's name on every object we write."""

    api_version: str = API_VERSION
    kind: str = KIND
    metadata: ObjectMeta = ObjectMeta()
    spec: FederationSpec = FederationSpec()

    @property
    def instance(self) -> str:
        return self.metadata.name
