"""State that moves with a workload: read from the status it leaves behind, put as labels on what comes next."""

from collections.abc import Mapping

from gitops_karmada.core.json_path import PathError, evaluate
from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.frozen import NOTHING, Frozen
from gitops_karmada.model.placement import StatePreservation


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
