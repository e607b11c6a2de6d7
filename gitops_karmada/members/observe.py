"""What a member is like: does it answer, what does it serve, what room has it."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from gitops_karmada.members.member import IdentityError, Member
from gitops_karmada.members.refusals import RefusalError, UnreachedError
from gitops_karmada.members.resources import Discovery, Resource, filled
from gitops_karmada.members.transports import Trim
from gitops_karmada.model.members import LastKnown, MemberState, Observed, Unreachable
from gitops_karmada.model.objects import Key, Object, dig, group_of
from gitops_karmada.model.problems import MemberError, Problem, SettingsError, Severity

T = TypeVar("T")

NODES = Resource(group="", version="v1", kind="Node", plural="nodes", namespaced=False)
PODS = Resource(group="", version="v1", kind="Pod", plural="pods", namespaced=True)
QUOTAS = Resource(group="", version="v1", kind="ResourceQuota", plural="resourcequotas", namespaced=True)
AUTOSCALER = "HorizontalPodAutoscaler"

UNREACHABLE = "GK5001"
UNAUTHORIZED = "GK5002"
FORBIDDEN = "GK5003"
IDENTITY = "GK5010"
DISCOVERY = "GK5012"
UNLISTED = "GK5013"

HINTS = {
    UNREACHABLE: "Check its address, its credentials and the network; the next turn tries again",
    UNAUTHORIZED: "Renew its credentials; the next turn reads them again",
}


@dataclass(slots=True)
class Notes:
    """What came up while a member was looked at."""

    problems: list[Problem] = field(default_factory=list)
    missing: list[tuple[str, str]] = field(default_factory=list)


async def observe(member: Member, at: datetime, last: LastKnown) -> MemberState:
    """Look at a member. Whatever goes wrong is told as a value."""
    cluster = member.connection.cluster
    try:
        async with asyncio.timeout(member.connection.deadlines.round):
            await member.renew(last.identity)
            return await _observe(member, at, last)
    except TimeoutError:
        code, reason = UNREACHABLE, f"not all of it could be read within {member.connection.deadlines.round:g} s"
    except (RefusalError, UnreachedError, SettingsError) as error:
        code, reason = _code(error), _reason(error)
    problem = Problem(
        code=code, subject=f"Cluster {cluster}", message=f"unreachable: {reason}", hint=HINTS.get(code, "")
    )
    return Unreachable(cluster=cluster, reason=reason, observed_at=at, problems=(problem,))


def _code(error: MemberError | SettingsError) -> str:
    if isinstance(error, IdentityError):
        return IDENTITY
    return UNAUTHORIZED if isinstance(error, RefusalError) and error.status == 401 else UNREACHABLE


def _reason(error: MemberError | SettingsError) -> str:
    if isinstance(error, RefusalError) and error.status == 401:
        return f"it refuses our credentials: {error.message}; renew them (they are read again by the next turn)"
    if isinstance(error, RefusalError):
        return f"it answers HTTP {error.status}: {error.message}"
    return str(error)


async def _observe(member: Member, at: datetime, last: LastKnown) -> Observed:
    transport = member.transport
    await transport.begin()
    healthy = await transport.ready()
    notes = Notes()
    identity, version, discovery = await asyncio.gather(member.identity(), transport.version(), member.discover())
    if not discovery.complete:
        notes.problems.append(_incomplete(member, discovery, last))
    nodes, pods, quotas, autoscaled = await asyncio.gather(
        _listed(member, NODES, _node, notes),
        _listed(member, PODS, _pod, notes),
        _quotas(member, notes),
        _autoscaled(member, discovery, notes),
    )
    if member.connection.directory and not nodes:
        # Without nodes a folder says nothing about room: what the Cluster declares counts.
        nodes, pods = None, None
    return Observed(
        cluster=member.connection.cluster,
        observed_at=at,
        identity=identity,
        kubernetes_version=version,
        healthy=healthy,
        api_enablements=filled(discovery.enablements(), last.api_enablements, discovery.failed),
        complete=discovery.complete,
        nodes=nodes,
        pods=pods,
        quotas=quotas,
        autoscaled=autoscaled,
        missing_verbs=tuple(sorted(notes.missing)),
        problems=tuple(sorted(notes.problems, key=lambda problem: (problem.code, problem.message))),
    )


def _incomplete(member: Member, discovery: Discovery, last: LastKnown) -> Problem:
    what = "all of it" if "*" in discovery.failed else ", ".join(sorted(discovery.failed))
    since = f" (as of {last.observed_at.isoformat(timespec='seconds')})" if last.observed_at else ""
    return Problem(
        code=DISCOVERY,
        severity=Severity.WARNING,
        subject=f"Cluster {member.connection.cluster}",
        message=f"discovery incomplete ({what}), using last known APIs{since}",
        hint="See whether every APIService of the member is available",
    )


async def _listed(member: Member, resource: Resource, trim: Trim, notes: Notes) -> tuple[Object, ...] | None:
    """All objects of a kind, or None when the member does not let us see them."""
    try:
        return await member.transport.list(resource, trim=trim)
    except RefusalError as refusal:
        if refusal.status == 403:
            notes.missing.append(("list", resource.plural))
        notes.problems.append(_unlisted(member, resource, refusal))
        return None


async def _quotas(member: Member, notes: Notes) -> tuple[Object, ...]:
    """The member's ResourceQuotas, where estimates are to respect them."""
    if not member.connection.lists_quotas:
        return ()
    return await _listed(member, QUOTAS, _quota, notes) or ()


