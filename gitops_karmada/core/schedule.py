"""One scheduling pass of a binding: filter, score, estimate, select, assign; one affinity group after the other.

A pass reads the binding, the clusters, their room and where its peers are, and changes nothing. What it decided
takes effect in the world by `SchedulingWorld.settle`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, TypeAlias

from gitops_karmada.core.affinity import matches_cluster, term_of
from gitops_karmada.core.amounts import MAX_INT32
from gitops_karmada.core.assign import RECORDED, Assignment, NoRoomError, Wish, assign, propagate
from gitops_karmada.core.candidates import Candidate, Ranking
from gitops_karmada.core.capacity import Capacity
from gitops_karmada.core.divide import is_odd
from gitops_karmada.core.estimate import Estimates, demand_of, is_idle
from gitops_karmada.core.filter import fit, no_cluster_fits, refused
from gitops_karmada.core.filters import Request
from gitops_karmada.core.peers import Peers
from gitops_karmada.core.score import score
from gitops_karmada.core.select import SelectError, select
from gitops_karmada.core.strategy import counts_sets, is_dynamic, is_fresh
from gitops_karmada.model.bindings import Binding, BindingSpec, TargetCluster, TargetComponent
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.decisions import (
    UNKNOWN_ROOM,
    Attempt,
    Candidates,
    Decision,
    Division,
    Outcome,
    Selection,
    Trigger,
    Unfit,
)
from gitops_karmada.model.placement import Placement
from gitops_karmada.model.settings import FeatureSettings

NOWHERE = 1000  # the tier of a cluster that is in no affinity of its group


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduled:
    """These clusters, all of them. `affinity_name` is the group that had the place, to be observed from now on."""

    clusters: tuple[TargetCluster, ...]
    affinity_name: str
    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class NoClusterFit:
    """No cluster may run it: what runs goes, and the observed group stays as it was."""

    message: str
    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Unschedulable:
    """The clusters have too little room: what runs stays as it is, and room may come."""

    message: str
    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulerError:
    """The placement cannot be met: what runs stays as it is."""

    message: str
    decision: Decision


ScheduleResult: TypeAlias = Scheduled | NoClusterFit | Unschedulable | SchedulerError


@dataclass(frozen=True, slots=True, kw_only=True)
class _Feasible:
    """What bindings that ask the same share: the clusters that may run it, with their scores, tiers and weights.

    `scores` are those of clusters that do not run it yet, `target_scores` those of its targets, as far as known.
    """

    request: Request
    clusters: tuple[Cluster, ...]
    unfit: Mapping[str, Unfit]
    scores: Mapping[str, int]
    tiers: Mapping[str, int]
    weights: Mapping[str, int]
    target_scores: dict[str, int] = field(default_factory=dict)


class SchedulingWorld:
    """What a pass looks at, for the length of one turn."""

    def __init__(
        self,
        clusters: Iterable[Cluster],
        *,
        capacity: Capacity | None = None,
        features: FeatureSettings | None = None,
        bindings: Iterable[Binding] = (),
    ) -> None:
        self.clusters = tuple(sorted(clusters, key=lambda cluster: cluster.name))
        self.by_name = {cluster.name: cluster for cluster in self.clusters}
        self.features = features or FeatureSettings()
        self.capacity = capacity or Capacity(
            self.clusters, by_models=self.features.customized_cluster_resource_modeling
        )
        self.peers = Peers(bindings if self.features.workload_affinity else ())
        self.memory = _Memory()

    def with_capacity(self, capacity: Capacity) -> "SchedulingWorld":
        """The same world with other room."""
        other = SchedulingWorld(self.clusters, capacity=capacity, features=self.features)
        other.peers = self.peers
        return other

    def settle(self, binding: Binding, targets: Iterable[TargetCluster]) -> None:
        """Let a decision take effect: its new replicas use room, its peers see where it is."""
        placed = tuple(targets)
        if self.features.scheduling_overcommit_protection:
            number, spec = self.memory.number, binding.spec
            namespace = spec.resource.namespace if spec.components else ""
            kind = (number(spec.replica_requirements), number(spec.components), namespace)
            self.capacity.take(spec, spec.clusters, placed, kind)
        if self.features.workload_affinity:
            self.peers.place(binding, placed)


class _Memory:
    """What was worked out in this turn, and can be used again by bindings that ask the same."""

    def __init__(self) -> None:
        self.feasible: dict[Any, _Feasible] = {}
        self.rankings: dict[Any, Ranking] = {}
        self.results: dict[Any, ScheduleResult] = {}
        self.fleeting: dict[Any, ScheduleResult] = {}  # those that hold until room is taken
        self._version = 0
        self._numbers: dict[Any, int] = {}
        self._numbers_by_identity: dict[int, tuple[Any, int]] = {}

    def number(self, value: Any) -> int:
        """A number that equal values share: large nouns are compared once, then by number."""
        known = self._numbers_by_identity.get(id(value))
        if known is not None:
            return known[1]
        number = self._numbers.setdefault(value, len(self._numbers))
        self._numbers_by_identity[id(value)] = (value, number)
        return number

    def results_for(self, placement: Placement, version: int) -> dict[Any, ScheduleResult]:
        if not is_dynamic(placement.replica_scheduling) and not placement.spread_constraints:
            return self.results
        if version != self._version:
            self.fleeting, self._version = {}, version
        return self.fleeting


def schedule(binding: Binding, world: SchedulingWorld, trigger: Trigger | None = None) -> ScheduleResult:
    """Decide where a binding runs. Bindings that ask the same get the same answer, worked out once."""
    asked, key = _keys(binding, world)
    results = world.memory.results_for(_placement(binding.spec), world.capacity.version)
    known = results.get((key, trigger))
    if known is None:
        known = results[key, trigger] = _search(binding, world, asked, trigger)
    return known


def _keys(binding: Binding, world: SchedulingWorld) -> tuple[Any, Any]:
    """What the filters may look at, without the affinity group and the targets; and what the whole pass may."""
    spec, status, number = binding.spec, binding.status, world.memory.number
    asked = (
        spec.resource.api_version,
        spec.resource.kind,
        number(_placement(spec)),
        spec.is_workload,
        spec.resource.namespace if spec.components else "",
        frozenset([task.from_cluster for task in spec.graceful_eviction_tasks]),
        world.peers.companions(binding),
        world.peers.rivals(binding),
    )
    return asked, (
        asked,
        status.scheduler_observed_affinity_name,
        number(spec.replica_requirements),
        number(spec.components),
        spec.replicas,
        spec.clusters,
        is_fresh(spec, status),
        is_odd(spec.resource.uid),
    )


def _placement(spec: BindingSpec) -> Placement:
    return spec.placement or EVERYWHERE


EVERYWHERE = Placement()


def _search(binding: Binding, world: SchedulingWorld, asked: Any, trigger: Trigger | None) -> ScheduleResult:
    """Group after group, until one has a place for all of it."""
    attempts: list[Attempt] = []
    failures: list[_PassError] = []
    for name in _group_names(binding, world.features):
        draft = _Draft(affinity_name=name)
        try:
            clusters = _pass(binding, world, asked, draft)
        except _PassError as failure:
            failures.append(failure)
            attempts.append(draft.attempt((), str(failure)))
        else:
            attempts.append(draft.attempt(clusters))
            return _scheduled(binding, name, clusters, attempts, trigger)
    return _failed(binding, failures[0], attempts, trigger)


def _group_names(binding: Binding, features: FeatureSettings) -> list[str]:
    """From the observed group on, then those before it: what fell to a later group does not stay homeless."""
    names = [term.affinity_name for term in _placement(binding.spec).cluster_affinities]
    if _placement(binding.spec).cluster_affinity is not None or not names:
        return [binding.status.scheduler_observed_affinity_name]
    observed = binding.status.scheduler_observed_affinity_name
    start = 0 if is_fresh(binding.spec, binding.status) or observed not in names else names.index(observed)
    return names[start:] + (names[:start] if features.earlier_affinities else [])


class _PassError(Exception):
    def __init__(self, outcome: Outcome, message: str) -> None:
        super().__init__(message)
        self.outcome = outcome


class _Draft:
    """What one pass leaves to tell, while it runs."""

    def __init__(self, affinity_name: str) -> None:
        self.affinity_name = affinity_name
        self.unfit: Mapping[str, Unfit] = {}
        self.candidates: Sequence[Candidate] = ()
        self.answers: Mapping[str, Sequence[int]] = {}
        self.places: Mapping[str, int] = {}
        self.selection = Selection()
        self.divisions: tuple[Division, ...] = ()

    def attempt(self, clusters: Iterable[TargetCluster], error: str = "") -> Attempt:
        return Attempt(
            affinity_name=self.affinity_name,
            unfit=self.unfit,
            candidates=self._columns({target.name for target in clusters}) if self.candidates else Candidates(),
            selection=self.selection,
            divisions=self.divisions,
            error=error,
        )

    def _columns(self, chosen: Set[str]) -> Candidates:
        """The best candidates, and all that were chosen or run it."""
        told = list(self.candidates[:RECORDED])
        told += [it for it in self.candidates[RECORDED:] if it.assigned or it.name in chosen]
        names, tiers, scores, room, assigned, _ = zip(*told, strict=True)
        order = [self.places[name] for name in names]
        rooms = {name: tuple([answers[place] for place in order]) for name, answers in self.answers.items()}
        return Candidates(
            names=names,
            scores=scores,
            tiers=tiers,
            room=room,
            assigned=assigned,
            rooms={name: room for name, room in rooms.items() if any(it != UNKNOWN_ROOM for it in room)},
            omitted=len(self.candidates) - len(told),
        )


def _scheduled(
    binding: Binding,
    name: str,
    clusters: tuple[TargetCluster, ...],
    attempts: Sequence[Attempt],
    trigger: Trigger | None,
) -> Scheduled:
    previous = binding.spec.clusters
    # The same targets in another order are no change: the order of the last result stays.
    settled = previous if len(previous) == len(clusters) and set(previous) == set(clusters) else clusters
    decision = Decision(
        trigger=trigger,
        message=SUCCESS,
        affinity_name=name,
        previous=previous,
        clusters=settled,
        attempts=tuple(attempts),
    )
    return Scheduled(clusters=settled, affinity_name=name, decision=decision)


SUCCESS = "Binding has been scheduled successfully."


def _failed(
    binding: Binding, failure: _PassError, attempts: Sequence[Attempt], trigger: Trigger | None
) -> ScheduleResult:
    """The first group's failure decides what becomes of what runs."""
    previous, message = binding.spec.clusters, str(failure)
    decision = Decision(
        outcome=failure.outcome,
        message=message,
        trigger=trigger,
        affinity_name=binding.status.scheduler_observed_affinity_name,
        previous=previous,
        clusters=() if failure.outcome is Outcome.NO_CLUSTER_FIT else previous,
        attempts=tuple(attempts),
    )
    return _FAILURES[failure.outcome](message, decision)


