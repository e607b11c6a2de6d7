"""What a GitHub workflow's runner is told beside annotations."""

from pathlib import Path

from gitops_karmada.cli.output.workflow import SUMMARY_BYTES, below_workspace, outputs, summary, write
from gitops_karmada.model.problems import Location, Problem, Severity


def problem(message: str = "expected a list", severity: Severity = Severity.ERROR) -> Problem:
    return Problem(
        code="GK1001",
        severity=severity,
        location=Location(file="a.yaml", line=14, column=3),
        subject="PropagationPolicy shop/web",
        path="spec.placement",
        message=message,
        hint="Write a list",
    )


def test_files_are_named_from_the_workspace_on(tmp_path: Path) -> None:
    """GitHub finds a file by its path from the workspace, wherever the federation repository lies in it."""
    environment = {"GITHUB_WORKSPACE": str(tmp_path)}
    everywhere = Problem(code="GK1002", message="no policy at all")
    moved = below_workspace([problem(), everywhere], tmp_path / "fleet", environment)
    assert [str(found.location) for found in moved] == ["fleet/a.yaml:14:3", "None"]
    assert below_workspace([problem()], tmp_path, environment) == [problem()]
    assert below_workspace([problem()], tmp_path.parent, environment) == [problem()]
    assert below_workspace([problem()], tmp_path / "fleet", {}) == [problem()]


def test_outputs_count_findings() -> None:
    assert outputs([problem(), problem(severity=Severity.WARNING)]) == "result=failed\nerrors=1\nwarnings=1\n"
    assert outputs([]) == "result=passed\nerrors=0\nwarnings=0\n"


def test_summary_shows_values_and_renders_none() -> None:
    """Markup in values is shown as text; nothing in them is a mention, and no line of them stands alone."""
    text = summary([problem(message="<img src=x> @everyone `x`\n\n# title")])
    assert "&lt;img src=x&gt; @everyone" in text
    assert "<img" not in text
    assert "\n#" not in text.removeprefix("###")
    assert "1 error, 0 warnings" in text
    assert summary([]) == "### gitops-karmada validate: passed\n\n0 errors, 0 warnings\n\n"


def test_summary_never_grows_over_what_github_keeps() -> None:
    """It says how many findings it left out."""
    text = summary([problem(message="x" * 1000)] * 2000)
    assert len(text.encode()) <= SUMMARY_BYTES
    assert f"and {2000 - text.count('spec.placement')} more" in text


def test_files_are_those_that_the_runner_names(tmp_path: Path) -> None:
    """Summary and outputs are added to what stands there; without a runner nothing is written."""
    files = {"GITHUB_OUTPUT": str(tmp_path / "output"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
    (tmp_path / "output").write_text("before=1\n")
    write([problem()], files)
    assert (tmp_path / "output").read_text() == "before=1\nresult=failed\nerrors=1\nwarnings=0\n"
    assert (tmp_path / "summary").read_text().startswith("### gitops-karmada validate: failed")
    write([problem()], {})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["output", "summary"]
