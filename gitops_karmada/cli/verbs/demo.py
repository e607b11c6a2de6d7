"""`demo`: a whole federation at work, in a minute."""

import tempfile
from pathlib import Path

import click

from gitops_karmada.cli.exits import Exit
from gitops_karmada.cli.options import flag

HELP = """Show a whole federation at work, without any cluster.

A repository is made in a temporary folder, with three members that are folders: commit, plan, status branch, apply,
then a taint, the moved replicas, a second commit, why, and the history of the placement. It needs no network.
"""


@click.command(name="demo", help=HELP)
@flag("--keep", metavar="DIR", default="", help="Play in this new folder, and leave it there to go on with.")
@flag("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True, help="Colours.")
@click.option("--no-color", is_flag=True, help="The same as --color never.")
def command(keep: str, color: str, no_color: bool) -> Exit:
    from gitops_karmada.cli.demonstration import Stage, clear, play
    from gitops_karmada.cli.output.terminal import screen_for
    from gitops_karmada.model.problems import SettingsError

    folder = Path(keep).absolute() if keep else Path(tempfile.mkdtemp(prefix="gitops-karmada-demo-"))
    if keep and folder.exists() and any(folder.iterdir()):
        raise SettingsError(f"{folder} is not empty\nName a new folder with --keep")
    screen = screen_for("never" if no_color else color)
    try:
        play(Stage(folder=folder, screen=screen))
    finally:
        if not keep:
            clear(folder)
    if keep:
        screen.message("")
        screen.message(f"Go on in {folder / 'fleet'}:")
        screen.message(f"  cd {folder / 'fleet'} && export GITOPS_KARMADA_MEMBERS_DIR={folder / 'members'}")
        screen.message("  gitops-karmada status")
    else:
        screen.message("")
        screen.message("Now you: gitops-karmada init fleet")
    return Exit.OK