_FAILURES: Mapping[Outcome, Callable[[str, Decision], ScheduleResult]] = {
    Outcome.NO_CLUSTER_FIT: lambda message, decision: NoClusterFit(message=message, decision=decision),
    Outcome.UNSCHEDULABLE: lambda message, decision: Unschedulable(message=message, decision=decision),
    Outcome.SCHEDULER_ERROR: lambda message, decision: SchedulerError(message=message, decision=decision),
}


def _pass(binding: Binding, world: SchedulingWorld, asked: Any, draft: _Draft) -> tuple[TargetCluster, ...]:
    """One pass for one group. Raises _PassError."""
    feasible = _feasible(binding, world, asked, draft.affinity_name)
    draft.unfit = feasible.unfit
    if not feasible.clusters:
        raise _PassError(Outcome.NO_CLUSTER_FIT, no_cluster_fits(feasible.unfit))
    ranking = _ranking(binding, feasible, world)
    unlimited = MAX_INT32 if is_idle(binding.spec) else binding.spec.replicas
    draft.candidates = ranking.candidates(_running(binding.spec, feasible, world), unlimited)
    draft.answers, draft.places = ranking.estimates.answers, ranking.estimates.index
    try:
        selected, draft.selection = _select(binding.spec, draft.candidates, world)
    except SelectError as error:
        draft.selection = Selection(regions=error.regions)
        raise _PassError(Outcome.SCHEDULER_ERROR, f"failed to select clusters: {error}") from error
    return _assign(binding, selected, feasible, world, draft)


