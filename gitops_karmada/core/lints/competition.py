"""Policies that get in each other's way: equal ones, and ones that never win."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

from gitops_karmada.core.lints import Repository, about
from gitops_karmada.core.match import Candidate
from gitops_karmada.model.objects import Key
from gitops_karmada.model.problems import Problem

OVERLAPPING: Final = "GK2040"
SHADOWED: Final = "GK2003"


def overlapping_policies(repository: Repository) -> Iterator[Problem]:
    """Two policies that only their names tell apart, and for how many objects."""
    declared = {id(one.value): one for one in repository.federation.propagation_policies}
    times: Counter[tuple[int, int]] = Counter()
    example: dict[tuple[int, int], Key] = {}
    for key, candidates in sorted(repository.competing.items()):
        for loser in candidates[1:]:
            if not _equal(candidates[0], loser):
                break
            pair = id(candidates[0].policy), id(loser.policy)
            times[pair] += 1
            example.setdefault(pair, key)
    for (winner, loser_id), count in times.items():
        more = f" and {count - 1} more" if count > 1 else ""
        other = declared[winner]
        message = (
            f"selects {example[winner, loser_id]}{more} just as {other.value} ({other.location}) does, with the same "
            f"priority {other.value.spec.priority}: the smaller name wins"
        )
        yield about(declared[loser_id], OVERLAPPING, "spec.priority", message, "Give one of them a higher priority")


def _equal(winner: Candidate, other: Candidate) -> bool:
    return winner.rank[:2] == other.rank[:2] and bool(winner.policy.metadata.namespace) == bool(
        other.policy.metadata.namespace
    )


def shadowed_policies(repository: Repository) -> Iterator[Problem]:
    """Policies that select objects and get none of them."""
    won: set[int] = set()
    lost: dict[int, list[tuple[Key, str]]] = defaultdict(list)
    for key, candidates in sorted(repository.competing.items()):
        for candidate in candidates:
            if candidate.lost:
                lost[id(candidate.policy)].append((key, candidate.lost))
            else:
                won.add(id(candidate.policy))
    for declared in repository.federation.propagation_policies:
        losses = lost.get(id(declared.value), [])
        if losses and id(declared.value) not in won:
            key, reason = losses[0]
            more = f" (and {len(losses) - 1} more)" if len(losses) > 1 else ""
            yield about(declared, SHADOWED, "spec.resourceSelectors", f"gets nothing: for {key}{more} {reason}")
