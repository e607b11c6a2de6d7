"""What became of a plan: outcomes and live objects as conditions of works and bindings, and as template statuses."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, assert_never

from gitops_karmada.core.conditions import condition_of, with_condition
from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.core.interpreters import InterpretError
from gitops_karmada.core.quota import with_reports
from gitops_karmada.core.render import staying
from gitops_karmada.model.actions import (
    Applied,
    Conflicting,
    Contested,
    Failed,
    Fault,
    Held,
    Outcome,
    Pruned,
    Receipt,
    Refused,
    Released,
    Unchanged,
)
from gitops_karmada.model.bindings import AggregatedStatusItem, Binding, Health
from gitops_karmada.model.clusters import Condition
from gitops_karmada.model.decode import encode
from gitops_karmada.model.federation import Template
from gitops_karmada.model.objects import Key, Object, gvk_of
from gitops_karmada.model.plan import Plan
from gitops_karmada.model.problems import Location, Problem, Severity
from gitops_karmada.model.works import ManifestIdentifier, ManifestStatus, Place, Work, WorkStatus

APPLIED: Final = "Applied"
DISPATCHING: Final = "Dispatching"
FULLY_APPLIED: Final = "FullyApplied"


def settled(
    plan: Plan,
    outcomes: Mapping[Place, Outcome],
    templates: Mapping[Key, Template],
    interpreter: Interpreter,
    now: datetime,
) -> Plan:
    """The plan with what became of it: works and bindings with their status, and without the objects that are gone."""
    asked = _Asked(interpreter=interpreter)
    works = {place: _settled_work(work, outcomes.get(place), asked, now) for place, work in plan.works.items()}
    gone = {place for place in plan.retiring if isinstance(outcomes.get(place), Pruned | Released)}
    retiring = {place: work for place, work in plan.retiring.items() if place not in gone}
    receipts = _receipts(plan, outcomes, gone)
    by_binding, leaving = _by_binding(works.values()), _by_binding(retiring.values())
    bindings = {
        key: _settled_binding(binding, by_binding.get(key, ()), leaving.get(key, ()), now)
        for key, binding in plan.bindings.items()
    }
    statuses = dict(plan.template_statuses)
    for key, binding in bindings.items():
        if key in templates and (status := _template_status(templates[key].object, binding, asked)) is not None:
            statuses[key] = status
    return replace(
        plan,
        works=works,
        retiring=retiring,
        receipts=receipts,
        bindings=bindings,
        quotas={name: with_reports(quota, works) for name, quota in plan.quotas.items()},
        template_statuses=statuses,
        problems=(*plan.problems, *asked.problems(templates)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The interpreter, and what it could not answer: the first object that each failure was met at."""

    interpreter: Interpreter
    failures: dict[tuple[str, Location | None], Key] = field(default_factory=dict)

    def failed(self, key: Key, failure: InterpretError) -> None:
        self.failures.setdefault((str(failure), failure.location), key)

    def problems(self, templates: Mapping[Key, Template]) -> Iterator[Problem]:
        for (message, location), key in self.failures.items():
            template = templates.get(key)
            yield Problem(
                code="GK2057",
                severity=Severity.WARNING,
                location=location or (template.location if template else None),
                subject=str(key),
                message=message,
                hint="Until then the last status stays, and its health is unknown",
            )


# Works ----------------------------------------------------------------------------------------------------------------


def _settled_work(work: Work, outcome: Outcome | None, asked: _Asked, now: datetime) -> Work:
    conditions = with_condition(work.status.conditions, _dispatching(work), now)
    statuses = work.status.manifest_statuses
    match outcome:
        case None | Held() | Pruned() | Released():
            pass
        case Failed(fault=Fault.UNREACHABLE):
            pass
        case Applied(object=live):
            conditions = with_condition(conditions, _applied(), now)
            statuses = _observed(work, live, statuses, asked)
        case Unchanged(object=live):
            conditions = with_condition(conditions, _applied(), now) if live is not None else conditions
            statuses = _observed(work, live, statuses, asked)
        case Refused(reason=reason) | Conflicting(reason=reason) | Contested(reason=reason) | Failed(reason=reason):
            conditions = with_condition(conditions, _not_applied(reason), now)
        case _:
            assert_never(outcome)
    status = WorkStatus(conditions=conditions, manifest_statuses=statuses)
    return work if status == work.status else replace(work, status=status)


def _dispatching(work: Work) -> Condition:
    if work.suspended:
        return Condition(
            type=DISPATCHING,
            status="False",
            reason="SuspendDispatching",
            message="Work dispatching is in a suspended state.",
        )
    return Condition(
        type=DISPATCHING,
        status="True",
        reason="Dispatching",
        message="Work is being dispatched to member clusters.",
    )


