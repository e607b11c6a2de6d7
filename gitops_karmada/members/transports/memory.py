"""A member in memory."""

from collections.abc import Callable, Sequence
from datetime import datetime

from gitops_karmada.members.resources import Discovery, Resource
from gitops_karmada.members.store import MemoryShelf, ObjectStore, Shelf
from gitops_karmada.members.transports import Trim, Written, whole
from gitops_karmada.model.clusters import APIEnablement
from gitops_karmada.model.objects import Object

VERSION = "v1.36.0"


class MemoryMember:
    """A transport to an `ObjectStore`. Objects live as long as the shelf."""

    def __init__(
        self,
        name: str,
        *,
        clock: Callable[[], datetime],
        shelf: Shelf | None = None,
        declared: Sequence[APIEnablement] = (),
    ) -> None:
        self.store = ObjectStore(name, shelf or MemoryShelf(), clock=clock, declared=declared)

    async def begin(self) -> None:
        return

    async def ready(self) -> bool:
        return True

    async def version(self) -> str:
        return VERSION

    async def discover(self) -> Discovery:
        return self.store.discover()

    async def list(
        self, resource: Resource, *, selector: str = "", namespace: str = "", trim: Trim = whole
    ) -> tuple[Object, ...]:
        return tuple(trim(obj) for obj in self.store.list(resource, selector, namespace))

    async def names(self, resource: Resource, *, namespace: str = "") -> frozenset[tuple[str, str]]:
        found = self.store.list(resource, "", namespace)
        return frozenset((obj["metadata"].get("namespace") or "", obj["metadata"]["name"]) for obj in found)

    async def get(self, resource: Resource, namespace: str, name: str) -> Object | None:
        return self.store.get(resource, namespace, name)

    async def apply(self, resource: Resource, body: Object, *, manager: str, force: bool = False) -> Written:
        obj, created = self.store.apply(resource, body, manager, force)
        return Written(object=obj, created=created)

    async def rehearse(self, resource: Resource, body: Object, *, manager: str) -> None:
        self.store.rehearse(body, manager)

    async def patch(
        self, resource: Resource, namespace: str, name: str, operations: Sequence[Object], *, manager: str
    ) -> Object:
        return self.store.patch(resource, namespace, name, operations, manager)

    async def delete(self, resource: Resource, namespace: str, name: str, *, uid: str, resource_version: str) -> None:
        self.store.delete(resource, namespace, name, uid, resource_version)

    async def close(self) -> None:
        return
