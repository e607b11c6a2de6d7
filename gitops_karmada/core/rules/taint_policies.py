"""Taint policies: taints once each, and conditions that can be read."""

from collections.abc import Iterator
from typing import Final

from gitops_karmada.core.label_keys import label_key_faults
from gitops_karmada.core.rules import Broken
from gitops_karmada.core.rules.affinities import affinity_fields
from gitops_karmada.model.policies import ClusterTaintPolicy, MatchCondition

CODE: Final = "GK2030"
_EFFECTS: Final = ("NoSchedule", "NoExecute")
_STATUSES: Final = frozenset({"True", "False", "Unknown"})


def taint_policies(policy: ClusterTaintPolicy) -> Iterator[Broken]:
    spec = policy.spec
    if not spec.taints:
        yield Broken(code=CODE, path="spec.taints", message="must name at least one taint")
    seen: set[tuple[str, str]] = set()
    for number, taint in enumerate(spec.taints):
        path = f"spec.taints[{number}]"
        for fault in label_key_faults(taint.key):
            yield Broken(code=CODE, path=f"{path}.key", message=f"{taint.key!r} is no key: {fault}")
        if taint.effect not in _EFFECTS:
            yield Broken(
                code=CODE, path=f"{path}.effect", message=f"{taint.effect!r} is no effect of a cluster's taint"
            )
        if (taint.key, taint.effect) in seen:
            yield Broken(code=CODE, path=path, message=f"the taint {taint.key}:{taint.effect} is given twice")
        seen.add((taint.key, taint.effect))
    yield from affinity_fields(spec.target_clusters, "spec.targetClusters")
    yield from _conditions(spec.add_on_conditions, "spec.addOnConditions")
    yield from _conditions(spec.remove_on_conditions, "spec.removeOnConditions")


def _conditions(conditions: tuple[MatchCondition, ...], place: str) -> Iterator[Broken]:
    for number, condition in enumerate(conditions):
        path = f"{place}[{number}]"
        if condition.operator not in ("In", "NotIn"):
            yield Broken(
                code=CODE, path=f"{path}.operator", message=f"unknown operator {condition.operator!r}: In, NotIn"
            )
        unknown = sorted(set(condition.status_values) - _STATUSES)
        if unknown or not condition.status_values:
            yield Broken(
                code=CODE, path=f"{path}.statusValues", message=f"must be some of True, False, Unknown, got {unknown}"
            )
