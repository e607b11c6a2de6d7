"""Why a binding runs where it runs: the record of one scheduling decision, kept in columns so that it stays small."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from gitops_karmada.model.bindings import TargetCluster
from gitops_karmada.model.frozen import NOTHING

UNKNOWN_ROOM = -1


class Outcome(StrEnum):
    """The reason of the binding's Scheduled condition."""

    SUCCESS = "Success"
    NO_CLUSTER_FIT = "NoClusterFit"
    UNSCHEDULABLE = "Unschedulable"
    SCHEDULER_ERROR = "SchedulerError"
    QUOTA_EXCEEDED = "QuotaExceeded"


class Trigger(StrEnum):
    """Why a pass ran."""

    PLACEMENT = "the placement changed"
    REPLICAS = "the replicas changed"
    RESCHEDULE = "a rebalance asks for it"
    ALWAYS = "what is not divided is decided afresh each time"
    CLUSTER_GONE = "a target cluster is gone or leaving"
    RETRY = "the last pass did not succeed"


class Method(StrEnum):
    """How replicas were divided."""

    PROPAGATED = "each selected cluster gets one, without replicas"
    DUPLICATED = "each selected cluster gets all replicas"
    STATIC = "by static weights"
    FIRST = "by room"
    UP = "the new replicas by room, the old ones stay"
    DOWN = "in proportion to what runs"
    FRESH = "afresh, by room and what runs"
    UNCHANGED = "what runs adds up, so it stays"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfit:
    """Why a cluster is no candidate."""

    filter: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The feasible clusters in master order; the columns have one entry a cluster. Room counts replicas or whole sets.

    `rooms` holds what each estimator answered (-1: it cannot tell), `room` the smallest answer, `assigned` what the
    binding runs there already, `tiers` which affinity the cluster belongs to: the group's own (0), or an overflow one.
    `omitted` counts further candidates, none of them chosen, that the record leaves out for its size.
    """

    names: tuple[str, ...] = ()
    scores: tuple[int, ...] = ()
    tiers: tuple[int, ...] = ()
    room: tuple[int, ...] = ()
    assigned: tuple[int, ...] = ()
    rooms: Mapping[str, tuple[int, ...]] = field(default=NOTHING)
    omitted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    name: str
    score: int
    clusters: int
    chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What the spread constraints left over, and why the rest was left out."""

    rule: str = ""
    selected: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default=NOTHING)
    regions: tuple[Region, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """One division: `seats` new replicas by `votes`, on top of the replicas in `kept`."""

    method: Method = Method.PROPAGATED
    tier: int = 0
    seats: int = 0
    votes: Mapping[str, int] = field(default=NOTHING)
    kept: tuple[TargetCluster, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One pass for one affinity group (or the only one): it ended with clusters, or with an error."""

    affinity_name: str = ""
    unfit: Mapping[str, Unfit] = field(default=NOTHING)
    candidates: Candidates = Candidates()
    selection: Selection = Selection()
    divisions: tuple[Division, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Victim:
    """Replicas of a less important binding that had to leave a cluster."""

    binding: str
    cluster: str
    replicas: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """All of it. `previous` is what the pass started from, `clusters` what it ended with."""

    outcome: Outcome = Outcome.SUCCESS
    message: str = ""
    trigger: Trigger | None = None
    affinity_name: str = ""
    previous: tuple[TargetCluster, ...] = ()
    clusters: tuple[TargetCluster, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    victims: tuple[Victim, ...] = ()
