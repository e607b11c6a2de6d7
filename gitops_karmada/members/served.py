"""A kind is served a moment after its definition is accepted: wait for that, within bounds."""

import asyncio
from collections.abc import Iterable

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


async def wait_until_served(member: Member, outcomes: Iterable[Outcome]) -> None:
    """Wait for the kinds of the definitions just written. A kind that does not come fails where it is used."""
    written = [
        outcome.object
        for outcome in outcomes
        if isinstance(outcome, Applied) and outcome.place.key.kind == DEFINITIONS.kind
    ]
    if written:
        try:
            async with asyncio.timeout(SECONDS):
                await _wait(member, written)
        except (TimeoutError, RefusalError, UnreachedError):
            return


async def _wait(member: Member, definitions: list[Object]) -> None:
    for definition in definitions:
        while not await _is_established(member, definition):
            await asyncio.sleep(PAUSE)
    while not _are_served(await member.discover(), definitions):
        await asyncio.sleep(PAUSE)


async def _is_established(member: Member, definition: Object) -> bool:
    live = await member.transport.get(DEFINITIONS, "", definition["metadata"]["name"])
    conditions = dig(live, "status", "conditions") or ()
    return any(item.get("type") == "Established" and item.get("status") == "True" for item in conditions)


def _are_served(discovery: Discovery, definitions: list[Object]) -> bool:
    return all(_is_served(discovery, definition) for definition in definitions)


def _is_served(discovery: Discovery, definition: Object) -> bool:
    group, kind = dig(definition, "spec", "group"), dig(definition, "spec", "names", "kind")
    versions = {version["name"] for version in dig(definition, "spec", "versions") or () if version.get("served")}
    served = {item.version for item in discovery.resources if (item.group, item.kind) == (group, kind)}
    return versions <= served
