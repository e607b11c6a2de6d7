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
    """`replicas` pods of one kind, each asking for `request`. Namespace and priority class matter to quotas only."""

    replicas: int
    request: Amounts
    claim: NodeClaim | None = None
    namespace: str = ""
    priority_class: str = ""


class FirstFit:
    """First fit for parts of the same kinds, as often as wanted: it remembers which bins are full for each of them."""

    __slots__ = ("_full", "_open")

    def __init__(self, bins: Sequence[Bin], parts: Sequence[Part]) -> None:
        self._open = [[place for place in bins if place.admits(part.claim)] for part in parts]
        self._full = [0] * len(parts)  # the bins before this one have no room for the part, and never will again

    def fill(self, parts: Sequence[Part], most: int, used: list[Bin] | None = None) -> int:
        """How many whole sets fit, at most `most`. Their room is used up, also that of a last one that fits in part.

        `used` collects the bins that lost room.
        """
        if not any(part.replicas for part in parts):
            return most
        for done in range(most):
            for index, part in enumerate(parts):
                if self._place(index, part, used):
                    return done
        return most

    def _place(self, index: int, part: Part, used: list[Bin] | None) -> int:
        """Place one part; how many replicas found no room."""
        bins, start, left = self._open[index], self._full[index], part.replicas
        while left and start < len(bins):
            fitting = min(times_in(bins[start].free, part.request), left)
            if fitting:
                take(bins[start].free, part.request, fitting)
                if used is not None:
                    used.append(bins[start])
            left -= fitting
            if left:
                start += 1
        self._full[index] = start
        return left


def fill(bins: Sequence[Bin], parts: Sequence[Part], most: int) -> int:
    """First fit once."""
    return FirstFit(bins, parts).fill(parts, most)
