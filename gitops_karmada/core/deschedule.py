"""Replicas whose pods find no node for too long are given back, so that the scheduler can place them elsewhere."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from gitops_karmada.core.strategy import is_dynamic
from gitops_karmada.core.triggers import APPLIED_PLACEMENT, read_applied
from gitops_karmada.model.bindings import Binding, TargetCluster
from gitops_karmada.model.objects import Object, dig, labels_of, metadata_of

UNSCHEDULABLE_THRESHOLD = timedelta(minutes=5)
UNKNOWN = -1


def descheduled(binding: Binding, stuck: Mapping[str, int]) -> Binding:
    """The binding less what `stuck` counts by cluster. Only Deployments divided by room give back."""
    resource = binding.spec.resource
    applied = read_applied(binding.metadata.annotations.get(APPLIED_PLACEMENT, ""))
    if (resource.api_version, resource.kind) != ("apps/v1", "Deployment") or applied is None:
        return binding
    if not is_dynamic(applied.replica_scheduling):
        return binding
    ready = ready_replicas(binding)
    clusters = tuple(_less(it, ready.get(it.name, UNKNOWN), stuck.get(it.name, 0)) for it in binding.spec.clusters)
    if clusters == binding.spec.clusters:
        return binding
    return replace(binding, spec=replace(binding.spec, clusters=clusters))


def ready_replicas(binding: Binding) -> dict[str, int]:
    """Ready replicas by cluster, as the members reported them."""
    found = {}
    for item in binding.status.aggregated_status:
        if item.status is not None:
            ready = item.status.get("readyReplicas")
            found[item.cluster_name] = ready if isinstance(ready, int) else 0
    return found


def _less(target: TargetCluster, ready: int, stuck: int) -> TargetCluster:
    """Never below what is ready, and nothing from a cluster where all are."""
    if ready >= target.replicas or stuck <= 0 or target.replicas < stuck:
        return target
    return replace(target, replicas=max(target.replicas - stuck, ready))


def stuck_replicas(deployment: str, namespace: str, pods: Iterable[Object], now: datetime) -> int:
    """Pods of the newest ReplicaSet of a Deployment that no node has taken for longer than the threshold."""
    by_set: dict[str, list[Object]] = {}
    for pod in pods:
        if metadata_of(pod).get("namespace") == namespace and (owner := _replica_set(pod, deployment)):
            by_set.setdefault(owner, []).append(pod)
    if not by_set:
        return 0
    newest = max(by_set.items(), key=lambda entry: (max(map(_created, entry[1])), entry[0]))[1]
    return sum(is_stuck(pod, now) for pod in newest)


def _replica_set(pod: Object, deployment: str) -> str:
    """The ReplicaSet that made the pod, if it is the Deployment's: its name ends with the hash that the pod carries."""
    expected = f"{deployment}-{labels_of(pod).get('pod-template-hash', '')}"
    owners = metadata_of(pod).get("ownerReferences") or ()
    return next((expected for it in owners if it.get("kind") == "ReplicaSet" and it.get("name") == expected), "")


def _created(pod: Object) -> str:
    return str(metadata_of(pod).get("creationTimestamp") or "")


def is_stuck(pod: Object, now: datetime) -> bool:
    for condition in dig(pod, "status", "conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            since = condition.get("lastTransitionTime")
            long_enough = since is not None and now - datetime.fromisoformat(since) > UNSCHEDULABLE_THRESHOLD
            return condition.get("reason") == "Unschedulable" and long_enough
    return False
