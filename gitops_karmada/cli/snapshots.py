"""What a decision was made on, in a file: the status branch and the members as seen, to replay it anywhere."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from gitops_karmada.cli.output.formats import API_VERSION
from gitops_karmada.core.record import ledger_of
from gitops_karmada.model.clusters import APIEnablement
from gitops_karmada.model.decode import decode, encode
from gitops_karmada.model.federation import Federation
from gitops_karmada.model.members import MemberState, Observed, Unreachable
from gitops_karmada.model.objects import ClusterName, Key
from gitops_karmada.model.plan import Question
from gitops_karmada.model.problems import SettingsError

KIND = "Snapshot"
REQUIRED = {"required": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A member's state; `unreachable` is the reason why there is none. Nodes and pods are None where not listed."""

    cluster: str = field(default="", metadata=REQUIRED)
    observed_at: datetime | None = field(default=None, metadata=REQUIRED)
    unreachable: str = ""
    identity: str = ""
    kubernetes_version: str = ""
    healthy: bool = True
    complete: bool = True
    api_enablements: tuple[APIEnablement, ...] = ()
    nodes: tuple[Mapping[str, Any], ...] | None = None
    pods: tuple[Mapping[str, Any], ...] | None = None
    quotas: tuple[Mapping[str, Any], ...] = ()
    autoscaled: tuple[Key, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """`status` are the files of the status branch by path."""

    api_version: str = API_VERSION
    kind: str = KIND
    now: datetime | None = field(default=None, metadata=REQUIRED)
    status_commit: str = ""
    status: Mapping[str, Any] = field(default_factory=dict)
    members: tuple[Seen, ...] = ()


def write(file: Path, question: Question, status: Mapping[str, Any]) -> None:
    snapshot = Snapshot(
        now=question.now,
        status_commit=question.ledger.commit or "",
        status=status,
        members=tuple(_seen(state) for _, state in sorted(question.members.items())),
    )
    value = {"apiVersion": API_VERSION, "kind": KIND, **encode(snapshot)}
    try:
        file.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n", "utf-8")
    except OSError as error:
        raise SettingsError(f"the snapshot {str(file)!r} cannot be written: {error.strerror}") from error


def read(file: Path, federation: Federation) -> Question:
    """The question as it was, asked of another federation."""
    try:
        found = decode(Snapshot, json.loads(file.read_bytes()))
    except (OSError, ValueError) as error:
        raise SettingsError(f"the snapshot {str(file)!r} cannot be read: {error}") from error
    snapshot = found.value
    if snapshot is None or snapshot.kind != KIND or snapshot.now is None:
        told = "; ".join(f"{fault.path}: {fault.message}" for fault in found.faults) or f"it is no {KIND}"
        raise SettingsError(f"the snapshot {str(file)!r} cannot be used: {told}")
    return Question(
        federation=federation,
        ledger=ledger_of(snapshot.status, snapshot.status_commit or None),
        members={ClusterName(seen.cluster): _state(seen) for seen in snapshot.members},
        now=snapshot.now,
    )


def _seen(state: MemberState) -> Seen:
    if isinstance(state, Unreachable):
        return Seen(cluster=state.cluster, observed_at=state.observed_at, unreachable=state.reason or "unreachable")
    return Seen(
        cluster=state.cluster,
        observed_at=state.observed_at,
        identity=state.identity,
        kubernetes_version=state.kubernetes_version,
        healthy=state.healthy,
        complete=state.complete,
        api_enablements=state.api_enablements,
        nodes=state.nodes,
        pods=state.pods,
        quotas=state.quotas,
        autoscaled=tuple(sorted(state.autoscaled)),
    )


def _state(seen: Seen) -> MemberState:
    cluster, at = ClusterName(seen.cluster), seen.observed_at
    assert at is not None
    if seen.unreachable:
        return Unreachable(cluster=cluster, reason=seen.unreachable, observed_at=at)
    return Observed(
        cluster=cluster,
        observed_at=at,
        identity=seen.identity,
        kubernetes_version=seen.kubernetes_version,
        healthy=seen.healthy,
        complete=seen.complete,
        api_enablements=seen.api_enablements,
        nodes=seen.nodes,
        pods=seen.pods,
        quotas=seen.quotas,
        autoscaled=frozenset(seen.autoscaled),
    )
