"""One scheduling pass of a binding: filter, score, estimate, select, assign; one affinity group after the other.

A pass reads the binding, the clusters, their room and where its peers are, and changes nothing. What it decided
takes effect in the world by `SchedulingWorld.settle`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, TypeAlias

from gitops_karmada.core.affinity import matches_cluster, term_of
from gitops_karmada.core.amounts import MAX_INT32
from gitops_karmada.core.assign import Assignment, NoRoomError, Wish, assign, propagate
from gitops_karmada.core.candidates import Candidate, master_order
from gitops_karmada.core.capacity import Capacity
from gitops_karmada.core.divide import is_odd
from gitops_karmada.core.estimate import Estimates, demand_of
from gitops_karmada.core.filter import fit, no_cluster_fits
from gitops_karmada.core.filters import Request
from gitops_karmada.core.peers import Peers
from gitops_karmada.core.score import score
from gitops_karmada.core.select import SelectError, select
from gitops_karmada.core.strategy import counts_sets, is_dynamic, is_fresh
from gitops_karmada.model.bindings import Binding, BindingSpec, TargetCluster, TargetComponent
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.decisions import (
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
    """What bindings that ask the same share: the clusters that may run it, with their scores, tiers and weights."""

    clusters: tuple[Cluster, ...]
    unfit: Mapping[str, Unfit]
    scores: Mapping[str, int]
    tiers: Mapping[str, int]
    weights: Mapping[str, int]


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
        self._numbers: dict[Any, int] = {}
        self._numbers_by_identity: dict[int, tuple[Any, int]] = {}
        self.feasible: dict[Any, _Feasible] = {}
        self.estimates: dict[Any, Estimates] = {}
        self.results: dict[Any, ScheduleResult] = {}

    def settle(self, binding: Binding, targets: Iterable[TargetCluster]) -> None:
        """Let a decision take effect: its new replicas use room, its peers see where it is."""
        placed = tuple(targets)
        if self.features.scheduling_overcommit_protection:
            self.capacity.take(binding.spec, binding.spec.clusters, placed)
        if self.features.workload_affinity:
            self.peers.place(binding, placed)

    def number(self, value: Any) -> int:
        """A number that equal values share: large nouns are compared once, then by number."""
        known = self._numbers_by_identity.get(id(value))
        if known is not None:
            return known[1]
        number = self._numbers.setdefault(value, len(self._numbers))
        self._numbers_by_identity[id(value)] = (value, number)
        return number


def schedule(binding: Binding, world: SchedulingWorld, trigger: Trigger | None = None) -> ScheduleResult:
    """Decide where a binding runs. Bindings that ask the same get the same answer, worked out once."""
    key = _result_key(binding, world)
    known = world.results.get(key)
    if known is None:
        known = world.results[key] = _search(binding, world)
    if known.decision.trigger is trigger:
        return known
    return replace(known, decision=replace(known.decision, trigger=trigger))


def _result_key(binding: Binding, world: SchedulingWorld) -> Any:
    spec, status = binding.spec, binding.status
    placement = _placement(spec)
    depends_on_room = is_dynamic(placement.replica_scheduling) or bool(placement.spread_constraints)
    return (
        _request_key(binding, status.scheduler_observed_affinity_name, world),
        world.number(spec.replica_requirements),
        world.number(spec.components),
        spec.replicas,
        spec.clusters,
        is_fresh(spec, status),
        is_odd(spec.resource.uid),
        len(world.capacity.taken) if depends_on_room else 0,
    )


def _request_key(binding: Binding, affinity_name: str, world: SchedulingWorld) -> Any:
    spec = binding.spec
    return (
        spec.resource.api_version,
        spec.resource.kind,
        world.number(_placement(spec)),
        affinity_name,
        spec.is_workload,
        frozenset(target.name for target in spec.clusters),
        frozenset(task.from_cluster for task in spec.graceful_eviction_tasks),
        world.peers.companions(binding),
        world.peers.rivals(binding),
    )


def _placement(spec: BindingSpec) -> Placement:
    return spec.placement or Placement()


def _search(binding: Binding, world: SchedulingWorld) -> ScheduleResult:
    """Group after group, until one has a place for all of it."""
    attempts: list[Attempt] = []
    failures: list[_Failure] = []
    for name in _group_names(binding, world.features):
        outcome, attempt = _attempt(binding, name, world)
        attempts.append(attempt)
        if isinstance(outcome, tuple):
            return _scheduled(binding, name, outcome, attempts)
        failures.append(outcome)
    return _failed(binding, failures[0], attempts)


def _group_names(binding: Binding, features: FeatureSettings) -> list[str]:
    """From the observed group on, then those before it: what fell to a later group does not stay homeless."""
    names = [term.affinity_name for term in _placement(binding.spec).cluster_affinities]
    if _placement(binding.spec).cluster_affinity is not None or not names:
        return [binding.status.scheduler_observed_affinity_name]
    observed = binding.status.scheduler_observed_affinity_name
    start = 0 if is_fresh(binding.spec, binding.status) or observed not in names else names.index(observed)
    return names[start:] + (names[:start] if features.earlier_affinities else [])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failure:
    outcome: Outcome
    message: str


def _scheduled(
    binding: Binding, name: str, clusters: tuple[TargetCluster, ...], attempts: Sequence[Attempt]
) -> Scheduled:
    previous = binding.spec.clusters
    # The same targets in another order are no change: the order of the last result stays.
    settled = previous if len(previous) == len(clusters) and set(previous) == set(clusters) else clusters
    decision = Decision(
        affinity_name=name, previous=previous, clusters=settled, attempts=tuple(attempts), message=SUCCESS
    )
    return Scheduled(clusters=settled, affinity_name=name, decision=decision)


SUCCESS = "Binding has been scheduled successfully."


def _failed(binding: Binding, failure: _Failure, attempts: Sequence[Attempt]) -> ScheduleResult:
    """The first group's failure decides what becomes of what runs."""
    previous = binding.spec.clusters
    decision = Decision(
        outcome=failure.outcome,
        message=failure.message,
        affinity_name=binding.status.scheduler_observed_affinity_name,
        previous=previous,
        clusters=() if failure.outcome is Outcome.NO_CLUSTER_FIT else previous,
        attempts=tuple(attempts),
    )
    return _FAILURES[failure.outcome](failure.message, decision)


