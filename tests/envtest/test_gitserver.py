"""The Git server of the tests speaks real Git, asks for credentials, and fails as told."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.conftest import StartGitServer
from tests.envtest.gitserver import GitServer


def git(*arguments: str, folder: Path, timeout: float = 30) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Tester",
        "GIT_AUTHOR_EMAIL": "tester@example.com",
        "GIT_COMMITTER_NAME": "Tester",
        "GIT_COMMITTER_EMAIL": "tester@example.com",
        "no_proxy": "127.0.0.1",
    }
    command = ["git", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=timeout, check=False
    )


def pushed(server: GitServer, folder: Path, size: int = 10, credentials: tuple[str, str] | None = None) -> Path:
    """Create a repository on the server, push a file of this size from a clone, and return the clone."""
    server.create("fleet")
    clone = folder / "clone"
    assert git("clone", "--quiet", server.url("fleet", credentials), str(clone), folder=folder).returncode == 0
    (clone / "file").write_bytes(os.urandom(size))
    git("add", "file", folder=clone)
    git("commit", "--quiet", "--message", "first", folder=clone)
    done = git("push", "--quiet", "origin", "HEAD:main", folder=clone)
    assert done.returncode == 0, done.stderr
    return clone


def test_clone_push_and_fetch(git_server: StartGitServer, tmp_path: Path) -> None:
    """What one clone pushes, another one gets."""
    server = git_server()
    clone = pushed(server, tmp_path, size=200_000)
    git("clone", "--quiet", server.url("fleet"), "other", folder=tmp_path)
    assert (tmp_path / "other" / "file").read_bytes() == (clone / "file").read_bytes()
    assert {request.method for request in server.requests} == {"GET", "POST"}


def test_a_push_that_is_behind_is_rejected(git_server: StartGitServer, tmp_path: Path) -> None:
    """The server is a real one for compare-and-swap: the second of two writers loses."""
    server = git_server()
    clone = pushed(server, tmp_path)
    git("clone", "--quiet", server.url("fleet"), "other", folder=tmp_path)
    for folder in (clone, tmp_path / "other"):
        git("commit", "--quiet", "--allow-empty", "--message", f"from {folder.name}", folder=folder)
    assert git("push", "--quiet", "origin", "HEAD:main", folder=clone).returncode == 0
    late = git("push", "origin", "HEAD:main", folder=tmp_path / "other")
    assert late.returncode != 0
    assert "rejected" in late.stderr


def test_credentials_are_asked_for(git_server: StartGitServer, tmp_path: Path) -> None:
    """Without the right user and password nothing is read; they may change while the server runs."""
    server = git_server(credentials=("robot", "p@ss/word"))
    pushed(server, tmp_path, credentials=("robot", "p@ss/word"))
    assert git("ls-remote", server.url("fleet"), folder=tmp_path).returncode != 0
    right = server.url("fleet", ("robot", "p@ss/word"))
    assert "refs/heads/main" in git("ls-remote", right, folder=tmp_path).stdout
    server.credentials = ("robot", "rotated")
    assert git("ls-remote", right, folder=tmp_path).returncode != 0
    assert server.requests[-1].status == 401


def test_faults_and_healing(git_server: StartGitServer, tmp_path: Path) -> None:
    """Every fault is seen by Git as a failure, and ends when it is healed."""
    server = git_server()
    pushed(server, tmp_path, size=500_000)
    url = server.url("fleet")

    server.faults.break_off(after=100_000)
    broken = git("clone", url, "broken", folder=tmp_path)
    assert broken.returncode != 0
    assert not (tmp_path / "broken" / "file").exists()

    server.faults.status(503)
    assert "503" in git("ls-remote", url, folder=tmp_path).stderr

    server.faults.hang()
    hanging = subprocess.Popen(
        ["git", "ls-remote", url], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    try:
        hanging.wait(1)
        raise AssertionError("a server that hangs answered")
    except subprocess.TimeoutExpired:
        server.faults.heal()
    assert hanging.wait(20) != 0

    server.refuse()
    assert git("ls-remote", url, folder=tmp_path).returncode != 0
    server.start()
    assert "refs/heads/main" in git("ls-remote", url, folder=tmp_path).stdout
