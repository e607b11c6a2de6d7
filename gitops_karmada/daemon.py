"""Turns for ever: on a schedule, and soon after the repository changes. One at a time; a failed one is tried again."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.job import Job
from apscheduler.schedulers.background import BackgroundScheduler
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

JOB: Final = "turn"

# Written by git beside what it changes, and gone a moment later.
_PASSING: Final = (".lock", ".tmp", "~")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Seconds: between turns, from a change to its turn, and the longest wait after failures."""

    interval: float = 30
    debounce: float = 0.5
    longest: float = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """A folder whose changes ask for a turn, as far as they matter: `matters` is given each changed path.

    Of what lies below the folder only `deep` is watched, wholly.
    """

    folder: Path
    matters: Callable[[Path], bool]
    deep: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """How the daemon is: what a health check asks. `failures` counts the failed turns since the last good one."""

    started_at: datetime
    turn_since: datetime | None = None
    succeeded_at: datetime | None = None
    failures: int = 0
    turns: int = 0


class Daemon:
    """Runs `turn` until stopped. What a turn raises is told to `failed` and never ends the daemon."""

    def __init__(
        self,
        turn: Callable[[], object],
        failed: Callable[[Exception], object],
        *,
        pace: Pace = Pace(),
        watches: tuple[Watch, ...] = (),
    ) -> None:
        self._turn, self._failed, self._pace, self._watches = turn, failed, pace, watches
        self._stopping, self._wanted = threading.Event(), threading.Event()
        self._scheduler = BackgroundScheduler(executors={"default": ThreadPoolExecutor(1)}, timezone=UTC)
        self._pulse = Pulse(started_at=_now())

    @property
    def pulse(self) -> Pulse:
        return self._pulse

    def run(self) -> None:
        """Run turns until `stop` is called, from another thread or by a signal; the turn under way ends first."""
        self._scheduler.add_job(
            self._one_turn, "interval", seconds=self._pace.interval, id=JOB, next_run_time=_now(), coalesce=True
        )
        # It warns of every turn that is due while one is under way, which is as it should be.
        logging.getLogger("apscheduler").setLevel(logging.ERROR)
        self._scheduler.start()
        observer = self._watching()
        try:
            # A wait without end would keep signals from being heard on some systems.
            while not self._stopping.wait(1):
                pass
        finally:
            if observer is not None:
                observer.stop()
            self._scheduler.shutdown(wait=True)

    def stop(self) -> None:
        self._stopping.set()

    def hurry(self) -> None:
        """Bring the next turn forward. Many changes at once ask for one turn; one during a turn asks for another."""
        self._wanted.set()
        self._next_turn_in(self._pace.debounce)

    def _one_turn(self) -> None:
        self._wanted.clear()
        self._pulse = replace(self._pulse, turn_since=_now(), turns=self._pulse.turns + 1)
        try:
            self._turn()
        except Exception as error:  # noqa: BLE001  # a turn's failure is told, and the next turn tries again
            self._failed(error)
            failures = self._pulse.failures + 1
            self._pulse = replace(self._pulse, turn_since=None, failures=failures)
            self._next_turn_in(self.wait_after(failures))
        else:
            self._pulse = replace(self._pulse, turn_since=None, succeeded_at=_now(), failures=0)
        if self._wanted.is_set():
            self._next_turn_in(self._pace.debounce)

    def wait_after(self, failures: int) -> float:
        """Seconds until the next turn: twice as long after each failure in a row."""
        return min(self._pace.interval * 2.0 ** min(failures - 1, 30), max(self._pace.longest, self._pace.interval))

    def _next_turn_in(self, seconds: float) -> None:
        job: Job | None = self._scheduler.get_job(JOB)
        if job is not None and not self._stopping.is_set():
            job.modify(next_run_time=_now() + timedelta(seconds=seconds))

    def _watching(self) -> "Observer | None":  # type: ignore[valid-type]  # watchdog's class is chosen by platform
        """Watch the folders. Where the system cannot, the schedule alone must do."""
        if not self._watches:
            return None
        observer = Observer()
        try:
            for watch in self._watches:
                changes = _Changes(watch, self.hurry)
                observer.schedule(changes, str(watch.folder), recursive=False)
                for folder in filter(Path.is_dir, watch.deep):
                    observer.schedule(changes, str(folder), recursive=True)
            observer.start()
        except OSError as error:
            self._failed(error)
            return None
        return observer


class _Changes(FileSystemEventHandler):
    """Asks for a turn when a file changed that matters."""

    def __init__(self, watch: Watch, hurry: Callable[[], None]) -> None:
        self._watch, self._hurry = watch, hurry

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type not in ("created", "modified", "moved", "deleted") or event.is_directory:
            return
        paths = [Path(str(path)) for path in (event.src_path, event.dest_path) if path]
        if any(not path.name.endswith(_PASSING) and self._watch.matters(path) for path in paths):
            self._hurry()


def commits_of(repository: Path, status_branch: str) -> Watch:
    """The watch of a local repository's branches (`repository` is its Git folder), except the one that we write."""
    ours = repository / "refs" / "heads" / status_branch

    def matters(path: Path) -> bool:
        inside = path.relative_to(repository) if path.is_relative_to(repository) else path
        return path != ours and inside.parts[:1] in (("HEAD",), ("packed-refs",), ("refs",), ("reftable",))

    # Not the objects: every write of Git makes and moves folders among them, faster than they can be watched.
    return Watch(folder=repository, matters=matters, deep=(repository / "refs", repository / "reftable"))


def _now() -> datetime:
    return datetime.now(UTC)
