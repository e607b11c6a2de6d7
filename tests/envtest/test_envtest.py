"""The members of the tests are what they claim to be."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartCluster, servers
from tests.envtest.binaries import binary
from tests.envtest.client import ApiError, Client, NotFoundError, Object, has_condition
from tests.envtest.cluster import Cluster, start_clusters
from tests.envtest.nodes import PretendingNodes, create_node, create_pod
from tests.envtest.server import is_running

pytestmark = pytest.mark.envtest

Members = tuple[Cluster, ...]


def config_map(name: str, namespace: str = "default", **data: str) -> Object:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def deployment(name: str, replicas: int = 2, image: str = "example/app:1") -> Object:
    labels = {"app": name}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": image}]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": pod},
    }


def crontab_definition() -> Object:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": "crontabs", "singular": "crontab", "kind": "CronTab"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "crontabs.example.io"},
        "spec": {"group": "example.io", "scope": "Namespaced", "names": names, "versions": [version]},
    }


def test_three_members_are_real_and_apart(members: Members) -> None:
    """Each member is an API server of its own, of its program's version, and knows nothing of the others."""
    versions = [member.admin.request("GET", "/version")["gitVersion"] for member in members]
    built = subprocess.run([str(binary("kube-apiserver")), "--version"], capture_output=True, text=True, check=True)
    assert versions == [built.stdout.removeprefix("Kubernetes").strip()] * 3
    members[0].admin.create(config_map("only-here"))
    assert [member.admin.find("v1", "ConfigMap", "only-here") is not None for member in members] == [True, False, False]


def test_members_are_empty_again_for_the_next_test(members: Members) -> None:
    """A reset takes away what was added, definitions included, and puts back what was changed or deleted."""
    member = members[0]
    before = _everything(member)
    member.admin.namespace("shop")
    member.admin.create(deployment("web"))
    member.admin.install(crontab_definition())
    crontab = {"apiVersion": "example.io/v1", "kind": "CronTab", "metadata": {"name": "daily"}}
    member.admin.create(crontab)
    member.admin.patch("v1", "Namespace", "default", patch={"metadata": {"labels": {"changed": "yes"}}})
    member.admin.delete("rbac.authorization.k8s.io/v1", "ClusterRole", "view")
    member.reset()
    assert _everything(member) == before
    assert "changed" not in member.admin.get("v1", "Namespace", "default")["metadata"]["labels"]
    member.admin.namespace("shop")
    member.admin.create(deployment("web"))
    member.admin.install(crontab_definition())
    assert member.admin.list("example.io/v1", "CronTab") == []


def _everything(member: Cluster) -> list[str]:
    kinds = [("v1", "Namespace"), ("apps/v1", "Deployment"), ("rbac.authorization.k8s.io/v1", "ClusterRole")]
    kinds.append(("apiextensions.k8s.io/v1", "CustomResourceDefinition"))
    return sorted(f"{kind} {obj['metadata']['name']}" for api, kind in kinds for obj in member.admin.list(api, kind))


def test_three_members_start_side_by_side() -> None:
    """Three members are ready within seconds, and nothing of them is left afterwards."""
    with servers() as (root, keeper):
        begun = time.monotonic()
        clusters = start_clusters(["one", "two", "three"], root, keeper)
        seconds = time.monotonic() - begun
        pids = [server.pid for cluster in clusters for server in (cluster._etcd, cluster._api_server)]
        print(f"three members ready after {seconds:.1f} s")
    # The keeper ended them: nobody called stop.
    assert seconds < 60
    assert not root.exists()
    assert _ended(pids)


def _ended(pids: list[int], seconds: float = 10) -> bool:
    """Whether all processes end within this time: a killed one is still there for a moment."""
    end = time.monotonic() + seconds
    while any(is_running(pid) for pid in pids):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def test_users_have_the_rights_that_were_given(members: Members) -> None:
    """The reader reads, nobody does nothing, and the limited user does what a test grants."""
    member = members[0]
    member.client("hub").create(config_map("settings"))
    assert member.client("reader").get("v1", "ConfigMap", "settings")["metadata"]["name"] == "settings"
    assert _refusal(lambda: member.client("reader").create(config_map("more"))) == (403, "Forbidden")
    assert _refusal(lambda: member.client("nobody").list("v1", "ConfigMap")) == (403, "Forbidden")
    member.grant("limited", [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}], "default")
    limited = member.client("limited")
    wait_until(lambda: limited.find("v1", "ConfigMap", "settings") is not None, (ApiError,))
    assert _refusal(lambda: limited.list("v1", "ConfigMap", "default")) == (403, "Forbidden")
    stranger = Client(member.server, member.authority, "not-a-token")
    assert _refusal(lambda: stranger.list("v1", "ConfigMap")) == (401, "Unauthorized")


