"""A member where controllers run: what they add to our objects is neither drift nor a reason to write."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.model.actions import Applied, Held, Pruned, Unchanged
from gitops_karmada.model.objects import Object
from tests.conftest import StartCluster
from tests.members.turns import Turns, work
from tests.members.worlds import deployment, push_connection

pytestmark = [pytest.mark.envtest, pytest.mark.slow]


def shop() -> list[dict[str, Any]]:
    template: dict[str, Any] = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": "web:1"}]},
    }
    job = {**template, "spec": {**template["spec"], "restartPolicy": "Never"}}
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    ports = [{"name": "dns", "port": 53, "protocol": "TCP"}, {"name": "dns-udp", "port": 53, "protocol": "UDP"}]
    plain: list[tuple[str, str, str, dict[str, Any]]] = [
        ("v1", "Service", "web", {"spec": {"selector": {"app": "web"}, "ports": ports}}),
        ("v1", "ServiceAccount", "web", {}),
        ("v1", "PersistentVolumeClaim", "data", {"spec": claim}),
        ("batch/v1", "Job", "once", {"spec": {"template": job}}),
        ("v1", "ResourceQuota", "room", {"spec": {"hard": {"requests.cpu": "1000m", "requests.memory": "1024Mi"}}}),
    ]
    named = [
        {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "shop"}, **rest}
        for version, kind, name, rest in plain
    ]
    web = deployment(replicas=2, resources={"requests": {"cpu": "0.1", "memory": "64Mi"}})
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    return [namespace, *named, {**web, "metadata": {"name": "web", "namespace": "shop"}}]


def is_available(obj: Any) -> bool:
    return bool(obj.get("status", {}).get("availableReplicas") == 2)


async def test_a_running_workload_is_written_once_and_goes_as_a_whole(
    start_cluster: StartCluster, tmp_path: Path
) -> None:
    cluster = start_cluster("member1", controllers=True, scheduler=True, nodes=2)
    interpreter = Interpreter()

    def retain(desired: Object, live: Object) -> Object:
        return interpreter.retain(desired, live) or desired

    turns = Turns([push_connection(cluster, tmp_path)], retain=retain)
    works = [work(obj) for obj in shop()]
    first = await turns.turn(works)
    assert [outcome for outcome in first.values() if not isinstance(outcome, Applied)] == []
    cluster.admin.wait("apps/v1", "Deployment", "web", "shop", until=is_available, seconds=60)
    mark = cluster.audit.mark()
    for _ in range(2):
        outcomes = await turns.turn(works)
        assert [outcome for outcome in outcomes.values() if not isinstance(outcome, Unchanged)] == []
    assert cluster.audit.writes(since=mark, user="hub") == ()
    leaving = await turns.turn([])
    assert {type(outcome) for outcome in leaving.values()} <= {Pruned, Held}
    claim = next(outcome for place, outcome in leaving.items() if place.key.kind == "PersistentVolumeClaim")
    assert isinstance(claim, Held)
    assert claim.reason == "deleting, blocked by finalizer kubernetes.io/pvc-protection"
    # The controller that takes this finalizer off does not run here.
    freed = {"metadata": {"finalizers": None}}
    cluster.admin.patch("v1", "PersistentVolumeClaim", "data", "shop", patch=freed)
    reasons: list[str] = []
    for _ in range(60):
        if not turns.works:
            break
        await asyncio.sleep(0.5)
        reasons = [getattr(outcome, "reason", "") for outcome in (await turns.turn([])).values()]
    assert (dict(turns.works), reasons) == ({}, reasons)
    assert cluster.admin.find("v1", "Namespace", "shop") is None
    await turns.fleet.close()
