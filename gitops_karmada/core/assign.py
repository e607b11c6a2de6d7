"""How many replicas each selected cluster gets."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeAlias

from gitops_karmada.core.candidates import Candidate
from gitops_karmada.core.divide import award
from gitops_karmada.core.strategy import is_aggregated, is_divided, is_dynamic
from gitops_karmada.model.bindings import TargetCluster, TargetComponent
from gitops_karmada.model.decisions import Division, Method
from gitops_karmada.model.placement import ReplicaSchedulingStrategy

Shares: TypeAlias = list[tuple[str, int]]

RECORDED = 100  # clusters in the record of a decision, beside those that it chose


class NoRoomError(Exception):
    """The selected clusters have too little room together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is to be divided. `weights` gives the static weight of a cluster, `previous` what runs now, in its order."""

    replicas: int
    strategy: ReplicaSchedulingStrategy | None
    previous: tuple[TargetCluster, ...] = ()
    weights: Callable[[str], int] = lambda _: 0
    fresh: bool = False
    uid: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    shares: Shares
    divisions: tuple[Division, ...]

    @property
    def clusters(self) -> tuple[TargetCluster, ...]:
        return tuple(TargetCluster(name=name, replicas=replicas) for name, replicas in self.shares)


def propagate(selected: Iterable[Candidate], components: tuple[TargetComponent, ...]) -> tuple[TargetCluster, ...]:
    """What has no replicas to divide goes to every selected cluster, with its components where they are counted."""
    return tuple(TargetCluster(name=candidate.name, components=components) for candidate in selected)


def assign(selected: Sequence[Candidate], wish: Wish) -> Assignment:
    """Shares of the wish, without empty ones. Raises NoRoomError."""
    if not is_divided(wish.strategy):
        shares, division = _duplicated(selected, wish)
    elif is_dynamic(wish.strategy):
        shares, division = _dynamic(selected, wish)
    else:
        shares, division = _static(selected, wish)
    return Assignment(shares=[share for share in shares if share[1] > 0], divisions=(division,))


def _duplicated(selected: Sequence[Candidate], wish: Wish) -> tuple[Shares, Division]:
    shares = [(candidate.name, wish.replicas) for candidate in selected]
    return shares, Division(method=Method.DUPLICATED, seats=wish.replicas)


def _static(selected: Sequence[Candidate], wish: Wish) -> tuple[Shares, Division]:
    """Always afresh. Clusters without weight get nothing, unless nobody has one: then all weigh the same."""
    weights = {candidate.name: wish.weights(candidate.name) for candidate in selected}
    votes = {name: weight for name, weight in weights.items() if weight > 0} or dict.fromkeys(weights, 1)
    shares = list(award(wish.replicas, votes, wish.uid).items())
    return shares, Division(method=Method.STATIC, seats=wish.replicas, votes=votes)


def _dynamic(selected: Sequence[Candidate], wish: Wish) -> tuple[Shares, Division]:
    names = {candidate.name for candidate in selected} if wish.previous else ()
    running = [(target.name, target.replicas) for target in wish.previous if target.name in names]
    assigned = sum(replicas for _, replicas in running)
    if wish.fresh:
        return _fresh(selected, running, wish)
    if assigned > wish.replicas:
        return _by_room(Method.DOWN, running, wish.replicas, [], wish)
    if assigned < wish.replicas:
        room = [(candidate.name, candidate.room) for candidate in selected]
        return _by_room(Method.UP if running else Method.FIRST, room, wish.replicas - assigned, running, wish)
    return running, Division(method=Method.UNCHANGED, seats=0)


def _fresh(selected: Sequence[Candidate], running: Shares, wish: Wish) -> tuple[Shares, Division]:
    have = dict(running)
    room = [(candidate.name, _int32(candidate.room + have.get(candidate.name, 0))) for candidate in selected]
    return _by_room(Method.FRESH, room, wish.replicas, [], wish)


ACTIONS = {
    Method.FIRST: "scale up",
    Method.UP: "scale up",
    Method.DOWN: "scale down",
    Method.FRESH: "do fresh scale",
}


def _by_room(method: Method, room: Shares, seats: int, kept: Shares, wish: Wish) -> tuple[Shares, Division]:
    """Divide new seats by room, the largest first; what runs stays on top of it."""
    votes = sorted(room, key=_replicas, reverse=True)
    total = _int32(sum(map(_replicas, votes)))
    if total < seats:
        raise NoRoomError(
            f"failed to {ACTIONS[method]}: Clusters available replicas {total} are not enough to schedule."
        )
    if is_aggregated(wish.strategy):
        votes = _fewest(votes, seats, kept)
    won = award(seats, dict(votes), wish.uid)
    division = Division(method=method, seats=seats, votes=_recorded(votes, won), kept=_targets(kept))
    return _merged(kept, list(won.items())), division


_replicas = itemgetter(1)


def _recorded(votes: Shares, won: Mapping[str, int]) -> dict[str, int]:
    """The largest votes, and those of all winners: the record of a thousand clusters stays readable."""
    told = dict(votes[:RECORDED])
    return told if len(told) == len(votes) else told | {name: vote for name, vote in votes if name in won}


def _fewest(votes: Shares, seats: int, kept: Shares) -> Shares:
    """As few clusters as hold the seats: those that run it already, then the largest."""
    prior = {name for name, replicas in kept if replicas > 0}
    ordered = sorted(votes, key=lambda vote: vote[0] not in prior) if prior else votes
    held = 0
    for index, (_, room) in enumerate(ordered):
        held += room
        if held >= seats:
            return ordered[: index + 1]
    return ordered


def _merged(kept: Shares, won: Shares) -> Shares:
    if not kept or not won:
        return kept or won
    left = dict(kept)
    grown = [(name, replicas + left.pop(name, 0)) for name, replicas in won]
    return grown + sorted(left.items())


def _targets(shares: Shares) -> tuple[TargetCluster, ...]:
    return tuple(TargetCluster(name=name, replicas=replicas) for name, replicas in shares)


def _int32(number: int) -> int:
    # Karmada adds in 32 bits. It shows where a workload at 0 replicas is rebalanced: every cluster's room is unlimited.
    return (number + 2**31) % 2**32 - 2**31