_FAILURES: Mapping[Outcome, Callable[[str, Decision], ScheduleResult]] = {
    Outcome.NO_CLUSTER_FIT: lambda message, decision: NoClusterFit(message=message, decision=decision),
    Outcome.UNSCHEDULABLE: lambda message, decision: Unschedulable(message=message, decision=decision),
    Outcome.SCHEDULER_ERROR: lambda message, decision: SchedulerError(message=message, decision=decision),
}


def _attempt(
    binding: Binding, name: str, world: SchedulingWorld
) -> tuple[tuple[TargetCluster, ...] | _Failure, Attempt]:
    """One pass for one group."""
    feasible = _feasible(binding, name, world)
    attempt = Attempt(affinity_name=name, unfit=feasible.unfit)
    if not feasible.clusters:
        return _fail(Outcome.NO_CLUSTER_FIT, no_cluster_fits(feasible.unfit), attempt)
    estimates = _estimates(binding, feasible, world)
    candidates = _candidates(binding.spec, feasible, estimates)
    attempt = replace(attempt, candidates=_columns(candidates, estimates))
    try:
        selected, selection = _select(binding.spec, candidates, world)
    except SelectError as error:
        attempt = replace(attempt, selection=Selection(regions=error.regions))
        return _fail(Outcome.SCHEDULER_ERROR, f"failed to select clusters: {error}", attempt)
    attempt = replace(attempt, selection=selection)
    return _assign(binding, selected, feasible, world, attempt)


def _fail(outcome: Outcome, message: str, attempt: Attempt) -> tuple[_Failure, Attempt]:
    return _Failure(outcome=outcome, message=message), replace(attempt, error=message)


def _feasible(binding: Binding, name: str, world: SchedulingWorld) -> _Feasible:
    key = _request_key(binding, name, world)
    known = world.feasible.get(key)
    if known is None:
        known = world.feasible[key] = _filter(_request(binding, name, world), world)
    return known


