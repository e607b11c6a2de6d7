"""Servers of the tests are never left behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.envtest.server import Keeper, Server, ServerError, free_port, is_running, temporary_root

KILLED = """
import os, signal
from pathlib import Path
from tests.envtest.server import Keeper, Server, temporary_root
root = temporary_root()
server = Server(["sleep", "600"], root / "log", Keeper(root))
server.start()
print(root, server.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_servers_end_when_the_tests_are_killed() -> None:
    """Even SIGKILL of the test run leaves no server and no folder."""
    run = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, text=True, timeout=60, check=False)
    root, pid = run.stdout.split()
    assert run.returncode == -signal.SIGKILL
    deadline = time.monotonic() + 10
    while (Path(root).exists() or is_running(int(pid))) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(root).exists()
    assert not is_running(int(pid))


def test_a_server_that_does_not_start_says_why() -> None:
    """The error holds what the program wrote."""
    root = temporary_root()
    keeper = Keeper(root)
    try:
        server = Server(["sh", "-c", "echo the port is taken; exit 1"], root / "log", keeper)
        server.start()
        with pytest.raises(ServerError, match="the port is taken"):
            server.wait_until(lambda: False, 10)
        server.stop()
    finally:
        keeper.close()


def test_a_server_is_paused_stopped_and_started_again() -> None:
    """A paused server is stopped like any other; a stopped one starts again."""
    root = temporary_root()
    keeper = Keeper(root)
    try:
        server = Server(["sleep", "600"], root / "log", keeper)
        server.start()
        first = server.pid
        server.pause()
        server.stop()
        assert not server.alive
        server.start()
        assert server.alive
        assert server.pid != first
        server.kill()
        assert not server.alive
    finally:
        keeper.close()


def test_ports_are_not_handed_out_twice() -> None:
    ports = [free_port() for _ in range(20)]
    assert len(set(ports)) == 20