def _feasible(binding: Binding, world: SchedulingWorld, asked: Any, name: str) -> _Feasible:
    """Shared by all that ask the same and run nowhere else: a target only changes the answer for itself."""
    memory = world.memory
    base = memory.feasible.get((asked, name))
    if base is None:
        base = memory.feasible[asked, name] = _filter(_request(binding, name, world), world)
    outside = frozenset([it.name for it in binding.spec.clusters if it.name in base.unfit])
    if not outside:
        return base
    known = memory.feasible.get((asked, name, outside))
    if known is None:
        known = memory.feasible[asked, name, outside] = _with_targets(base, outside, world)
    return known


def _with_targets(base: _Feasible, outside: frozenset[str], world: SchedulingWorld) -> _Feasible:
    """The same for bindings that run where it would not be let in anew: most filters let them stay."""
    refusals = {name: refused(replace(base.request, targets=outside), world.by_name[name]) for name in outside}
    staying = [world.by_name[name] for name, refusal in refusals.items() if refusal is None]
    clusters = tuple(sorted([*base.clusters, *staying], key=lambda cluster: cluster.name))
    kept = {name: refusals.get(name, refusal) for name, refusal in base.unfit.items()}
    unfit = {name: refusal for name, refusal in kept.items() if refusal is not None}
    return _described(base.request, clusters, unfit)


