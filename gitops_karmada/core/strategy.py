"""What a placement says about dividing and spreading, put into the questions that a pass asks."""

from collections.abc import Mapping

from gitops_karmada.model.bindings import BindingSpec, BindingStatus
from gitops_karmada.model.placement import (
    Placement,
    ReplicaDivisionPreference,
    ReplicaSchedulingStrategy,
    ReplicaSchedulingType,
    SpreadConstraint,
    SpreadField,
)
from gitops_karmada.model.settings import FeatureSettings


def is_divided(strategy: ReplicaSchedulingStrategy | None) -> bool:
    """No strategy is Duplicated; a strategy without a type is Divided, the default of the API."""
    return strategy is not None and strategy.replica_scheduling_type is not ReplicaSchedulingType.DUPLICATED


def is_aggregated(strategy: ReplicaSchedulingStrategy | None) -> bool:
    return (
        strategy is not None
        and is_divided(strategy)
        and strategy.replica_division_preference is ReplicaDivisionPreference.AGGREGATED
    )


def is_weighted(strategy: ReplicaSchedulingStrategy | None) -> bool:
    """A division without preference is Weighted, the default of the webhook."""
    return strategy is not None and is_divided(strategy) and not is_aggregated(strategy)


def is_dynamic(strategy: ReplicaSchedulingStrategy | None) -> bool:
    """Whether room decides the division. A dynamic weight wins over a list of static ones."""
    return is_aggregated(strategy) or (
        strategy is not None
        and is_weighted(strategy)
        and strategy.weight_preference is not None
        and strategy.weight_preference.dynamic_weight is not None
    )


def ignores_spread(placement: Placement) -> bool:
    """Static weights name their clusters themselves. An empty `weightPreference` divides evenly, but spreads."""
    strategy = placement.replica_scheduling
    if strategy is None or not is_weighted(strategy):
        return False
    preference = strategy.weight_preference
    return preference is None or (bool(preference.static_weight_list) and preference.dynamic_weight is None)


def spread_by(placement: Placement) -> Mapping[SpreadField | None, SpreadConstraint]:
    return {constraint.spread_by_field: constraint for constraint in placement.spread_constraints}


def counts_sets(spec: BindingSpec, features: FeatureSettings) -> bool:
    """Whether components are placed as whole sets: they all go to one cluster."""
    return (
        features.multiple_pod_templates_scheduling
        and bool(spec.components)
        and spec.placement is not None
        and any(
            constraint.spread_by_field is SpreadField.CLUSTER
            and constraint.min_groups == 1
            and constraint.max_groups == 1
            for constraint in spec.placement.spread_constraints
        )
    )


def is_fresh(spec: BindingSpec, status: BindingStatus) -> bool:
    """Whether a rebalance asks to forget what runs. Times have whole seconds."""
    asked, last = spec.reschedule_triggered_at, status.last_scheduled_time
    return asked is not None and last is not None and asked.replace(microsecond=0) > last.replace(microsecond=0)
