"""What could not be placed, and what nobody places any more, for people."""

from collections.abc import Iterator, Mapping

from gitops_karmada.core.conditions import condition_of
from gitops_karmada.core.explain import decision_of
from gitops_karmada.core.place import SCHEDULED, is_claimed, is_schedulable
from gitops_karmada.core.strategy import ignores_spread, is_divided, spread_by
from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.decisions import Attempt, Outcome
from gitops_karmada.model.federation import Federation
from gitops_karmada.model.objects import Key
from gitops_karmada.model.placement import SpreadField
from gitops_karmada.model.plan import Why
from gitops_karmada.model.problems import Problem, Severity
from gitops_karmada.model.quantity import Quantity

CODE = "GK2055"
LEFT = "GK2056"


def unplaced(bindings: Mapping[Key, Binding], whys: Mapping[Key, Why], federation: Federation) -> Iterator[Problem]:
    """A finding for every binding whose last pass failed."""
    for key, binding in sorted(bindings.items()):
        condition = condition_of(binding.status.conditions, SCHEDULED)
        if condition is None or condition.status != "False" or not is_schedulable(binding):
            continue
        template = federation.templates.get(key)
        told = "; ".join((condition.message.rstrip("."), *_figures(binding, whys.get(key))))
        yield Problem(
            code=CODE,
            location=template.location if template else None,
            subject=str(key),
            message=f"cannot be placed by {policy_of(binding)}: {told}",
            hint=_next_step(binding, condition.reason),
        )


def left_in_place(bindings: Mapping[Key, Binding], federation: Federation) -> Iterator[Problem]:
    """A notice for every template that its policy let go, and that stays where it was."""
    for key, binding in sorted(bindings.items()):
        template = federation.templates.get(key)
        if template is None or binding.spec.placement is None or is_claimed(binding) or not binding.spec.clusters:
            continue
        where = ", ".join(sorted(target.name for target in binding.spec.clusters))
        yield Problem(
            code=LEFT,
            severity=Severity.NOTICE,
            location=template.location,
            subject=str(key),
            message=f"no policy selects it any more; left in place on {where}",
            hint="Changes are not sent there. Commit a policy that selects it, or remove it from the repository",
        )


def policy_of(binding: Binding) -> str:
    """The policy that claimed it: `PropagationPolicy shop/web`."""
    told = binding.metadata.annotations
    if name := told.get("propagationpolicy.karmada.io/name"):
        return f"PropagationPolicy {told.get('propagationpolicy.karmada.io/namespace', '')}/{name}"
    return f"ClusterPropagationPolicy {told.get('clusterpropagationpolicy.karmada.io/name', '')}"


def _figures(binding: Binding, why: Why | None) -> Iterator[str]:
    """The numbers that the scheduler's own message leaves out."""
    decision = decision_of(why) if why else None
    attempt = decision.attempts[0] if decision and decision.attempts else None
    if attempt is None or binding.spec.placement is None:
        return
    fit = len(attempt.candidates.names) + attempt.candidates.omitted
    if attempt.selection.rule or not fit:
        yield from _room(binding, attempt)
        return
    if not ignores_spread(binding.spec.placement):
        for field, constraint in sorted(spread_by(binding.spec.placement).items()):
            there = fit if field is SpreadField.CLUSTER else len(attempt.selection.regions)
            yield f"minGroups {constraint.min_groups} by {field}, and {there} fit"
    yield from _room(binding, attempt)


def _room(binding: Binding, attempt: Attempt) -> Iterator[str]:
    if sets := _set(binding):
        yield f"a whole set needs {sets}"
    if binding.spec.placement is None or not is_divided(binding.spec.placement.replica_scheduling):
        return
    room = [amount for amount in attempt.candidates.room if amount >= 0]
    placed, wanted = sum(target.replicas for target in binding.spec.clusters), binding.spec.replicas
    if room and sum(room) + placed < wanted:
        beside = f" beside the {placed} that are placed" if placed else ""
        yield f"room for {sum(room)} replicas{beside}, and {wanted} are wanted"


def _set(binding: Binding) -> str:
    """What all components of a workload need together."""
    needed: dict[str, Quantity] = {}
    for component in binding.spec.components:
        asked = component.replica_requirements.resource_request if component.replica_requirements else {}
        for name, amount in asked.items():
            needed[name] = needed.get(name, Quantity()) + amount * component.replicas
    return ", ".join(f"{name} {amount}" for name, amount in sorted(needed.items()))


def _next_step(binding: Binding, reason: str) -> str:
    kept = "what runs already stays as it is" if binding.spec.clusters else "nothing is applied until it can"
    if reason == Outcome.QUOTA_EXCEEDED:
        return f"Raise the quota, or ask for less; {kept}"
    way = "Change the placement or the clusters" if reason == Outcome.NO_CLUSTER_FIT else "Make room or ask for less"
    return f"{way}; {kept}. See: gitops-karmada why"
