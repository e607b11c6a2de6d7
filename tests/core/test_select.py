"""Which candidates the spread constraints leave."""

from typing import Any

import pytest

from gitops_karmada.core.candidates import Candidate, master_order
from gitops_karmada.core.select import Group, SelectError, best_groups, divided_score, duplicated_score, select
from gitops_karmada.model.placement import SpreadConstraint
from tests.core.nouns import AGGREGATED, DYNAMIC, divided, placement


def candidate(name: str, score: int, available: int, region: str = "") -> Candidate:
    return Candidate(name, 0, score, available, 0, region)


def ordered(*candidates: Candidate) -> list[Candidate]:
    return sorted(candidates, key=master_order)


SET_A = ordered(
    candidate("member1", 20, 40),
    candidate("member2", 40, 60),
    candidate("member3", 30, 80),
    candidate("member4", 60, 50),
)
STATIC = divided("Weighted", {"member1": 1})


def selected(
    candidates: list[Candidate], replicas: int, strategy: dict[str, Any] | None, *constraints: tuple[str, int, int]
) -> list[str]:
    spread = [{"spreadByField": name, "minGroups": least, "maxGroups": most} for name, least, most in constraints]
    fields = {"replicaScheduling": strategy} if strategy else {}
    chosen, selection = select(placement(spreadConstraints=spread, **fields), candidates, replicas, replicas)
    assert list(selection.selected or [it.name for it in chosen]) == [it.name for it in chosen]
    return [it.name for it in chosen]


@pytest.mark.parametrize(
    ("candidates", "replicas", "strategy", "constraint", "expected"),
    [
        pytest.param(SET_A, 100, None, ("cluster", 1, 2), "member4 member2", id="V5.2"),
        pytest.param(
            SET_A, 120, {"replicaSchedulingType": "Duplicated"}, ("cluster", 1, 2), "member4 member2", id="V5.3"
        ),
        pytest.param(SET_A, 120, STATIC, ("cluster", 1, 2), "member4 member2 member3 member1", id="V5.4"),
        pytest.param(SET_A, 120, DYNAMIC, ("cluster", 1, 2), "member4 member3", id="V5.5"),
        pytest.param(
            ordered(candidate("m1", 60, 40), candidate("m2", 50, 30), candidate("m3", 40, 60)),
            80,
            AGGREGATED,
            ("cluster", 1, 2),
            "m1 m3",
            id="V5.8",
        ),
        pytest.param(SET_A, 1, None, ("cluster", 1, 0), "", id="V5.9"),
    ],
)
def test_clusters(
    candidates: list[Candidate],
    replicas: int,
    strategy: dict[str, Any] | None,
    constraint: tuple[str, int, int],
    expected: str,
) -> None:
    assert " ".join(selected(candidates, replicas, strategy, constraint)) == expected


def test_without_constraints_all_are_selected_in_order() -> None:
    """V5.1."""
    assert selected(SET_A, 100, AGGREGATED) == ["member4", "member2", "member3", "member1"]


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        pytest.param([("cluster", 1, 2)], "no enough resource when selecting 2 clusters", id="V5.6"),
        pytest.param(
            [("cluster", 7, 7)],
            "the number of feasible clusters is less than spreadConstraint.MinGroups",
            id="V5.7",
        ),
        pytest.param([("zone", 1, 2)], "just support cluster and region spread constraint", id="V5.10"),
        pytest.param(
            [("region", 2, 2), ("cluster", 1, 2)],
            "the number of feasible region is less than spreadConstraint.MinGroups",
            id="V5.15",
        ),
    ],
)
def test_impossible(constraints: list[tuple[str, int, int]], message: str) -> None:
    with pytest.raises(SelectError, match=message):
        selected(SET_A, 200, DYNAMIC, *constraints)


REGIONS = ordered(
    *(candidate(name, 100, 100, "R1") for name in ("m1", "m2")),
    *(candidate(name, 80, 100, "R2") for name in ("m3", "m4", "m5")),
)


def test_regions_with_clusters_enough_win() -> None:
    """V5.11 and V5.12, V5.16."""
    duplicated = {"replicaSchedulingType": "Duplicated"}
    assert selected(REGIONS, 1, duplicated, ("region", 1, 1), ("cluster", 3, 3)) == ["m3", "m4", "m5"]
    assert selected(REGIONS, 1, duplicated, ("region", 2, 2), ("cluster", 3, 3)) == ["m3", "m1", "m2"]
    with pytest.raises(SelectError, match="the number of clusters is less than the cluster"):
        selected(REGIONS, 1, duplicated, ("region", 1, 1), ("cluster", 4, 4))


@pytest.mark.parametrize(
    ("groups", "least", "most", "target", "expected"),
    [
        pytest.param("R1 1/80, R3 1/80, R2 1/60, R5 2/60, R4 5/50, R6 3/50", 1, 3, 10, "R5 R4 R6", id="V5.17"),
        pytest.param("R1 1/80, R2 4/40, R3 1/30, R4 3/30, R5 3/20, R6 5/10", 2, 6, 5, "R1 R2", id="V5.18"),
        pytest.param("R1 1/60, R2 1/50, R3 1/40, R4 3/30, R5 3/20, R6 3/10", 1, 3, 6, "R1 R4 R5", id="V5.19"),
        pytest.param("R1 1/60, R2 2/50, R3 3/40, R4 4/30", 1, 2, 5, "R1 R4", id="V5.20"),
        pytest.param("R4 1/60, R3 3/50, R1 3/40, R2 4/30", 1, 2, 5, "R3 R1", id="V5.21"),
        pytest.param("R1 1/0, R2 2/0", 2, 3, 4, "", id="V5.22"),
    ],
)
def test_groups(groups: str, least: int, most: int, target: int, expected: str) -> None:
    def group(text: str) -> Group:
        name, numbers = text.split()
        size, score = map(int, numbers.split("/"))
        return Group(name=name, members=(candidate("m", 0, 0),) * size, score=score)

    constraint = SpreadConstraint(min_groups=least, max_groups=most)
    assert " ".join(best_groups([group(text) for text in groups.split(", ")], constraint, target)) == expected


def members(score: int, *available: int) -> list[Candidate]:
    return [candidate(f"m{index}", score, room) for index, room in enumerate(available)]


@pytest.mark.parametrize(
    ("clusters", "expected"),
    [
        pytest.param(members(100, 60, 70, 40, 30, 10), 2100, id="V5.23"),
        pytest.param(members(0, 60, 60, 60, 60), 4000, id="V5.24"),
        pytest.param(members(0, 100, 100, 10, 10), 2000, id="V5.25"),
        pytest.param(members(100, 10, 10), 0, id="V5.26"),
    ],
)
def test_region_score_of_duplicated(clusters: list[Candidate], expected: int) -> None:
    assert duplicated_score(clusters, 50) == expected


@pytest.mark.parametrize(
    ("clusters", "expected"),
    [
        pytest.param(members(100, 10, 10, 10, 10, 5), 45100, id="V5.27"),
        pytest.param(members(0, 40, 30, 10, 10), 50000, id="V5.28"),
        pytest.param(members(100, 40, 40, 10, 10, 5), 50100, id="V5.29"),
    ],
)
def test_region_score_of_divided(clusters: list[Candidate], expected: int) -> None:
    assert divided_score(clusters, 50, 2) == expected