def _request(binding: Binding, name: str, world: SchedulingWorld) -> Request:
    spec = binding.spec
    return Request(
        api_version=spec.resource.api_version,
        kind=spec.resource.kind,
        placement=_placement(spec),
        affinity_name=name,
        is_workload=spec.is_workload,
        evicting=frozenset(task.from_cluster for task in spec.graceful_eviction_tasks),
        companions=world.peers.companions(binding),
        rivals=world.peers.rivals(binding),
    )


def _filter(request: Request, world: SchedulingWorld) -> _Feasible:
    return _described(request, *fit(request, world.clusters))


def _described(request: Request, clusters: tuple[Cluster, ...], unfit: Mapping[str, Unfit]) -> _Feasible:
    return _Feasible(
        request=request,
        clusters=clusters,
        unfit=unfit,
        scores=score(request, clusters),
        tiers=_tiers(request, clusters),
        weights=_weights(request.placement, clusters),
    )


def _running(spec: BindingSpec, feasible: _Feasible, world: SchedulingWorld) -> dict[str, tuple[int, int]]:
    """The replicas and the score of each target that may stay one."""
    known = feasible.target_scores
    found = {}
    for target in spec.clusters:
        name = target.name
        if name not in feasible.scores:
            continue
        if name not in known:
            known[name] = score(replace(feasible.request, targets=frozenset({name})), [world.by_name[name]])[name]
        found[name] = (target.replicas, known[name])
    return found


def _tiers(request: Request, clusters: Iterable[Cluster]) -> Mapping[str, int]:
    """0 for the primary affinity of the group, then its overflow affinities in their order."""
    term = term_of(request.placement, request.affinity_name)
    if request.placement.cluster_affinity is not None or term is None:
        return {}
    affinities = (term, *term.overflow_affinities)
    return {
        cluster.name: next((tier for tier, it in enumerate(affinities) if matches_cluster(it, cluster)), NOWHERE)
        for cluster in clusters
    }


def _weights(placement: Placement, clusters: Iterable[Cluster]) -> Mapping[str, int]:
    """The largest weight of the rules that mean a cluster."""
    strategy = placement.replica_scheduling
    rules = strategy.weight_preference.static_weight_list if strategy and strategy.weight_preference else ()
    if not rules:
        return {}
    return {
        cluster.name: max((it.weight for it in rules if matches_cluster(it.target_cluster, cluster)), default=0)
        for cluster in clusters
    }


