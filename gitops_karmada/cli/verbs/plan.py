"""`plan`: what a commit, or the files as they are, would change in every member. Nothing is written anywhere."""

from typing import TYPE_CHECKING

import click

from gitops_karmada.cli.exits import Exit
from gitops_karmada.cli.options import Looks, Where, flag, looks, where

if TYPE_CHECKING:
    from gitops_karmada.cli.feeds import Lines
    from gitops_karmada.cli.output.plans import Preview

HELP = """Show what a commit would change in every member.

In a folder the files are planned as they are, committed or not; with --rev or --branch, a commit is. Members are looked
at, and the status branch is read; nothing is written anywhere.

\b
  gitops-karmada plan                      what I am about to commit
  gitops-karmada plan --rev HEAD           what the last commit changes
  gitops-karmada plan --base main          what this branch changes
  gitops-karmada plan --offline -o json    without asking any member
"""


@click.command(name="plan", help=HELP)
@where
@flag("--base", metavar="REV", default="", help="Compare with the plan of this commit, not with the status branch.")
@flag("--offline", is_flag=True, help="Ask no member: the status branch says what room there is.")
@flag("--snapshot", metavar="FILE", default="", help="Replay: members and status as --save-snapshot wrote them.")
@flag("--save-snapshot", metavar="FILE", default="", help="Write what this plan was decided on into a file.")
@flag("--detailed-exitcode", is_flag=True, help="0: no change, 1: errors, 2: changes.")
@looks("github", "markdown")
def command(
    where: Where,
    base: str,
    offline: bool,
    snapshot: str,
    save_snapshot: str,
    detailed_exitcode: bool,
    looks: Looks,
) -> Exit:
    from gitops_karmada.cli.output.problems import count
    from gitops_karmada.cli.previews import Asked, preview
    from gitops_karmada.model.problems import Severity

    asked = Asked(where=where, base=base, offline=offline, snapshot=snapshot, save_snapshot=save_snapshot)
    found, lines = preview(asked)
    _show(where, looks, found, lines)
    if count(found.problems, Severity.ERROR):
        return Exit.NO
    return Exit.USAGE if detailed_exitcode and found.changes else Exit.OK


def _show(where: Where, looks: Looks, found: "Preview", excerpt: "Lines") -> None:
    from gitops_karmada.cli.output import github, plans
    from gitops_karmada.cli.output.formats import report, show
    from gitops_karmada.cli.output.problems import BESIDE, blocks, explained_by
    from gitops_karmada.cli.runner import told_runner

    screen = looks.screen
    match looks.output:
        case "markdown":
            screen.text(plans.as_markdown(found))
        case "github":
            for text in github.annotations(told_runner(where, found.problems)):
                screen.text(f"{text}\n")
            screen.data(plans.lines(found))
        case _:
            show(screen, looks.output, report("PlanReport", plans.value(found)), plans.lines(found, looks.verbose))
            screen.errors(blocks(found.problems, excerpt, BESIDE, "plan"))
            screen.errors(explained_by(found.problems))
            if told := plans.next_step(found):
                screen.message(told)
