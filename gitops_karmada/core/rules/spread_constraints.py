"""Spread constraints: by a field or a label, bounds that can be met, and clusters always among them."""

from collections.abc import Iterator

from gitops_karmada.core.rules import Broken
from gitops_karmada.model.placement import SpreadConstraint, SpreadField
from gitops_karmada.model.policies import PropagationPolicy

CODE = "GK2022"


def spread_constraints(policy: PropagationPolicy) -> Iterator[Broken]:
    constraints, place = policy.spec.placement.spread_constraints, "spec.placement.spreadConstraints"
    for number, constraint in enumerate(constraints):
        yield from _bounds(constraint, f"{place}[{number}]")
    fields = [constraint.spread_by_field for constraint in constraints if constraint.spread_by_field is not None]
    for field in sorted({field for field in fields if fields.count(field) > 1}):
        yield Broken(code=CODE, path=place, message=f"there is more than one constraint by {field}")
    if fields and SpreadField.CLUSTER not in fields:
        yield Broken(
            code=CODE,
            path=place,
            message=f"a constraint by {fields[0]} needs one by cluster beside it",
            hint="Add {spreadByField: cluster, minGroups: 1}",
        )


def _bounds(constraint: SpreadConstraint, path: str) -> Iterator[Broken]:
    least, most = constraint.min_groups, constraint.max_groups
    if constraint.spread_by_field is not None and constraint.spread_by_label:
        yield Broken(code=CODE, path=path, message="spreadByField and spreadByLabel are both set, only one can count")
    if most < 0:
        yield Broken(code=CODE, path=path, message=f"maxGroups must not be negative, got {most}")
    if least < 0:
        yield Broken(code=CODE, path=path, message=f"minGroups must not be negative, got {least}")
    if 0 < most < least:
        yield Broken(code=CODE, path=path, message=f"maxGroups {most} is lower than minGroups {least}")


def usable_spread(policy: PropagationPolicy) -> Iterator[Broken]:
    """Not a rule of the webhooks, which let a constraint pass that no scheduler understands."""
    for number, constraint in enumerate(policy.spec.placement.spread_constraints):
        if constraint.spread_by_label and constraint.spread_by_field is None:
            yield Broken(
                code=CODE,
                path=f"spec.placement.spreadConstraints[{number}].spreadByLabel",
                message="spreading by a label is not possible",
                hint="Use spreadByField: cluster or region",
            )
