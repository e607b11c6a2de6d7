"""What becomes of an error that was raised on purpose: a block for the person, an exit code for the program."""

from collections.abc import Mapping
from typing import Final

from gitops_karmada.cli.exits import Exit
from gitops_karmada.cli.output.problems import block, no_excerpt
from gitops_karmada.cli.output.terminal import Screen
from gitops_karmada.model.problems import (
    GitopsKarmadaError,
    ManifestError,
    MemberError,
    Problem,
    RepositoryError,
    SettingsError,
)

# Whose fault it is, the code where the error brings none, and the exit code.
KINDS: Final[tuple[tuple[type[GitopsKarmadaError], str, Exit], ...]] = (
    (ManifestError, "GK1010", Exit.NO),
    (SettingsError, "GK8002", Exit.USAGE),
    (RepositoryError, "GK4001", Exit.FAILED),
    (MemberError, "GK5001", Exit.FAILED),
    (GitopsKarmadaError, "GK9001", Exit.FAILED),
)

# Codes with an exit code of their own.
EXITS: Final[Mapping[str, Exit]] = {
    "GK1027": Exit.USAGE,
    "GK4003": Exit.UNAUTHORIZED,
    "GK4004": Exit.USAGE,
    "GK4005": Exit.TIMEOUT,
    "GK4007": Exit.RACE,
    "GK4008": Exit.USAGE,
    "GK5002": Exit.UNAUTHORIZED,
    "GK5003": Exit.UNAUTHORIZED,
}


def report_failure(screen: Screen, error: GitopsKarmadaError) -> Exit:
    found = problems_of(error)
    excerpt = getattr(error, "excerpt", no_excerpt)
    for problem in found:
        screen.errors(block(problem, excerpt))
    return exit_of(error)


def problems_of(error: GitopsKarmadaError) -> tuple[Problem, ...]:
    """The findings that the error carries, or the error itself as one."""
    carried = getattr(error, "problems", None) or getattr(error, "problem", None)
    if callable(carried):
        carried = carried()
    if isinstance(carried, Problem):
        return (carried,)
    if carried:
        return tuple(carried)
    _, code, _ = _kind(error)
    sentence, _, hint = str(error).partition("\n")
    return (Problem(code=str(getattr(error, "code", "") or code), message=sentence, hint=hint.strip()),)


def exit_of(error: GitopsKarmadaError) -> Exit:
    _, _, usual = _kind(error)
    return next((EXITS[problem.code] for problem in problems_of(error) if problem.code in EXITS), usual)


def _kind(error: GitopsKarmadaError) -> tuple[type[GitopsKarmadaError], str, Exit]:
    return next(kind for kind in KINDS if isinstance(error, kind[0]))
