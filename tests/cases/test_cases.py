"""Every case of `fixtures/cases`, played as people work: commits, pushes, turns, and other hands in the members."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cases.play import play
from tests.cases.stage import Stage

CASES = Path(__file__).parents[2] / "fixtures" / "cases"


def cases() -> Iterator[Any]:
    for path in sorted(CASES.glob("*/case.yaml")):
        head = path.read_text(encoding="utf-8").partition("\nsteps:")[0]
        case = yaml.load(head, Loader=yaml.CSafeLoader)
        marks = [pytest.mark.envtest] if case.get("real") else []
        if "wrong" in case:
            marks.append(pytest.mark.xfail(strict=True, reason=case["wrong"]))
        yield pytest.param(path, id=path.parent.name, marks=marks)


@pytest.mark.parametrize("path", list(cases()))
def test_case(path: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """What the report asks for is what comes of it."""
    case = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    clusters = request.getfixturevalue("members") if case.get("real") else ()
    play(Stage(tmp_path / "lab", case, clusters), case)
