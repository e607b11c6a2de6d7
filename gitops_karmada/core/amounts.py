"""Resources as integers, in the units that schedulers count in: milli-units of CPU, whole units of everything else."""

from collections.abc import Mapping
from typing import TypeAlias

from gitops_karmada.model.quantity import MILLI, NANO, Quantity

Amounts: TypeAlias = dict[str, int]

CPU = "cpu"
PODS = "pods"
MAX_INT32 = 2**31 - 1
_PLAIN = frozenset({CPU, "memory", "ephemeral-storage"})


def amount_of(name: str, quantity: Quantity) -> int:
    return quantity.milli if name == CPU else quantity.value


def nano_of(name: str, amount: int) -> int:
    """The way back, in nano-units."""
    return amount * (MILLI if name == CPU else NANO)


def amounts_of(resources: Mapping[str, Quantity]) -> Amounts:
    """What a scheduler counts of a resource list, pods included. Unprefixed names it does not know are left out."""
    return {name: amount_of(name, quantity) for name, quantity in resources.items() if name == PODS or is_counted(name)}


def is_counted(name: str) -> bool:
    return name in _PLAIN or is_scalar(name)


def is_scalar(name: str) -> bool:
    """Extended resources, huge pages, attachable volumes and Kubernetes' own prefixed names."""
    return name.startswith(("hugepages-", "attachable-volumes-")) or "kubernetes.io/" in name or is_extended(name)


def is_extended(name: str) -> bool:
    """A resource of a vendor's domain, such as nvidia.com/gpu."""
    return "/" in name and "kubernetes.io/" not in name and not name.startswith("requests.")


def times_in(free: Mapping[str, int], request: Mapping[str, int]) -> int:
    """How often a request fits, each time with one more pod."""
    most = max(free.get(PODS, 0), 0)
    for name, wanted in request.items():
        if wanted > 0 and name != PODS:
            most = min(most, max(free.get(name, 0), 0) // wanted)
    return most


def take(free: Amounts, request: Mapping[str, int], times: int) -> None:
    """Use the room of `times` pods. Nothing goes below zero."""
    for name, wanted in request.items():
        if name != PODS:
            free[name] = max(free.get(name, 0) - wanted * times, 0)
    free[PODS] = max(free.get(PODS, 0) - times, 0)
