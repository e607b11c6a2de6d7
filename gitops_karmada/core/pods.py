"""Pods of a member: what they hold of a node."""

from collections.abc import Mapping
from typing import Any

from gitops_karmada.core.amounts import Amounts, amount_of, is_counted
from gitops_karmada.model.objects import Object, dig
from gitops_karmada.model.quantity import quantity


def is_over(pod: Object) -> bool:
    """Succeeded and failed pods hold nothing any more."""
    return dig(pod, "status", "phase") in ("Succeeded", "Failed")


def request_of(pod: Object) -> Amounts:
    """What a pod holds: its containers and sidecars, no less than an init container needs to run, and overhead."""
    spec = dig(pod, "spec")
    held = _sum(*(_requests(container) for container in dig(spec, "containers") or ()))
    starting: Amounts = {}
    sidecars: Amounts = {}
    for container in dig(spec, "initContainers") or ():
        requests = _requests(container)
        if container.get("restartPolicy") == "Always":
            sidecars = _sum(sidecars, requests)
            starting = _largest(starting, sidecars)
        else:
            starting = _largest(starting, _sum(sidecars, requests))
    return _sum(_largest(_sum(held, sidecars), starting), _amounts(dig(spec, "overhead")))


def _requests(container: Object) -> Amounts:
    return _amounts(dig(container, "resources", "requests"))


def _amounts(resources: Any) -> Amounts:
    if not isinstance(resources, Mapping):
        return {}
    return {name: amount_of(name, quantity(value)) for name, value in resources.items() if is_counted(name)}


def _sum(*lists: Mapping[str, int]) -> Amounts:
    total: Amounts = {}
    for amounts in lists:
        for name, amount in amounts.items():
            total[name] = total.get(name, 0) + amount
    return total


def _largest(one: Mapping[str, int], other: Mapping[str, int]) -> Amounts:
    return {name: max(one.get(name, 0), other.get(name, 0)) for name in (*one, *other)}
