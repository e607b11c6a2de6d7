"""Reasons for which a cluster is no candidate. A plugin looks at one cluster and answers with the reason, or None.

It reads nothing but the request and the cluster, and of the targets only whether this cluster is one, so that bindings
that ask the same share the answer.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.placement import Placement


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What one pass of a binding asks of clusters.

    `affinity_name` is the group in force, `targets` the clusters that run it now (also with 0 replicas), `evicting`
    those that it is being evicted from. `companions` are the clusters that all other members of its affinity group
    run in (None: there are none to follow), `rivals` those that members of its anti-affinity group run in.
    """

    api_version: str
    kind: str
    placement: Placement
    affinity_name: str = ""
    is_workload: bool = False
    targets: frozenset[str] = frozenset()
    evicting: frozenset[str] = frozenset()
    companions: frozenset[str] | None = None
    rivals: frozenset[str] = frozenset()


Filter: TypeAlias = Callable[[Request, Cluster], str | None]
