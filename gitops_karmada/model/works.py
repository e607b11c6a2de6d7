"""What goes to one member: Work (work.karmada.io/v1alpha1), with which override changed which field."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gitops_karmada.model.bindings import Health
from gitops_karmada.model.clusters import Condition
from gitops_karmada.model.frozen import NOTHING
from gitops_karmada.model.metadata import ObjectMeta
from gitops_karmada.model.objects import ClusterName, Key, Object, key_of

REQUIRED = {"required": True}
ALWAYS = {"always": True}


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Place:
    """One object in one member."""

    cluster: ClusterName
    key: Key

    def __str__(self) -> str:
        return f"{self.key} in {self.cluster}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """A field that an override changed: RFC 6901 pointer, before and after (None: absent)."""

    path: str = field(default="", metadata=REQUIRED)
    before: Any = None
    after: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedOverride:
    """One policy's part in a manifest. `policy` is `OverridePolicy/namespace/name` or `ClusterOverridePolicy/name`."""

    policy: str = field(default="", metadata=REQUIRED)
    overriders: Mapping[str, Any] = field(default=NOTHING)
    changes: tuple[FieldChange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestIdentifier:
    ordinal: int = field(default=0, metadata=ALWAYS)
    group: str = ""
    version: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestStatus:
    identifier: ManifestIdentifier = ManifestIdentifier()
    status: Mapping[str, Any] | None = None
    health: Health | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkStatus:
    conditions: tuple[Condition, ...] = ()
    manifest_statuses: tuple[ManifestStatus, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One rendered object for one member, and what became of it.

    `retiring` says why the object is to go; the work stays in the ledger until the object is seen to be gone.
    `sealed` is the manifest of a Secret with its values, where `manifest` has none: for the member alone.
    """

    cluster: ClusterName
    manifest: Object
    binding: Key | None = None
    overrides: tuple[AppliedOverride, ...] = ()
    suspended: bool = False
    preserve: bool = False
    conflict_resolution: str = "abort"
    status: WorkStatus = WorkStatus()
    retiring: str = ""
    sealed: Object | None = field(default=None, compare=False, repr=False)
    # Worked out once: a turn asks for it again and again.
    key: Key = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", key_of(self.manifest))

    @property
    def place(self) -> Place:
        return Place(cluster=self.cluster, key=self.key)

    @property
    def metadata(self) -> ObjectMeta:
        key = self.key
        return ObjectMeta(name=key.name, namespace=key.namespace)
