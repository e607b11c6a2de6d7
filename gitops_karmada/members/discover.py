"""Reading what an API server says that it serves."""

from collections.abc import Iterator

import msgspec

from gitops_karmada.members.refusals import UnreachedError
from gitops_karmada.members.resources import Discovery, Resource
from gitops_karmada.model.objects import group_of

CURRENT = "Current"


class _Kind(msgspec.Struct):
    kind: str = ""


class _Resource(msgspec.Struct, rename="camel"):
    resource: str
    response_kind: _Kind | None = None
    scope: str = ""
    verbs: list[str] = []


class _Version(msgspec.Struct):
    version: str
    resources: list[_Resource] = []
    freshness: str = CURRENT


class _Name(msgspec.Struct, frozen=True):
    name: str = ""


class _Group(msgspec.Struct):
    metadata: _Name = _Name()
    versions: list[_Version] = []


class _Aggregated(msgspec.Struct):
    items: list[_Group]


class _OldResource(msgspec.Struct):
    name: str
    kind: str
    namespaced: bool = False
    verbs: list[str] = []


class _OldResources(msgspec.Struct):
    resources: list[_OldResource]


class _OldVersion(msgspec.Struct, rename="camel"):
    group_version: str


class _OldGroup(msgspec.Struct):
    versions: list[_OldVersion] = []


class _OldGroups(msgspec.Struct):
    """`/apis` has groups, `/api` has versions."""

    groups: list[_OldGroup] = []
    versions: list[str] = []


def aggregated(text: bytes) -> Discovery:
    """An APIGroupDiscoveryList. What the server itself could not ask is stale there."""
    try:
        groups = msgspec.json.decode(text, type=_Aggregated).items
    except msgspec.DecodeError as error:
        raise UnreachedError(f"the list of APIs cannot be read: {error}") from error
    resources: list[Resource] = []
    failed: set[str] = set()
    for group in groups:
        for version in group.versions:
            resources += _resources(group.metadata.name, version)
            if version.freshness != CURRENT:
                failed.add(f"{group.metadata.name}/{version.version}")
    return Discovery(resources=tuple(resources), failed=frozenset(failed))


def _resources(group: str, version: _Version) -> Iterator[Resource]:
    for item in version.resources:
        if item.response_kind and item.response_kind.kind:
            yield Resource(
                group=group,
                version=version.version,
                kind=item.response_kind.kind,
                plural=item.resource,
                namespaced=item.scope == "Namespaced",
                verbs=frozenset(item.verbs),
            )


def groups_of(text: bytes) -> tuple[str, ...]:
    """The paths below `/api` or `/apis` that an older server lists."""
    try:
        told = msgspec.json.decode(text, type=_OldGroups)
    except msgspec.DecodeError as error:
        raise UnreachedError(f"the list of APIs cannot be read: {error}") from error
    return (*told.versions, *(version.group_version for group in told.groups for version in group.versions))


def resources_of(text: bytes, group_version: str) -> tuple[Resource, ...]:
    """An APIResourceList of an older server, without subresources."""
    try:
        told = msgspec.json.decode(text, type=_OldResources).resources
    except msgspec.DecodeError as error:
        raise UnreachedError(f"the list of APIs of {group_version} cannot be read: {error}") from error
    return tuple(
        Resource(
            group=group_of(group_version),
            version=group_version.rpartition("/")[2],
            kind=item.kind,
            plural=item.name,
            namespaced=item.namespaced,
            verbs=frozenset(item.verbs),
        )
        for item in told
        if "/" not in item.name
    )
