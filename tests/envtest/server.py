"""Processes of the tests: started, stopped, paused, and never left behind."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

# Below the range from which the system takes ports for outgoing connections.
_PORTS = range(20000, 32000)
_ROOM = 1 << 30
_handed_out: set[int] = set()


class ServerError(RuntimeError):
    """A server did not start, or did not end; the message holds the end of its log."""


def free_port() -> int:
    """Return a port of loopback that nobody listens on; it is never returned twice in this process."""
    for port in random.sample(_PORTS, 200):
        if port not in _handed_out and _is_free(port):
            _handed_out.add(port)
            return port
    raise ServerError("no free port on 127.0.0.1")


def _is_free(port: int) -> bool:
    with socket.socket() as candidate:
        candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            candidate.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def is_running(pid: int) -> bool:
    """Return whether there is such a process; one that has ended and was not yet asked for does not count."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def temporary_root() -> Path:
    """Make a folder for the servers' data: in memory where there is room, else where temporary files go."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > _ROOM
    return Path(tempfile.mkdtemp(prefix="envtest-", dir=memory if roomy else None))


class Keeper:
    """Ends the servers and removes their folder when this process is gone, even if it was killed.

    A small process of its own waits at a pipe; the pipe closes when the last holder of its other end is gone.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(__file__).with_name("keeper.py")), str(root)],
            stdin=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )

    def keep(self, pid: int) -> None:
        self._say(f"+{pid}")

    def forget(self, pid: int) -> None:
        self._say(f"-{pid}")

    def close(self) -> None:
        """End what still runs and remove the folder."""
        if pipe := self._process.stdin:
            pipe.close()
        self._process.wait(timeout=30)

    def _say(self, word: str) -> None:
        if pipe := self._process.stdin:
            pipe.write(word + "\n")
            pipe.flush()


class Server:
    """One process with its log; `start` may be called again after `stop` or `kill`."""

    def __init__(self, command: Sequence[str], log: Path, keeper: Keeper) -> None:
        self.command = tuple(command)
        self.log = log
        self._keeper = keeper
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        if self._process is None:
            raise ServerError(f"{self.command[0]} was not started")
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self._process = _spawn(self.command, log, self.log.parent)
        self._keeper.keep(self._process.pid)

    def wait_until(self, ready: Callable[[], bool], seconds: float) -> None:
        """Wait until `ready()`; raise with the end of the log when the process ends or the time is over."""
        deadline = time.monotonic() + seconds
        while not ready():
            if not self.alive or time.monotonic() > deadline:
                state = "is not ready" if self.alive else "ended"
                raise ServerError(f"{Path(self.command[0]).name} {state}:\n{self.tail()}")
            time.sleep(0.02)

    def tail(self) -> str:
        return self.log.read_text(errors="replace")[-3000:] if self.log.is_file() else ""

    def pause(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def stop(self, seconds: float = 20) -> None:
        """Ask the process to end (a paused one is woken for that); kill it when it does not."""
        if self._process is not None and self.alive:
            self._process.terminate()
            self.resume()
            try:
                self._process.wait(seconds)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._bury()

    def kill(self) -> None:
        if self._process is not None and self.alive:
            self._process.kill()
        self._bury()

    def _bury(self) -> None:
        if self._process is not None:
            self._process.wait(10)
            self._keeper.forget(self._process.pid)


def _spawn(command: Sequence[str], log: IO[bytes], folder: Path) -> subprocess.Popen[bytes]:
    # A session of its own: Ctrl-C reaches pytest alone, which then stops its servers in order.
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder, start_new_session=True
    )
