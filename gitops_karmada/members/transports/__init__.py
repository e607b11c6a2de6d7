"""How a member is spoken to. Every transport is the small part of a Kubernetes API server that we use.

A transport answers with plain objects, raises `RefusalError` when the member says no and `UnreachedError` when it does
not answer as an API server does. All of them pass one test: `tests/members/test_transports.py`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from gitops_karmada.members.resources import Discovery, Resource
from gitops_karmada.model.objects import Object


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The object as the member has it now, and whether this write created it."""

    object: Object
    created: bool = False


# Keeps of an object what is needed, as soon as it was read.
Trim: TypeAlias = Callable[[Object], Object]


def whole(obj: Object) -> Object:
    return obj


class Transport(Protocol):
    async def begin(self) -> None:
        """Forget what may have changed since the last round."""

    async def ready(self) -> bool:
        """Whether the API server says that it is ready. Raise when it says no in any other way than with a success."""

    async def version(self) -> str:
        """The version of Kubernetes, as `v1.36.3`."""

    async def discover(self) -> Discovery:
        """All that is served; what could not be told is named, not left out."""

    async def list(
        self, resource: Resource, *, selector: str = "", namespace: str = "", trim: Trim = whole
    ) -> tuple[Object, ...]:
        """All objects of the kind, whole: a list that broke off is raised, never returned."""

    async def names(self, resource: Resource, *, namespace: str = "") -> frozenset[tuple[str, str]]:
        """(namespace, name) of all objects of the kind, without their content."""

    async def get(self, resource: Resource, namespace: str, name: str) -> Object | None:
        """The object as of now (never from a cache), or None when the member says that there is none."""

    async def apply(self, resource: Resource, body: Object, *, manager: str, force: bool = False) -> Written:
        """Server-side apply. `metadata.uid` and `metadata.resourceVersion` in the body are preconditions."""

    async def rehearse(self, resource: Resource, body: Object, *, manager: str) -> None:
        """Ask whether this apply would be taken, whoever holds the fields; raise as `apply`. Nothing is written."""

    async def patch(
        self, resource: Resource, namespace: str, name: str, operations: Sequence[Object], *, manager: str
    ) -> Object:
        """JSON patch."""

    async def delete(self, resource: Resource, namespace: str, name: str, *, uid: str, resource_version: str) -> None:
        """Delete exactly this version of this object; its dependents go in the background."""

    async def close(self) -> None:
        """End all connections."""