def _applied() -> Condition:
    return Condition(
        type=APPLIED, status="True", reason="AppliedSuccessful", message="Manifest has been successfully applied"
    )


def _not_applied(reason: str) -> Condition:
    return Condition(
        type=APPLIED,
        status="False",
        reason="AppliedFailed",
        message=f"Failed to apply all manifests (0/1): {reason}",
    )


def _observed(
    work: Work, live: Object | None, before: tuple[ManifestStatus, ...], asked: _Asked
) -> tuple[ManifestStatus, ...]:
    """What the live object says of itself. Where it cannot be told, the last status stays."""
    if live is None:
        return before
    try:
        status = asked.interpreter.reflect(live)
    except InterpretError as failure:
        asked.failed(work.key, failure)
        return before
    gvk, key = gvk_of(work.manifest), work.key
    identifier = ManifestIdentifier(
        group=gvk.group, version=gvk.version, kind=gvk.kind, namespace=key.namespace, name=key.name
    )
    return (ManifestStatus(identifier=identifier, status=status, health=_health(work, live, asked)),)


def _health(work: Work, live: Object, asked: _Asked) -> Health:
    try:
        return asked.interpreter.health(live) or Health.HEALTHY
    except InterpretError as failure:
        asked.failed(work.key, failure)
        return Health.UNKNOWN


def _receipts(plan: Plan, outcomes: Mapping[Place, Outcome], gone: set[Place]) -> dict[Place, Receipt]:
    """What the ledger keeps of each place: the newest receipt, until the object is seen to be gone."""
    receipts = {place: receipt for place, receipt in plan.receipts.items() if place not in gone}
    for place, outcome in outcomes.items():
        receipt = getattr(outcome, "receipt", None)
        if place not in gone and receipt is not None and receipt.uid:
            receipts[place] = receipt
    return receipts


# Bindings and templates -----------------------------------------------------------------------------------------------


def _by_binding(works: Iterable[Work]) -> dict[Key, list[Work]]:
    found: dict[Key, list[Work]] = {}
    for work in works:
        if work.binding is not None:
            found.setdefault(work.binding, []).append(work)
    return found


def _settled_binding(binding: Binding, works: Iterable[Work], leaving: Iterable[Work], now: datetime) -> Binding:
    """`leaving` are copies that are not seen to be gone yet: people still find them there."""
    kept = [_item(work) for work in works]
    expected = staying(binding.spec)
    done = bool(expected) and {item.cluster_name for item in kept if item.applied} == expected == {
        item.cluster_name for item in kept
    }
    items = tuple(sorted([*kept, *map(_item, leaving)], key=lambda item: item.cluster_name))
    if not items and not expected and condition_of(binding.status.conditions, FULLY_APPLIED) is None:
        # Nothing was ever to be applied.
        return binding
    conditions = with_condition(binding.status.conditions, _fully_applied(done), now)
    status = replace(binding.status, aggregated_status=items, conditions=conditions)
    return binding if status == binding.status else replace(binding, status=status)


def _item(work: Work) -> AggregatedStatusItem:
    applied = next((condition for condition in work.status.conditions if condition.type == APPLIED), None)
    if applied is None or applied.status != "True":
        message = applied.message if applied else ""
        return AggregatedStatusItem(cluster_name=work.cluster, applied_message=message, health=Health.UNKNOWN)
    seen = next(iter(work.status.manifest_statuses), None)
    return AggregatedStatusItem(
        cluster_name=work.cluster,
        applied=True,
        status=seen.status if seen else None,
        health=(seen.health if seen else None) or Health.UNKNOWN,
    )


def _fully_applied(done: bool) -> Condition:
    if done:
        return Condition(
            type=FULLY_APPLIED,
            status="True",
            reason="FullyAppliedSuccess",
            message="All works have been successfully applied",
        )
    return Condition(
        type=FULLY_APPLIED,
        status="False",
        reason="FullyAppliedFailed",
        message="Failed to apply all works, see status.aggregatedStatus for details",
    )


def _template_status(template: Object, binding: Binding, asked: _Asked) -> Any:
    """The status that the members' reports amount to; None where the kind has no rule."""
    stamped = {**template, "metadata": {**template["metadata"], "generation": binding.metadata.generation}}
    try:
        whole = asked.interpreter.aggregate(stamped, [encode(item) for item in binding.status.aggregated_status])
    except InterpretError as failure:
        asked.failed(binding.key, failure)
        return None
    return whole.get("status") if whole is not None else None
