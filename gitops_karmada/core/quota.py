"""FederatedResourceQuota: what a namespace may use in all members together, and what each member enforces itself."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from gitops_karmada.core.amounts import PODS, is_counted
from gitops_karmada.model.bindings import Binding, BindingSpec, TargetCluster
from gitops_karmada.model.objects import ClusterName, Key, Object
from gitops_karmada.model.policies import ClusterQuotaStatus, FederatedResourceQuota, FederatedResourceQuotaStatus
from gitops_karmada.model.quantity import Quantity, quantity
from gitops_karmada.model.works import Place, Work

Usage = Mapping[str, Quantity]


class QuotaLedger:
    """What each quota has left while a turn places bindings, the most important first.

    `bindings` are all there are, with the clusters they have now. Cluster-scoped bindings are never counted.
    """

    def __init__(self, quotas: Iterable[FederatedResourceQuota] = (), bindings: Iterable[Binding] = ()) -> None:
        self._quotas: dict[str, list[FederatedResourceQuota]] = {}
        for quota in sorted(quotas, key=lambda it: (it.metadata.namespace, it.metadata.name)):
            if quota.spec.overall:
                self._quotas.setdefault(quota.metadata.namespace, []).append(quota)
        self._used: dict[str, dict[str, Quantity]] = {namespace: {} for namespace in self._quotas}
        for binding in bindings:
            if binding.metadata.namespace in self._used:
                self._add(binding.metadata.namespace, usage(binding.spec, binding.spec.clusters))

    def objection(self, binding: Binding, targets: Sequence[TargetCluster]) -> str | None:
        """Why these targets would use too much. Using less is never refused, also where the limit fell below it."""
        namespace = binding.metadata.namespace
        more = _difference(usage(binding.spec, targets), usage(binding.spec, binding.spec.clusters))
        for quota in self._quotas.get(namespace, ()):
            for name, limit in sorted(quota.spec.overall.items()):
                if name not in more or more[name].nano <= 0 or not _is_limited(name):
                    continue
                total = self._used[namespace].get(name, Quantity()) + more[name]
                if total > limit:
                    return (
                        f"FederatedResourceQuota({namespace}/{quota.metadata.name}) exceeded for resource {name}: "
                        f"requested sum {_as(total, limit)}, limit {limit}."
                    )
        return None

    def take(self, binding: Binding, targets: Sequence[TargetCluster]) -> None:
        """Count targets that were granted, in place of the previous ones."""
        if binding.metadata.namespace in self._used:
            more = _difference(usage(binding.spec, targets), usage(binding.spec, binding.spec.clusters))
            self._add(binding.metadata.namespace, more)

    def used(self, quota: FederatedResourceQuota) -> dict[str, Quantity]:
        """What is used of each resource that the quota limits."""
        used = self._used.get(quota.metadata.namespace, {})
        return {name: _as(used.get(name, Quantity()), limit) for name, limit in sorted(quota.spec.overall.items())}

    def _add(self, namespace: str, more: Usage) -> None:
        used = self._used[namespace]
        for name, amount in more.items():
            used[name] = used.get(name, Quantity()) + amount


def usage(spec: BindingSpec, targets: Sequence[TargetCluster]) -> dict[str, Quantity]:
    """What a binding requests in all its targets together. With components, every target runs all of them."""
    if spec.components:
        total: dict[str, Quantity] = {}
        for component in spec.components:
            request = component.replica_requirements.resource_request if component.replica_requirements else {}
            for name, amount in request.items():
                total[name] = total.get(name, Quantity()) + amount * (component.replicas * len(targets))
        return {name: amount for name, amount in total.items() if amount}
    request = spec.replica_requirements.resource_request if spec.replica_requirements else {}
    replicas = sum(target.replicas for target in targets)
    return {name: amount * replicas for name, amount in request.items() if amount * replicas}


def static_quotas(quota: FederatedResourceQuota) -> dict[str, Object]:
    """The ResourceQuota that each listed member enforces, by cluster."""
    return {
        assignment.cluster_name: {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": quota.metadata.name, "namespace": quota.metadata.namespace},
            "spec": {"hard": {name: str(amount) for name, amount in sorted(assignment.hard.items())}},
        }
        for assignment in sorted(quota.spec.static_assignments, key=lambda it: it.cluster_name)
    }


def with_reports(quota: FederatedResourceQuota, works: Mapping[Place, Work]) -> FederatedResourceQuota:
    """The quota with what the members that have a share of it report by now."""
    status = quota_status(quota, quota.status.overall_used, _reports(quota, works))
    return quota if status == quota.status else replace(quota, status=status)


def with_usage(
    quota: FederatedResourceQuota, used: Usage | None, works: Mapping[Place, Work]
) -> FederatedResourceQuota:
    """The quota with what placements use, where that is enforced; else what the members report together."""
    return replace(quota, status=quota_status(quota, used, _reports(quota, works)))


def _reports(quota: FederatedResourceQuota, works: Mapping[Place, Work]) -> dict[str, Object]:
    key = Key(group="", kind="ResourceQuota", namespace=quota.metadata.namespace, name=quota.metadata.name)
    names = (ClusterName(assignment.cluster_name) for assignment in quota.spec.static_assignments)
    there = (work for name in names if (work := works.get(Place(cluster=name, key=key))) is not None)
    return {work.cluster: {"status": seen.status} for work in there for seen in work.status.manifest_statuses}


def quota_status(
    quota: FederatedResourceQuota, used: Usage | None, members: Mapping[str, Object]
) -> FederatedResourceQuotaStatus:
    """`members` are the live ResourceQuotas by cluster, `used` what placements use, where that is enforced."""
    aggregated = tuple(_member_status(name, live) for name, live in sorted(members.items()))
    return FederatedResourceQuotaStatus(
        overall=quota.spec.overall,
        overall_used=used if used is not None else _sum(status.used for status in aggregated),
        aggregated_status=aggregated,
    )


def _member_status(name: str, live: Object) -> ClusterQuotaStatus:
    status = live.get("status") or {}
    return ClusterQuotaStatus(
        cluster_name=name, hard=_quantities(status.get("hard") or {}), used=_quantities(status.get("used") or {})
    )


def _quantities(resources: Mapping[str, str | int]) -> dict[str, Quantity]:
    return {name: quantity(amount) for name, amount in sorted(resources.items())}


def _sum(usages: Iterable[Usage]) -> dict[str, Quantity]:
    total: dict[str, Quantity] = {}
    for used in usages:
        for name, amount in used.items():
            total[name] = total.get(name, Quantity()) + amount
    return total


def _difference(after: Usage, before: Usage) -> dict[str, Quantity]:
    names = sorted({*after, *before})
    differences = {name: after.get(name, Quantity()) - before.get(name, Quantity()) for name in names}
    return {name: amount for name, amount in differences.items() if amount}


def _is_limited(name: str) -> bool:
    return name == PODS or is_counted(name)


def _as(amount: Quantity, like: Quantity) -> Quantity:
    return Quantity(amount.nano, like.format)
