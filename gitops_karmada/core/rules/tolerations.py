"""Tolerations: Kubernetes' newer operators Lt and Gt mean nothing to clusters."""

from collections.abc import Iterator

from gitops_karmada.core.rules import Broken
from gitops_karmada.model.policies import PropagationPolicy


def tolerations(policy: PropagationPolicy) -> Iterator[Broken]:
    for number, toleration in enumerate(policy.spec.placement.cluster_tolerations):
        if toleration.operator not in ("", "Equal", "Exists"):
            yield Broken(
                code="GK2033",
                path=f"spec.placement.clusterTolerations[{number}].operator",
                message=f"unknown operator {toleration.operator!r}: use Equal or Exists",
            )
