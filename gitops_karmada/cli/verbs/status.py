"""`status`: one screen."""

import click

from gitops_karmada.cli.exits import Exit
from gitops_karmada.cli.options import Looks, Where, flag, looks, where

HELP = """Show the state of the federation, and what needs attention.

Read from the source and the status branch; no member is asked.
"""


@click.command(name="status", help=HELP)
@flag("--exit-code", is_flag=True, help="End with 1 when something needs attention.")
@where
@looks()
def command(exit_code: bool, where: Where, looks: Looks) -> Exit:
    from dataclasses import replace

    from gitops_karmada.cli.ledgers import state
    from gitops_karmada.cli.output.formats import report, show
    from gitops_karmada.cli.output.statuses import attention, lines, value
    from gitops_karmada.cli.previews import changes_members

    found = state(where)
    found = replace(found, is_pending=found.is_older and changes_members(where, found.federation.commit))
    show(looks.screen, looks.output, report("StatusReport", value(found)), lines(found))
    return Exit.NO if exit_code and attention(found) else Exit.OK