def _request(binding: Binding, name: str, world: SchedulingWorld) -> Request:
    spec = binding.spec
    return Request(
        api_version=spec.resource.api_version,
        kind=spec.resource.kind,
        placement=_placement(spec),
        affinity_name=name,
        is_workload=spec.is_workload,
        targets=frozenset(target.name for target in spec.clusters),
        evicting=frozenset(task.from_cluster for task in spec.graceful_eviction_tasks),
        companions=world.peers.companions(binding),
        rivals=world.peers.rivals(binding),
    )


def _filter(request: Request, world: SchedulingWorld) -> _Feasible:
    clusters, unfit = fit(request, world.clusters)
    return _Feasible(
        clusters=clusters,
        unfit=unfit,
        scores=score(request, clusters),
        tiers=_tiers(request, clusters),
        weights=_weights(request.placement, clusters),
    )


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


def _estimates(binding: Binding, feasible: _Feasible, world: SchedulingWorld) -> Estimates:
    spec = binding.spec
    key = (
        id(feasible),
        demand_is_open(spec),
        counts_sets(spec, world.features) and world.number(spec.components),
        world.number(spec.replica_requirements),
    )
    known = world.estimates.get(key)
    if known is None:
        names, demand = [cluster.name for cluster in feasible.clusters], demand_of(spec, world.features)
        known = world.estimates[key] = Estimates(names, demand, world.capacity)
    known.refresh()
    return known


def _candidates(spec: BindingSpec, feasible: _Feasible, estimates: Estimates) -> list[Candidate]:
    """In master order."""
    assigned = {target.name: target.replicas for target in spec.clusters}
    tiers, scores = feasible.tiers, feasible.scores
    unlimited = MAX_INT32 if demand_is_open(spec) else spec.replicas
    candidates = [
        Candidate(
            cluster.name,
            tiers.get(cluster.name, 0),
            scores[cluster.name],
            room if room != MAX_INT32 else unlimited,
            assigned.get(cluster.name, 0),
            cluster.spec.region,
        )
        for cluster, room in zip(feasible.clusters, estimates.least, strict=True)
    ]
    candidates.sort(key=master_order)
    return candidates


def demand_is_open(spec: BindingSpec) -> bool:
    """Nothing runs: every cluster has room without end."""
    return spec.replicas == 0 and not spec.components


def _columns(candidates: Sequence[Candidate], estimates: Estimates) -> Candidates:
    place = {name: index for index, name in enumerate(estimates.names)}
    order = [place[candidate.name] for candidate in candidates]
    return Candidates(
        names=tuple(candidate.name for candidate in candidates),
        scores=tuple(candidate.score for candidate in candidates),
        tiers=tuple(candidate.tier for candidate in candidates),
        room=tuple(candidate.room for candidate in candidates),
        assigned=tuple(candidate.assigned for candidate in candidates),
        rooms={name: tuple(answers[index] for index in order) for name, answers in estimates.answers.items()},
    )


def _select(
    spec: BindingSpec, candidates: Sequence[Candidate], world: SchedulingWorld
) -> tuple[list[Candidate], Selection]:
    need = 1 if counts_sets(spec, world.features) else spec.replicas
    return select(_placement(spec), candidates, spec.replicas, need)


def _assign(
    binding: Binding, selected: Sequence[Candidate], feasible: _Feasible, world: SchedulingWorld, attempt: Attempt
) -> tuple[tuple[TargetCluster, ...] | _Failure, Attempt]:
    spec = binding.spec
    if not selected:
        return _fail(Outcome.SCHEDULER_ERROR, "failed to assign replicas: no clusters available to schedule", attempt)
    if not divides_replicas(spec):
        clusters = propagate(selected, _components(spec, world.features))
        attempt = replace(attempt, divisions=(Division(),))
    else:
        try:
            assignment = _divide(binding, selected, feasible, attempt.affinity_name)
        except NoRoomError as error:
            return _fail(Outcome.UNSCHEDULABLE, f"failed to assign replicas: {error}", attempt)
        clusters = assignment.clusters
        attempt = replace(attempt, divisions=assignment.divisions)
    if world.features.empty_workload_propagation:
        clusters = _with_empty(clusters, selected)
    return clusters, attempt


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
