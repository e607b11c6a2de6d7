"""What one turn decided, and what became of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from gitops_karmada.model.actions import Receipt
from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.decisions import Decision
from gitops_karmada.model.federation import Commit, Federation, Ledger
from gitops_karmada.model.frozen import NOTHING
from gitops_karmada.model.members import MemberState
from gitops_karmada.model.objects import ClusterName, Key
from gitops_karmada.model.policies import FederatedResourceQuota, WorkloadRebalancer
from gitops_karmada.model.problems import Location, Problem
from gitops_karmada.model.works import Place, Work


class Cause(StrEnum):
    """Why a turn changed the status branch: the first of these that applies."""

    MANIFEST = "manifest"
    POLICY = "policy"
    FAILOVER = "failover"
    REBALANCE = "rebalance"
    CAPACITY = "capacity"
    STATUS = "status"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True, kw_only=True)
class Competitor:
    """A policy that also wanted a template, and why it lost (empty: it won)."""

    policy: str
    location: Location | None = None
    priority: int = 0
    implicit_priority: int = 0
    lost: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """One binding's decision, whole: who claimed it, who else wanted to, and the scheduler's record.

    `decision` is None where no scheduling pass ever ran.
    """

    key: Key
    source: Location | None = None
    claim: str = ""
    claim_reason: str = ""
    competitors: tuple[Competitor, ...] = ()
    trigger: str = ""
    decision: Decision | None = None
    required_by: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """A change that we would make but do not: a delete without enough evidence, a suspended work, a broken policy."""

    place: Place | None
    key: Key
    reason: str
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What should be. `retiring` are works of the last turn whose objects are to go; they stay on the status branch
    until their objects are seen to be gone."""

    commit: Commit = Commit()
    decided_at: datetime | None = None
    cause: Cause = Cause.MANIFEST
    bindings: Mapping[Key, Binding] = field(default_factory=dict)
    whys: Mapping[Key, Why] = field(default_factory=dict)
    works: Mapping[Place, Work] = field(default_factory=dict)
    retiring: Mapping[Place, Work] = field(default_factory=dict)
    holds: tuple[Hold, ...] = ()
    clusters: Mapping[ClusterName, Cluster] = field(default_factory=dict)
    rebalancers: Mapping[str, WorkloadRebalancer] = field(default_factory=dict)
    quotas: Mapping[str, FederatedResourceQuota] = field(default_factory=dict)
    sources: Mapping[Key, str] = field(default_factory=dict)
    template_statuses: Mapping[Key, Any] = field(default_factory=dict)
    receipts: Mapping[Place, Receipt] = field(default_factory=dict)
    memory: Mapping[str, Any] = field(default=NOTHING)
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """All that a turn decides on: what is asked for, what was, what is seen, and when."""

    federation: Federation
    ledger: Ledger = Ledger()
    members: Mapping[ClusterName, MemberState] = field(default_factory=dict)
    now: datetime
