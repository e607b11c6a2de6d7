"""Killed at any step, a turn leaves nothing that the next one does not put right."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.lab import Lab, config_map, deployment, policy, service, static
from tests.e2e.one_turn import STEPS
from tests.envtest.cluster import Cluster

WEB = ("apps/v1", "Deployment", "web")
KINDS = (WEB, ("v1", "Service", "web"), ("v1", "ConfigMap", ""))

pytestmark = pytest.mark.envtest


def start(lab: Lab) -> None:
    lab.commit(
        "start",
        {
            "templates/web.yaml": [deployment(replicas=6), service(), config_map("old", is_="here")],
            "policies/web.yaml": policy("web", *KINDS, placement=static(member1=2, member2=1)),
        },
    )


def change(lab: Lab) -> None:
    """Scale, change an image, add one object, remove another: every kind of write in one turn."""
    lab.commit(
        "change",
        {
            "templates/web.yaml": [
                deployment(replicas=9, image="registry.example/web:2"),
                service(),
                config_map("new", is_="here"),
            ]
        },
    )


def die(lab: Lab, step: str) -> None:
    places = [str(lab.origin), str(lab.credentials), str(lab.members_dir), str(lab.cache)]
    command = [sys.executable, "-m", "tests.e2e.one_turn", step, *places]
    done = subprocess.run(
        command, env=lab.environment(), cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == -9, f"{step}: ended with {done.returncode}\n{done.stdout}\n{done.stderr}"


def end_state(lab: Lab) -> dict[str, Any]:
    """Everything of ours in the members and on the status branch, without what differs from run to run."""
    members = {}
    for cluster in lab.clusters.values():
        for version, kind in (("apps/v1", "Deployment"), ("v1", "Service"), ("v1", "ConfigMap")):
            for live in cluster.admin.list(version, kind, namespace="shop"):
                if live["metadata"]["name"] != "kube-root-ca.crt":
                    members[cluster.name, kind, live["metadata"]["name"]] = (
                        live["spec"] if "spec" in live else live["data"]
                    )
    for spec in members.values():
        for field in ("clusterIP", "clusterIPs"):
            spec.pop(field, None)
    return {"members": members, "files": sorted(lab.status_files()), "placed": lab.placed("shop/deployment.apps/web")}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory, member_pool: tuple[Cluster, ...]) -> dict[str, Any]:
    """What an undisturbed run comes to."""
    for cluster in member_pool:
        cluster.reset()
    lab = Lab(tmp_path_factory.mktemp("undisturbed"), member_pool[:2])
    start(lab)
    lab.sync()
    change(lab)
    lab.sync()
    lab.sync()
    state = end_state(lab)
    assert state["placed"] == {"member1": 6, "member2": 3}
    return state


@pytest.mark.parametrize("step", STEPS)
def test_a_killed_turn_is_made_good(
    step: str, expected: dict[str, Any], tmp_path: Path, members: tuple[Cluster, ...]
) -> None:
    """The same end state as without the crash, after the next turns; nothing is orphaned, nothing is lost."""
    lab = Lab(tmp_path, members[:2])
    start(lab)
    lab.sync()
    change(lab)
    die(lab, step)
    lab.sync()
    lab.sync()
    assert end_state(lab) == expected


@pytest.mark.parametrize("step", ["decided", "intent pushed", "half applied", "applied"])
def test_the_first_turn_of_all_may_die_too(step: str, tmp_path: Path, members: tuple[Cluster, ...]) -> None:
    """What a dead first turn created is found by its marks and goes on being ours."""
    lab = Lab(tmp_path, members[:2])
    start(lab)
    die(lab, step)
    lab.sync()
    assert lab.replicas("web") == {"member1": 4, "member2": 2}
    lab.commit("closed", {"templates/web.yaml": None})
    lab.sync()
    assert lab.replicas("web") == {}


def test_a_killed_turn_leaves_no_lock(tmp_path: Path, members: tuple[Cluster, ...]) -> None:
    lab = Lab(tmp_path, members[:1])
    start(lab)
    for step in ("intent written", "intent pushed"):
        die(lab, step)
    lab.sync()
    assert not list(lab.origin.rglob("*.lock"))
