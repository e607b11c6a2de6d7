"""In which order a member's actions are done: what others stand on goes first and leaves last."""

from collections.abc import Iterable
from itertools import groupby
from typing import TypeAlias

from gitops_karmada.model.actions import Action, Prune
from gitops_karmada.model.objects import Key

Wave: TypeAlias = tuple[Action, ...]

# By kind, whatever its group. What is not named (custom resources, autoscalers, ingresses) comes after the workloads.
RANKS: tuple[frozenset[str], ...] = (
    frozenset({"Namespace"}),
    frozenset({"CustomResourceDefinition"}),
    frozenset({"PriorityClass", "StorageClass", "RuntimeClass", "IngressClass", "ResourceQuota", "LimitRange"}),
    frozenset({"ServiceAccount", "Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"}),
    frozenset({"ConfigMap", "Secret", "PersistentVolume", "PersistentVolumeClaim"}),
    frozenset({"Service", "NetworkPolicy", "Endpoints", "EndpointSlice"}),
    frozenset(
        {"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Pod", "ReplicationController"}
    ),
)
REST = len(RANKS)
# Once one of these is there, every later write may depend on what it points to.
LAST = frozenset({"APIService", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"})
POLICIES = frozenset({"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"})


def waves(actions: Iterable[Action]) -> tuple[Wave, ...]:
    """The actions of one member, wave after wave: what is written in order, then what is deleted in reverse order.

    The actions of a wave do not depend on one another.
    """
    writes: list[Action] = []
    prunes: list[Action] = []
    for action in actions:
        (prunes if isinstance(action, Prune) else writes).append(action)
    return (*_waves(writes), *reversed(_waves(prunes)))


def _waves(actions: Iterable[Action]) -> tuple[Wave, ...]:
    ordered = sorted(actions, key=lambda action: (rank(action.place.key), action.place.key))
    return tuple(tuple(wave) for _, wave in groupby(ordered, key=lambda action: rank(action.place.key)))


def rank(key: Key) -> int:
    """Smaller goes first when written, last when deleted."""
    if key.kind in LAST | POLICIES:
        return REST + 1
    return next((position for position, kinds in enumerate(RANKS) if key.kind in kinds), REST)
