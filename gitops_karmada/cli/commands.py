"""The verbs, in their groups, and the one line that each is known by. A verb's file is read when the verb is used."""

import difflib
from collections.abc import Mapping
from importlib import import_module
from typing import Final

import click

# Group → verb → what the list of commands says of it. The verb's own help begins with the same sentence.
VERBS: Final[Mapping[str, Mapping[str, str]]] = {
    "Start": {
        "init": "Write a federation repository to start from.",
        "demo": "Show a whole federation at work, without any cluster.",
    },
    "Understand": {
        "plan": "Show what a commit would change in every member.",
        "why": "Explain why an object runs where it runs.",
        "status": "Show the state of the federation, and what needs attention.",
        "get": "List bindings, works, clusters or policies.",
        "explain": "Explain an error code.",
    },
    "Check": {
        "validate": "Find what is wrong in the repository, without contacting anything.",
        "interpret": "Try a ResourceInterpreterCustomization on an object.",
    },
    "Run": {
        "sync": "Run one turn: decide, publish the decision, apply it.",
        "run": "Run turns for ever: on a schedule, and when the repository changes.",
    },
    "Other": {
        "version": "Show the version and what it works with.",
    },
}

EXAMPLES: Final = (
    ("gitops-karmada demo", "see it work, in a minute"),
    ("gitops-karmada init fleet", "start a repository"),
    ("gitops-karmada plan --base main", "what would this branch change?"),
    ("gitops-karmada why deploy/web -n shop", "why does it run there?"),
)


class Program(click.Group):
    """All verbs. Only the one that is asked for is imported, so that help comes at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [verb for group in VERBS.values() for verb in group]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command = import_module(f"gitops_karmada.cli.verbs.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name in self.list_commands(ctx) or name.startswith("-"):
            return super().resolve_command(ctx, args)
        close = difflib.get_close_matches(name, self.list_commands(ctx), n=1)
        hint = f" Did you mean {close[0]!r}?" if close else " See: gitops-karmada --help"
        raise click.UsageError(f"there is no command {name!r}.{hint}", ctx)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        with formatter.section("Examples"):
            formatter.write_dl(EXAMPLES)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for group, verbs in VERBS.items():
            with formatter.section(group):
                formatter.write_dl(list(verbs.items()), col_max=12)
