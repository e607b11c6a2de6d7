"""What a GitHub workflow is told of findings: annotations on lines, a job summary, step outputs."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from gitops_karmada.model.problems import Problem, Severity

# GitHub shows ten annotations of a severity for a step, and drops the others without a word.
SHOWN = 10
# A summary over 1 MiB is dropped as a whole.
SUMMARY_BYTES = 1_000_000


def report(problems: Sequence[Problem], environment: Mapping[str, str], folder: str = "") -> Iterator[str]:
    """Write the summary and the outputs to the files that the runner names, and yield the lines to print.

    `folder` is where the federation repository lies below the workspace, so that annotations find their files.
    """
    _append(environment.get("GITHUB_STEP_SUMMARY"), summary(problems))
    _append(environment.get("GITHUB_OUTPUT"), outputs(problems))
    yield from annotations(problems, folder)


def annotations(problems: Sequence[Problem], folder: str = "") -> Iterator[str]:
    """Yield one workflow command for each finding that GitHub would show, and one that counts the others."""
    for severity in Severity:
        found = [problem for problem in problems if problem.severity is severity]
        # The last place is for the count, else it would be dropped too.
        shown = found if len(found) <= SHOWN else found[: SHOWN - 1]
        yield from (_annotation(problem, folder) for problem in shown)
        if len(found) > len(shown):
            yield f"::{severity.value}::and {len(found) - len(shown)} more; the job summary lists them all"


def summary(problems: Sequence[Problem]) -> str:
    """Return the job summary: a verdict, and a table of all findings that fit."""
    counts = _counts(problems)
    verdict = "passed" if not counts[Severity.ERROR] else "failed"
    head = f"### gitops-karmada validate: {verdict}\n\n{_words(counts)}\n\n"
    return head + (_table(problems, SUMMARY_BYTES - len(head)) if problems else "")


def outputs(problems: Sequence[Problem]) -> str:
    """Return the step outputs `result`, `errors` and `warnings`."""
    counts = _counts(problems)
    result = "failed" if counts[Severity.ERROR] else "passed"
    return f"result={result}\nerrors={counts[Severity.ERROR]}\nwarnings={counts[Severity.WARNING]}\n"


def _annotation(problem: Problem, folder: str) -> str:
    properties = {"title": f"{problem.code} {problem.subject}".strip()}
    if place := problem.location:
        properties["file"] = (Path(folder) / place.file).as_posix()
        properties |= {name: str(value) for name, value in (("line", place.line), ("col", place.column)) if value}
    listed = ",".join(f"{name}={_property(value)}" for name, value in sorted(properties.items()))
    return f"::{problem.severity.value} {listed}::{_escaped(_text(problem))}"


def _text(problem: Problem) -> str:
    text = ": ".join(part for part in (problem.path, problem.message) if part)
    return f"{text}. {problem.hint}" if problem.hint else text


def _table(problems: Sequence[Problem], room: int) -> str:
    rows, used = ["<table>", "<tr><th>severity</th><th>place</th><th>object</th><th>finding</th></tr>"], 500
    for number, problem in enumerate(problems):
        row = _row(problem)
        used += len(row.encode()) + 1
        if used > room:
            rows.append(f'<tr><td colspan="4">and {len(problems) - number} more</td></tr>')
            break
        rows.append(row)
    return "\n".join([*rows, "</table>"]) + "\n"


def _row(problem: Problem) -> str:
    cells = (problem.severity.value, str(problem.location or ""), problem.subject, f"{problem.code}: {_text(problem)}")
    # In code nothing is a mention, a link or markup.
    return "<tr>" + "".join(f"<td><code>{escape(_clean(cell))}</code></td>" for cell in cells) + "</tr>"


def _counts(problems: Sequence[Problem]) -> Counter[Severity]:
    return Counter(problem.severity for problem in problems)


def _words(counts: Mapping[Severity, int]) -> str:
    counted = [f"{counts[severity]} {severity.value}{'s'[: counts[severity] != 1]}" for severity in Severity]
    return ", ".join(counted)


def _property(value: str) -> str:
    return _escaped(value).replace(":", "%3A").replace(",", "%2C")


def _escaped(value: str) -> str:
    # Names and values come from a stranger's branch: they must not end the command, or be read by a terminal.
    escaped = value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return "".join(letter for letter in escaped if letter.isprintable())


def _clean(value: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in value)


def _append(path: str | None, text: str) -> None:
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)
