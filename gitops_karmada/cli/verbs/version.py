"""`version`: what is installed, and what it works with."""

import click

from gitops_karmada.cli.exits import Exit
from gitops_karmada.cli.options import Looks, looks

KARMADA = "v1.19"


@click.command(name="version", help="Show the version and what it works with.")
@looks()
def command(looks: Looks) -> Exit:
    import platform
    import shutil
    import subprocess
    from dataclasses import asdict

    from gitops_karmada import __version__
    from gitops_karmada.cli.output.formats import report, show
    from gitops_karmada.cli.output.tables import table
    from gitops_karmada.model.decode import json_name
    from gitops_karmada.model.settings import FeatureSettings

    program = shutil.which("git")
    answer = (
        subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10, check=False)
        if program
        else None
    )
    versions = {
        "gitopsKarmada": __version__,
        "karmada": KARMADA,
        "python": platform.python_version(),
        "git": answer.stdout.strip().removeprefix("git version ") if answer else "",
    }
    features = {json_name(name): value for name, value in asdict(FeatureSettings()).items()}
    rows = [
        ("gitops-karmada", __version__),
        ("decides as Karmada", KARMADA),
        ("Python", versions["python"]),
        ("git", versions["git"] or "not found"),
    ]
    show(looks.screen, looks.output, report("Version", {**versions, "featureDefaults": features}), table((), rows))
    return Exit.OK if answer else Exit.NO
