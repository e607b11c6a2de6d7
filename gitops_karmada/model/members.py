"""The member clusters: how to reach one, what was seen of it, and what lies at a place in it."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from gitops_karmada.model.clusters import APIEnablement
from gitops_karmada.model.objects import ClusterName, Key, Object
from gitops_karmada.model.problems import Problem
from gitops_karmada.model.settings import MemberMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadlines:
    """In seconds: to connect, for one request with its answer, and for everything asked of a member in one round."""

    connect: float = 5
    request: float = 30
    round: float = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberConnection:
    """How a member is reached: references only, never a secret itself.

    One of: `kubeconfig` (with `context`); `endpoint` with `token_file` and `ca_file`; `in_cluster`; `directory`.
    Relative paths inside a kubeconfig are relative to it and may not leave its folder.
    `allow_exec` names the credential programs (absolute paths) that the kubeconfig may run; by default none.
    `identity` is the UID of the namespace kube-system that the member must have; empty trusts what answers.
    """

    cluster: ClusterName
    mode: MemberMode
    kubeconfig: str = ""
    context: str = ""
    endpoint: str = ""
    token_file: str = ""
    ca_file: str = ""
    client_certificate_file: str = ""
    client_key_file: str = ""
    tls_server_name: str = ""
    proxy_url: str = ""
    insecure_skip_tls_verify: bool = False
    in_cluster: bool = False
    impersonate_user: str = ""
    impersonate_groups: tuple[str, ...] = ()
    directory: str = ""
    declared_apis: tuple[APIEnablement, ...] = ()
    allow_exec: frozenset[str] = frozenset()
    identity: str = ""
    lists_quotas: bool = False
    deadlines: Deadlines = Deadlines()
    concurrency: int = 16

    @property
    def writable(self) -> bool:
        return self.mode in (MemberMode.PUSH, MemberMode.DIRECTORY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """A member that answered.

    `nodes` and `pods` hold the fields that capacity needs; None is "could not be listed" (or a directory without any),
    which is not the same as an empty tuple. `api_enablements` are sorted and without subresources; where discovery was
    incomplete (`complete` false) the missing groups are filled from the last known ones and `problems` says so.
    `healthy` is false when the API server answers and says that it is not ready.
    `quotas` are its ResourceQuotas, where they are asked for and could be listed.
    `autoscaled` are the objects that a HorizontalPodAutoscaler in the member scales (their group as it names it).
    `missing_verbs` are (verb, resource) pairs that the member's role lacks.
    """

    cluster: ClusterName
    observed_at: datetime
    identity: str = ""
    kubernetes_version: str = ""
    healthy: bool = True
    api_enablements: tuple[APIEnablement, ...] = ()
    complete: bool = True
    nodes: tuple[Object, ...] | None = None
    pods: tuple[Object, ...] | None = None
    quotas: tuple[Object, ...] = ()
    autoscaled: frozenset[Key] = frozenset()
    missing_verbs: tuple[tuple[str, str], ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreachable:
    """A member that did not answer, or not as the member it should be: all of it is unknown, nothing is empty."""

    cluster: ClusterName
    reason: str
    observed_at: datetime
    problems: tuple[Problem, ...] = ()


MemberState: TypeAlias = Observed | Unreachable


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """The member answered that there is no such object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """The object as the member serves it, managed fields included."""

    object: Object


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """The member did not say. `no_such_api` is set when it answered that it does not serve the kind."""

    reason: str
    no_such_api: bool = False


LiveObject: TypeAlias = Absent | Present | Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class LastKnown:
    """What earlier turns knew of a member, for what this one cannot see."""

    api_enablements: tuple[APIEnablement, ...] = ()
    observed_at: datetime | None = None
    identity: str = field(default="")
