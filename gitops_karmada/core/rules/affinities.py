"""Cluster affinities: one form or the other, unique names, fields that exist, overflow only where it can work."""

from collections.abc import Iterator

from gitops_karmada.core.rules import Broken
from gitops_karmada.model.placement import (
    AffinityTerm,
    ClusterAffinity,
    Placement,
    ReplicaDivisionPreference,
    ReplicaSchedulingStrategy,
    ReplicaSchedulingType,
)
from gitops_karmada.model.policies import PropagationPolicy
from gitops_karmada.model.selectors import is_label_key

CODE = "GK2021"
_FIELDS = ("provider", "region", "zone")
_OPERATORS = ("In", "NotIn")


def affinities(policy: PropagationPolicy) -> Iterator[Broken]:
    placement, place = policy.spec.placement, "spec.placement"
    if placement.cluster_affinity is not None and placement.cluster_affinities:
        yield Broken(
            code=CODE,
            path=place,
            message="clusterAffinity and clusterAffinities are both set, only one of them can count",
            hint="Move the first into the list, or remove it",
        )
    yield from affinity_fields(placement.cluster_affinity, f"{place}.clusterAffinity")
    yield from _terms(placement, f"{place}.clusterAffinities")


def affinity_fields(affinity: ClusterAffinity | None, place: str) -> Iterator[Broken]:
    """Field selectors know three fields and two operators."""
    if affinity is None or affinity.field_selector is None:
        return
    path = f"{place}.fieldSelector"
    for expression in affinity.field_selector.match_expressions:
        if expression.key not in _FIELDS:
            yield Broken(code=CODE, path=path, message=f"unknown key {expression.key!r}: use provider, region or zone")
        if expression.operator not in _OPERATORS:
            yield Broken(code=CODE, path=path, message=f"unknown operator {expression.operator!r}: use In or NotIn")


def _terms(placement: Placement, place: str) -> Iterator[Broken]:
    names = [term.affinity_name for term in placement.cluster_affinities]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield Broken(code=CODE, path=place, message=f"the affinityName {name!r} is given twice, each must be unique")
    for number, term in enumerate(placement.cluster_affinities):
        path = f"{place}[{number}]"
        yield from _name(term.affinity_name, path)
        yield from affinity_fields(term, path)
        if term.overflow_affinities:
            yield from _overflow(term, placement.replica_scheduling, path)


def _name(name: str, path: str) -> Iterator[Broken]:
    if not is_label_key(name):
        yield Broken(
            code=CODE,
            path=path,
            message=f"the affinityName {name!r} is no name: letters, digits, '-', '_' and '.', at most 63",
        )


def _overflow(term: AffinityTerm, scheduling: ReplicaSchedulingStrategy | None, place: str) -> Iterator[Broken]:
    path = f"{place}.overflowAffinities"
    if not _can_overflow(scheduling):
        yield Broken(
            code=CODE,
            path=path,
            message="overflowAffinities need replicas divided by room: Aggregated, or Weighted with dynamicWeight",
        )
    if not has_criteria(term):
        yield Broken(
            code=CODE,
            path=path,
            message="overflowAffinities need criteria in the group itself: a group of all clusters never overflows",
        )
    seen = {term.affinity_name}
    for number, overflow in enumerate(term.overflow_affinities):
        yield from _name(overflow.affinity_name, f"{path}[{number}]")
        yield from affinity_fields(overflow, f"{path}[{number}]")
        if overflow.affinity_name in seen:
            yield Broken(
                code=CODE,
                path=f"{path}[{number}].affinityName",
                message=f"the affinityName {overflow.affinity_name!r} is already used in this group",
            )
        seen.add(overflow.affinity_name)


def _can_overflow(scheduling: ReplicaSchedulingStrategy | None) -> bool:
    if scheduling is None or scheduling.replica_scheduling_type is not ReplicaSchedulingType.DIVIDED:
        return False
    if scheduling.replica_division_preference is ReplicaDivisionPreference.AGGREGATED:
        return True
    return (
        scheduling.replica_division_preference is ReplicaDivisionPreference.WEIGHTED
        and scheduling.weight_preference is not None
        and scheduling.weight_preference.dynamic_weight is not None
    )


def has_criteria(affinity: ClusterAffinity) -> bool:
    return bool(
        affinity.label_selector is not None
        or affinity.field_selector is not None
        or affinity.cluster_names
        or affinity.exclude
    )
