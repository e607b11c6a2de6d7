"""A kind is served a moment after its definition is accepted: wait for that, within bounds."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import TypeGuard

from gitops_karmada.members.member import Member
from gitops_karmada.members.refusals import RefusalError, UnreachedError
from gitops_karmada.members.resources import Discovery, Resource
from gitops_karmada.model.actions import Applied, Outcome
from gitops_karmada.model.objects import Object, dig

DEFINITIONS = Resource(
    group="apiextensions.k8s.io",
    version="v1",
    kind="CustomResourceDefinition",
    plural="customresourcedefinitions",
    namespaced=False,
)
SECONDS = 10.0
PAUSE = 0.1


async def wait_until_served(member: Member, outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Wait for the kinds of the definitions just written, and tell what these are then.

    A kind that does not come fails where it is used.
    """
    done = list(outcomes)
    written = [it.object for it in done if _defines(it)]
    if not written:
        return done
    try:
        async with asyncio.timeout(SECONDS):
            served = await _wait(member, written)
    except (TimeoutError, RefusalError, UnreachedError):
        return done
    return [replace(it, object=served.get(it.place.key.name, it.object)) if _defines(it) else it for it in done]


def _defines(outcome: Outcome) -> TypeGuard[Applied]:
    return isinstance(outcome, Applied) and outcome.place.key.kind == DEFINITIONS.kind


async def _wait(member: Member, definitions: list[Object]) -> dict[str, Object]:
    """The definitions by name, once their kinds are served."""
    established: dict[str, Object] = {}
    for definition in definitions:
        name = definition["metadata"]["name"]
        while (live := await member.transport.get(DEFINITIONS, "", name)) is None or not _is_established(live):
            await asyncio.sleep(PAUSE)
        established[name] = live
    while not _are_served(await member.discover(), definitions):
        await asyncio.sleep(PAUSE)
    return established


def _is_established(live: Object) -> bool:
    conditions = dig(live, "status", "conditions") or ()
    return any(item.get("type") == "Established" and item.get("status") == "True" for item in conditions)


def _are_served(discovery: Discovery, definitions: list[Object]) -> bool:
    return all(_is_served(discovery, definition) for definition in definitions)


def _is_served(discovery: Discovery, definition: Object) -> bool:
    group, kind = dig(definition, "spec", "group"), dig(definition, "spec", "names", "kind")
    versions = {version["name"] for version in dig(definition, "spec", "versions") or () if version.get("served")}
    served = {item.version for item in discovery.resources if (item.group, item.kind) == (group, kind)}
    return versions <= served
