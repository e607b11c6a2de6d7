"""Our answers are Karmada's, case by case."""

from pathlib import Path

import pytest

from tests.conformance.__main__ import SHOWN, main, operations, read_cases, run

FOLDER = Path(__file__).parent.parent.parent / "fixtures" / "conformance"
# Stories are histories, not single questions; they have their own tests.
FILES = sorted(path for path in FOLDER.glob("*.jsonl.gz") if path.name != "stories.jsonl.gz")


def _operations(path: Path) -> list[str]:
    return sorted({case["op"] for case in read_cases(path)})


@pytest.mark.parametrize(
    ("path", "operation"),
    [
        pytest.param(path, operation, id=f"{path.name.split('.')[0]}-{operation}")
        for path in FILES
        for operation in _operations(path)
    ],
)
def test_all_cases_are_right(path: Path, operation: str) -> None:
    tally = run((case for case in read_cases(path) if case["op"] == operation), operations())[operation]
    assert tally.total > 0
    assert not tally.wrong, f"{len(tally.wrong)} of {tally.total} are wrong, first {tally.wrong[:SHOWN]}"


def test_a_case_of_an_unknown_operation_is_wrong() -> None:
    tallies = run([{"id": "one", "op": "guess"}], operations())
    assert tallies["guess"].wrong == [("one", "no module answers this operation")]


def test_a_case_that_breaks_is_wrong_and_the_others_go_on() -> None:
    def broken(case: dict[str, object]) -> str | None:
        if case["id"] == "one":
            raise ValueError("no such thing")
        return None

    tally = run([{"id": "one", "op": "ask"}, {"id": "two", "op": "ask"}], {"ask": broken})["ask"]
    assert (tally.right, tally.total) == (1, 2)
    assert "no such thing" in tally.wrong[0][1]


def test_the_runner_prints_one_line_an_operation(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(FOLDER / "scheduling.jsonl.gz"), "--op", "nodeEstimate"]) == 0
    assert "nodeEstimate 132/132" in capsys.readouterr().out
