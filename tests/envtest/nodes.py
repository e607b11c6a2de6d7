"""Nodes and pods that exist as objects only, and nodes that pretend to run what is bound to them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from tests.envtest.client import ApiError, Client, Object


def create_node(
    client: Client,
    name: str,
    *,
    cpu: str = "4",
    memory: str = "16Gi",
    pods: int = 110,
    labels: Mapping[str, str] | None = None,
    taints: Sequence[Mapping[str, str]] = (),
    ready: bool = True,
) -> Object:
    """Create a node with this room; return it."""
    room = {"cpu": cpu, "memory": memory, "pods": str(pods), "ephemeral-storage": "100Gi"}
    metadata = {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}}
    client.create(
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": metadata,
            "spec": {"taints": [dict(taint) for taint in taints]},
        }
    )
    status = {"capacity": room, "allocatable": room, "conditions": [_condition("Ready", ready, "KubeletReady")]}
    node = client.patch_status("v1", "Node", name, patch=status)
    if any(taint["key"] == "node.kubernetes.io/not-ready" for taint in node["spec"].get("taints") or ()):
        # The API server's admission marks every new node; a real cluster's controller takes it off.
        node = client.patch("v1", "Node", name, patch={"spec": {"taints": [dict(taint) for taint in taints] or None}})
    return node


def create_pod(
    client: Client,
    name: str,
    namespace: str = "default",
    *,
    node: str | None = None,
    cpu: str = "1",
    memory: str = "1Gi",
    labels: Mapping[str, str] | None = None,
    phase: str = "Running",
) -> Object:
    """Create a pod that asks for this room, bound to the node (None: not bound) and in this phase; return it."""
    requests = {"cpu": cpu, "memory": memory}
    container = {"name": "main", "image": "example/app:1", "resources": {"requests": requests}}
    client.create(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": namespace, "labels": dict(labels or {})},
            "spec": {"containers": [container], **({"nodeName": node} if node else {})},
        }
    )
    return client.patch_status("v1", "Pod", name, namespace, patch={"phase": phase})


class PretendingNodes:
    """Nodes whose pods become Running and Ready once bound, end when `completes`, and go when deleted.

    `runs(pod)` false keeps a pod Pending as an image that cannot be pulled does; `completes(pod)` true makes it
    Succeeded. Use as a context manager, or `start` and `stop`.
    """

    def __init__(
        self,
        client: Client,
        names: Sequence[str],
        *,
        runs: Callable[[Object], bool] = lambda pod: True,
        completes: Callable[[Object], bool] = lambda pod: False,
        period: float = 0.2,
        **room: Any,
    ) -> None:
        self.names = tuple(names)
        self._client = client
        self.runs = runs
        self.completes = completes
        self._period = period
        self._room = room
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pretending-nodes", daemon=True)

    def start(self) -> None:
        for name in self.names:
            create_node(self._client, name, **self._room)
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(timeout=30)

    def __enter__(self) -> PretendingNodes:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _run(self) -> None:
        while not self._ended.wait(self._period):
            try:
                for pod in self._client.list("v1", "Pod"):
                    if pod["spec"].get("nodeName") in self.names:
                        self._step(pod)
            except (OSError, ApiError):
                # The server is stopped or the pod is gone; the next round sees what is there then.
                continue

    def _step(self, pod: Object) -> None:
        name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
        if pod["metadata"].get("deletionTimestamp"):
            self._client.delete("v1", "Pod", name, namespace, grace=0)
            return
        wanted = self._wanted_phase(pod)
        if wanted != pod["status"].get("phase"):
            self._client.patch_status("v1", "Pod", name, namespace, patch=_pod_status(pod, wanted))

    def _wanted_phase(self, pod: Object) -> str:
        if not self.runs(pod):
            return "Pending"
        return "Succeeded" if self.completes(pod) else "Running"


def _pod_status(pod: Object, phase: str) -> Object:
    running, now = phase == "Running", _now()
    state = {
        "Running": {"running": {"startedAt": now}},
        "Succeeded": {"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": now, "finishedAt": now}},
    }.get(phase, {"waiting": {"reason": "ImagePullBackOff", "message": "cannot be pulled"}})
    containers = [
        {
            "name": container["name"],
            "image": container["image"],
            "imageID": "",
            "ready": running,
            "started": running,
            "restartCount": 0,
            "state": state,
        }
        for container in pod["spec"]["containers"]
    ]
    reason = "PodCompleted" if phase == "Succeeded" else "Pretended"
    kinds = {"PodScheduled": True, "Initialized": True, "ContainersReady": running, "Ready": running}
    conditions = [_condition(kind, holds, reason) for kind, holds in kinds.items()]
    return {"phase": phase, "startTime": now, "conditions": conditions, "containerStatuses": containers}


def _condition(kind: str, holds: bool, reason: str) -> dict[str, str]:
    return {"type": kind, "status": "True" if holds else "False", "reason": reason, "lastTransitionTime": _now()}


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
