"""Whole histories end up, step by step, as they did in Karmada."""

from pathlib import Path
from typing import Any

import pytest

from tests.conformance.__main__ import read_cases
from tests.conformance.differences import all_differences
from tests.conformance.ops_stories import story, unforgiven

FILE = Path(__file__).parent.parent.parent / "fixtures" / "conformance" / "stories.jsonl.gz"
STORIES = list(read_cases(FILE))


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in STORIES])
def test_the_story_ends_as_it_did(case: dict[str, Any]) -> None:
    assert story(case) is None


def test_a_story_that_ends_otherwise_is_told_apart() -> None:
    case = next(case for case in STORIES if case["id"] == "story-walkthrough-1")
    step = {**case["steps"][0], "expect": {**case["steps"][0]["expect"], "live": {"member3": {"v1/ConfigMap/a/b": {}}}}}
    assert story({**case, "steps": [step]}) == f"step 1 ({step['does']}): ConfigMap a/b in member3 is missing"


def test_a_difference_that_is_listed_and_does_not_show_is_wrong() -> None:
    listed = next(name for name in all_differences() if name.startswith("story-") and ": " in name)
    step, _, words = listed.partition(": ")
    assert (
        unforgiven(step, [f"x {words} y"]) == []
        or len([name for name in all_differences() if name.startswith(f"{step}: ")]) > 1
    )
    assert f"listed as different, and is not: {words}" in unforgiven(step, [])
    assert unforgiven(step, ["something else"])[0] == "something else"


def test_every_listed_step_exists() -> None:
    steps = {f"{case['id']}/{number}" for case in STORIES for number in range(1, len(case["steps"]) + 1)}
    listed = {name.partition(": ")[0] for name in all_differences() if name.startswith("story-")}
    assert listed <= steps
