"""The flags that several verbs share: the same letter means the same everywhere.

A flag wins over its environment variable (`--members-dir` over GITOPS_KARMADA_MEMBERS_DIR), that over the settings in
gitops-karmada.yaml, and those over the default.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Final, TypeVar

import click

from gitops_karmada.cli.output.terminal import Screen, screen_for

F = TypeVar("F", bound=Callable[..., Any])

PREFIX: Final = "GITOPS_KARMADA"


def flag(*names: str, **attributes: Any) -> Callable[[F], F]:
    """An option that may also be given as an environment variable of its name."""
    longest = max((name for name in names if name.startswith("-")), key=len).split("/")[0].lstrip("-")
    variable = f"{PREFIX}_{longest.replace('-', '_').upper()}"
    return click.option(*names, envvar=attributes.pop("envvar", variable), **attributes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Looks:
    """How a result is to look."""

    output: str = "text"
    color: str = "auto"
    quiet: bool = False
    verbose: bool = False

    @property
    def screen(self) -> Screen:
        return screen_for(self.color, -1 if self.quiet else int(self.verbose))


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Which repository, which commit of it, and how its members are reached.

    `repo` is a directory or a URL (empty: the enclosing repository). `credentials` is the folder of files that settings
    name; `members_dir` the folder below which `directory` members live; `cache` where fetched repositories are kept.
    """

    repo: str = ""
    branch: str = ""
    rev: str = ""
    credentials: str = ""
    members_dir: str = ""
    cache: str = ""
    git_token_file: str = ""
    git_ssh_key: str = ""
    git_known_hosts: str = ""
    webhook_hosts: tuple[str, ...] = ()
    allow_exec: tuple[str, ...] = ()


def looks(*more: str) -> Callable[[F], F]:
    """`-o`, `--color`, `-q`, `-v`; `more` are formats besides text, json and yaml. The verb gets `looks: Looks`."""
    choice = click.Choice(["text", "json", "yaml", *more])
    flags = (
        flag("-o", "--output", type=choice, default="text", show_default=True, help="How the result looks."),
        flag(
            "--color",
            type=click.Choice(["auto", "always", "never"]),
            default="auto",
            show_default=True,
            help="Colours; NO_COLOR and FORCE_COLOR are obeyed.",
        ),
        flag("-q", "--quiet", is_flag=True, help="Only results and errors."),
        flag("-v", "--verbose", is_flag=True, help="Tell more."),
    )
    return _bundle("looks", Looks, flags)


def where(function: F) -> F:
    """`--repo`, `--branch`, `--rev`, and the files and folders that belong to them. The verb gets `where: Where`."""
    flags = (
        flag("--repo", metavar="DIR|URL", default="", help="The repository; default: the enclosing one."),
        flag("--branch", metavar="NAME", default="", help="The branch to read; default: the current one."),
        flag("--rev", metavar="COMMIT", default="", help="A commit to read, instead of the branch's last."),
        flag("--credentials", metavar="DIR", default="", help="Folder of the credentials that the settings name."),
        flag("--members-dir", metavar="DIR", default="", help="Folder of the members of mode `directory`."),
        flag("--cache", metavar="DIR", default="", help="Folder for what was fetched; may be deleted at any time."),
        flag("--git-token-file", metavar="FILE", default="", help="A token for the Git server, in a file."),
        flag("--git-ssh-key", metavar="FILE", default="", help="A private key for the Git server."),
        flag("--git-known-hosts", metavar="FILE", default="", help="The Git servers whose host keys are known."),
        flag(
            "--webhook-host",
            "webhook_hosts",
            metavar="HOST",
            multiple=True,
            help="A host (or HOST:PORT) whose interpreter webhooks may be asked; may be given several times.",
        ),
        flag(
            "--allow-exec",
            "allow_exec",
            metavar="PROGRAM",
            multiple=True,
            help="A credential program (absolute path) that a kubeconfig may run; may be given several times.",
        ),
    )
    return _bundle("where", Where, flags)(function)


def _bundle(name: str, noun: type[Any], flags: tuple[Callable[[Any], Any], ...]) -> Callable[[F], F]:
    """Give a function its flags as one value."""
    members = [field.name for field in fields(noun)]

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def with_bundle(**values: Any) -> Any:
            bundle = noun(**{member: values.pop(member) for member in members})
            return function(**values, **{name: bundle})

        decorated: Any = with_bundle
        for option in reversed(flags):
            decorated = option(decorated)
        return decorated  # type: ignore[no-any-return]  # the decorated function is called by click alone

    return decorate
