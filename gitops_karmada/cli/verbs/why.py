"""`why`: the reasons of one decision."""

import click

from gitops_karmada.cli.exits import Exit
from gitops_karmada.cli.options import Looks, Where, flag, looks, where

HELP = """Explain why an object runs where it runs.

The policy that won it and those that lost, the filter that refused each cluster, scores, room, the arithmetic of the
division, the overrides. Read from the status branch; with --preview, --rev or --branch, from a plan that nobody pushed.

\b
  gitops-karmada why deploy/web -n shop
  gitops-karmada why deploy/web -n shop --preview     with the files as they are
"""


@click.command(name="why", help=HELP)
@click.argument("words", metavar="TYPE/NAME", nargs=-1, required=True)
@flag("-n", "--namespace", default="", help="Its namespace, where the name alone is not enough.")
@flag("--preview", is_flag=True, help="Of a plan for the files as they are, not of what was decided last.")
@where
@looks()
def command(words: tuple[str, ...], namespace: str, preview: bool, where: Where, looks: Looks) -> Exit:
    from gitops_karmada.cli.kinds import wanted
    from gitops_karmada.cli.output.formats import report, show
    from gitops_karmada.cli.output.whys import lines, value
    from gitops_karmada.cli.reasons import decided, previewed

    asked = wanted(words, namespace)
    found = previewed(asked, where) if preview or where.rev or where.branch else decided(asked, where)
    show(looks.screen, looks.output, report("WhyReport", value(found)), lines(found))
    return Exit.OK
