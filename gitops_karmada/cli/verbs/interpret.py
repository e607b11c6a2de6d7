"""`interpret`: what a customization, or a built-in rule, makes of an object."""

from pathlib import Path

import click

from gitops_karmada.cli.exits import Exit
from gitops_karmada.cli.options import Looks, flag, looks

OPERATIONS = ("replicas", "components", "revise", "retain", "health", "reflect", "aggregate", "dependencies")

HELP = """Try a ResourceInterpreterCustomization on an object.

Every operation that has a rule is tried, or the one that is named. With no customization, the built-in rules answer.

\b
  gitops-karmada interpret -f customization.yaml --object workload.yaml
  gitops-karmada interpret -f customization.yaml --check
  gitops-karmada interpret --object web.yaml --operation revise --replicas 3
"""

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(name="interpret", help=HELP)
@flag("-f", "--file", "files", type=FILE, multiple=True, help="A file with customizations; several may be given.")
@flag("--object", "desired", type=FILE, help="The object: as its author wrote it, and for aggregate its template.")
@flag("--observed", type=FILE, help="The object as a member has it (for retain, health, reflect).")
@flag("--status", "statuses", type=FILE, multiple=True, help="A member's status items (for aggregate).")
@flag("--operation", type=click.Choice(OPERATIONS), default=None, help="Only this operation.")
@flag("--replicas", type=int, default=None, help="The number of replicas (for revise).")
@flag("--check", is_flag=True, help="Only look whether the scripts compile.")
@looks()
def command(
    files: tuple[Path, ...],
    desired: Path | None,
    observed: Path | None,
    statuses: tuple[Path, ...],
    operation: str | None,
    replicas: int | None,
    check: bool,
    looks: Looks,
) -> Exit:
    from gitops_karmada.cli.interpreting import Trial, check_scripts, try_out
    from gitops_karmada.cli.output.formats import report, show
    from gitops_karmada.cli.output.interpretations import lines, value
    from gitops_karmada.cli.output.problems import blocks

    if not check and desired is None and observed is None:
        raise click.UsageError("name the object with --object or --observed, or --check the scripts alone")
    trial = Trial(files=files, desired=desired, observed=observed, statuses=statuses, replicas=replicas)
    found = check_scripts(trial) if check else try_out(trial, operation)
    show(looks.screen, looks.output, report("InterpretReport", value(found)), lines(found))
    looks.screen.errors(blocks(found.problems))
    return Exit.NO if found.problems else Exit.OK
