"""`validate`: everything that is wrong in a repository, found from its files alone."""

import time
from contextlib import closing
from typing import TYPE_CHECKING

import click

from gitops_karmada.cli.exits import Exit
from gitops_karmada.cli.options import Looks, Where, flag, looks, where

if TYPE_CHECKING:
    from gitops_karmada.cli.output.problems import Excerpt
    from gitops_karmada.model.federation import Federation
    from gitops_karmada.model.problems import Problem

HELP = """Find what is wrong in the repository, without contacting anything.

In a folder the files are read as they are, committed or not; with --rev or --branch, a commit is. All findings are
shown at once, each with its file and line. Exit code 1: there are errors.
"""


@click.command(name="validate", help=HELP)
@where
@flag("--strict", is_flag=True, help="Warnings count as errors.")
@flag("--exit-zero", is_flag=True, help="End with 0 whatever is found (for reports that a later step reads).")
@looks("github", "markdown", "sarif")
def command(where: Where, strict: bool, exit_zero: bool, looks: Looks) -> Exit:
    from gitops_karmada.cli import sources
    from gitops_karmada.cli.output.problems import count
    from gitops_karmada.model.problems import Severity

    started = time.monotonic()
    read = sources.read(where)
    problems = sources.in_order((*read.federation.problems, *_lint(where, read.federation)))
    _show(where, looks, read.federation, problems, read.lines, time.monotonic() - started)
    failing = count(problems, Severity.ERROR) + (count(problems, Severity.WARNING) if strict else 0)
    return Exit.NO if failing and not exit_zero and looks.output != "sarif" else Exit.OK


def _lint(where: Where, federation: "Federation") -> "tuple[Problem, ...]":
    from gitops_karmada.cli.worlds import Interpreters, yaml_text
    from gitops_karmada.core.lint import lint

    with closing(Interpreters(where.webhook_hosts)) as interpreters:
        return (*interpreters.check(federation), *lint(federation, interpreters(federation), yaml_text()))


def _show(
    where: Where, looks: Looks, federation: "Federation", problems: "list[Problem]", excerpt: "Excerpt", seconds: float
) -> None:
    from gitops_karmada.cli.output import findings, github, sarif
    from gitops_karmada.cli.output.formats import as_json, report, show
    from gitops_karmada.cli.runner import told_runner

    screen = looks.screen
    match looks.output:
        case "sarif":
            screen.text(as_json(sarif.log(problems)))
        case "markdown":
            screen.text(findings.as_markdown(federation, problems))
        case "github":
            for text in github.annotations(told_runner(where, problems)):
                screen.text(f"{text}\n")
        case _:
            value = report("ValidationReport", findings.value(federation, problems))
            lines = findings.lines(federation, problems, excerpt, seconds if looks.verbose else None)
            show(screen, looks.output, value, lines)
