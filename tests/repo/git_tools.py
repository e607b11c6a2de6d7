"""A person with a work tree: what tests do to real repositories."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
    "GIT_AUTHOR_EMAIL": "ana@example.org",
    "GIT_AUTHOR_NAME": "Ana",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
    "GIT_COMMITTER_EMAIL": "ana@example.org",
    "GIT_COMMITTER_NAME": "Ana",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
}


def git(folder: Path, *arguments: str | bytes, check: bool = True) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, env=ENVIRONMENT, capture_output=True, check=False)
    if check and done.returncode:
        raise AssertionError(f"git {arguments}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def bare_repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--bare", "--initial-branch=main")
    return folder


def work_tree(folder: Path, remote: Path | str | None = None) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    if remote is not None:
        git(folder, "remote", "add", "origin", str(remote))
    return folder


def commit(folder: Path, files: Mapping[str, str | bytes], message: str = "change", push: bool = False) -> str:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", message)
    if push:
        git(folder, "push", "--quiet", "--force", "origin", "HEAD:refs/heads/main")
    return git(folder, "rev-parse", "HEAD")
