"""`init`: a federation repository to start from."""

import re
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
        _named(folder / FILE, name)
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


def _named(settings: Path, name: str) -> None:
    """Write the instance's name into the settings; every comment stays."""
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.width = 4096
    yaml.indent(mapping=2, sequence=4, offset=2)
    document = yaml.load(settings.read_text("utf-8"))
    document["metadata"]["name"] = name
    with settings.open("w", encoding="utf-8") as file:
        yaml.dump(document, file)


def _started(folder: Path) -> bool:
    """Make the folder a Git repository unless it lies in one."""
    from gitops_karmada.model.problems import SettingsError

    try:
        import git
    except ImportError as error:
        raise SettingsError("there is no git on this machine\nInstall git 2.34 or newer") from error
    try:
        with git.Repo(folder, search_parent_directories=True):
            return False
    except git.InvalidGitRepositoryError:
        pass
    try:
        git.Repo.init(folder, initial_branch="main").close()
    except git.GitCommandError as error:
        raise SettingsError("git could not make a repository here\nLook at the folder's rights") from error
    return True


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