def _ranking(binding: Binding, feasible: _Feasible, world: SchedulingWorld) -> Ranking:
    spec, memory = binding.spec, world.memory
    key = (
        id(feasible),
        is_idle(spec),
        counts_sets(spec, world.features) and memory.number(spec.components),
        memory.number(spec.replica_requirements),
    )
    known = memory.rankings.get(key)
    if known is None:
        known = memory.rankings[key] = Ranking(_unranked(feasible), _estimates(spec, feasible, world))
    return known


def _estimates(spec: BindingSpec, feasible: _Feasible, world: SchedulingWorld) -> Estimates:
    names = [cluster.name for cluster in feasible.clusters]
    return Estimates(names, demand_of(spec, world.features), world.capacity)


def _unranked(feasible: _Feasible) -> list[Candidate]:
    return [
        Candidate(it.name, feasible.tiers.get(it.name, 0), feasible.scores[it.name], 0, 0, it.spec.region)
        for it in feasible.clusters
    ]


def _select(
    spec: BindingSpec, candidates: Sequence[Candidate], world: SchedulingWorld
) -> tuple[list[Candidate], Selection]:
    need = 1 if counts_sets(spec, world.features) else spec.replicas
    return select(_placement(spec), candidates, spec.replicas, need)


def _assign(
    binding: Binding, selected: Sequence[Candidate], feasible: _Feasible, world: SchedulingWorld, draft: _Draft
) -> tuple[TargetCluster, ...]:
    spec = binding.spec
    if not selected:
        raise _PassError(Outcome.SCHEDULER_ERROR, "failed to assign replicas: no clusters available to schedule")
    if not divides_replicas(spec):
        draft.divisions = (Division(),)
        clusters = propagate(selected, _components(spec, world.features))
    else:
        try:
            assignment = _divide(binding, selected, feasible, draft.affinity_name)
        except NoRoomError as error:
            raise _PassError(Outcome.UNSCHEDULABLE, f"failed to assign replicas: {error}") from error
        clusters, draft.divisions = assignment.clusters, assignment.divisions
    return _with_empty(clusters, selected) if world.features.empty_workload_propagation else clusters


def divides_replicas(spec: BindingSpec) -> bool:
    return (spec.replicas > 0 or spec.replica_requirements is not None) and len(spec.components) <= 1


def _components(spec: BindingSpec, features: FeatureSettings) -> tuple[TargetComponent, ...]:
    """What each target records of a workload with several parts, where these are counted as sets."""
    if len(spec.components) < 2 or not counts_sets(spec, features):
        return ()
    return tuple(TargetComponent(name=it.name, replicas=it.replicas) for it in spec.components)


def _with_empty(clusters: tuple[TargetCluster, ...], selected: Iterable[Candidate]) -> tuple[TargetCluster, ...]:
    have = {target.name for target in clusters}
    return clusters + tuple(TargetCluster(name=it.name) for it in selected if it.name not in have)


def _divide(binding: Binding, selected: Sequence[Candidate], feasible: _Feasible, affinity_name: str) -> Assignment:
    spec, placement = binding.spec, _placement(binding.spec)
    wish = Wish(
        replicas=spec.replicas,
        strategy=placement.replica_scheduling,
        previous=spec.clusters,
        weights=lambda name: feasible.weights.get(name, 0),
        fresh=is_fresh(spec, binding.status),
        uid=spec.resource.uid,
    )
    term = None if placement.cluster_affinity is not None else term_of(placement, affinity_name)
    if term is None or not term.overflow_affinities:
        return assign(selected, wish)
    return _overflow(selected, wish)


def _overflow(selected: Sequence[Candidate], wish: Wish) -> Assignment:
    """Fill the primary clusters, then one overflow affinity after the other, until all replicas have a place."""
    left, shares, divisions = wish.replicas, [], []
    for tier, inside in groupby(sorted(selected, key=lambda it: it.tier), key=lambda it: it.tier):
        members = list(inside)
        part = min(left, sum(candidate.available for candidate in members))
        assignment = assign(members, replace(wish, replicas=part))
        shares += assignment.shares
        divisions += [replace(division, tier=tier) for division in assignment.divisions]
        left -= part
        if left <= 0:
            return Assignment(shares=shares, divisions=tuple(divisions))
    raise NoRoomError("Clusters available replicas are not enough to schedule.")
