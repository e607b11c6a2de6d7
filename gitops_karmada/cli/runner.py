"""What the runner of a GitHub workflow is told."""

import os
from collections.abc import Sequence

from gitops_karmada.cli import places
from gitops_karmada.cli.options import Where
from gitops_karmada.cli.output.workflow import below_workspace, write
from gitops_karmada.model.problems import Problem


def told_runner(where: Where, problems: Sequence[Problem]) -> list[Problem]:
    """Write summary and outputs for the runner, and return the findings with files as the runner names them."""
    folder = places.local_folder(where)
    found = below_workspace(problems, folder, os.environ) if folder else list(problems)
    write(found, os.environ)
    return found
