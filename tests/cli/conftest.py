"""Real repositories and real processes for the verbs."""

import io
import json
import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import pytest

from gitops_karmada.cli.layout import copy
from gitops_karmada.cli.main import run


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """A federation repository with three directory members, and the program to use on it."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def repository(self) -> Path:
        return self.folder / "fleet"

    @property
    def members(self) -> Path:
        return self.folder / "members"

    def __call__(self, *arguments: str, **more: str) -> Answer:
        """Run the program in the repository, in this process, which saves its start."""
        out, err = io.StringIO(), io.StringIO()
        before = dict(os.environ)
        os.environ.update({**self.environment, **more})
        try:
            with chdir(self.repository), redirect_stdout(out), redirect_stderr(err):
                code = run(arguments)
        finally:
            os.environ.clear()
            os.environ.update(before)
        return Answer(code=code, out=out.getvalue(), err=err.getvalue())

    def start(self, *arguments: str, log: IO[str]) -> "subprocess.Popen[bytes]":
        """Start the program in a process of its own; its messages go into the log."""
        return subprocess.Popen(
            [sys.executable, "-m", "gitops_karmada.cli.main", *arguments],
            cwd=self.repository,
            env={**os.environ, **self.environment},
            stderr=log,
        )

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(self.repository), *arguments],
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
        return done.stdout

    def edit(self, file: str, before: str, after: str) -> None:
        path = self.repository / file
        text = path.read_text()
        assert before in text
        path.write_text(text.replace(before, after, 1))

    def write(self, file: str, text: str) -> None:
        path = self.repository / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def commit(self, message: str) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD").strip()

    def tips(self) -> str:
        """Every reference of the repository."""
        return self.git("for-each-ref")

    def replicas(self) -> dict[str, int]:
        """The replicas of web in each member, as its folder has them."""
        from gitops_karmada.repo.yaml_reader import read_documents

        found = {}
        for file in sorted(self.members.glob("*/shop/deployment.apps/web.yaml")):
            (document,) = read_documents(file.read_bytes(), file.name).documents
            found[file.relative_to(self.members).parts[0]] = document.value["spec"]["replicas"]
        return found


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    """The repository of `init`, committed."""
    environment = {
        "GITOPS_KARMADA_CACHE": str(tmp_path / "cache"),
        "GITOPS_KARMADA_MEMBERS_DIR": str(tmp_path / "members"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "alice",
        "GIT_AUTHOR_EMAIL": "alice@localhost",
        "GIT_COMMITTER_NAME": "alice",
        "GIT_COMMITTER_EMAIL": "alice@localhost",
    }
    made = Fleet(folder=tmp_path, environment=environment)
    made.repository.mkdir()
    copy(made.repository)
    made.git("init", "--quiet", "--initial-branch=main")
    made.commit("Start the federation")
    return made
