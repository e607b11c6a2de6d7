"""Clusters that passed all filters, with the numbers that selection and division look at, the best first."""

from bisect import bisect_left, insort
from collections.abc import Mapping
from typing import NamedTuple

from gitops_karmada.core.amounts import MAX_INT32
from gitops_karmada.core.estimate import Estimates

FEW = 8  # moving single candidates pays as long as they are fewer than one in so many


class Candidate(NamedTuple):
    """`tier` counts overflow affinities (0: the primary one), `room` is what fits beside the `assigned` replicas."""

    name: str
    tier: int
    score: int
    room: int
    assigned: int
    region: str = ""

    @property
    def available(self) -> int:
        return self.room + self.assigned


def master_order(candidate: Candidate) -> tuple[int, int, int, str]:
    """Primary clusters first, then the preferred, then the roomy, then by name: a total order."""
    return (candidate.tier, -candidate.score, -candidate.room - candidate.assigned, candidate.name)


class Ranking:
    """The candidates of bindings that ask the same, in master order, moved up and down as room is handed out.

    `candidates` are in the order of the estimates; their room is not looked at.
    """

    __slots__ = ("_by_place", "_ranked", "estimates")

    def __init__(self, candidates: list[Candidate], estimates: Estimates) -> None:
        self.estimates = estimates
        self._by_place = [it._replace(room=room) for it, room in zip(candidates, estimates.least, strict=True)]
        self._ranked = sorted(self._by_place, key=master_order)

    def candidates(self, running: Mapping[str, tuple[int, int]], unlimited: int) -> list[Candidate]:
        """In master order, with the room of now. `unlimited` is the room where no estimator can tell.

        `running` has the replicas and the score of the clusters that run it already.
        """
        changed = self.estimates.refresh()
        moves = {place: self._by_place[place]._replace(room=self.estimates.least[place]) for place in changed}
        if moves:
            self._ranked = self._moved(moves)
            for place, candidate in moves.items():
                self._by_place[place] = candidate
        runs = {}
        for name, (replicas, score) in running.items():
            place = self.estimates.index[name]
            runs[place] = self._by_place[place]._replace(assigned=replicas, score=score)
        ranked = self._moved(runs) if runs else list(self._ranked)
        return _limited(ranked, unlimited) if MAX_INT32 in self.estimates.least else ranked

    def _moved(self, moves: Mapping[int, Candidate]) -> list[Candidate]:
        ranked = list(self._ranked)
        if len(moves) * FEW > len(ranked):
            return sorted((moves.get(place, it) for place, it in enumerate(self._by_place)), key=master_order)
        for place, candidate in moves.items():
            del ranked[bisect_left(ranked, master_order(self._by_place[place]), key=master_order)]
            insort(ranked, candidate, key=master_order)
        return ranked


def _limited(ranked: list[Candidate], unlimited: int) -> list[Candidate]:
    if unlimited == MAX_INT32:
        return ranked
    bounded = (it._replace(room=unlimited) if it.room == MAX_INT32 else it for it in ranked)
    return sorted(bounded, key=master_order)
