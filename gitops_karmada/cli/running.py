"""What the daemon is made of: its pace, what it watches, and what it says of a failed turn."""

from collections.abc import Callable
from pathlib import Path

from gitops_karmada.cli import places, sources
from gitops_karmada.cli.failures import problems_of
from gitops_karmada.cli.log import Log
from gitops_karmada.cli.options import Where
from gitops_karmada.cli.output.problems import sentence
from gitops_karmada.daemon import Pace, Watch, commits_of
from gitops_karmada.model.problems import GitopsKarmadaError
from gitops_karmada.model.settings import StatusSettings
from gitops_karmada.repo.addresses import Transport
from gitops_karmada.repo.refs import Branch


def pace_of(where: Where, interval: float | None, log: Log) -> Pace:
    """The interval of the flag, else of the settings as they are now, else the default."""
    if interval is not None:
        return Pace(interval=interval)
    try:
        settings = sources.feed(where)().federation.settings
    except GitopsKarmadaError as error:
        failed_turn(log)(error)
        return Pace()
    return Pace(interval=max(1, settings.spec.poll_interval_seconds))


def watches_of(where: Where) -> tuple[Watch, ...]:
    """A repository on this machine is watched: its branches, but not the status branch."""
    folder = places.local_folder(where)
    if folder is None:
        return ()
    source = sources.source(where, Branch())
    if source.address.transport is not Transport.FOLDER or source.git.folder is None:
        return ()
    return (commits_of(source.git.folder, _status_branch(where)),)


def _status_branch(where: Where) -> str:
    try:
        return sources.feed(where)().federation.settings.spec.status.branch
    except GitopsKarmadaError:
        return StatusSettings().branch


def failed_turn(log: Log) -> Callable[[Exception], None]:
    def told(error: Exception) -> None:
        if isinstance(error, GitopsKarmadaError):
            for problem in problems_of(error):
                log("error", f"turn failed: {sentence(problem)}", code=problem.code, hint=problem.hint)
            return
        defect = f"a defect of gitops-karmada: {type(error).__name__}: {error}"
        log("error", f"turn failed: {defect}", code="GK9001", trace=_trace(error))

    return told


def _trace(error: Exception) -> str:
    """Where it happened, innermost last, without values."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)[-5:]
    return " < ".join(f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in reversed(frames))
