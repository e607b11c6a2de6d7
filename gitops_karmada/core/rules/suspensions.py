"""Suspension: all clusters or some of them."""

from collections.abc import Iterator

from gitops_karmada.core.rules import Broken
from gitops_karmada.model.policies import PropagationPolicy


def suspensions(policy: PropagationPolicy) -> Iterator[Broken]:
    suspension = policy.spec.suspension
    if suspension is None or not suspension.dispatching or suspension.dispatching_on_clusters is None:
        return
    if suspension.dispatching_on_clusters.cluster_names:
        yield Broken(
            code="GK2025",
            path="spec.suspension",
            message="dispatching: true suspends all clusters, so dispatchingOnClusters cannot name some",
        )
