"""Turns for ever: on a schedule, after a commit, one at a time, and never ended by a failure."""

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gitops_karmada.daemon import Daemon, Pace, commits_of

WAIT = 20


class Turns:
    """Counts turns, and says when there have been enough."""

    def __init__(self, work: Callable[[int], None] = lambda number: None) -> None:
        self.count, self.failures = 0, list[Exception]()
        self._work, self._changed = work, threading.Condition()

    def __call__(self) -> None:
        with self._changed:
            self.count += 1
            number = self.count
            self._changed.notify_all()
        self._work(number)

    def failed(self, error: Exception) -> None:
        self.failures.append(error)

    def wait_for(self, count: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self.count >= count, WAIT), f"{self.count} turns, not {count}"


@contextmanager
def running(daemon: Daemon) -> Iterator[threading.Thread]:
    thread = threading.Thread(target=daemon.run)
    thread.start()
    try:
        yield thread
    finally:
        daemon.stop()
        thread.join(WAIT)
        assert not thread.is_alive()


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=test", "-c", "user.email=test@localhost")
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True, timeout=30)


def test_turns_come_on_a_schedule_from_the_start() -> None:
    turns = Turns()
    with running(Daemon(turns, turns.failed, pace=Pace(interval=0.1))):
        turns.wait_for(3)
    assert turns.failures == []


def test_a_failed_turn_is_told_and_the_next_one_comes() -> None:
    def work(number: int) -> None:
        if number == 1:
            raise RuntimeError("the network is away")

    turns = Turns(work)
    daemon = Daemon(turns, turns.failed, pace=Pace(interval=0.1))
    with running(daemon):
        turns.wait_for(3)
    assert [str(error) for error in turns.failures] == ["the network is away"]
    assert daemon.pulse.failures == 0
    assert daemon.pulse.succeeded_at is not None


def test_failures_in_a_row_are_waited_for_longer_and_longer() -> None:
    daemon = Daemon(lambda: None, lambda error: None, pace=Pace(interval=30, longest=600))
    assert [daemon.wait_after(count) for count in (1, 2, 3, 5, 6, 1000)] == [30, 60, 120, 480, 600, 600]


def test_turns_never_overlap_and_stopping_waits_for_the_turn_under_way() -> None:
    inside, most = 0, 0
    ended = threading.Event()

    def work(number: int) -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        time.sleep(0.3)
        inside -= 1
        if number == 2:
            ended.set()

    turns = Turns(work)
    with running(Daemon(turns, turns.failed, pace=Pace(interval=0.05))):
        turns.wait_for(2)
    assert most == 1
    assert ended.is_set()


def test_a_commit_brings_the_next_turn_forward(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    turns = Turns()
    watch = commits_of(tmp_path / ".git", "gitops-karmada/status")
    with running(Daemon(turns, turns.failed, pace=Pace(interval=3600, debounce=0.1), watches=(watch,))):
        turns.wait_for(1)
        time.sleep(0.5)
        git(tmp_path, "commit", "-q", "--allow-empty", "-m", "one")
        turns.wait_for(2)


def test_what_git_makes_among_its_objects_is_not_watched(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Such folders come and go faster than they can be watched, which the log would be full of."""
    git(tmp_path, "init", "-q", "-b", "main")
    turns = Turns()
    watch = commits_of(tmp_path / ".git", "gitops-karmada/status")
    with running(Daemon(turns, turns.failed, pace=Pace(interval=3600, debounce=0.1), watches=(watch,))):
        turns.wait_for(1)
        for number in range(40):
            folder = tmp_path / ".git" / "objects" / f"tmp_objdir-incoming-{number}" / "pack"
            folder.mkdir(parents=True)
            folder.rmdir()
            folder.parent.rmdir()
        time.sleep(0.5)
        git(tmp_path, "commit", "-q", "--allow-empty", "-m", "one")
        turns.wait_for(2)
    assert capfd.readouterr().err == ""


def test_what_we_write_ourselves_asks_for_no_turn(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "one")
    git(tmp_path, "update-ref", "refs/heads/gitops-karmada/status", "main")
    turns = Turns()
    watch = commits_of(tmp_path / ".git", "gitops-karmada/status")
    with running(Daemon(turns, turns.failed, pace=Pace(interval=3600, debounce=0.05), watches=(watch,))):
        turns.wait_for(1)
        time.sleep(0.5)
        git(tmp_path, "update-ref", "-d", "refs/heads/gitops-karmada/status")
        (tmp_path / "file").write_text("not committed")
        time.sleep(0.7)
        assert turns.count == 1


def test_many_changes_at_once_ask_for_one_turn(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    turns = Turns()
    watch = commits_of(tmp_path / ".git", "gitops-karmada/status")
    with running(Daemon(turns, turns.failed, pace=Pace(interval=3600, debounce=1), watches=(watch,))):
        turns.wait_for(1)
        time.sleep(0.3)
        for number in range(5):
            git(tmp_path, "commit", "-q", "--allow-empty", "-m", str(number))
        turns.wait_for(2)
        time.sleep(1.5)
    assert turns.count == 2


def test_a_commit_during_a_turn_asks_for_another(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")

    def work(number: int) -> None:
        if number == 1:
            time.sleep(0.5)
            git(tmp_path, "commit", "-q", "--allow-empty", "-m", "one")
            time.sleep(1)

    turns = Turns(work)
    watch = commits_of(tmp_path / ".git", "gitops-karmada/status")
    with running(Daemon(turns, turns.failed, pace=Pace(interval=3600, debounce=0.1), watches=(watch,))):
        turns.wait_for(2)


def test_a_folder_that_cannot_be_watched_leaves_the_schedule(tmp_path: Path) -> None:
    turns = Turns()
    watch = commits_of(tmp_path / "absent", "gitops-karmada/status")
    with running(Daemon(turns, turns.failed, pace=Pace(interval=0.1), watches=(watch,))):
        turns.wait_for(2)
    assert len(turns.failures) == 1
