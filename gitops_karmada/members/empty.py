"""Whether a namespace or a CustomResourceDefinition holds anything that would go with it."""

import asyncio

from gitops_karmada.members.member import Member
from gitops_karmada.members.refusals import RefusalError
from gitops_karmada.members.resources import Resource
from gitops_karmada.model.objects import Object, dig

# What a cluster itself puts into every namespace, or keeps there of the past.
OF_THE_CLUSTER = frozenset({("ServiceAccount", "default"), ("ConfigMap", "kube-root-ca.crt")})
OF_THE_PAST = frozenset({"Event", "Lease", "ControllerRevision", "EndpointSlice", "Endpoints", "PodMetrics"})
NAMED = 3


async def contents_of(member: Member, namespace: str) -> str:
    """A few names of what is there, or an empty string where nothing is. What cannot be seen counts as something."""
    discovery = await member.discover()
    if not discovery.complete:
        return f"perhaps more than can be seen ({', '.join(sorted(discovery.failed))} did not answer)"
    kinds = {(item.group, item.kind): item for item in reversed(discovery.resources) if _holds_objects(item)}
    found = await asyncio.gather(*(_names(member, kinds[kind], namespace) for kind in sorted(kinds)))
    return _told([name for part in found for name in part])


async def objects_of(member: Member, definition: Object) -> str:
    """A few names of the objects of a definition, likewise: they would go with it, whosever they are."""
    group, kind = dig(definition, "spec", "group"), dig(definition, "spec", "names", "kind")
    discovery = await member.discover()
    resource = next((item for item in discovery.resources if (item.group, item.kind) == (group, kind)), None)
    if resource is None:
        return "" if discovery.complete else f"perhaps {kind}s that cannot be seen"
    return _told(await _names(member, resource, ""))


def _told(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _holds_objects(resource: Resource) -> bool:
    return resource.namespaced and "list" in resource.verbs and resource.kind not in OF_THE_PAST


async def _names(member: Member, resource: Resource, namespace: str) -> list[str]:
    try:
        names = await member.transport.names(resource, namespace=namespace)
    except RefusalError as refusal:
        return [] if refusal.status in (404, 405) else [f"{resource.kind}s that we may not see"]
    return [f"{resource.kind} {name}" for _, name in sorted(names) if (resource.kind, name) not in OF_THE_CLUSTER]
