"""The status branch: one commit a change, none without one, and no writer ever overwrites another."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_karmada.model.plan import Cause
from gitops_karmada.model.settings import Author
from gitops_karmada.repo.credentials import Password
from gitops_karmada.repo.failures import GitError, Reason
from gitops_karmada.repo.messages import Message, trailers
from gitops_karmada.repo.status_branch import LostRace, Published, Refused, StatusBranch, Unchanged
from tests.envtest.gitserver import GitServer
from tests.repo.git_tools import bare_repository, commit, git, work_tree

BRANCH = "gitops-karmada/status"
REF = f"refs/heads/{BRANCH}"
WHEN = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
BOT = Author(name="fleet-bot", email="bot@example.org")
SAY = Message(subject="federation: 1 changed", cause=Cause.MANIFEST, trailers={"Instance": "shop"})


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return bare_repository(tmp_path / "remote" / "fleet.git")


@pytest.fixture
def server(remote: Path) -> Iterator[GitServer]:
    git(remote, "config", "http.receivepack", "true")
    with GitServer(remote.parent) as server:
        yield server


def status(
    where: Path | str, cache: Path, observe: Callable[[str], None] | None = None, seconds: float = 30
) -> StatusBranch:
    where = f"file://{where}" if isinstance(where, Path) else where
    return StatusBranch(where, BRANCH, cache=cache, author=BOT, observe=observe, seconds=seconds)


def first(branch: StatusBranch, **files: bytes) -> str:
    changes = {"federation.json": b"{}\n", **{name.replace("__", "/"): content for name, content in files.items()}}
    published = branch.publish(None, changes, SAY, WHEN)
    assert isinstance(published, Published)
    return published.commit


@pytest.mark.parametrize("form", ["file", "http", "bare folder", "work tree"])
def test_the_branch_is_written_and_read_wherever_it_lies(
    tmp_path: Path, remote: Path, server: GitServer, form: str
) -> None:
    folder = work_tree(tmp_path / "person")
    commit(folder, {"a.yaml": "a: 1\n"})
    where = {
        "file": f"file://{remote}",
        "http": server.url("fleet"),
        "bare folder": str(remote),
        "work tree": str(folder),
    }
    branch = status(where[form], tmp_path / "cache")
    nothing = branch.read()
    assert (nothing.commit, len(nothing), list(nothing)) == (None, 0, [])
    tip = first(branch, works__m1__x=b"x: 1\n", README=b"hello\n")
    for reader in (branch, status(where[form], tmp_path / "other")):
        tree = reader.read()
        assert tree.commit is not None
        assert (tree.commit.id, tree.commit.author) == (tip, "fleet-bot <bot@example.org>")
        assert dict(tree) == {"README": b"hello\n", "federation.json": b"{}\n", "works/m1/x": b"x: 1\n"}
        assert dict(tree.below("works")) == {"works/m1/x": b"x: 1\n"}
        assert "none" not in tree
        with pytest.raises(KeyError):
            tree["none"]
    assert sorted(path.name for path in folder.iterdir()) == [".git", "a.yaml"]
    assert git(folder, "status", "--porcelain") == ""


def test_a_change_costs_one_commit_on_top_and_removes_what_is_gone(tmp_path: Path, remote: Path) -> None:
    branch = status(remote, tmp_path / "cache")
    base = first(branch, a=b"1", b=b"2", c=b"3")
    changes = {"a": b"changed", "b": None, "c": None, "c/inner": b"4", 'od"d\n \\name': b"5", "gone": None}
    done = branch.publish(base, changes, SAY, WHEN)
    assert isinstance(done, Published)
    assert git(remote, "rev-list", "--parents", "-n1", REF).split() == [done.commit, base]
    assert dict(branch.read()) == {"a": b"changed", "c/inner": b"4", 'od"d\n \\name': b"5", "federation.json": b"{}\n"}
    assert git(remote, "fsck", "--full", "--strict") == ""
    assert git(remote, "log", "-1", "--format=%an|%ae|%cn|%at|%ct", REF) == (
        f"fleet-bot|bot@example.org|fleet-bot|{int(WHEN.timestamp())}|{int(WHEN.timestamp())}"
    )


def test_the_same_tree_makes_no_commit(tmp_path: Path, remote: Path) -> None:
    branch = status(remote, tmp_path / "cache")
    base = first(branch, a=b"1")
    assert branch.publish(base, {"a": b"1", "none": None}, SAY, WHEN) == Unchanged(commit=base)
    assert branch.publish(base, {}, SAY, WHEN) == Unchanged(commit=base)
    assert git(remote, "rev-list", "--count", REF) == "1"


def test_the_same_change_makes_the_same_commit(tmp_path: Path) -> None:
    tips = []
    for name in ("one", "two"):
        branch = status(bare_repository(tmp_path / name), tmp_path / f"cache-{name}")
        base = first(branch, b=b"2", a=b"1")
        tips.append(branch.publish(base, {"z": b"1", "a": None}, SAY, WHEN))
    assert tips[0] == tips[1]


def test_who_comes_second_loses_and_decides_again(tmp_path: Path, remote: Path) -> None:
    """O68: nothing of the winner is lost, and nothing is forced."""
    one, two = status(remote, tmp_path / "one"), status(remote, tmp_path / "two")
    base = first(one, a=b"1")
    assert two.read().commit is not None
    won = one.publish(base, {"works/one": b"1"}, SAY, WHEN)
    assert isinstance(won, Published)
    lost = two.publish(base, {"works/two": b"2"}, SAY, WHEN)
    assert isinstance(lost, LostRace)
    tree = two.read()
    assert tree.commit is not None
    assert tree.commit.id == won.commit
    assert isinstance(two.publish(tree.commit.id, {"works/two": b"2"}, SAY, WHEN), Published)
    assert {"works/one", "works/two"} <= set(one.read())


def test_two_first_writers_do_not_overwrite_each_other(tmp_path: Path, remote: Path) -> None:
    one, two = status(remote, tmp_path / "one"), status(remote, tmp_path / "two")
    one.read(), two.read()
    first(one, a=b"1")
    assert isinstance(two.publish(None, {"federation.json": b"2"}, SAY, WHEN), LostRace)


@pytest.mark.parametrize("form", ["file", "http"])
def test_many_writers_at_once_lose_no_update(tmp_path: Path, remote: Path, server: GitServer, form: str) -> None:
    where = server.url("fleet") if form == "http" else f"file://{remote}"
    first(status(where, tmp_path / "cache"))
    losses: list[str] = []

    def write(writer: int) -> None:
        # Two share a clone, as source and status branch of one daemon do; two have their own.
        branch = status(where, tmp_path / f"cache-{writer // 2}")
        for number in range(3):
            while True:
                tip = branch.read().commit
                assert tip is not None
                result = branch.publish(tip.id, {f"works/{writer}-{number}": b"x"}, SAY, WHEN)
                if isinstance(result, Published):
                    break
                assert isinstance(result, LostRace), result
                losses.append(result.message)

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(120)
    assert len(list(status(where, tmp_path / "reader").read())) == 13
    assert git(remote, "rev-list", "--count", REF) == "13"
    assert git(remote, "rev-list", "--count", "--min-parents=2", REF) == "0"


WRITER = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from gitops_karmada.model.settings import Author
from gitops_karmada.model.plan import Cause
from gitops_karmada.repo.messages import Message
from gitops_karmada.repo.status_branch import StatusBranch

def observe(step):
    if step == sys.argv[3]:
        os.kill(os.getpid(), signal.SIGKILL)

branch = StatusBranch(
    sys.argv[1], "gitops-karmada/status", cache=Path(sys.argv[2]), author=Author(), observe=observe
)
tip = branch.read().commit
changes = {f"works/{n}": b"second" for n in range(300)} | {"federation.json": b"{}"}
say = Message(subject="s", cause=Cause.MANIFEST)
print(branch.publish(tip.id if tip else None, changes, say, datetime(2026, 1, 1, tzinfo=UTC)))
"""


