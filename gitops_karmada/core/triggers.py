"""Whether a binding needs a scheduling pass. A division that adds up is left alone, whatever changed around it."""

import json
from collections.abc import Iterable
from functools import lru_cache

from gitops_karmada.core.affinity import term_of
from gitops_karmada.core.schedule import SchedulingWorld
from gitops_karmada.core.strategy import is_divided, is_fresh
from gitops_karmada.model.bindings import Binding, BindingSpec
from gitops_karmada.model.clusters import Condition
from gitops_karmada.model.decisions import Outcome, Trigger
from gitops_karmada.model.decode import decode
from gitops_karmada.model.placement import Placement
from gitops_karmada.model.settings import FeatureSettings

APPLIED_PLACEMENT = "policy.karmada.io/applied-placement"
RETRIED = frozenset({Outcome.UNSCHEDULABLE, Outcome.SCHEDULER_ERROR, Outcome.QUOTA_EXCEEDED})


def needs_pass(binding: Binding, world: SchedulingWorld) -> Trigger | None:
    """The first reason to schedule it now, or None."""
    spec = binding.spec
    applied = binding.metadata.annotations.get(APPLIED_PLACEMENT, "")
    if placement_changed(spec.placement or Placement(), applied, binding.status.scheduler_observed_affinity_name):
        return Trigger.PLACEMENT
    if replicas_changed(spec, world.features):
        return Trigger.REPLICAS
    if is_fresh(spec, binding.status):
        return Trigger.RESCHEDULE
    if not spec.is_workload or not is_divided(spec.placement.replica_scheduling if spec.placement else None):
        return Trigger.ALWAYS
    if any(_is_gone(target.name, world) for target in spec.clusters):
        return Trigger.CLUSTER_GONE
    return Trigger.RETRY if _failed(binding.status.conditions) else None


def placement_changed(placement: Placement, applied: str, observed_name: str) -> bool:
    """Whether the placement differs from the applied one in what concerns the group in force.

    Text that cannot be read counts as unchanged, as in Karmada.
    """
    if not applied:
        return True
    before = read_applied(applied)
    if before is None or before == placement:
        return False
    if _without_groups(before) != _without_groups(placement):
        return True
    now, then = term_of(placement, observed_name), term_of(before, observed_name)
    return not observed_name or now is None or then is None or now != then


def _without_groups(placement: Placement) -> tuple[object, ...]:
    return (
        placement.cluster_affinity,
        placement.cluster_tolerations,
        placement.spread_constraints,
        placement.replica_scheduling,
    )


@lru_cache(maxsize=4096)
def read_applied(text: str) -> Placement | None:
    """The placement in the annotation; None where it cannot be read."""
    try:
        return decode(Placement, json.loads(text)).value
    except ValueError:
        return None


def replicas_changed(spec: BindingSpec, features: FeatureSettings) -> bool:
    """Whether the targets do not add up to the wish."""
    strategy = spec.placement.replica_scheduling if spec.placement else None
    if strategy is None:
        return False
    if features.multiple_pod_templates_scheduling and spec.components and not spec.clusters:
        return True
    if is_divided(strategy):
        return sum(target.replicas for target in spec.clusters) != spec.replicas
    return any(target.replicas != spec.replicas for target in spec.clusters)


def _is_gone(name: str, world: SchedulingWorld) -> bool:
    """A cluster whose file is gone, or that is being removed."""
    cluster = world.by_name.get(name)
    return cluster is None or cluster.metadata.deletion_timestamp is not None


def _failed(conditions: Iterable[Condition]) -> bool:
    return any(it.type == "Scheduled" and it.status == "False" and it.reason in RETRIED for it in conditions)
