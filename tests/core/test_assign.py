"""How many replicas each cluster gets, through whole passes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_karmada.core.assign import Assignment, NoRoomError, Wish, assign
from gitops_karmada.core.candidates import Candidate
from gitops_karmada.model.bindings import TargetCluster
from gitops_karmada.model.decisions import Method
from gitops_karmada.model.decode import decode
from gitops_karmada.model.placement import ReplicaSchedulingStrategy
from tests.core.nouns import AGGREGATED, DYNAMIC, divided


def assigned(
    strategy: dict[str, Any], replicas: int, room: dict[str, int], previous: dict[str, int], *, fresh: bool = False
) -> Assignment:
    candidates = [Candidate(name, 0, 0, free, previous.get(name, 0)) for name, free in room.items()]
    wish = Wish(
        replicas=replicas,
        strategy=decode(ReplicaSchedulingStrategy, strategy).unwrap(),
        previous=tuple(TargetCluster(name=name, replicas=count) for name, count in previous.items()),
        fresh=fresh,
    )
    return assign(candidates, wish)


def numbers(*values: int) -> dict[str, int]:
    return {f"m{index}": value for index, value in enumerate(values, start=1)}


CASES = [
    pytest.param(DYNAMIC, 12, numbers(18, 12, 6), {}, numbers(6, 4, 2), id="V6.30"),
    pytest.param(DYNAMIC, 12, numbers(20, 12, 6), {}, numbers(6, 4, 2), id="V6.31"),
    pytest.param(DYNAMIC, 12, numbers(6, 12, 6), {}, numbers(3, 6, 3), id="V6.32"),
    pytest.param(DYNAMIC, 12, numbers(6, 8, 10), {}, numbers(3, 4, 5), id="V6.33"),
    pytest.param(DYNAMIC, 12, numbers(8, 8, 10), {}, numbers(4, 4, 4), id="V6.34"),
    pytest.param(DYNAMIC, 6, numbers(0, 0, 0), numbers(2, 4, 6), numbers(1, 2, 3), id="V6.36"),
    pytest.param(DYNAMIC, 24, numbers(10, 10, 10), numbers(2, 4, 6), numbers(6, 8, 10), id="V6.37"),
    pytest.param(DYNAMIC, 12, numbers(3, 3), {"m1": 6, "m3": 6}, numbers(9, 3), id="V6.39"),
    pytest.param(AGGREGATED, 12, numbers(12, 6, 6), {}, {"m1": 12}, id="V6.40"),
    pytest.param(AGGREGATED, 12, numbers(6, 12, 6), {}, {"m2": 12}, id="V6.41"),
    pytest.param(AGGREGATED, 12, numbers(6, 6, 6), {}, {"m1": 6, "m2": 6}, id="V6.42"),
    pytest.param(AGGREGATED, 12, numbers(6, 8, 10), {}, {"m2": 5, "m3": 7}, id="V6.43"),
    pytest.param(AGGREGATED, 12, numbers(12, 8, 10), {}, {"m1": 12}, id="V6.44"),
    pytest.param(AGGREGATED, 6, numbers(0, 0), numbers(4, 8), {"m2": 6}, id="V6.45"),
    pytest.param(AGGREGATED, 8, numbers(0, 0), numbers(4, 8), {"m2": 8}, id="V6.46"),
    pytest.param(AGGREGATED, 24, numbers(4, 6, 8), numbers(4, 8), numbers(7, 12, 5), id="V6.47"),
    pytest.param(AGGREGATED, 24, numbers(6, 6, 20), numbers(4, 8), {"m1": 10, "m2": 14}, id="V6.48"),
    pytest.param(AGGREGATED, 24, {"m1": 4, "m3": 8, "m4": 12}, numbers(4, 8), {"m1": 7, "m3": 7, "m4": 10}, id="V6.50"),
    pytest.param(DYNAMIC, 8, numbers(1, 1), {"m2": 5, "m1": 3}, {"m2": 5, "m1": 3}, id="V6.51"),
]


@pytest.mark.parametrize(("strategy", "replicas", "room", "previous", "expected"), CASES)
def test_dynamic(
    strategy: dict[str, Any], replicas: int, room: dict[str, int], previous: dict[str, int], expected: dict[str, int]
) -> None:
    assert dict(assigned(strategy, replicas, room, previous).shares) == expected


def test_fresh_forgets_what_runs_but_counts_its_room() -> None:
    assignment = assigned(DYNAMIC, 12, numbers(4, 0, 8), numbers(6, 6), fresh=True)
    assert dict(assignment.shares) == numbers(5, 3, 4)
    assert assignment.divisions[0].method is Method.FRESH


@pytest.mark.parametrize(
    ("strategy", "replicas", "room", "previous", "message"),
    [
        (DYNAMIC, 12, numbers(3, 3, 3), {}, "failed to scale up: Clusters available replicas 9 are not enough"),
        (DYNAMIC, 24, numbers(1, 1, 1), numbers(2, 4, 6), "failed to scale up: Clusters available replicas 3 are not"),
        (AGGREGATED, 24, numbers(1, 1, 1), numbers(4, 8), "failed to scale up: Clusters available replicas 3 are not"),
    ],
    ids=["V6.35", "V6.38", "V6.49"],
)
def test_too_little_room(
    strategy: dict[str, Any], replicas: int, room: dict[str, int], previous: dict[str, int], message: str
) -> None:
    with pytest.raises(NoRoomError, match=message):
        assigned(strategy, replicas, room, previous)


ROOM = st.dictionaries(st.sampled_from([f"m{index}" for index in range(9)]), st.integers(0, 50), min_size=1)
STRATEGIES = st.sampled_from([DYNAMIC, AGGREGATED, divided("Weighted"), divided("Weighted", {"m1": 3, "m2": 1})])


@given(strategy=STRATEGIES, replicas=st.integers(1, 200), room=ROOM, previous=ROOM | st.just({}), fresh=st.booleans())
def test_shares_sum_to_the_wish(
    strategy: dict[str, Any], replicas: int, room: dict[str, int], previous: dict[str, int], fresh: bool
) -> None:
    """Whatever ran before: all of it or an error."""
    try:
        assignment = assigned(strategy, replicas, room, previous, fresh=fresh)
    except NoRoomError:
        return
    assert sum(share for _, share in assignment.shares) == replicas
    assert all(share > 0 for _, share in assignment.shares)


@given(strategy=st.sampled_from([DYNAMIC, AGGREGATED]), replicas=st.integers(1, 200), room=ROOM)
def test_no_cluster_gets_more_than_it_has_room_for(
    strategy: dict[str, Any], replicas: int, room: dict[str, int]
) -> None:
    try:
        assignment = assigned(strategy, replicas, room, {})
    except NoRoomError:
        assert sum(room.values()) < replicas
        return
    assert all(share <= room[name] for name, share in assignment.shares)


@given(
    replicas=st.integers(1, 200),
    room=ROOM,
    weights=st.dictionaries(st.sampled_from(["m1", "m2", "m3"]), st.integers(1, 9)),
)
def test_growing_never_shrinks_a_share_under_static_weights(
    replicas: int, room: dict[str, int], weights: dict[str, int]
) -> None:
    strategy = divided("Weighted", weights)
    before, after = (dict(assigned(strategy, wish, room, {}).shares) for wish in (replicas, replicas + 1))
    assert all(after.get(name, 0) >= share for name, share in before.items())
