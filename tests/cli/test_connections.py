"""How each cluster is reached: settings and the operator's folders put together, and what does not fit is told."""

from pathlib import Path
from typing import Any

import pytest

from gitops_karmada.cli.connections import Reach, connections, odd_members
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.decode import decode
from gitops_karmada.model.federation import Declared, Federation
from gitops_karmada.model.metadata import ObjectMeta
from gitops_karmada.model.problems import Location
from gitops_karmada.model.settings import Settings

REACH = Reach(credentials=Path("/etc/credentials"), members_dir=Path("/var/members"))


def federation(*clusters: str, members: list[dict[str, Any]]) -> Federation:
    declared = tuple(
        Declared(value=Cluster(metadata=ObjectMeta(name=name)), manifest={}, location=Location(file=f"{name}.yaml"))
        for name in clusters
    )
    settings = decode(Settings, {"metadata": {"name": "lab"}, "spec": {"members": members}}).unwrap()
    return Federation(clusters=declared, settings=settings)


def test_credentials_are_one_file_of_the_operators_folder() -> None:
    (one,) = connections(federation("a", members=[{"name": "a", "credentials": "a.kubeconfig"}]), REACH)
    assert one.kubeconfig == "/etc/credentials/a.kubeconfig"


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", ".hidden", "a/b", "x\0y"])
def test_no_name_leads_out_of_the_folder(name: str) -> None:
    """What a repository names is never a path."""
    asked = federation("a", members=[{"name": "a", "credentials": name}])
    assert [one.kubeconfig for one in connections(asked, REACH)] == [""]
    assert ["is no file name" in problem.message for problem in odd_members(asked)] == [True]


def test_the_pods_own_account_is_asked_for_by_name() -> None:
    (one,) = connections(federation("a", members=[{"name": "a", "credentials": "in-cluster"}]), REACH)
    assert (one.in_cluster, one.kubeconfig) == (True, "")


def test_a_member_whose_cluster_is_gone_is_still_reached() -> None:
    """What was placed there has to leave."""
    asked = federation(members=[{"name": "a", "mode": "directory"}])
    assert [one.directory for one in connections(asked, REACH)] == ["/var/members/a"]


def test_a_member_of_another_tool_is_not_reached_without_credentials() -> None:
    asked = federation("a", "b", members=[{"name": "a", "mode": "render-only"}, {"name": "b", "mode": "directory"}])
    assert [one.cluster for one in connections(asked, REACH)] == ["b"]


def test_a_mode_that_does_not_exist_yet_is_refused() -> None:
    (problem,) = odd_members(federation("a", members=[{"name": "a", "mode": "pull"}]))
    assert (problem.code, problem.path) == ("GK8003", "mode")


def test_a_cluster_without_a_member_is_told_at_its_line() -> None:
    (problem,) = odd_members(federation("a", members=[]))
    assert str(problem.location) == "a.yaml"
