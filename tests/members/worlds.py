"""Members of every transport, and a hand in each that is not the product's."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from gitops_karmada.members.connect import Connector
from gitops_karmada.members.resources import Resource
from gitops_karmada.members.store import ObjectStore
from gitops_karmada.members.transports import Transport
from gitops_karmada.members.transports.directory import DirectoryMember
from gitops_karmada.members.transports.memory import MemoryMember
from gitops_karmada.model.members import Deadlines, MemberConnection
from gitops_karmada.model.objects import ClusterName, Key, Object, key_of
from gitops_karmada.model.settings import MemberMode
from tests.envtest.cluster import Cluster

QUICK = Deadlines(connect=2, request=3, round=30)


def clock() -> datetime:
    return datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


class Hand(Protocol):
    """Somebody else who works in the member."""

    def put(self, obj: Object, manager: str = "somebody") -> None:
        """Create the object, or replace it as a whole."""

    def find(self, api_version: str, kind: str, name: str, namespace: str) -> Mapping[str, Any] | None: ...

    def remove(self, api_version: str, kind: str, name: str, namespace: str) -> None: ...


class StoreHand:
    def __init__(self, store: ObjectStore) -> None:
        self.store = store

    def put(self, obj: Object, manager: str = "somebody") -> None:
        self.store.replace(obj, manager)

    def find(self, api_version: str, kind: str, name: str, namespace: str) -> Mapping[str, Any] | None:
        return self.store.get(_resource(api_version, kind), namespace, name)

    def remove(self, api_version: str, kind: str, name: str, namespace: str) -> None:
        self.store.delete(_resource(api_version, kind), namespace, name)


class FolderHand:
    """Somebody with a process of their own."""

    def __init__(self, root: Path) -> None:
        self._member = DirectoryMember("directory", root, clock=clock)

    def put(self, obj: Object, manager: str = "somebody") -> None:
        self._hand().put(obj, manager)

    def find(self, api_version: str, kind: str, name: str, namespace: str) -> Mapping[str, Any] | None:
        return self._hand().find(api_version, kind, name, namespace)

    def remove(self, api_version: str, kind: str, name: str, namespace: str) -> None:
        self._hand().remove(api_version, kind, name, namespace)

    def _hand(self) -> StoreHand:
        self._member.refresh()
        return StoreHand(self._member.store)


class ClusterHand:
    def __init__(self, cluster: Cluster) -> None:
        self.admin = cluster.admin

    def put(self, obj: Object, manager: str = "somebody") -> None:
        key = key_of(obj)
        found = self.find(str(obj["apiVersion"]), key.kind, key.name, key.namespace)
        path = self.admin.resource(str(obj["apiVersion"]), key.kind).path(key.namespace)
        if found is None:
            self.admin.request("POST", f"{path}?fieldManager={manager}", obj)
            return
        metadata = {**obj["metadata"], "resourceVersion": found["metadata"]["resourceVersion"]}
        self.admin.request("PUT", f"{path}/{key.name}?fieldManager={manager}", {**obj, "metadata": metadata})

    def find(self, api_version: str, kind: str, name: str, namespace: str) -> Mapping[str, Any] | None:
        return self.admin.find(api_version, kind, name, namespace)

    def remove(self, api_version: str, kind: str, name: str, namespace: str) -> None:
        self.admin.delete(api_version, kind, name, namespace)


class World:
    """A transport and a hand."""

    def __init__(self, transport: Transport, hand: Hand) -> None:
        self.transport = transport
        self.hand = hand

    async def resource(self, api_version: str, kind: str) -> Resource:
        discovery = await self.transport.discover()
        found = discovery.find(Key(group="", kind=kind, name=""), api_version)
        assert found is not None
        return found


def memory_world() -> World:
    member = MemoryMember("memory", clock=clock)
    return World(member, StoreHand(member.store))


def directory_world(root: Path) -> World:
    member = DirectoryMember("directory", root, clock=clock)
    return World(member, StoreHand(member.store))


def push_connection(cluster: Cluster, folder: Path, user: str = "hub", **changes: Any) -> MemberConnection:
    path = cluster.write_kubeconfig(folder / f"{cluster.name}-{user}.kubeconfig", user=user)
    settings: dict[str, Any] = {"mode": MemberMode.PUSH, "kubeconfig": str(path), "deadlines": QUICK, **changes}
    return MemberConnection(cluster=ClusterName(cluster.name), **settings)


def push_world(cluster: Cluster, folder: Path) -> World:
    transport = Connector(clock=clock)(push_connection(cluster, folder))
    return World(transport, ClusterHand(cluster))


def _resource(api_version: str, kind: str) -> Resource:
    group, _, version = api_version.rpartition("/")
    return Resource(group=group, version=version, kind=kind, plural=f"{kind.lower()}s", namespaced=True)


def config_map(name: str = "cfg", namespace: str = "default", **data: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace},
        "data": data or {"a": "1"},
    }


def deployment(name: str = "web", replicas: int | None = 2, image: str = "web:1", **changes: Any) -> dict[str, Any]:
    labels = {"app": name}
    container = {"name": "main", "image": image, **changes}
    spec: dict[str, Any] = {
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
    }
    if replicas is not None:
        spec["replicas"] = replicas
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default"},
        "spec": spec,
    }
