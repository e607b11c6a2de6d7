"""Rebalancers: at least one workload, each named whole."""

from collections.abc import Iterator
from typing import Final

from gitops_karmada.core.rules import Broken
from gitops_karmada.model.policies import WorkloadRebalancer

CODE: Final = "GK2036"


def rebalancers(rebalancer: WorkloadRebalancer) -> Iterator[Broken]:
    if not rebalancer.spec.workloads:
        yield Broken(code=CODE, path="spec.workloads", message="must name at least one workload")
    for number, workload in enumerate(rebalancer.spec.workloads):
        fields = {"apiVersion": workload.api_version, "kind": workload.kind, "name": workload.name}
        for field, value in fields.items():
            if not value:
                yield Broken(code=CODE, path=f"spec.workloads[{number}].{field}", message="is required")
    ttl = rebalancer.spec.ttl_seconds_after_finished
    if ttl is not None and ttl < 0:
        yield Broken(code=CODE, path="spec.ttlSecondsAfterFinished", message=f"must not be negative, got {ttl}")
