"""What became of a plan: outcomes as conditions, and what members report."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from gitops_karmada.core.aggregate import settled
from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.core.interpreters import Interpretation, InterpretError
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
    Unchanged,
)
from gitops_karmada.model.bindings import Health
from gitops_karmada.model.objects import ClusterName
from gitops_karmada.model.plan import Plan
from gitops_karmada.model.problems import Location, Severity
from gitops_karmada.model.works import Place
from tests.core.questions import (
    INTERPRETER,
    NOW,
    SHOP,
    WEB,
    decided,
    federation,
    ledger_after,
    policy,
    question,
    then,
    without,
)

EAST, WEST = (Place(cluster=ClusterName(name), key=WEB) for name in ("east", "west"))
LATER = NOW + timedelta(minutes=1)


def live(answer: Plan, place: Place, **status: Any) -> dict[str, Any]:
    manifest = answer.works[place].manifest
    return {**manifest, "metadata": {**manifest["metadata"], "uid": "u1", "generation": 1}, "status": status}


def applied(answer: Plan, place: Place, **status: Any) -> Applied:
    return Applied(place=place, object=live(answer, place, **status), receipt=Receipt(uid="u1", intent="i"))


def running(replicas: int) -> dict[str, int]:
    counts = ("replicas", "readyReplicas", "updatedReplicas", "availableReplicas")
    return {"observedGeneration": 1, **dict.fromkeys(counts, replicas)}


def after(answer: Plan, *outcomes: Outcome, objects: Any = SHOP) -> Plan:
    templates = federation(objects).templates
    return settled(answer, {outcome.place: outcome for outcome in outcomes}, templates, INTERPRETER, LATER)


def condition(plan: Plan, place: Place, kind: str = "Applied") -> tuple[str, str] | None:
    found = [it for it in plan.works[place].status.conditions if it.type == kind]
    return (found[0].status, found[0].reason) if found else None


def fully_applied(plan: Plan) -> tuple[str, str] | None:
    found = [it for it in plan.bindings[WEB].status.conditions if it.type == "FullyApplied"]
    return (found[0].status, found[0].reason) if found else None


def test_applied_everywhere_is_fully_applied() -> None:
    answer = decided(question())
    done = after(answer, applied(answer, EAST, **running(4)), applied(answer, WEST, **running(2)))
    assert condition(done, EAST) == ("True", "AppliedSuccessful")
    assert fully_applied(done) == ("True", "FullyAppliedSuccess")
    items = {it.cluster_name: (it.applied, it.health) for it in done.bindings[WEB].status.aggregated_status}
    assert items == {"east": (True, Health.HEALTHY), "west": (True, Health.HEALTHY)}
    assert done.template_statuses[WEB]["readyReplicas"] == 6
    assert done.receipts[EAST].uid == "u1"


@pytest.mark.parametrize(
    "outcome",
    [
        Refused(place=WEST, reason="owned by Helm (release shop)"),
        Conflicting(place=WEST, reason=".spec.replicas is held by tuner"),
        Contested(place=WEST, reason="tuner writes it too"),
        Failed(place=WEST, reason="admission webhook", fault=Fault.DENIED),
    ],
    ids=lambda outcome: type(outcome).__name__,
)
def test_what_was_not_applied_says_why(outcome: Outcome) -> None:
    answer = decided(question())
    done = after(answer, applied(answer, EAST), outcome)
    assert condition(done, WEST) == ("False", "AppliedFailed")
    assert fully_applied(done) == ("False", "FullyAppliedFailed")
    (item,) = (it for it in done.bindings[WEB].status.aggregated_status if it.cluster_name == "west")
    assert (item.applied, item.health) == (False, Health.UNKNOWN)
    assert outcome.reason in item.applied_message  # type: ignore[union-attr]


def test_a_member_that_was_not_reached_says_nothing_new() -> None:
    """What was known stays: silence is neither success nor failure."""
    first = decided(question())
    done = after(first, applied(first, EAST, **running(4)), applied(first, WEST, **running(2)))
    second = decided(question(ledger=ledger_after(done)))
    silent = Failed(place=WEST, reason="west is unreachable", fault=Fault.UNREACHABLE, transient=True)
    again = after(second, Unchanged(place=EAST, object=live(second, EAST, **running(4))), silent)
    assert again.works[WEST].status == done.works[WEST].status
    assert again.bindings[WEB].status.aggregated_status == done.bindings[WEB].status.aggregated_status


def test_a_member_that_was_never_reached_is_unknown_and_never_healthy() -> None:
    answer = decided(question())
    silent = Failed(place=WEST, reason="west is unreachable", fault=Fault.UNREACHABLE, transient=True)
    done = after(answer, applied(answer, EAST, **running(4)), silent)
    (item,) = (it for it in done.bindings[WEB].status.aggregated_status if it.cluster_name == "west")
    assert (item.applied, item.health) == (False, Health.UNKNOWN)
    assert fully_applied(done) == ("False", "FullyAppliedFailed")


def test_what_did_not_change_keeps_its_times() -> None:
    first = decided(question())
    done = after(first, applied(first, EAST, **running(4)), applied(first, WEST, **running(2)))
    second = decided(question(ledger=ledger_after(done), now=LATER))
    outcomes = {
        place: Unchanged(place=place, object=live(second, place, **running(n))) for place, n in ((EAST, 4), (WEST, 2))
    }
    again = settled(second, outcomes, federation(SHOP).templates, INTERPRETER, LATER + timedelta(hours=1))
    assert again.works == {**again.works, EAST: done.works[EAST], WEST: done.works[WEST]}
    assert again.bindings[WEB] == done.bindings[WEB]


def test_suspended_works_are_not_being_dispatched() -> None:
    suspended = (*without(SHOP, "all"), policy(suspension={"dispatching": True}))
    answer = decided(question(suspended))
    done = after(answer, *(Held(place=place, reason="dispatching is suspended") for place in (EAST, WEST)))
    assert condition(done, EAST, "Dispatching") == ("False", "SuspendDispatching")
    assert condition(done, EAST) is None


def test_an_object_that_is_gone_leaves_the_ledger_and_one_that_stays_does_not() -> None:
    answer = decided(then(decided(question()), without(SHOP, "web")))
    held = Held(place=WEST, reason="deleting, blocked by finalizer example.org/wait")
    done = after(answer, Pruned(place=EAST), held, objects=without(SHOP, "web"))
    assert {place for place in done.retiring if place.key == WEB} == {WEST}


def test_a_copy_that_still_has_to_go_is_still_listed() -> None:
    first = decided(question())
    done = after(first, applied(first, EAST, **running(4)), applied(first, WEST, **running(2)))
    moved = decided(question((*without(SHOP, "all"), policy(weights={"east": 1})), ledger=ledger_after(done)))
    still = after(moved, applied(moved, EAST, **running(6)), Held(place=WEST, reason="over the budget"))
    assert [it.cluster_name for it in still.bindings[WEB].status.aggregated_status] == ["east", "west"]
    assert fully_applied(still) == ("True", "FullyAppliedSuccess")
    gone = after(moved, applied(moved, EAST, **running(6)), Pruned(place=WEST))
    assert [it.cluster_name for it in gone.bindings[WEB].status.aggregated_status] == ["east"]


def test_a_binding_that_was_never_placed_is_not_judged() -> None:
    nowhere = policy(placement={"clusterAffinity": {"clusterNames": ["nowhere"]}})
    answer = decided(question((*without(SHOP, "all"), nowhere)))
    assert fully_applied(after(answer)) is None


def test_receipts_last_as_long_as_the_object() -> None:
    first = decided(question())
    done = after(first, applied(first, EAST), applied(first, WEST))
    leaving = decided(question(without(SHOP, "web"), ledger=ledger_after(done)))
    assert {EAST, WEST} <= leaving.receipts.keys()
    gone = after(leaving, Pruned(place=EAST), Pruned(place=WEST), objects=without(SHOP, "web"))
    assert not {EAST, WEST} & gone.receipts.keys()


def test_an_empty_receipt_is_no_evidence() -> None:
    answer = decided(question())
    nothing = replace(applied(answer, EAST), receipt=Receipt())
    assert EAST not in after(answer, nothing).receipts


def test_a_status_that_cannot_be_told_is_one_finding_for_all_members() -> None:
    """The script's own line is the place to mend; what is not known is never healthy."""
    script = Location(file="policies/deployments.yaml", line=12)

    def health(obj: Any) -> bool:
        raise InterpretError("ResourceInterpreterCustomization deployments: no field 'status'", script)

    answer = decided(question())
    outcomes = {place: applied(answer, place, **running(3)) for place in (EAST, WEST)}
    interpreter = Interpreter(customized={("apps/v1", "Deployment"): Interpretation(health=health)}.get)
    told = settled(answer, outcomes, federation(SHOP).templates, interpreter, LATER)
    (problem,) = told.problems
    assert (problem.code, problem.severity, problem.location) == ("GK2057", Severity.WARNING, script)
    assert problem.subject == str(WEB)
    items = told.bindings[WEB].status.aggregated_status
    assert {item.cluster_name: item.health for item in items} == {"east": Health.UNKNOWN, "west": Health.UNKNOWN}
