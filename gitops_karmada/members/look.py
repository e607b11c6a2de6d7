"""What lies at places in a member: one list of what is ours per kind, and a look at each of the rest."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from gitops_karmada.members.member import Member
from gitops_karmada.members.refusals import RefusalError, UnreachedError
from gitops_karmada.members.resources import Resource
from gitops_karmada.model.marks import INSTANCE_LABEL
from gitops_karmada.model.members import Absent, LiveObject, Present, Unknown
from gitops_karmada.model.objects import Key, Object, key_of
from gitops_karmada.model.problems import SettingsError

Wanted: TypeAlias = tuple[Key, str]

# From this many places that the list of ours does not answer, the names of all objects are listed first.
MANY = 20


async def look(member: Member, wanted: Iterable[Wanted], instance: str) -> Mapping[Key, LiveObject]:
    """The live object of each (key, apiVersion). Whatever goes wrong is told as Unknown."""
    places = dict(wanted)
    try:
        async with asyncio.timeout(member.connection.deadlines.round):
            await member.transport.begin()
            await member.identity()
            return await _look(member, places, instance)
    except TimeoutError:
        reason = f"not all of it could be read within {member.connection.deadlines.round:g} s"
    except (RefusalError, UnreachedError, SettingsError) as error:
        reason = f"{member.connection.cluster} is unreachable: {error}"
    return dict.fromkeys(places, Unknown(reason=reason))


async def _look(member: Member, places: Mapping[Key, str], instance: str) -> Mapping[Key, LiveObject]:
    found: dict[Key, LiveObject] = {}
    kinds: dict[Resource, list[Key]] = defaultdict(list)
    for key, api_version in places.items():
        resource = await _resource(member, key, api_version)
        if isinstance(resource, Resource):
            kinds[resource].append(key)
        else:
            found[key] = resource
    answers = await asyncio.gather(*(_look_at_kind(member, kind, keys, instance) for kind, keys in kinds.items()))
    for answer in answers:
        found.update(answer)
    return found


async def _resource(member: Member, key: Key, api_version: str) -> Resource | Unknown:
    discovery = await member.discovery()
    if resource := discovery.find(key, api_version):
        return resource
    if discovery.may_serve(api_version):
        return Unknown(reason=f"whether {member.connection.cluster} serves {api_version} {key.kind} is not known now")
    return Unknown(reason=f"{member.connection.cluster} does not serve {api_version} {key.kind}", no_such_api=True)


async def _look_at_kind(member: Member, resource: Resource, keys: list[Key], instance: str) -> Mapping[Key, LiveObject]:
    try:
        ours = await _ours(member, resource, instance) if len(keys) > 1 else {}
        rest = [key for key in keys if key not in ours]
        there = await _existing(member, resource, rest)
        looked = await asyncio.gather(*(_look_at(member, resource, key) for key in rest if key in there))
    except RefusalError as refusal:
        return dict.fromkeys(keys, _unknown(member, resource, refusal))
    found: dict[Key, LiveObject] = {key: Absent() for key in rest}
    found.update(zip((key for key in rest if key in there), looked, strict=True))
    found.update({key: Present(object=ours[key]) for key in keys if key in ours})
    return found


async def _ours(member: Member, resource: Resource, instance: str) -> Mapping[Key, Object]:
    objects = await member.transport.list(resource, selector=f"{INSTANCE_LABEL}={instance}")
    return {key_of(obj): obj for obj in objects}


async def _existing(member: Member, resource: Resource, keys: list[Key]) -> frozenset[Key]:
    """Those of the keys that may be there."""
    if len(keys) < MANY:
        return frozenset(keys)
    names = await member.transport.names(resource)
    return frozenset(key for key in keys if (key.namespace, key.name) in names)


async def _look_at(member: Member, resource: Resource, key: Key) -> LiveObject:
    try:
        obj = await member.transport.get(resource, key.namespace, key.name)
    except RefusalError as refusal:
        return _unknown(member, resource, refusal)
    return Absent() if obj is None else Present(object=obj)


def _unknown(member: Member, resource: Resource, refusal: RefusalError) -> Unknown:
    cluster = member.connection.cluster
    if refusal.status == 403:
        return Unknown(reason=f"{cluster} does not let us see {resource.plural}: {refusal.message}")
    return Unknown(reason=f"{cluster} answers HTTP {refusal.status} for {resource.plural}: {refusal.message}")