@pytest.mark.parametrize("step", ["read", "before writing", "written", "pushed", "settled"])
def test_a_writer_killed_between_any_two_steps_leaves_a_whole_branch(tmp_path: Path, remote: Path, step: str) -> None:
    """kill -9, then the same again: the same end, one new commit, nothing damaged, nothing left over."""
    base = first(status(remote, tmp_path / "other"), works__0=b"first")

    def run(until: str) -> subprocess.CompletedProcess[str]:
        arguments = [sys.executable, "-c", WRITER, f"file://{remote}", str(tmp_path / "cache"), until]
        return subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)

    killed = run(step)
    assert killed.returncode == -signal.SIGKILL
    assert git(remote, "rev-parse", REF) == base or step in ("pushed", "settled")
    again = run("never")
    assert again.returncode == 0, again.stderr
    assert ("Unchanged" in again.stdout) is (step in ("pushed", "settled"))
    assert git(remote, "rev-list", "--count", REF) == "2"
    assert len(status(remote, tmp_path / "reader").read()) == 301
    [clone] = (tmp_path / "cache").glob("*.git")
    for repository in (remote, clone):
        assert git(repository, "fsck", "--full") == "" or "dangling" in git(repository, "fsck", "--full")
    assert git(clone, "for-each-ref", "refs/gk/outgoing") == ""
    assert not [path for path in clone.rglob("*.lock") if path.name != "gitops-karmada.lock"]


