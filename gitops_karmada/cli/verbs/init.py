"""`init`: a federation repository to start from."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click

from gitops_karmada.cli.exits import Exit
from gitops_karmada.cli.options import Looks, looks

HELP = """Write a federation repository to start from.

DIRECTORY is made if it is not there; in a repository that exists, files that are there stay as they are. The repository
has three members that are folders, so that everything can be tried without a cluster.
"""


@click.command(name="init", help=HELP)
@click.argument("directory", default=".", type=click.Path(file_okay=False))
@click.option("--name", default="", help="The instance: the owner's name on every object. Default: fleet.")
@looks()
def command(directory: str, name: str, looks: Looks) -> Exit:
    from gitops_karmada.cli.layout import copy
    from gitops_karmada.cli.output.formats import report, show
    from gitops_karmada.cli.output.terminal import Span, Tone, line
    from gitops_karmada.model.settings import FILE

    if name and not re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", name):
        raise click.BadParameter("use lower-case letters, digits and '-', at most 63", param_hint="--name")
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    written, kept = copy(folder)
    if name and Path(FILE) in written:
        settings = folder / FILE
        settings.write_text(settings.read_text("utf-8").replace("name: fleet", f"name: {name}", 1), "utf-8")
    started = _started(folder)
    body = {
        "directory": str(folder),
        "repositoryStarted": started,
        "written": [str(file) for file in written],
        "kept": [str(file) for file in kept],
    }
    lines = [line(Span("+ ", Tone.GOOD), str(folder / file)) for file in written]
    lines += [line(Span("= ", Tone.FAINT), f"{folder / file}   is there, left as it is") for file in kept]
    show(looks.screen, looks.output, report("InitReport", body), lines)
    for text in _next(folder, started):
        looks.screen.message(text)
    return Exit.OK


def _started(folder: Path) -> bool:
    """Make the folder a Git repository unless it lies in one."""
    if _git(folder, "rev-parse", "--is-inside-work-tree"):
        return False
    if not _git(folder, "init", "--quiet", "--initial-branch=main"):
        from gitops_karmada.model.problems import SettingsError

        raise SettingsError(
            "git could not make a repository here\nInstall git 2.34 or newer, and look at the folder's rights"
        )
    return True


def _git(folder: Path, *arguments: str) -> bool:
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, timeout=30, check=False)
    except FileNotFoundError:
        return False
    return done.returncode == 0


def _next(folder: Path, started: bool) -> Iterator[str]:
    yield ""
    yield "A Git repository was started." if started else "Written into the repository that is there."
    yield "Next:"
    if folder != Path():
        yield f"  cd {folder}"
    yield "  gitops-karmada validate"
    yield "  git add . && git commit -m 'Start the federation'"
    yield "  gitops-karmada plan"
    yield "  gitops-karmada sync"
