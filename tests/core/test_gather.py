"""From templates and policies to bindings, and why."""

from dataclasses import replace
from typing import Any

import pytest

from gitops_karmada.core.gather import gathered, with_decision
from gitops_karmada.core.identity import content_of
from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.core.interpreters import InterpretError
from gitops_karmada.core.record import files_of, ledger_of
from gitops_karmada.model.decisions import Attempt, Decision
from gitops_karmada.model.federation import Ledger
from gitops_karmada.model.objects import Key
from gitops_karmada.model.plan import Question, Why
from tests.core.questions import (
    CLUSTERS,
    SHOP,
    WEB,
    config_map,
    decided,
    deployment,
    ledger_after,
    policy,
    question,
    then,
    without,
)

NAMED = [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}]


def found(asked: Question, interpreter: Interpreter | None = None) -> Any:
    contents = {key: content_of(template.object) for key, template in asked.federation.templates.items()}
    return gathered(asked, interpreter or Interpreter(), contents)


def test_a_claimed_template_gets_a_binding_with_its_wish() -> None:
    binding = found(question()).bindings[WEB]
    assert binding.metadata.name == "web-deployment"
    assert binding.spec.replicas == 6
    assert str(binding.spec.replica_requirements.resource_request["cpu"]) == "1"
    assert binding.spec.clusters == ()


def test_why_names_every_policy_that_wanted_it() -> None:
    """The winner has no reason to have lost; the others have."""
    answer = found(question((*SHOP, policy("closer", resourceSelectors=NAMED))))
    why = answer.whys[WEB]
    assert why.claim.endswith("shop/closer")
    lost = {it.policy.rpartition("/")[2]: it.lost for it in why.competitors}
    assert lost["closer"] == ""
    assert lost["all"] != ""
    assert all(it.location is not None for it in why.competitors)


def test_a_template_that_nobody_selects_is_remembered_and_not_bound() -> None:
    """Its content tells a lazy policy, later, whether it changed."""
    only_web = (*CLUSTERS, policy(resourceSelectors=NAMED), config_map())
    answer = found(question(only_web))
    assert answer.bindings == {}
    assert list(answer.unbound) == ["shop/configmap/settings"]


def test_a_lazy_policy_waits_for_the_next_change_of_what_it_finds() -> None:
    lazy = policy(activationPreference="Lazy")
    first = decided(question((*CLUSTERS, deployment())))
    second = decided(then(first, (*CLUSTERS, lazy, deployment())))
    assert WEB not in second.bindings
    third = decided(then(second, (*CLUSTERS, lazy, deployment(image="web:2"))))
    assert third.bindings[WEB].spec.clusters != ()


class Unsure(Interpreter):
    """An interpreter that cannot tell."""

    def replicas(self, obj: Any) -> Any:
        raise InterpretError("spec.replicas: expected a whole number")


def test_a_template_that_cannot_be_interpreted_keeps_the_binding_it_had() -> None:
    ledger = ledger_after(decided(question()))
    answer = found(question((*without(SHOP, "web"), deployment(replicas=9)), ledger=ledger), Unsure())
    assert answer.bindings[WEB].spec == ledger.bindings[WEB].spec
    problem = next(it for it in answer.problems if it.subject == str(WEB))
    assert (problem.code, problem.location.file) == ("GK2050", "deployment-web.yaml")


def test_a_new_template_that_cannot_be_interpreted_is_not_bound() -> None:
    answer = found(question(), Unsure())
    assert WEB not in answer.bindings
    assert "GK2050" in {it.code for it in answer.problems}


def test_a_priority_class_that_is_missing_keeps_the_binding_and_says_so() -> None:
    wanted = policy(schedulePriority={"priorityClassSource": "KubePriorityClass", "priorityClassName": "gone"})
    ledger = ledger_after(decided(question()))
    answer = found(question((*without(SHOP, "all"), wanted), ledger=ledger))
    assert answer.bindings[WEB] == ledger.bindings[WEB]
    assert {it.code for it in answer.problems} == {"GK2049"}


@pytest.mark.parametrize(
    "doubt",
    [{"broken": [WEB]}, {"unread": ["deployment-web.yaml"]}, {"unread": ["other.yaml"]}],
    ids=["broken", "its file unread", "another file unread"],
)
def test_a_template_in_doubt_keeps_its_binding_and_its_record(doubt: dict[str, Any]) -> None:
    ledger = ledger_after(decided(question()))
    answer = found(question(without(SHOP, "web"), ledger=ledger, **doubt))
    assert answer.bindings[WEB] == ledger.bindings[WEB]
    assert answer.whys[WEB] == ledger.whys[WEB]
    assert [hold.key for hold in answer.holds] == [WEB]


def test_what_is_never_propagated_is_not_looked_at() -> None:
    event = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "shop"}}
    selects = policy(resourceSelectors=[{"apiVersion": "v1", "kind": "Event"}])
    answer = found(question((*CLUSTERS, selects, event)))
    assert answer.bindings == {}
    assert answer.unbound == {}


def test_a_status_branch_that_is_empty_is_a_first_turn() -> None:
    answer = found(question(ledger=Ledger()))
    assert set(answer.bindings) == {WEB, Key(group="", kind="ConfigMap", namespace="shop", name="settings")}


def test_a_binding_that_cannot_be_understood_is_not_decided_anew() -> None:
    """What runs somewhere stays there until the file is mended."""
    first = decided(question())
    ledger = ledger_after(first)
    files = files_of(first, Ledger())
    files["bindings/shop/deployment.apps/web.yaml"] = {"spec": {"clusters": "everywhere"}}
    spoilt = ledger_of(files, "s1")
    assert WEB not in spoilt.bindings
    answer = decided(question((*without(SHOP, "web"), deployment(replicas=9)), ledger=spoilt))
    assert WEB not in answer.bindings
    assert answer.retiring == {}
    assert {place: work for place, work in answer.works.items() if place.key == WEB} == {
        place: work for place, work in ledger.works.items() if place.key == WEB
    }
    assert any("cannot be understood" in hold.reason for hold in answer.holds)
    assert "bindings/shop/deployment.apps/web.yaml" not in files_of(answer, spoilt)


def test_a_pass_that_begins_where_the_last_one_ended_is_nothing_new() -> None:
    """Earlier affinity groups are not tried again, and their reasons stay on record."""
    failed, found = Attempt(affinity_name="first", error="no room"), Attempt(affinity_name="second")
    before = Decision(affinity_name="second", attempts=(failed, found))
    last = Why(key=WEB, decision=before)
    assert with_decision(Why(key=WEB), Decision(affinity_name="second", attempts=(found,)), last).decision is before
    other = Decision(affinity_name="second", attempts=(replace(failed, error="no such cluster"), found))
    assert with_decision(Why(key=WEB), other, last).decision is other
