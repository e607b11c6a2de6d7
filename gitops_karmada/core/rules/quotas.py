"""Quotas: amounts that exist, and shares that together fit into the whole."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

from gitops_karmada.core.rules import Broken
from gitops_karmada.model.policies import FederatedResourceQuota
from gitops_karmada.model.quantity import Quantity

CODE: Final = "GK2029"
_LONGEST_NAME: Final = 63


def quotas(quota: FederatedResourceQuota) -> Iterator[Broken]:
    if len(quota.metadata.name) > _LONGEST_NAME:
        yield Broken(code=CODE, path="metadata.name", message=f"must not be longer than {_LONGEST_NAME}")
    if not quota.spec.overall:
        yield Broken(code=CODE, path="spec.overall", message="must name at least one resource")
    yield from _amounts(quota.spec.overall, "spec.overall")
    yield from _assignments(quota)


def _assignments(quota: FederatedResourceQuota) -> Iterator[Broken]:
    overall, together, seen = quota.spec.overall, defaultdict[str, int](int), set[str]()
    for number, assignment in enumerate(quota.spec.static_assignments):
        path = f"spec.staticAssignments[{number}]"
        if not assignment.cluster_name:
            yield Broken(code=CODE, path=f"{path}.clusterName", message="is required")
        if assignment.cluster_name in seen:
            yield Broken(code=CODE, path=f"{path}.clusterName", message=f"{assignment.cluster_name!r} is given twice")
        seen.add(assignment.cluster_name)
        yield from _amounts(assignment.hard, f"{path}.hard")
        for name, amount in sorted(assignment.hard.items()):
            together[name] += amount.nano
            if name not in overall:
                yield Broken(code=CODE, path=f"{path}.hard.{name}", message="is not among the resources of overall")
    for name in sorted(overall):
        if name in together and together[name] > overall[name].nano:
            yield Broken(
                code=CODE,
                path=f"spec.overall.{name}",
                message=f"the static assignments add up to {Quantity(together[name])}, more than {overall[name]}",
            )


def _amounts(amounts: Mapping[str, Quantity], path: str) -> Iterator[Broken]:
    for name, amount in sorted(amounts.items()):
        if amount.nano < 0:
            yield Broken(code=CODE, path=f"{path}.{name}", message=f"must not be negative, got {amount}")
