"""The program: arguments in, an exit code out, and every error as a person can use it."""

import gc
import os
import sys
from collections.abc import Sequence
from typing import Final

import click

from gitops_karmada.cli.commands import Program
from gitops_karmada.cli.exits import Exit
from gitops_karmada.cli.output.terminal import Screen, Span, Tone, line, screen_for
from gitops_karmada.model.problems import GitopsKarmadaError

NAME: Final = "gitops-karmada"
COMPLETION: Final = "_GITOPS_KARMADA_COMPLETE"


@click.command(
    cls=Program,
    name=NAME,
    help="Karmada without the control plane: a Git repository is the federation API.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog="Help for one command: gitops-karmada COMMAND --help",
)
def program() -> None:
    """All verbs; each has a file of its own."""


def main() -> None:
    # A turn makes many small values and hardly a cycle: looking for cycles as often as Python does costs a fifth of it.
    gc.set_threshold(200_000, 50, 50)
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Do what the arguments ask for. Nothing is raised."""
    try:
        return _invoke(arguments)
    except BrokenPipeError:
        # Whoever read our output has enough of it (`… | head`): that is no failure. What is left goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.OK
    except (KeyboardInterrupt, click.exceptions.Abort):
        return Exit.INTERRUPTED
    except GitopsKarmadaError as error:
        from gitops_karmada.cli.failures import report_failure

        return report_failure(_screen(arguments), error)
    except Exception as defect:  # noqa: BLE001  # the last frame: a defect is told loudly, and kept for its report
        from gitops_karmada.cli.crash import report_crash

        return report_crash(_screen(arguments), arguments, defect)


def _invoke(arguments: Sequence[str]) -> int:
    if COMPLETION in os.environ:
        program.main(list(arguments), prog_name=NAME)
    try:
        with program.make_context(NAME, list(arguments)) as context:
            code = program.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return Exit.OK
    except click.ClickException as error:
        _usage_error(_screen(arguments), error)
        return Exit.USAGE
    return int(code or 0)


def _usage_error(screen: Screen, error: click.ClickException) -> None:
    context = error.ctx if isinstance(error, click.UsageError) else None
    message = error.format_message().rstrip(".")
    screen.errors([line(Span("error[GK8001]", Tone.BAD), Span(f": {message}", Tone.STRONG))])
    if context is not None:
        screen.errors([line(f"   = usage: {context.get_usage().removeprefix('Usage: ')}")])
        screen.errors([line(f"   = fix:   {context.command_path} --help")])


def _screen(arguments: Sequence[str]) -> Screen:
    """The screen that the arguments ask for, though they could not be used."""
    pairs = [argument.removeprefix("--color=") for argument in arguments if argument.startswith("--color=")]
    return screen_for(pairs[-1] if pairs and pairs[-1] in ("always", "never") else "auto")


if __name__ == "__main__":
    main()
