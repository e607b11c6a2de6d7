"""The world of a recorded story with real API servers for members: other hands write by clients of their own."""

from __future__ import annotations

import http.client
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gitops_karmada.members.connect import Connect, Connector
from gitops_karmada.model.federation import Federation
from gitops_karmada.model.members import Deadlines, MemberConnection
from gitops_karmada.model.objects import ClusterName, Key, Object, key_of
from gitops_karmada.model.settings import MemberMode
from tests.conformance.story_servers import reported
from tests.conformance.story_worlds import CONTROLLER, SOMEBODY, Stage, laid_over
from tests.envtest.client import MERGE, ApiError, Client
from tests.envtest.cluster import Cluster

QUICK = Deadlines(connect=2, request=5, round=20)
ALWAYS_LOOKED_FOR = (("v1", "ResourceQuota"),)


class RealDoor:
    """The way to a member: shut, nobody answers there any more; open again, everything is there as it was."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._is_shut = False

    @property
    def is_shut(self) -> bool:
        return self._is_shut

    @is_shut.setter
    def is_shut(self, value: bool) -> None:
        if value and not self._is_shut:
            self._cluster.stop()
        if self._is_shut and not value:
            self._cluster.restart()
        self._is_shut = value


class RealStage(Stage):
    """The commits and the status branch in memory, the members real."""

    def __init__(self, settings: Mapping[str, Any], clusters: Iterable[Cluster], folder: Path) -> None:
        self.clusters = {cluster.name: cluster for cluster in clusters}
        self.kubeconfigs = {
            name: cluster.write_kubeconfig(folder / name, user="hub") for name, cluster in self.clusters.items()
        }
        self.kinds: set[tuple[str, str]] = set(ALWAYS_LOOKED_FOR)
        super().__init__(settings, self.clusters)
        self.doors = {name: RealDoor(cluster) for name, cluster in self.clusters.items()}  # type: ignore[misc]

    def _connect(self) -> Connect:
        return Connector(clock=self.clock)

    def _connections(self, federation: Federation) -> tuple[MemberConnection, ...]:
        names = (ClusterName(declared.value.name) for declared in federation.clusters)
        return tuple(
            MemberConnection(
                cluster=name, mode=MemberMode.PUSH, kubeconfig=str(self.kubeconfigs[name]), deadlines=QUICK
            )
            for name in names
        )

    def commit(self, apply: Iterable[Object] = (), delete: Iterable[Object] = ()) -> None:
        applied = list(apply)
        self.kinds |= {(str(obj["apiVersion"]), str(obj["kind"])) for obj in applied}
        super().commit(applied, delete)

    def live(self, member: str, api_version: str, kind: str, namespace: str, name: str) -> Object | None:
        live = self._hand(member).find(api_version, kind, name, namespace or None)
        return _recorded(live) if live is not None else None

    def objects(self, member: str) -> Mapping[Key, Object]:
        """Everything of the kinds that this story's repository ever had, wherever it lies."""
        client = self._hand(member)
        served = (kind for kind in sorted(self.kinds) if _is_served(client, *kind))
        return {key_of(obj): obj for kind in served for obj in _listed(client, *kind)}

    def furnish(self, member: str, obj: Object) -> None:
        self._write(member, obj, "somebody")

    def write(self, member: str, obj: Object) -> None:
        self._write(member, obj, SOMEBODY)

    def report(self, member: str, obj: Object) -> None:
        live = self._alive(member, obj)
        assert live is not None, f"there is no {key_of(obj)} in {member}"
        self._status(member, obj, reported(live, laid_over(live.get("status") or {}, obj["status"])))

    def remove(self, member: str, obj: Object) -> None:
        key = key_of(obj)
        self._hand(member).delete(str(obj["apiVersion"]), key.kind, key.name, key.namespace or None)

    def start(self) -> None:
        """Real servers see by themselves what is new."""

    def _hand(self, member: str) -> Client:
        return self.clusters[member].admin

    def _write(self, member: str, obj: Object, manager: str) -> None:
        client, key = self._hand(member), key_of(obj)
        if key.namespace:
            client.namespace(key.namespace)
        resource = client.resource(str(obj["apiVersion"]), key.kind)
        body = {name: part for name, part in obj.items() if name != "status"}
        query = f"?fieldManager={manager}"
        if self._alive(member, obj) is None:
            client.request("POST", resource.path(key.namespace or None) + query, body)
        else:
            client.request("PATCH", resource.path(key.namespace or None, key.name) + query, body, MERGE)
        if key.kind == "Node":
            # The API server's admission marks every new node; a real cluster's controller takes that off.
            client.patch("v1", "Node", key.name, patch={"spec": {"taints": obj.get("spec", {}).get("taints")}})
        if "status" in obj:
            self._status(member, obj, obj["status"])

    def _status(self, member: str, obj: Object, status: Object) -> None:
        key, client = key_of(obj), self._hand(member)
        path = client.resource(str(obj["apiVersion"]), key.kind).path(key.namespace or None, key.name, "status")
        client.request("PATCH", f"{path}?fieldManager={CONTROLLER}", {"status": status}, MERGE)


def _recorded(live: Object) -> Object:
    """The object without the node ports, which every server draws by lot."""
    if (live.get("apiVersion"), live.get("kind")) != ("v1", "Service"):
        return live
    ports = [{name: part for name, part in port.items() if name != "nodePort"} for port in live["spec"]["ports"]]
    return {**live, "spec": {**live["spec"], "ports": ports}}


def _listed(client: Client, api_version: str, kind: str) -> list[Object]:
    """All objects of the kind. The storage of a kind that is new is not ready for a moment."""
    end = time.monotonic() + 10
    while True:
        try:
            return list(client.list(api_version, kind))
        except ApiError as refusal:
            if refusal.code != http.client.TOO_MANY_REQUESTS or time.monotonic() > end:
                raise
            time.sleep(0.1)


def _is_served(client: Client, api_version: str, kind: str) -> bool:
    """Karmada's own kinds are in the repository alone."""
    try:
        client.resource(api_version, kind)
    except ApiError:
        return False
    return True