def _refusal(request: Any) -> tuple[int, str]:
    with pytest.raises(ApiError) as caught:
        request()
    return caught.value.code, caught.value.reason


def wait_until(holds: Any, ignored: tuple[type[Exception], ...] = (), seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if holds():
                return
        except ignored:
            pass
        time.sleep(0.05)
    raise TimeoutError("not in time")


def test_client_reads_and_writes_objects(members: Members) -> None:
    """Every request of the client does what its name says."""
    client = members[0].admin
    client.namespace("shop")
    client.apply(deployment("web"), manager="tester")
    assert _managers(client) == [("tester", "Apply")]
    client.patch("apps/v1", "Deployment", "web", "shop", patch={"spec": {"replicas": 5}}, manager="person")
    operation = [{"op": "replace", "path": "/spec/replicas", "value": 6}]
    client.patch("apps/v1", "Deployment", "web", "shop", patch=operation)
    assert client.get("apps/v1", "Deployment", "web", "shop")["spec"]["replicas"] == 6
    with pytest.raises(ApiError, match="conflict"):
        client.apply(deployment("web", replicas=7), manager="tester")
    live = client.apply(deployment("web", replicas=7), manager="tester", force=True)
    client.replace({**live, "spec": {**live["spec"], "replicas": 8}})
    client.patch_status("apps/v1", "Deployment", "web", "shop", patch={"readyReplicas": 1, "replicas": 1})
    live = client.wait("apps/v1", "Deployment", "web", "shop", until=lambda obj: obj["spec"]["replicas"] == 8)
    assert live["status"]["readyReplicas"] == 1
    assert [obj["kind"] for obj in client.list("apps/v1", "Deployment")] == ["Deployment"]
    assert client.list("apps/v1", "Deployment", labels="app=other") == []
    client.delete("apps/v1", "Deployment", "web", "shop")
    client.wait_gone("apps/v1", "Deployment", "web", "shop")
    with pytest.raises(NotFoundError):
        client.get("apps/v1", "Deployment", "web", "shop")
    assert client.find("example.io/v1", "CronTab", "daily") is None


def _managers(client: Client) -> list[tuple[str, str]]:
    fields = client.get("apps/v1", "Deployment", "web", "shop")["metadata"]["managedFields"]
    return [(entry["manager"], entry["operation"]) for entry in fields]


def test_audit_log_tells_who_wrote_what(members: Members) -> None:
    """Writes stand in the log with user, verb and object as soon as they are answered; reads and others' apart."""
    member = members[1]
    member.admin.create(config_map("before"))
    mark = member.audit.mark()
    member.client("hub").create(config_map("settings"))
    member.client("hub").get("v1", "ConfigMap", "settings")
    member.client("person").delete("v1", "ConfigMap", "settings")
    _refusal(lambda: member.client("nobody").delete("v1", "ConfigMap", "before"))
    writes = [(event.user, event.verb, event.resource, event.name, event.code) for event in member.audit.writes(mark)]
    assert writes == [
        ("hub", "create", "configmaps", "settings", 201),
        ("person", "delete", "configmaps", "settings", 200),
        ("nobody", "delete", "configmaps", "before", 403),
    ]
    assert [event.verb for event in member.audit.events(mark, user="hub") if event.name] == ["create", "get"]


def test_revisions_show_whether_anything_was_written(members: Members) -> None:
    """Reading changes nothing in etcd; a write changes the revision of its object alone."""
    client, before = members[0].admin, members[0].revisions()
    client.list("v1", "Namespace")
    assert members[0].revisions() == before
    client.create(config_map("settings"))
    assert set(members[0].revisions()) - set(before) == {"/registry/configmaps/default/settings"}


def test_nodes_and_pods_are_created_with_their_status(members: Members) -> None:
    """A node has the room that it was given and no taints of its own; a pod uses room on it."""
    client = members[2].admin
    create_node(client, "node-1", cpu="2", memory="4Gi", labels={"zone": "a"})
    taint = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
    create_node(client, "node-2", taints=[taint], ready=False)
    create_pod(client, "pod-1", node="node-1", cpu="500m")
    first, second = client.get("v1", "Node", "node-1"), client.get("v1", "Node", "node-2")
    assert first["status"]["allocatable"]["cpu"] == "2"
    assert has_condition(first, "Ready")
    assert "taints" not in first["spec"]
    assert second["spec"]["taints"] == [taint]
    assert has_condition(second, "Ready", "False")
    pod = client.get("v1", "Pod", "pod-1")
    assert (pod["spec"]["nodeName"], pod["status"]["phase"]) == ("node-1", "Running")


def test_stopped_and_silent_servers(start_cluster: StartCluster) -> None:
    """Paused: connects and never answers. Stopped: refuses. Restarted: the same data under the same address."""
    cluster = start_cluster("fragile")
    cluster.admin.create(config_map("kept"))
    hasty = cluster.client("admin", timeout=0.5)
    cluster.pause()
    with pytest.raises(TimeoutError):
        hasty.get("v1", "ConfigMap", "kept")
    cluster.resume()
    assert cluster.client("admin").find("v1", "ConfigMap", "kept")
    cluster.stop()
    with pytest.raises(ConnectionRefusedError):
        hasty.get("v1", "ConfigMap", "kept")
    cluster.restart()
    assert cluster.admin.find("v1", "ConfigMap", "kept")
    cluster.kill()
    with pytest.raises(ConnectionRefusedError):
        hasty.get("v1", "ConfigMap", "kept")
    cluster.restart()
    assert cluster.admin.find("v1", "ConfigMap", "kept")


def test_kubeconfig_leads_to_the_member(members: Members, tmp_path: Path) -> None:
    """A kubeconfig holds address, CA and user; with a token file the token stands outside."""
    member = members[0]
    inside = json.loads(member.write_kubeconfig(tmp_path / "inside", user="hub").read_text())
    token_file = tmp_path / "token"
    outside = json.loads(member.write_kubeconfig(tmp_path / "outside", token_file=token_file).read_text())
    assert inside["current-context"] == "member1"
    assert inside["clusters"][0]["cluster"]["server"] == member.server
    assert inside["users"][0]["user"] == {"token": member.token("hub")}
    assert outside["users"][0]["user"] == {"tokenFile": str(token_file)}
    assert token_file.read_text() == member.token("hub")
    assert [_kubectl_user(tmp_path / name) for name in ("inside", "outside")] == ["hub", "hub"]


def _kubectl_user(kubeconfig: Path) -> str:
    command = [str(binary("kubectl")), f"--kubeconfig={kubeconfig}", "auth", "whoami", "--output=json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
    name: str = json.loads(done.stdout)["status"]["userInfo"]["username"]
    return name


@pytest.mark.slow
def test_deployments_run_where_controllers_and_nodes_are(start_cluster: StartCluster) -> None:
    """With controllers, scheduler and pretending nodes a Deployment becomes available, and a namespace really ends."""
    cluster = start_cluster("live", controllers=True, scheduler=True, nodes=2)
    client = cluster.admin
    client.namespace("shop")
    client.create(deployment("web", replicas=3))
    client.wait("apps/v1", "Deployment", "web", "shop", until=_available(3), seconds=60)
    pods = client.list("v1", "Pod", "shop", labels="app=web")
    assert {pod["spec"]["nodeName"] for pod in pods} == {"node-1", "node-2"}
    client.patch("apps/v1", "Deployment", "web", "shop", patch={"spec": {"replicas": 1}})
    wait_until(lambda: len(client.list("v1", "Pod", "shop")) == 1, seconds=30)
    client.delete("v1", "Namespace", "shop")
    client.wait_gone("v1", "Namespace", "shop", seconds=60)


def _available(replicas: int) -> Any:
    return lambda obj: (obj.get("status") or {}).get("availableReplicas") == replicas


@pytest.mark.slow
def test_pretending_nodes_complete_and_refuse(start_cluster: StartCluster) -> None:
    """Pods that a test calls broken stay Pending with a reason; pods that it calls done succeed."""
    client = start_cluster("live").admin
    with PretendingNodes(
        client,
        ["node-1"],
        runs=lambda pod: not pod["metadata"]["name"].startswith("broken"),
        completes=lambda pod: pod["metadata"]["name"].startswith("done"),
        cpu="8",
    ):
        for name in ("broken", "done", "web"):
            create_pod(client, name, node="node-1", phase="Pending")
        client.wait("v1", "Pod", "done", until=lambda pod: pod["status"]["phase"] == "Succeeded")
        client.wait("v1", "Pod", "web", until=lambda pod: has_condition(pod, "Ready"))
        assert client.get("v1", "Pod", "broken")["status"]["phase"] == "Pending"
        client.delete("v1", "Pod", "web", grace=30)
        client.wait_gone("v1", "Pod", "web")
    assert client.get("v1", "Node", "node-1")["status"]["allocatable"]["cpu"] == "8"
