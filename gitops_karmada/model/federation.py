"""All that one commit asks for, and all that the last turn left on the status branch."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar

from gitops_karmada.model.actions import Receipt
from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.files import Locate
from gitops_karmada.model.frozen import NOTHING
from gitops_karmada.model.objects import ClusterName, Key, Object, key_of
from gitops_karmada.model.policies import (
    ClusterTaintPolicy,
    FederatedResourceQuota,
    OverridePolicy,
    PriorityClass,
    PropagationPolicy,
    WorkloadRebalancer,
)
from gitops_karmada.model.problems import Location, Problem
from gitops_karmada.model.settings import Settings
from gitops_karmada.model.works import Place, Work

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared(Generic[T]):
    """A noun, the manifest it was read from and where that stands. `locate` finds the line of a field."""

    value: T
    manifest: Object
    location: Location
    locate: Locate | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """An object that people want in members, defaulted as an API server would have. `locate` finds a field's line."""

    object: Object
    location: Location
    locate: Locate | None = field(default=None, compare=False, repr=False)

    @property
    def key(self) -> Key:
        return key_of(self.object)


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    id: str = ""
    ref: str = ""
    author: str = ""
    committed_at: datetime | None = None
    subject: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Federation:
    """One commit, read. What could not be read is in `problems`; what it might have held is in `unread` and `broken`.

    `unread` names files of which a part could not be understood at all, so anything may have stood there;
    `broken` names objects whose manifest is there but wrong. Neither may cost an object its life.
    `rewritten_from` is the commit that was followed before, where this one does not descend from it.
    """

    commit: Commit = Commit()
    settings: Settings = Settings()
    templates: Mapping[Key, Template] = field(default_factory=dict)
    clusters: tuple[Declared[Cluster], ...] = ()
    propagation_policies: tuple[Declared[PropagationPolicy], ...] = ()
    override_policies: tuple[Declared[OverridePolicy], ...] = ()
    taint_policies: tuple[Declared[ClusterTaintPolicy], ...] = ()
    rebalancers: tuple[Declared[WorkloadRebalancer], ...] = ()
    quotas: tuple[Declared[FederatedResourceQuota], ...] = ()
    priority_classes: tuple[Declared[PriorityClass], ...] = ()
    customizations: tuple[Declared[Any], ...] = ()
    webhooks: tuple[Declared[Any], ...] = ()
    namespaces: Mapping[str, Template] = field(default_factory=dict)
    unread: frozenset[str] = frozenset()
    broken: frozenset[Key] = frozenset()
    rewritten_from: str = ""
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """What the status branch says: the state of the last turn, and an input of the next."""

    commit: str | None = None
    source_commit: str = ""
    instance: str = ""
    bindings: Mapping[Key, Binding] = field(default_factory=dict)
    works: Mapping[Place, Work] = field(default_factory=dict)
    clusters: Mapping[ClusterName, Cluster] = field(default_factory=dict)
    rebalancers: Mapping[str, WorkloadRebalancer] = field(default_factory=dict)
    sources: Mapping[Key, str] = field(default_factory=dict)
    whys: Mapping[Key, Any] = field(default_factory=dict)
    receipts: Mapping[Place, Receipt] = field(default_factory=dict)
    template_statuses: Mapping[Key, Any] = field(default_factory=dict)
    quotas: Mapping[str, FederatedResourceQuota] = field(default_factory=dict)
    memory: Mapping[str, Any] = field(default=NOTHING)
    problems: tuple[Problem, ...] = ()
