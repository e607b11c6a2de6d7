"""How seats are shared by votes: Webster's method (Sainte-Laguë), as Karmada divides replicas since 1.16."""

import heapq
from collections.abc import Mapping

_FNV_OFFSET, _FNV_PRIME = 0x811C9DC5, 0x01000193


def divide(seats: int, votes: Mapping[str, int], uid: str = "") -> dict[str, int]:
    """Seats for every party, by name. The sum is `seats`; without any vote nobody gets one, and the answer is empty."""
    won = award(seats, votes, uid)
    return {name: won.get(name, 0) for name in sorted(votes)} if sum(votes.values()) > 0 else {}


def award(seats: int, votes: Mapping[str, int], uid: str = "") -> dict[str, int]:
    """The parties that get seats, by name.

    The next seat goes to the party with the most votes per 2 × seats + 1; among equals to the one with fewer seats,
    then by name, in an order that depends on the template's uid so that odd replicas do not all go to the same cluster.
    """
    if seats <= 0 or sum(votes.values()) <= 0:
        return {}
    descending = is_odd(uid)
    running = _contenders(seats, votes, descending)
    order = {name: rank for rank, name in enumerate(sorted(running, reverse=descending))}
    won = _sure_seats(seats, running)
    queue = [(-_claim(running[name], won[name]), won[name], rank, name) for name, rank in order.items()]
    heapq.heapify(queue)
    for _ in range(seats - sum(won.values())):
        _, _, rank, name = queue[0]
        won[name] += 1
        heapq.heapreplace(queue, (-_claim(running[name], won[name]), won[name], rank, name))
    return {name: won[name] for name in sorted(won) if won[name]}


def _contenders(seats: int, votes: Mapping[str, int], descending: bool) -> Mapping[str, int]:
    """Only as many parties can win as there are seats: those whose first claims come first."""
    if len(votes) <= seats:
        return votes
    least = heapq.nlargest(seats, votes.values())[-1]
    found = {name: party for name, party in votes.items() if party > least}
    tied = [name for name, party in votes.items() if party == least]
    first = heapq.nlargest if descending else heapq.nsmallest
    return {**found, **dict.fromkeys(first(seats - len(found), tied), least)}


def _claim(votes: int, seats: int) -> float:
    # Karmada divides doubles; the quotient of two is rounded the same way everywhere.
    return float(votes) / float(2 * seats + 1)


def _sure_seats(seats: int, votes: Mapping[str, int]) -> dict[str, int]:
    """A part of the result that is certain, so that large numbers need no loop.

    It holds each party's claims above a threshold that fewer than `seats` claims pass.
    """
    spare = seats - len(votes)
    total = sum(votes.values())
    if spare <= 0:
        return dict.fromkeys(votes, 0)
    return {name: max(0, party * spare // total - 1) for name, party in votes.items()}


def is_odd(uid: str) -> bool:
    """Parity of the FNV-1a hash (32 bits) of a uid; no uid is even."""
    if not uid:
        return False
    digest = _FNV_OFFSET
    for byte in uid.encode():
        digest = ((digest ^ byte) * _FNV_PRIME) & 0xFFFFFFFF
    return digest & 1 == 1
