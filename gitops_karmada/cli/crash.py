"""A defect of ours: told in three lines, and kept whole in a file for the report."""

import os
import platform
import re
import tempfile
import traceback
from collections.abc import Iterable, Sequence
from typing import Final

from gitops_karmada import __version__
from gitops_karmada.cli.exits import Exit
from gitops_karmada.cli.output.terminal import Screen, Span, Tone, line

# user:password@ in an address, and what follows a word that names a secret.
_CREDENTIALS: Final = re.compile(r"(?<=://)[^/\s@]+@|(?i:(?<=token=)|(?<=password=))\S+")


def report_crash(screen: Screen, arguments: Sequence[str], defect: BaseException) -> Exit:
    file = _kept(_report(arguments, defect))
    summary = f": a defect of gitops-karmada: {type(defect).__name__}: {_redacted(str(defect))[:300]}"
    screen.errors(
        [
            line(Span("error[GK9001]", Tone.BAD), Span(summary, Tone.STRONG)),
            line("   = effect: this command stopped; what it has published or applied stays, and it may be run again"),
            line(f"   = fix:    please report it with {file}" if file else "   = fix:    please report it"),
        ]
    )
    return Exit.BUG


def _report(arguments: Sequence[str], defect: BaseException) -> str:
    """The traceback without the values of variables, the command, and the versions."""
    told: Iterable[str] = (
        f"gitops-karmada {__version__}",
        f"Python {platform.python_version()} on {platform.platform()}",
        f"command: gitops-karmada {' '.join(_redacted(argument) for argument in arguments)}",
        "",
        _redacted("".join(traceback.format_exception(defect))),
    )
    return "\n".join(told)


def _redacted(text: str) -> str:
    return _CREDENTIALS.sub("(hidden)", text)


def _kept(text: str) -> str:
    """The name of the file, or empty where none could be written."""
    try:
        descriptor, name = tempfile.mkstemp(prefix="gitops-karmada-crash-", suffix=".txt")
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError:
        return ""
    return name
