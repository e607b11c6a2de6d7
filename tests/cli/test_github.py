"""What a GitHub workflow is told."""

from pathlib import Path

import pytest

from gitops_karmada.cli.github import SHOWN, SUMMARY_BYTES, annotations, outputs, report, summary
from gitops_karmada.model.problems import Location, Problem, Severity


def problem(message: str = "expected a list", severity: Severity = Severity.ERROR, file: str = "a.yaml") -> Problem:
    return Problem(
        code="GK1001",
        severity=severity,
        location=Location(file=file, line=14, column=3),
        subject="PropagationPolicy shop/web",
        path="spec.placement",
        message=message,
        hint="Write a list",
    )


def test_annotation_names_file_line_and_reason() -> None:
    """The annotation stands at the line, below the folder of the federation repository."""
    properties = "col=3,file=fleet/a.yaml,line=14,title=GK1001 PropagationPolicy shop/web"
    line = f"::error {properties}::spec.placement: expected a list. Write a list"
    assert list(annotations([problem()], folder="fleet")) == [line]


def test_annotation_without_a_place() -> None:
    """A finding about the whole repository has neither file nor line."""
    found = Problem(code="GK1002", message="no policy at all", severity=Severity.WARNING)
    assert list(annotations([found])) == ["::warning title=GK1002::no policy at all"]


@pytest.mark.parametrize(
    "nasty",
    ["x\n::error::forged", "x\r\n::add-mask::y", "100%0A::error::x", "\x1b[31mred", "x\u2028::error::y"],
    ids=["newline", "carriage return", "escaped newline", "terminal", "line separator"],
)
def test_values_cannot_become_commands(nasty: str) -> None:
    """A value from a stranger's branch stays inside its one line, in messages and in file names."""
    lines = [*annotations([problem(message=nasty)]), *annotations([problem(file=nasty + ",line=1:x")])]
    assert len(lines) == 2
    for line in lines:
        assert line.splitlines() == [line]
        assert line.startswith("::error col=3,")
        assert line.isprintable()
    assert lines[1].count("line=") == 2
    assert "%2Cline=1%3Ax" in lines[1]


def test_what_github_would_drop_is_counted() -> None:
    """Ten annotations of a severity are shown at most; the last one counts the others."""
    lines = list(annotations([problem()] * 25 + [problem(severity=Severity.NOTICE)] * SHOWN))
    errors = [line for line in lines if line.startswith("::error")]
    assert len(errors) == SHOWN
    assert errors[-1].startswith("::error::and 16 more")
    assert len([line for line in lines if line.startswith("::notice")]) == SHOWN


def test_outputs_count_findings() -> None:
    assert outputs([problem(), problem(severity=Severity.WARNING)]) == "result=failed\nerrors=1\nwarnings=1\n"
    assert outputs([]) == "result=passed\nerrors=0\nwarnings=0\n"


def test_summary_holds_everything_that_fits() -> None:
    """Markup in values is shown, not rendered; a summary never grows over what GitHub keeps, and says what it left."""
    text = summary([problem(message="<img src=x> @everyone `x`")])
    assert "&lt;img src=x&gt; @everyone" in text
    assert "<img" not in text
    assert "1 error, 0 warnings, 0 notices" in text
    long = summary([problem(message="x" * 1000)] * 2000)
    assert len(long.encode()) <= SUMMARY_BYTES
    assert f"and {2000 - long.count('spec.placement')} more" in long
    assert summary([]) == "### gitops-karmada validate: passed\n\n0 errors, 0 warnings, 0 notices\n\n"


def test_report_writes_where_the_runner_says(tmp_path: Path) -> None:
    """Summary and outputs are added to the runner's files; without a runner only lines are printed."""
    files = {"GITHUB_OUTPUT": str(tmp_path / "output"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
    (tmp_path / "output").write_text("before=1\n")
    assert len(list(report([problem()], files))) == 1
    assert (tmp_path / "output").read_text() == "before=1\nresult=failed\nerrors=1\nwarnings=0\n"
    assert (tmp_path / "summary").read_text().startswith("### gitops-karmada validate: failed")
    assert len(list(report([problem()], {}))) == 1
