"""State that moves with a workload: read from the status it leaves behind, put as labels on what comes next."""

from collections.abc import Mapping

from gitops_karmada.core.json_path import PathError, evaluate
from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.frozen import NOTHING, Frozen
from gitops_karmada.model.placement import PurgeMode, StatePreservation


class StateError(Exception):
    """The state to preserve is not there, so the workload stays for now."""


def preserved_state(binding: Binding, preservation: StatePreservation | None, cluster: str) -> Mapping[str, str]:
    """Labels by the rules, from the status in the cluster that is left. Raises StateError."""
    if preservation is None or not preservation.rules:
        return NOTHING
    status = next((it.status for it in binding.status.aggregated_status if it.cluster_name == cluster), None)
    if status is None:
        raise StateError(f"the application status has not yet been collected from Cluster({cluster})")
    try:
        return Frozen({rule.alias_label_name: evaluate(rule.json_path, status) for rule in preservation.rules})
    except PathError as error:
        raise StateError(f"the state to preserve from Cluster({cluster}) cannot be read: {error}") from error


def injected_labels(binding: Binding, cluster: str) -> Mapping[str, str]:
    """The labels that a work in the only target gets: those of the last eviction, which purged its cluster at once."""
    tasks, targets = binding.spec.graceful_eviction_tasks, binding.spec.clusters
    if not tasks or len(targets) != 1 or targets[0].name != cluster:
        return NOTHING
    last = tasks[-1]
    if last.purge_mode is not PurgeMode.DIRECTLY or cluster in last.clusters_before_failover:
        return NOTHING
    return last.preserved_label_state
