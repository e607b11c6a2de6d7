"""How each cluster of a federation is reached from here: settings and the operator's folders put together."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.federation import Federation
from gitops_karmada.model.members import Deadlines, MemberConnection
from gitops_karmada.model.metadata import ObjectMeta
from gitops_karmada.model.objects import ClusterName
from gitops_karmada.model.problems import Location, Problem, Severity
from gitops_karmada.model.settings import FILE, MemberMode, MemberSettings, Settings

# These credentials are the service account of the pod that runs gitops-karmada, for the cluster that it runs in.
IN_CLUSTER: Final = "in-cluster"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What the operator gives on this machine: the folders of credentials and of directory members, and the credential
    programs that a kubeconfig may run."""

    credentials: Path
    members_dir: Path
    allow_exec: frozenset[str] = frozenset()


def connections(federation: Federation, reach: Reach) -> tuple[MemberConnection, ...]:
    """A connection for every registered cluster. One without settings is a push member that lacks its credentials.

    A member that is set up and no longer registered is reached too: what we placed there has to leave.
    """
    settings = federation.settings
    known = {member.name: member for member in settings.spec.members}
    clusters = {declared.value.name: declared.value for declared in federation.clusters}
    gone = (Cluster(metadata=ObjectMeta(name=name)) for name in sorted(known.keys() - clusters.keys()))
    return tuple(
        _connection(cluster, known.get(cluster.name), settings, reach)
        for cluster in (*clusters.values(), *gone)
        if not _is_unasked(known.get(cluster.name))
    )


def _is_unasked(member: MemberSettings | None) -> bool:
    """Another tool applies there, and we were given no way to look."""
    return member is not None and member.mode is MemberMode.RENDER_ONLY and not member.credentials


def _connection(cluster: Cluster, member: MemberSettings | None, settings: Settings, reach: Reach) -> MemberConnection:
    member = member or MemberSettings(name=cluster.name)
    is_directory = member.mode is MemberMode.DIRECTORY
    here = member.credentials == IN_CLUSTER and not is_directory
    usable = bool(member.credentials) and is_file_name(member.credentials)
    return MemberConnection(
        cluster=ClusterName(cluster.name),
        mode=member.mode,
        kubeconfig=str(reach.credentials / member.credentials) if usable and not is_directory and not here else "",
        in_cluster=here,
        context=member.context,
        impersonate_user=member.impersonate,
        directory=str(reach.members_dir / cluster.name) if is_directory else "",
        declared_apis=cluster.status.api_enablements if is_directory else (),
        allow_exec=reach.allow_exec,
        identity=cluster.spec.id,
        lists_quotas=settings.spec.features.resource_quota_estimate,
        deadlines=_deadlines(settings),
    )


def _deadlines(settings: Settings) -> Deadlines:
    told = settings.spec.deadlines
    return Deadlines(connect=told.connect_seconds, request=told.request_seconds, round=told.member_seconds)


def is_file_name(text: str) -> bool:
    """One plain file of a folder: no path, nothing hidden. What a repository names never leads elsewhere."""
    return Path(text).name == text and not text.startswith(".") and "\0" not in text


def odd_members(federation: Federation) -> Iterator[Problem]:
    """Members that no cluster stands for, clusters that no member is set up for, names that are no file."""
    registered = {declared.value.name: declared for declared in federation.clusters}
    members = federation.settings.spec.members
    yield from (
        _wrong_file(member) for member in members if member.credentials and not is_file_name(member.credentials)
    )
    yield from (_no_cluster(member) for member in members if member.name not in registered)
    yield from (_pulling(member) for member in members if member.mode is MemberMode.PULL)
    yield from _twice(members)
    for name in sorted(registered.keys() - {member.name for member in members}):
        yield Problem(
            code="GK8003",
            severity=Severity.WARNING,
            location=registered[name].location,
            subject=f"Cluster {name}",
            message="no member is set up for this cluster, so nothing is applied to it",
            hint=f"Name it below spec.members in {FILE}",
        )


def _wrong_file(member: MemberSettings) -> Problem:
    return Problem(
        code="GK8003",
        location=Location(file=FILE),
        subject=f"member {member.name}",
        path="credentials",
        message=f"{member.credentials!r} is no file name",
        hint="Name a file of the folder that is given with --credentials; the repository cannot name other paths",
    )


def _pulling(member: MemberSettings) -> Problem:
    return Problem(
        code="GK8003",
        location=Location(file=FILE),
        subject=f"member {member.name}",
        path="mode",
        message="there is no agent for mode pull yet, so nothing would be applied there",
        hint="Use push, or render-only with Argo CD or Flux in the member",
    )


def _no_cluster(member: MemberSettings) -> Problem:
    return Problem(
        code="GK8003",
        severity=Severity.WARNING,
        location=Location(file=FILE),
        subject=f"member {member.name}",
        message="no Cluster of this name is in the repository, so nothing is placed there",
        hint="Register it with a Cluster (cluster.karmada.io/v1alpha1), or remove the member",
    )


def _twice(members: Iterable[MemberSettings]) -> Iterator[Problem]:
    seen: set[str] = set()
    for member in members:
        if member.name in seen:
            yield Problem(
                code="GK8003",
                location=Location(file=FILE),
                subject=f"member {member.name}",
                message="is set up twice; the last one counts",
                hint="Keep one of them",
            )
        seen.add(member.name)
