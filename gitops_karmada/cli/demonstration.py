"""A federation at work in a folder: the real verbs, one after the other, with a word before each."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gitops_karmada.cli.exits import Exit
from gitops_karmada.cli.layout import copy
from gitops_karmada.cli.output.terminal import Screen, Span, Tone, line

STATUS = "gitops-karmada/status"
PLACEMENT = "bindings/shop/deployment.apps/web.yaml"


class DemoError(Exception):
    """A step did not do what the demo promises: a defect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The folder that the demo plays in: `fleet` is the repository, `members` what runs."""

    folder: Path
    screen: Screen

    @property
    def fleet(self) -> Path:
        return self.folder / "fleet"

    @property
    def members(self) -> Path:
        return self.folder / "members"

    def chapter(self, title: str, *words: str) -> None:
        self.screen.data(
            [line(), line(Span(f"── {title} ", Tone.STRONG), Span("─" * max(0, 76 - len(title)), Tone.FAINT))]
        )
        self.screen.data(line(Span(text, Tone.FAINT)) for text in words)

    def verb(self, *arguments: str, expected: Sequence[int] = (Exit.OK,)) -> None:
        from gitops_karmada.cli.main import run

        self._prompt(("gitops-karmada", *arguments))
        color = "always" if self.screen.out_colour else "never"
        code = run([*arguments, "--color", color])
        if code not in expected:
            raise DemoError(f"gitops-karmada {' '.join(arguments)} ended with {code}")

    def git(self, *arguments: str, show: bool = True) -> str:
        if show:
            self._prompt(("git", *arguments))
        done = subprocess.run(
            ["git", "-C", str(self.fleet), *arguments], capture_output=True, text=True, timeout=30, check=True
        )
        if show:
            self.screen.data(line(text) for text in done.stdout.rstrip("\n").splitlines())
        return done.stdout

    def commit(self, message: str) -> None:
        self.git("add", "--all", show=False)
        self._prompt(("git", "add", "--all"), ("git", "commit", "--message", message))
        self.git("commit", "--quiet", "--message", message, show=False)

    def change(self, file: str, before: str, after: str) -> None:
        """Edit a file of the repository, and show the difference."""
        path = self.fleet / file
        text = path.read_text("utf-8")
        if before not in text:
            raise DemoError(f"{file} does not hold {before!r}")
        path.write_text(text.replace(before, after, 1), "utf-8")
        told = self.git("diff", "--unified=0", "--no-color", "--", file, show=False).splitlines()
        self.screen.data([line(Span(f"  {file}", Tone.STRONG))])
        for row in (row for row in told if row[:1] in "+-" and row[:3] not in ("+++", "---")):
            self.screen.data([line(Span(f"  {row}", Tone.GOOD if row[0] == "+" else Tone.BAD))])

    def running(self) -> None:
        """What lies in the members: the objects as a cluster would have them."""
        for file in sorted(self.members.glob("*/shop/deployment.apps/web.*")):
            cluster = file.relative_to(self.members).parts[0]
            told = f"{_replicas(file)} replicas   members/{file.relative_to(self.members)}"
            self.screen.data([line("  ", Span(f"{cluster:6}", Tone.PLACE), f" {told}")])

    def _prompt(self, *commands: Sequence[str]) -> None:
        self.screen.data([line(), line(Span(f"$ {' && '.join(map(shlex.join, commands))}", Tone.MOVED))])
        self.screen.out.flush()


def _replicas(file: Path) -> int:
    from gitops_karmada.model.objects import dig
    from gitops_karmada.repo.yaml_reader import read_documents

    (document,) = read_documents(file.read_bytes(), file.name).documents
    return int(dig(document.value, "spec", "replicas") or 0)


def play(stage: Stage) -> None:
    with _surroundings(stage):
        _start(stage)
        _first_turn(stage)
        _failover(stage)
        _scaled(stage)
        _history(stage)


def _start(stage: Stage) -> None:
    stage.chapter(
        "A repository is the control plane",
        "Three members (folders, so that no cluster is needed), two policies, a small shop.",
    )
    stage.fleet.mkdir(parents=True)
    written, _ = copy(stage.fleet)
    stage.screen.data(line(f"  {file}") for file in written if not str(file).startswith("."))
    stage.git("init", "--quiet", "--initial-branch=main", show=False)
    stage.commit("Start the federation")
    stage.verb("validate")


def _first_turn(stage: Stage) -> None:
    stage.chapter("What would this commit do?", "Members are looked at; nothing is written.")
    stage.verb("plan", "--rev", "HEAD", "--quiet")
    stage.chapter("One turn", "The decision is on the status branch before anything is applied.")
    stage.verb("sync")
    stage.git("log", "--format=%h %an: %s", STATUS)
    stage.git("ls-tree", "-r", "--name-only", STATUS, "bindings", "decisions", "clusters")
    stage.chapter("What lies in the members now")
    stage.running()
    stage.verb("get", "works", "-C", "north")


def _failover(stage: Stage) -> None:
    stage.chapter("A cluster must be emptied", "A taint, and failover, which is off until asked for.")
    stage.change(
        "gitops-karmada.yaml",
        "    enabled: false\n    noExecuteTaintEviction: false\n",
        "    enabled: true\n    noExecuteTaintEviction: true\n    noExecutePurgeMode: Directly\n",
    )
    taint = "  taints:\n    - key: maintenance\n      value: planned\n      effect: NoExecute\n"
    stage.change("clusters/east.yaml", "  zones: [europe-a]\n", f"  zones: [europe-a]\n{taint}")
    stage.commit("Empty east for maintenance")
    stage.verb("plan", "--rev", "HEAD", "--quiet")
    stage.verb("sync")
    stage.chapter("The replicas have moved")
    stage.running()


def _scaled(stage: Stage) -> None:
    stage.chapter("Another commit: more replicas, and where they go")
    stage.change("templates/shop/web.yaml", "replicas: 9", "replicas: 12")
    stage.commit("Scale the shop for the weekend")
    stage.verb("plan", "--rev", "HEAD", "--quiet")
    stage.verb("sync")
    stage.chapter("Why does it run there?")
    stage.verb("why", "deploy/web", "-n", "shop")


def _history(stage: Stage) -> None:
    stage.chapter("The history of a placement is a git log")
    form = "--format=%h %s%n        cause: %(trailers:key=Federation-Cause,valueonly,separator=%x20)"
    stage.git("log", form, STATUS, "--", PLACEMENT)
    stage.verb("status")


@contextmanager
def _surroundings(stage: Stage) -> Iterator[None]:
    """The demo's own folders and git identity, and nothing of the user's; all as it was afterwards."""
    before, environment = Path.cwd(), dict(os.environ)
    os.environ.update(
        GITOPS_KARMADA_REPO=str(stage.fleet),
        GITOPS_KARMADA_MEMBERS_DIR=str(stage.members),
        GITOPS_KARMADA_CACHE=str(stage.folder / "cache"),
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_CONFIG_NOSYSTEM="1",
        GIT_AUTHOR_NAME="you",
        GIT_AUTHOR_EMAIL="you@localhost",
        GIT_COMMITTER_NAME="you",
        GIT_COMMITTER_EMAIL="you@localhost",
    )
    try:
        yield
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(environment)


def clear(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
