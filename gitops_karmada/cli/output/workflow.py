"""What a GitHub workflow's runner is told beside annotations: where files lie, a job summary, step outputs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Final

from gitops_karmada.cli.output.problems import count, sentence, tally
from gitops_karmada.cli.output.terminal import clean
from gitops_karmada.model.problems import Problem, Severity

SUMMARY_BYTES: Final = 1_000_000
"""GitHub drops a summary of over 1 MiB as a whole, so we stop before."""

_HEAD: Final = "<tr><th>severity</th><th>place</th><th>object</th><th>finding</th></tr>"


def below_workspace(problems: Iterable[Problem], repository: Path, environment: Mapping[str, str]) -> list[Problem]:
    """Say files from the workspace on, where GitHub looks for them, when the repository lies in a folder of it."""
    workspace = environment.get("GITHUB_WORKSPACE")
    root = repository.resolve()
    if not workspace or not root.is_relative_to(Path(workspace).resolve()):
        return list(problems)
    folder = root.relative_to(Path(workspace).resolve())
    return [_moved(problem, folder) for problem in problems]


def write(problems: Sequence[Problem], environment: Mapping[str, str]) -> None:
    """Add the summary and the outputs to the files that the runner names; without a runner do nothing."""
    _append(environment.get("GITHUB_STEP_SUMMARY"), summary(problems))
    _append(environment.get("GITHUB_OUTPUT"), outputs(problems))


def summary(problems: Sequence[Problem]) -> str:
    """Return the job summary: a verdict, and a table of all findings that fit."""
    head = f"### gitops-karmada validate: {_result(problems)}\n\n{tally(problems)}\n\n"
    return head + (_table(problems, SUMMARY_BYTES - len(head)) if problems else "")


def outputs(problems: Sequence[Problem]) -> str:
    """Return the step outputs `result`, `errors` and `warnings`."""
    errors, warnings = count(problems, Severity.ERROR), count(problems, Severity.WARNING)
    return f"result={_result(problems)}\nerrors={errors}\nwarnings={warnings}\n"


def _result(problems: Iterable[Problem]) -> str:
    return "failed" if count(problems, Severity.ERROR) else "passed"


def _moved(problem: Problem, folder: Path) -> Problem:
    place = problem.location
    return replace(problem, location=replace(place, file=(folder / place.file).as_posix())) if place else problem


def _table(problems: Sequence[Problem], room: int) -> str:
    rows, used = ["<table>", _HEAD], 500
    for number, problem in enumerate(problems):
        row = _row(problem)
        used += len(row.encode()) + 1
        if used > room:
            rows.append(f'<tr><td colspan="4">and {len(problems) - number} more</td></tr>')
            break
        rows.append(row)
    return "\n".join([*rows, "</table>"]) + "\n"


def _row(problem: Problem) -> str:
    finding = f"{problem.code}: {sentence(problem)}" + (f". {problem.hint}" if problem.hint else "")
    cells = (problem.severity.value, str(problem.location or ""), problem.subject, finding)
    # In code nothing is a mention, a link or markup.
    return "<tr>" + "".join(f"<td><code>{escape(clean(cell))}</code></td>" for cell in cells) + "</tr>"


def _append(path: str | None, text: str) -> None:
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)
