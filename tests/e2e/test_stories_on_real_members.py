"""Histories recorded from a running Karmada, one of every theme, played with real API servers for members."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.__main__ import read_cases
from tests.conformance.ops_stories import Case, played, settings_for
from tests.e2e.story_members import RealStage
from tests.envtest.cluster import Cluster

STORIES = Path(__file__).parents[2] / "fixtures" / "conformance" / "stories.jsonl.gz"

pytestmark = [pytest.mark.envtest, pytest.mark.slow]


def one_of_each_theme() -> dict[str, Case]:
    """The shortest story of every theme."""
    shortest: dict[str, Case] = {}
    for case in read_cases(STORIES):
        best = shortest.get(case["theme"])
        if best is None or len(case["steps"]) < len(best["steps"]):
            shortest[case["theme"]] = case
    return shortest


CASES = one_of_each_theme()


@pytest.mark.parametrize("theme", sorted(CASES))
def test_a_history_ends_up_the_same(theme: str, tmp_path: Path, members: tuple[Cluster, ...]) -> None:
    """Bindings, works, live objects, statuses and clusters are after each step what Karmada left behind there."""
    case = CASES[theme]
    with RealStage(settings_for(case["profile"]), members, tmp_path) as stage:
        wrong = played(case, stage)
    assert wrong is None, f"{case['id']}: {wrong}"
