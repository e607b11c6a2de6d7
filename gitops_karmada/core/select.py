"""Which candidates are used: as many clusters and regions as the spread constraints say."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gitops_karmada.core.assign import RECORDED
from gitops_karmada.core.candidates import Candidate, master_order
from gitops_karmada.core.strategy import ignores_spread, is_divided, spread_by
from gitops_karmada.model.decisions import Region, Selection
from gitops_karmada.model.placement import Placement, SpreadConstraint, SpreadField

ANY_ROOM = -1


class SelectError(Exception):
    """The constraints cannot be met by these candidates."""

    def __init__(self, reason: str, regions: tuple[Region, ...] = ()) -> None:
        super().__init__(reason)
        self.regions = regions


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A region with its candidates, in master order."""

    name: str
    members: tuple[Candidate, ...]
    score: int

    @property
    def size(self) -> int:
        return len(self.members)


def select(
    placement: Placement, candidates: Sequence[Candidate], replicas: int, need: int
) -> tuple[list[Candidate], Selection]:
    """The selected candidates in the order that counts for division. `need` is the room that they must have together.

    `candidates` are in master order. Raises SelectError.
    """
    if not placement.spread_constraints or ignores_spread(placement):
        return list(candidates), Selection(rule="all")
    fields = spread_by(placement)
    wanted = need if is_divided(placement.replica_scheduling) else ANY_ROOM
    by_cluster = fields.get(SpreadField.CLUSTER)
    if SpreadField.REGION in fields:
        return _by_region(placement, fields[SpreadField.REGION], by_cluster or SpreadConstraint(), candidates, replicas)
    if by_cluster is not None:
        chosen = by_clusters(candidates, by_cluster, wanted)
        return chosen, _selection("cluster", chosen, candidates, f"not among the {len(chosen)} clusters to spread over")
    raise SelectError("just support cluster and region spread constraint")


def by_clusters(candidates: Sequence[Candidate], constraint: SpreadConstraint, need: int) -> list[Candidate]:
    """The first candidates, some of them exchanged for roomier ones where these have too little room together."""
    if len(candidates) < constraint.min_groups:
        raise SelectError("the number of feasible clusters is less than spreadConstraint.MinGroups")
    size = min(len(candidates), constraint.max_groups)
    chosen, rest = list(candidates[:size]), list(candidates[size:])
    if need == ANY_ROOM:
        return chosen
    for last in reversed(range(size)):
        if _room(chosen) >= need:
            break
        roomiest = max(range(len(rest)), key=lambda index: (rest[index].available, -index), default=None)
        if roomiest is not None and rest[roomiest].available > chosen[last].available:
            chosen[last], rest[roomiest] = rest[roomiest], chosen[last]
    if not chosen or _room(chosen) < need:
        raise SelectError(f"no enough resource when selecting {size} clusters")
    return chosen


def _room(candidates: Sequence[Candidate]) -> int:
    return sum(candidate.available for candidate in candidates)


def _by_region(
    placement: Placement,
    regional: SpreadConstraint,
    clusterwise: SpreadConstraint,
    candidates: Sequence[Candidate],
    replicas: int,
) -> tuple[list[Candidate], Selection]:
    groups = _groups(placement, regional, clusterwise, candidates, replicas)
    if len(groups) < regional.min_groups:
        raise SelectError("the number of feasible region is less than spreadConstraint.MinGroups", _regions(groups, ()))
    names = best_groups(groups, regional, clusterwise.min_groups)
    if not names:
        reason = "the number of clusters is less than the cluster spreadConstraint.MinGroups"
        raise SelectError(reason, _regions(groups, ()))
    chosen = _from_groups([group for name in names for group in groups if group.name == name], clusterwise)
    selection = _selection("region", chosen, candidates, "its region was not chosen, or has clusters enough")
    return chosen, replace(selection, regions=_regions(groups, names))


def _groups(
    placement: Placement,
    regional: SpreadConstraint,
    clusterwise: SpreadConstraint,
    candidates: Sequence[Candidate],
    replicas: int,
) -> list[Group]:
    members: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        if candidate.region:
            members.setdefault(candidate.region, []).append(candidate)
    divided = is_divided(placement.replica_scheduling)
    least = max(clusterwise.min_groups, regional.min_groups)
    target = math.ceil(replicas / regional.min_groups) if regional.min_groups else 0
    return [
        Group(
            name=name,
            members=tuple(inside),
            score=divided_score(inside, target, least) if divided else duplicated_score(inside, replicas),
        )
        for name, inside in sorted(members.items())
    ]


def duplicated_score(members: Sequence[Candidate], replicas: int) -> int:
    """How many clusters of a region can hold all replicas; their scores decide between equals."""
    able = [candidate.score for candidate in members if candidate.available >= replicas]
    return len(able) * 1000 + sum(able) // len(able) if able else 0


def divided_score(members: Sequence[Candidate], target: int, least: int) -> int:
    """How much of a region's part it can hold; the scores of the clusters that this takes decide between equals."""
    room = score = 0
    for count, candidate in enumerate(members, start=1):
        room, score = room + candidate.available, score + candidate.score
        if count >= least and room >= target:
            break
    if room < target:
        return room * 1000 + score // len(members)
    return target * 1000 + score // count


def best_groups(groups: Sequence[Group], regional: SpreadConstraint, least: int) -> tuple[str, ...]:
    """The regions to use: with clusters enough, and of these the heaviest. Empty where there are none."""
    paths = _paths(sorted(groups, key=lambda group: (group.size, -group.score, group.name)), regional, least)
    if not paths:
        return ()
    ranked = sorted(paths, key=lambda path: (-sum(group.score for group in path), -sum(group.size for group in path)))
    best, *others = [tuple(group.name for group in path) for path in ranked]
    for other in others:
        if len(other) < len(best) and best[: len(other)] == other:
            best = other
    return best


def _paths(groups: Sequence[Group], regional: SpreadConstraint, least: int) -> list[list[Group]]:
    """Every combination of regions that is large enough, by depth first; one that is large enough is not extended."""
    found: list[list[Group]] = []
    path: list[Group] = []

    def extend(total: int, begin: int) -> None:
        if total >= least and regional.min_groups <= len(path) <= regional.max_groups:
            found.append(sorted(path, key=lambda group: (-group.score, group.name)))
            return
        if len(path) >= regional.max_groups:
            return
        for index in range(begin, len(groups)):
            path.append(groups[index])
            extend(total + groups[index].size, index + 1)
            if len(groups) == regional.min_groups:
                break
            path.pop()

    if groups:
        extend(0, 0)
    return found


def _from_groups(groups: Sequence[Group], clusterwise: SpreadConstraint) -> list[Candidate]:
    """The first of every region, then the best of what is left."""
    chosen = [group.members[0] for group in groups]
    pool = sorted((candidate for group in groups for candidate in group.members[1:]), key=master_order)
    size = min(len(chosen) + len(pool), clusterwise.max_groups)
    return chosen + pool[: max(0, size - len(chosen))]


def _selection(rule: str, chosen: Sequence[Candidate], candidates: Sequence[Candidate], reason: str) -> Selection:
    names = tuple(candidate.name for candidate in chosen)
    picked = set(names)
    left_out = {candidate.name: reason for candidate in candidates[:RECORDED] if candidate.name not in picked}
    return Selection(rule=rule, selected=names, left_out=left_out)


def _regions(groups: Sequence[Group], names: Sequence[str]) -> tuple[Region, ...]:
    return tuple(
        Region(name=group.name, score=group.score, clusters=group.size, chosen=group.name in names) for group in groups
    )