def _unlisted(member: Member, resource: Resource, refusal: RefusalError) -> Problem:
    forbidden = refusal.status == 403
    return Problem(
        code=FORBIDDEN if forbidden else UNLISTED,
        severity=Severity.WARNING,
        subject=f"Cluster {member.connection.cluster}",
        message=f"its {resource.plural} cannot be listed: {refusal.message}",
        hint=f"Grant list on {resource.plural}; until then the last known capacity counts" if forbidden else "",
    )


async def _autoscaled(member: Member, discovery: Discovery, notes: Notes) -> frozenset[Key]:
    """What the member's autoscalers scale."""
    for version in ("autoscaling/v2", "autoscaling/v1"):
        resource = discovery.find(Key(group="autoscaling", kind=AUTOSCALER, name=""), version)
        if resource:
            found = await _listed(member, resource, _scaling, notes)
            return frozenset(_target(obj) for obj in found or ())
    return frozenset()


def _scaling(obj: Object) -> Object:
    reference = dig(obj, "spec", "scaleTargetRef") or {}
    return {"namespace": dig(obj, "metadata", "namespace") or "", "reference": reference}


def _target(scaling: Object) -> Key:
    reference = scaling["reference"]
    return Key(
        group=group_of(str(reference.get("apiVersion") or "")),
        kind=str(reference.get("kind") or ""),
        namespace=scaling["namespace"],
        name=str(reference.get("name") or ""),
    )


# What capacity needs --------------------------------------------------------------------------------------------------

_NODE_METADATA = ("name", "labels", "annotations", "creationTimestamp", "uid")
_NODE_SPEC = ("taints", "unschedulable", "providerID")
_NODE_STATUS = ("allocatable", "capacity", "conditions")
_POD_METADATA = (
    *("name", "namespace", "labels", "annotations", "ownerReferences"),
    *("creationTimestamp", "deletionTimestamp", "uid"),
)
_POD_SPEC = ("nodeName", "overhead", "priority", "priorityClassName", "schedulerName", "resources")
_POD_STATUS = ("phase", "conditions", "reason")
_CONTAINER = ("name", "resources", "restartPolicy")


def _node(obj: Object) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": _some(obj.get("metadata"), _NODE_METADATA),
        "spec": _some(obj.get("spec"), _NODE_SPEC),
        "status": _some(obj.get("status"), _NODE_STATUS),
    }


def _quota(obj: Object) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": _some(obj.get("metadata"), ("name", "namespace")),
        "spec": _some(obj.get("spec"), ("scopes", "scopeSelector")),
        "status": _some(obj.get("status"), ("hard", "used")),
    }


def _pod(obj: Object) -> Object:
    spec = obj.get("spec") or {}
    containers = {
        name: [_some(container, _CONTAINER) for container in spec.get(name) or ()]
        for name in ("containers", "initContainers")
        if spec.get(name)
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _some(obj.get("metadata"), _POD_METADATA),
        "spec": {**_some(spec, _POD_SPEC), **containers},
        "status": _some(obj.get("status"), _POD_STATUS),
    }


def _some(value: Any, names: tuple[str, ...]) -> Object:
    return {name: value[name] for name in names if name in value} if isinstance(value, Mapping) else {}
