"""The verbs on a repository that lies on a server, with credentials; and on real clusters."""

from pathlib import Path

import pytest

from gitops_karmada.cli.exits import Exit
from tests.cli.conftest import Fleet
from tests.conftest import StartCluster, StartGitServer

STATUS = "gitops-karmada/status"


def test_a_repository_on_a_server_is_planned_synced_and_explained(
    fleet: Fleet, git_server: StartGitServer, tmp_path: Path
) -> None:
    server = git_server(credentials=("token", "hunter2"))
    bare = server.create("fleet")
    fleet.git("push", "--quiet", str(bare), "main")
    token = tmp_path / "token"
    token.write_text("hunter2\n")
    there = ("--repo", server.url("fleet"), "--git-token-file", str(token))

    assert fleet("plan", *there, "-o", "json").json["summary"]["create"] == 12
    answer = fleet("sync", *there)
    assert answer.code == Exit.OK, answer.err
    assert fleet.replicas() == {"east": 4, "north": 3, "west": 2}
    assert "Decision: east 4 · north 3 · west 2" in fleet("why", "deploy/web", *there).out
    fleet.git("fetch", "--quiet", str(bare), f"{STATUS}:{STATUS}")
    assert "README.md" in fleet.git("ls-tree", "--name-only", STATUS)

    token.write_text("wrong\n")
    refused = fleet("plan", *there)
    assert refused.code == Exit.UNAUTHORIZED
    assert "error[GK4003]" in refused.err
    assert "hunter2" not in refused.err + answer.err


def test_a_server_that_is_away_is_told_and_nothing_is_touched(fleet: Fleet, git_server: StartGitServer) -> None:
    server = git_server()
    fleet.git("push", "--quiet", str(server.create("fleet")), "main")
    there = ("--repo", server.url("fleet"))
    fleet("sync", *there)
    before = fleet.replicas()
    server.refuse()
    answer = fleet("sync", *there)
    assert answer.code == Exit.FAILED
    assert "error[GK4001]" in answer.err
    assert "Traceback" not in answer.err
    assert fleet.replicas() == before


@pytest.mark.envtest
def test_a_real_cluster_gets_what_was_committed(fleet: Fleet, start_cluster: StartCluster, tmp_path: Path) -> None:
    """A push member with a kubeconfig from the operator's folder; one without credentials holds up nobody."""
    cluster = start_cluster("east")
    credentials = tmp_path / "credentials"
    credentials.mkdir()
    cluster.write_kubeconfig(credentials / "east.kubeconfig")
    push = "- name: east\n      mode: push\n      credentials: east.kubeconfig"
    fleet.edit("gitops-karmada.yaml", "- name: east\n      mode: directory", push)
    fleet.edit("gitops-karmada.yaml", "- name: north\n      mode: directory", "- name: north\n      mode: push")
    fleet.edit("templates/shop/web.yaml", "cpu: 500m", "cpu: 0m")
    fleet.commit("A real cluster, and one without credentials")
    there = ("--credentials", str(credentials))
    planned = fleet("plan", "--rev", "HEAD", "-o", "json", *there).json
    assert planned["summary"]["membersUnreachable"] == ["north"]
    answer = fleet("sync", *there)
    assert answer.code == Exit.PARTIAL, answer.err
    assert "Not reached: north: " in answer.out
    service = cluster.client("admin").get("v1", "Service", "web", "shop")
    assert service["metadata"]["labels"]["gitops-karmada.io/instance"] == "fleet"
    assert "north" in fleet("status").out
