"""Two processes on one status branch: one wins, the other decides again; nothing is lost."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.lab import STATUS, Lab, deployment, eventually, policy, settings, static
from tests.e2e.test_crashes import start


@contextmanager
def held_at(lab: Lab, step: str, cache: str) -> Iterator[None]:
    """A second process that has reached a step; it goes on when the block ends, and must then end well."""
    gate = lab.root / f"{cache}.gate"
    places = [str(lab.origin), str(lab.credentials), str(lab.members_dir), str(lab.root / cache)]
    command = [sys.executable, "-m", "tests.e2e.one_turn", step, *places, "--until", str(gate)]
    process = subprocess.Popen(
        command,
        env=lab.environment(),
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert eventually(gate.with_suffix(".reached").exists), "the second process never got there"
        yield
        gate.touch()
        output, _ = process.communicate(timeout=60)
        assert process.returncode == 0, output
    finally:
        process.kill()
        process.wait()


def test_who_loses_the_race_decides_again(tmp_path: Path) -> None:
    """The slower one has decided on an old commit; what it publishes in the end is decided on the new one."""
    lab = Lab(tmp_path, directories=["member1", "member2"])
    start(lab)
    lab.sync()
    lab.commit("nine", {"templates/web.yaml": deployment(replicas=9)})
    with held_at(lab, "decided", "second"):
        lab.commit("twelve", {"templates/web.yaml": deployment(replicas=12)})
        lab.sync()
        assert lab.placed("shop/deployment.apps/web") == {"member1": 8, "member2": 4}
    assert lab.placed("shop/deployment.apps/web") == {"member1": 8, "member2": 4}
    history = lab._git_at(lab.origin, "rev-list", "--parents", STATUS).splitlines()
    assert all(len(line.split()) <= 2 for line in history), "history is one line, without merges"


def test_two_at_once_come_to_the_same_end(tmp_path: Path) -> None:
    """Whatever way the two interleave, the branch says what the source says, and both end well."""
    lab = Lab(tmp_path, directories=["member1", "member2"])
    start(lab)
    lab.sync()
    for replicas in (9, 3, 12):
        lab.commit(f"{replicas}", {"templates/web.yaml": deployment(replicas=replicas)})
        with ThreadPoolExecutor() as pool:
            runs = list(pool.map(lambda cache: lab.run("sync", "--cache", str(lab.root / cache)), ["one", "two"]))
        assert [run.code for run in runs] == [0, 0], runs
        assert lab.placed("shop/deployment.apps/web") == {"member1": replicas * 2 // 3, "member2": replicas // 3}
        tip = lab.status_tip()
        lab.sync()
        assert lab.status_tip() == tip


def test_another_instance_keeps_off_the_status_branch(tmp_path: Path) -> None:
    """A second instance by another name would take turns deleting what the first one placed: it is refused."""
    lab = Lab(tmp_path, directories=["member1"])
    lab.commit(
        "start",
        {
            "templates/web.yaml": deployment(),
            "policies/web.yaml": policy("web", ("apps/v1", "Deployment", "web"), placement=static(member1=1)),
        },
    )
    lab.sync()
    tip = lab.status_tip()
    lab.commit("renamed", {"gitops-karmada.yaml": settings("other", [], ["member1"], None)})
    run = lab.run("sync")
    assert run.code == 3
    assert "'lab'" in run.errors
    assert "'other'" in run.errors
    assert lab.status_tip() == tip
