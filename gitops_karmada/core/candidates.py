"""A cluster that passed all filters, with the numbers that selection and division look at."""

from typing import NamedTuple


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
