"""Conditions of clusters, bindings and works: what is so, why, and since when."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from gitops_karmada.model.clusters import Condition


def condition_of(conditions: Iterable[Condition], kind: str) -> Condition | None:
    return next((condition for condition in conditions if condition.type == kind), None)


def with_condition(conditions: tuple[Condition, ...], new: Condition, now: datetime) -> tuple[Condition, ...]:
    """The conditions with this one; its time is when its status last changed."""
    old = condition_of(conditions, new.type)
    if old is not None and (old.status, old.reason, old.message) == (new.status, new.reason, new.message):
        return conditions
    since = old.last_transition_time if old is not None and old.status == new.status else now
    others = [condition for condition in conditions if condition.type != new.type]
    return tuple(sorted([*others, replace(new, last_transition_time=since)], key=lambda condition: condition.type))
