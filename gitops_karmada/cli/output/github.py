"""Findings as annotations of a pull request: GitHub's workflow commands, escaped, and never more than it shows."""

from collections.abc import Iterable, Iterator
from typing import Final

from gitops_karmada.cli.output.problems import sentence
from gitops_karmada.cli.output.terminal import clean
from gitops_karmada.model.problems import Problem, Severity

# GitHub shows so many annotations of each kind a step, and drops the rest without a word.
SHOWN: Final = 10

COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTICE: "notice"}


def annotations(problems: Iterable[Problem]) -> Iterator[str]:
    found = list(problems)
    for severity, command in COMMANDS.items():
        same = [problem for problem in found if problem.severity is severity]
        for problem in same[:SHOWN]:
            yield _annotation(command, problem)
        for problem in same[SHOWN:]:
            yield plain_line(f"{command}[{problem.code}]: {problem}")
        if len(same) > SHOWN:
            yield plain_line(f"{len(same) - SHOWN} more of severity {command} are listed above and in the job summary")


def _annotation(command: str, problem: Problem) -> str:
    properties = {"title": f"{problem.code} {problem.subject}".strip()}
    if problem.location is not None:
        properties["file"] = problem.location.file
        properties |= {"line": str(problem.location.line)} if problem.location.line else {}
        properties |= {"col": str(problem.location.column)} if problem.location.column else {}
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    message = f"{sentence(problem)}. {problem.hint}" if problem.hint else sentence(problem)
    return f"::{command} {told}::{_message(message)}"


def _message(text: str) -> str:
    return clean(text).replace("%", "%25").replace("##[", "## [")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def plain_line(text: str) -> str:
    """A line of the log that the runner takes for no command, whatever stands in it."""
    shown = clean(text).replace("##[", "## [")
    return shown if not shown.lstrip().startswith("::") else f". {shown}"