@pytest.mark.parametrize("program", ["fast-import", "push", "receive-pack"])
def test_a_git_process_killed_in_its_work_leaves_a_whole_branch(tmp_path: Path, remote: Path, program: str) -> None:
    base = first(status(remote, tmp_path / "cache"), a=b"1")
    branch = status(remote, tmp_path / "cache")
    branch.read()
    stop = threading.Event()
    hunter = threading.Thread(target=hunt, args=(program, str(tmp_path), stop))
    hunter.start()
    changes = {f"works/{n}": os.urandom(2000) for n in range(3000)}
    try:
        result: object = branch.publish(base, changes, SAY, WHEN)
    except GitError as error:
        result = error.reason
    stop.set()
    hunter.join()
    tip = git(remote, "rev-parse", REF)
    assert tip == base or len(status(remote, tmp_path / "reader").read()) == 3002, result
    again = status(remote, tmp_path / "cache")
    found = again.read().commit
    assert found is not None
    assert isinstance(again.publish(found.id, changes | {"last": b"1"}, SAY, WHEN), Published)
    assert len(status(remote, tmp_path / "reader").read()) == 3003


def hunt(program: str, mark: str, stop: threading.Event) -> None:
    """Kill the first git process of this test that runs the program."""
    while not stop.is_set():
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                arguments = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
                surroundings = (entry / "environ").read_bytes().decode(errors="replace") + " ".join(arguments)
            except OSError:
                continue
            if "git" in arguments[0] and any(program in word for word in arguments[:3]) and mark in surroundings:
                os.kill(int(entry.name), signal.SIGKILL)
                return


@pytest.mark.parametrize(
    "words",
    [
        "cannot lock ref",
        "incorrect old value provided",
        "reference already exists",
        "failed to update ref",
        "stale info",
    ],
)
def test_every_wording_of_a_lost_race_is_known(tmp_path: Path, remote: Path, words: str) -> None:
    """Servers say it in their own words, in the verdict on the reference."""
    branch = status(remote, tmp_path / "cache")
    first(branch)
    verdict = f"!\tabc:{REF}\t[remote rejected] ({words})\n"
    outcome = branch._git.run("version")
    said = type(outcome)(code=1, output=verdict.encode(), errors="error: failed to push some refs")
    assert isinstance(branch._not_pushed("abc", said), LostRace)


def test_a_refusing_server_is_told_in_its_own_words(tmp_path: Path, remote: Path) -> None:
    """H4: nothing new may be applied while it cannot be recorded."""
    base = first(status(remote, tmp_path / "cache"))
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'protected branch: ask Ana' >&2\nexit 1\n")
    hook.chmod(0o755)
    result = status(remote, tmp_path / "cache").publish(base, {"a": b"1"}, SAY, WHEN)
    assert isinstance(result, Refused)
    assert result.reason is Reason.UNWRITABLE
    assert "pre-receive hook declined" in result.message
    assert "ask Ana" in result.message


def test_a_token_that_may_only_read_is_told(tmp_path: Path, remote: Path) -> None:
    git(remote, "config", "http.receivepack", "false")
    with GitServer(remote.parent, ("bot", "s3cr3t-token")) as server:
        branch = StatusBranch(
            server.url("fleet"), BRANCH, cache=tmp_path / "cache", author=BOT,
            credentials=Password(user="bot", secret="s3cr3t-token"),
        )  # fmt: skip
        assert branch.read().commit is None
        result = branch.publish(None, {"federation.json": b"{}"}, SAY, WHEN)
    assert isinstance(result, Refused)
    assert "s3cr3t-token" not in result.message


