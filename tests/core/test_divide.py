"""Webster's method: the sum is always the wish, and nobody loses by a larger wish."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_karmada.core.divide import divide, is_odd

ODD, EVEN = "d43fdeeb-d750-4e2b-bee3-64eb94534f4c", "4858ca61-3ff8-4095-8267-f3d059d8074c"


def shares(seats: int, *votes: int, uid: str = "") -> list[int]:
    return list(divide(seats, {f"m{index}": vote for index, vote in enumerate(votes)}, uid).values())


@pytest.mark.parametrize(
    ("seats", "votes", "expected"),
    [
        pytest.param(12, (3, 2, 1), [6, 4, 2], id="V6.1"),
        pytest.param(13, (3, 2, 1), [7, 4, 2], id="V6.2"),
        pytest.param(14, (3, 2, 1), [7, 5, 2], id="V6.3"),
        pytest.param(12, (1, 1, 1), [4, 4, 4], id="V6.4"),
        pytest.param(0, (3, 2, 1), [0, 0, 0], id="V6.5"),
        pytest.param(5, (1, 1, 1), [2, 2, 1], id="V6.8"),
        pytest.param(7, (2, 1, 1, 1), [3, 2, 1, 1], id="V6.9a"),
        pytest.param(8, (2, 1, 1, 1), [3, 2, 2, 1], id="V6.9b"),
        pytest.param(9, (2, 1, 1, 1), [3, 2, 2, 2], id="V6.9c"),
        pytest.param(6, (1, 1, 1, 1), [2, 2, 1, 1], id="V6.10"),
        pytest.param(6, (2, 1, 1, 1), [3, 1, 1, 1], id="V6.11"),
        pytest.param(5, (1, 1, 1, 1), [2, 1, 1, 1], id="V6.12"),
        pytest.param(10, (5, 5, 5), [4, 3, 3], id="V6.13"),
        pytest.param(13, (1, 2, 3), [2, 4, 7], id="V6.14"),
        pytest.param(1, (2, 1), [1, 0], id="V6.15a"),
        pytest.param(2, (2, 1), [1, 1], id="V6.15b"),
        pytest.param(3, (2, 1), [2, 1], id="V6.15c"),
        pytest.param(5, (170, 110, 60), [2, 2, 1], id="V6.16a"),
        pytest.param(6, (170, 110, 60), [3, 2, 1], id="V6.16b"),
        pytest.param(4, (1200, 900, 400), [2, 1, 1], id="V6.18"),
    ],
)
def test_shares(seats: int, votes: tuple[int, ...], expected: list[int]) -> None:
    assert shares(seats, *votes) == expected


def test_a_textbook_election() -> None:
    """V6.19, seat by seat."""
    digits = ["".join(map(str, shares(seats, 100000, 80000, 30000, 20000))) for seats in range(1, 9)]
    assert digits == ["1000", "1100", "2100", "2110", "2210", "2211", "3211", "3311"]


def test_the_uid_decides_who_gets_the_odd_replica() -> None:
    """V6.17."""
    assert (is_odd(ODD), is_odd(EVEN), is_odd("")) == (True, False, False)
    assert shares(5, 1, 1, uid=ODD) == [2, 3]
    assert shares(5, 1, 1, uid=EVEN) == [3, 2]


def test_without_votes_nobody_gets_a_seat() -> None:
    assert divide(5, {"m1": 0}) == {}


VOTES = st.dictionaries(st.text("abc", min_size=1, max_size=4), st.integers(0, 10**9), min_size=1, max_size=12).filter(
    lambda votes: sum(votes.values()) > 0
)


@given(seats=st.integers(0, 3000), votes=VOTES, uid=st.sampled_from(["", ODD, EVEN]))
def test_shares_sum_to_the_wish(seats: int, votes: dict[str, int], uid: str) -> None:
    assert sum(divide(seats, votes, uid).values()) == seats


@given(seats=st.integers(0, 300), votes=VOTES, uid=st.sampled_from(["", ODD, EVEN]))
def test_growing_never_shrinks_a_share(seats: int, votes: dict[str, int], uid: str) -> None:
    before, after = divide(seats, votes, uid), divide(seats + 1, votes, uid)
    assert all(after[name] >= before[name] for name in votes)


@given(seats=st.integers(0, 300), votes=VOTES)
def test_nobody_gets_more_than_its_votes_when_there_are_votes_enough(seats: int, votes: dict[str, int]) -> None:
    """So room as votes is never overdrawn."""
    wish = min(seats, sum(votes.values()))
    assert all(share <= votes[name] for name, share in divide(wish, votes).items())


@given(seats=st.integers(0, 200), votes=VOTES)
def test_large_numbers_take_no_short_cut(seats: int, votes: dict[str, int]) -> None:
    """The same as awarding seat by seat."""
    won = dict.fromkeys(votes, 0)
    for _ in range(seats):
        winner = min(votes, key=lambda name: (-(float(votes[name]) / (2 * won[name] + 1)), won[name], name))
        won[winner] += 1
    assert divide(seats, votes) == won
