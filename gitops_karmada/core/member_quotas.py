"""ResourceQuotas of a member: what a namespace may still request there."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gitops_karmada.core.amounts import CPU, Amounts, amount_of, is_extended
from gitops_karmada.core.first_fit import Part
from gitops_karmada.model.objects import Object, dig, metadata_of
from gitops_karmada.model.quantity import quantity

REQUESTS = "requests."
PRIORITY_CLASS = "PriorityClass"


class MemberQuota:
    """One quota. `free` has the resources that it limits; it may fall below zero while a turn hands it out."""

    __slots__ = ("_scopes", "free", "namespace")

    def __init__(self, namespace: str, scopes: Sequence[Mapping[str, Any]], free: Amounts) -> None:
        self.namespace, self._scopes, self.free = namespace, scopes, free

    def copy(self) -> "MemberQuota":
        return MemberQuota(self.namespace, self._scopes, dict(self.free))

    def limits(self, part: Part) -> bool:
        """Whether such pods count against it. Of all scopes only the priority class can tell before they run."""
        if part.namespace != self.namespace:
            return False
        return not self._scopes or any(_matches(scope, part.priority_class) for scope in self._scopes)

    def times(self, wanted: Mapping[str, int]) -> int | None:
        """How often the request has room; None where it asks for nothing that is limited."""
        return min(
            (max(self.free[name], 0) // amount for name, amount in wanted.items() if amount > 0 and name in self.free),
            default=None,
        )

    def use(self, part: Part, replicas: int) -> None:
        for name, amount in part.request.items():
            if name in self.free:
                self.free[name] -= amount * replicas


def member_quotas_of(quotas: Iterable[Object]) -> list[MemberQuota]:
    ordered = sorted(quotas, key=lambda it: str(metadata_of(it).get("name") or ""))
    return [MemberQuota(str(metadata_of(it).get("namespace") or ""), _scopes(it), _free(it)) for it in ordered]


def _scopes(quota: Object) -> list[Mapping[str, Any]]:
    plain = [{"scopeName": name, "operator": "Exists"} for name in dig(quota, "spec", "scopes") or ()]
    return [*plain, *(dig(quota, "spec", "scopeSelector", "matchExpressions") or ())]


def _matches(scope: Mapping[str, Any], priority_class: str) -> bool:
    if scope.get("scopeName") != PRIORITY_CLASS:
        return False
    match scope.get("operator"):
        case "Exists":
            return priority_class != ""
        case "DoesNotExist":
            return priority_class == ""
        case "In":
            return priority_class != "" and priority_class in (scope.get("values") or ())
        case "NotIn":
            return priority_class not in (scope.get("values") or ())
        case _:
            return False


def _free(quota: Object) -> Amounts:
    """What is neither CPU, memory nor a vendor's resource does not limit replicas. `requests.cpu` goes before `cpu`."""
    hard, used = dig(quota, "status", "hard") or {}, dig(quota, "status", "used") or {}
    free: Amounts = {}
    for name in sorted(hard, key=lambda it: it.startswith(REQUESTS)):
        resource = name.removeprefix(REQUESTS)
        if name in used and (resource in (CPU, "memory") or is_extended(resource)):
            free[resource] = amount_of(resource, quantity(hard[name])) - amount_of(resource, quantity(used[name]))
    return free