def test_a_branch_of_somebody_else_is_not_touched(tmp_path: Path, remote: Path) -> None:
    person = work_tree(tmp_path / "person", remote)
    commit(person, {"src/app.py": "print()\n"})
    git(person, "push", "--quiet", "origin", f"HEAD:{REF}")
    branch = status(remote, tmp_path / "cache")
    tip = branch.read().commit
    assert tip is not None
    result = branch.publish(tip.id, {"federation.json": b"{}"}, SAY, WHEN)
    assert isinstance(result, Refused)
    assert "federation.json" in result.message
    assert git(remote, "rev-parse", REF) == tip.id


def test_the_source_branch_never_moves(tmp_path: Path, remote: Path) -> None:
    person = work_tree(tmp_path / "person", remote)
    tip = commit(person, {"a.yaml": "a: 1\n"}, push=True)
    branch = status(remote, tmp_path / "cache")
    base = first(branch)
    branch.publish(base, {"x": b"1"}, SAY, WHEN)
    refs = git(remote, "for-each-ref", "--format=%(refname)").splitlines()
    assert refs == [REF, "refs/heads/main"]
    assert git(remote, "rev-parse", "main") == tip
    assert git(remote, "merge-base", "--all", "main", REF, check=False) == ""


def test_an_answer_that_got_lost_is_asked_for_again(tmp_path: Path, remote: Path, server: GitServer) -> None:
    branch = status(server.url("fleet"), tmp_path / "cache", seconds=5)
    base = first(branch)
    server.faults.status(500)
    with pytest.raises(GitError):
        branch.publish(base, {"a": b"1"}, SAY, WHEN)
    server.faults.heal()
    result = branch.publish(base, {"a": b"1"}, SAY, WHEN)
    assert isinstance(result, Published)
    assert git(remote, "rev-parse", REF) == result.commit


def test_a_rewound_branch_is_read_as_it_is(tmp_path: Path, remote: Path) -> None:
    branch = status(remote, tmp_path / "cache")
    base = first(branch, a=b"1")
    assert isinstance(branch.publish(base, {"a": b"2"}, SAY, WHEN), Published)
    git(remote, "update-ref", REF, base)
    assert branch.read()["a"] == b"1"
    git(remote, "update-ref", "-d", REF)
    assert branch.read().commit is None
    assert isinstance(branch.publish(None, {"federation.json": b"3"}, SAY, WHEN), Published)


@pytest.mark.parametrize("path", ["../x", "/x", "a//b", "a/../b", ".git/config", "a/.GIT/x", "", "a/", "x\0y", "."])
def test_paths_that_could_harm_a_work_tree_are_refused(tmp_path: Path, remote: Path, path: str) -> None:
    with pytest.raises(GitError, match="no path for the status branch"):
        status(remote, tmp_path / "cache").publish(None, {path: b"x"}, SAY, WHEN)
    assert git(remote, "for-each-ref") == ""


def test_many_commits_are_repacked(tmp_path: Path, remote: Path) -> None:
    branch = status(remote, tmp_path / "cache")
    tip = first(branch)
    for number in range(12):
        done = branch.publish(tip, {f"works/{number}": b"x" * number}, SAY, WHEN)
        assert isinstance(done, Published)
        tip = done.commit
    [clone] = (tmp_path / "cache").glob("*.git")
    before = int(git(clone, "count-objects").split()[0])
    assert branch._clone.tidy(packs=0)
    assert int(git(clone, "count-objects").split()[0]) < before
    assert len(branch.read()) == 13
    assert branch.history(most=3)[0][0].id == tip


def test_history_tells_causes(tmp_path: Path, remote: Path) -> None:
    branch = status(remote, tmp_path / "cache")
    base = first(branch, works__a=b"1")
    say = Message(subject="moved", cause=Cause.FAILOVER, trailers={"Source-Commit": "abc"})
    branch.publish(base, {"works/b": b"1"}, say, WHEN)
    commits = branch.history()
    assert [(entry.subject, facts["Cause"]) for entry, facts in commits] == [
        ("moved", "failover"), ("federation: 1 changed", "manifest"),
    ]  # fmt: skip
    assert [entry.subject for entry, _ in branch.history("works/a")] == ["federation: 1 changed"]


@given(subject=st.text(), body=st.text(), value=st.text())
def test_no_text_can_forge_a_trailer(subject: str, body: str, value: str) -> None:
    """H6."""
    forged = "\n\nFederation-Cause: manual"
    message = Message(
        subject=subject + forged, cause=Cause.POLICY, body=body + forged, trailers={"Note": value + forged}
    )
    assert trailers(message.text())["Cause"] == "policy"
    assert set(trailers(message.text())) == {"Cause", "Note"}
    assert "\0" not in message.text()
