"""Where the pods of component sets would land: first fit, in list order, without going back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from gitops_karmada.core.amounts import Amounts, take, times_in
from gitops_karmada.model.placement import NodeClaim


class Bin(Protocol):
    """Something that has room, and a say in what it admits."""

    free: Amounts

    def admits(self, claim: NodeClaim | None) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """`replicas` pods of one kind, each asking for `request`."""

    replicas: int
    request: Amounts
    claim: NodeClaim | None = None


def fill(bins: Sequence[Bin], parts: Sequence[Part], most: int) -> int:
    """How many whole sets fit, at most `most`. Their room is used up, also that of a last one that fits in part."""
    if not any(part.replicas for part in parts):
        return most
    open_bins = [[place for place in bins if place.admits(part.claim)] for part in parts]
    full = [0] * len(parts)  # the bins before this one have no room for the part, and never will again
    for done in range(most):
        for index, part in enumerate(parts):
            full[index], left = _place(open_bins[index], full[index], part)
            if left:
                return done
    return most


def _place(bins: Sequence[Bin], start: int, part: Part) -> tuple[int, int]:
    """Place one part: the first bin that may still have room afterwards, and how many replicas found none."""
    left = part.replicas
    while left:
        if start == len(bins):
            return start, left
        fitting = min(times_in(bins[start].free, part.request), left)
        take(bins[start].free, part.request, fitting)
        left -= fitting
        if left:
            start += 1
    return start, 0
