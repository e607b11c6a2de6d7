"""`sync`: one turn, as the daemon runs it."""

import click

from gitops_karmada.cli.exits import Exit
from gitops_karmada.cli.options import Looks, Where, looks, where

HELP = """Run one turn: decide, publish the decision, apply it.

The newest commit of the branch is read, never files that are not committed. What is decided is on the status branch
before anything is applied.

\b
Exit codes: 0 done · 1 findings in the repository (the rest was done) · 3 nothing could be done · 4 not authorised ·
5 held, somebody must approve · 6 some members failed · 8 somebody else was faster
"""


@click.command(name="sync", help=HELP)
@where
@looks("github")
def command(where: Where, looks: Looks) -> Exit:
    from gitops_karmada.cli.output import github, turns
    from gitops_karmada.cli.output.formats import report, show
    from gitops_karmada.cli.output.problems import BESIDE, blocks, explained_by
    from gitops_karmada.cli.runner import told_runner
    from gitops_karmada.cli.sources import in_order
    from gitops_karmada.cli.verdicts import exit_of
    from gitops_karmada.cli.worlds import opened
    from gitops_karmada.reconcile import turn

    screen = looks.screen
    with opened(where) as world:
        done = turn(world.world)
        problems = in_order(done.problems)
        if looks.output == "github":
            for text in github.annotations(told_runner(where, problems)):
                screen.text(f"{text}\n")
        show(screen, looks.output, report("SyncReport", turns.value(done)), turns.lines(done))
        screen.errors(blocks(problems, world.lines(), BESIDE, "sync"))
        screen.errors(explained_by(problems))
    return exit_of(done)
