"""Why a turn changed the status branch: one cause a commit, so that its history can be read and bisected."""

from collections.abc import Mapping
from typing import Final

from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.federation import Federation, Ledger
from gitops_karmada.model.managed_fields import digest
from gitops_karmada.model.objects import Key
from gitops_karmada.model.plan import Cause, Plan

# In the turn's memory: a digest of policies, clusters and all else that is declared beside templates.
DECLARED: Final = "declared"


def declared_digest(federation: Federation) -> str:
    """The same for the same policies and clusters, whatever files they are in."""
    kinds = (
        federation.clusters,
        federation.propagation_policies,
        federation.override_policies,
        federation.taint_policies,
        federation.rebalancers,
        federation.quotas,
        federation.priority_classes,
        federation.customizations,
        federation.webhooks,
    )
    return digest(sorted(digest(declared.manifest) for kind in kinds for declared in kind))


def cause_of(plan: Plan, ledger: Ledger) -> Cause:
    """The first that applies, the most telling first."""
    before, after = ledger.bindings, plan.bindings
    if before.keys() != after.keys() or any(_content(after[key]) != _content(before[key]) for key in after):
        return Cause.MANIFEST
    if any(_tasks(after[key]) - _tasks(before[key]) for key in after):
        return Cause.FAILOVER
    if any(_asked(after[key]) != _asked(before[key]) for key in after):
        return Cause.REBALANCE
    if plan.memory.get(DECLARED) != ledger.memory.get(DECLARED):
        return Cause.POLICY
    return Cause.CAPACITY if _moved(before, after) else Cause.STATUS


def _content(binding: Binding) -> str:
    return binding.spec.resource.resource_version


def _tasks(binding: Binding) -> frozenset[str]:
    return frozenset(task.from_cluster for task in binding.spec.graceful_eviction_tasks)


def _asked(binding: Binding) -> object:
    return binding.spec.reschedule_triggered_at


def _moved(before: Mapping[Key, Binding], after: Mapping[Key, Binding]) -> bool:
    return any(after[key].spec.clusters != before[key].spec.clusters for key in after)
