"""A delete needs positive evidence: what may go, what stays, and why."""

from typing import Any

import pytest

from gitops_karmada.core.retire import unreadable
from gitops_karmada.model.federation import Ledger
from gitops_karmada.model.objects import ClusterName, Key
from gitops_karmada.model.plan import Plan, Question
from gitops_karmada.model.problems import Problem
from gitops_karmada.model.works import Place
from tests.core.questions import (
    CLUSTERS,
    SHOP,
    WEB,
    config_map,
    decided,
    deployment,
    ledger_after,
    observed,
    policy,
    question,
    then,
    without,
)

EAST, WEST = (Place(cluster=ClusterName(name), key=WEB) for name in ("east", "west"))


def retiring(answer: Plan) -> dict[Place, str]:
    return {place: work.retiring for place, work in answer.retiring.items() if place.key == WEB}


def test_a_template_that_was_removed_goes_everywhere() -> None:
    answer = decided(then(decided(question()), without(SHOP, "web")))
    assert retiring(answer) == dict.fromkeys((EAST, WEST), "the template was removed")


def test_a_template_that_no_policy_selects_any_more_is_not_called_removed() -> None:
    web = deployment()
    container = {
        **web["spec"]["template"]["spec"]["containers"][0],
        "envFrom": [{"configMapRef": {"name": "settings"}}],
    }
    needing = {**web, "spec": {**web["spec"], "template": {"spec": {"containers": [container]}}}}
    named = [{"apiVersion": "apps/v1", "kind": "Deployment"}]
    shop = (*CLUSTERS, policy(propagateDeps=True, resourceSelectors=named, weights={"east": 1}), config_map())
    answer = decided(then(decided(question((*shop, needing))), (*shop, web)))
    (place,) = answer.retiring
    assert (place.cluster, place.key.name) == ("east", "settings")
    assert answer.retiring[place].retiring == "no policy selects it any more, and no workload brings it along"


def test_a_member_that_is_no_target_any_more_loses_its_copy() -> None:
    answer = decided(then(decided(question()), (*without(SHOP, "all"), policy(weights={"east": 1}))))
    assert retiring(answer) == {WEST: "no longer placed in this cluster"}


def test_what_retires_stays_in_the_ledger_until_it_is_gone() -> None:
    """The second turn still knows it, with the same reason."""
    first = decided(then(decided(question()), without(SHOP, "web")))
    second = decided(then(first, without(SHOP, "web")))
    assert retiring(second) == retiring(first)


def test_what_is_wanted_again_does_not_retire() -> None:
    gone = decided(then(decided(question()), without(SHOP, "web")))
    back = decided(then(gone, SHOP))
    assert retiring(back) == {}
    assert back.works[EAST].retiring == ""


def test_a_cluster_that_is_gone_from_git_but_reached_is_cleaned_up() -> None:
    spec = {"members": [{"name": "west"}]}
    answer = decided(then(decided(question(spec=spec)), without(SHOP, "west"), spec=spec))
    assert retiring(answer) == {WEST: "the cluster was removed"}


def test_a_cluster_that_is_declared_nowhere_is_forgotten_and_left_as_it_is() -> None:
    answer = decided(then(decided(question()), without(SHOP, "west"), members={"east": observed("east")}))
    assert retiring(answer) == {}
    assert WEST not in answer.works
    assert any("forgotten" in hold.reason and hold.place == WEST for hold in answer.holds)


def test_a_cluster_whose_manifest_is_broken_keeps_everything() -> None:
    broken = [Key(group="cluster.karmada.io", kind="Cluster", name="west")]
    answer = decided(then(decided(question()), without(SHOP, "west"), broken=broken))
    assert retiring(answer) == {}
    assert answer.works[WEST].manifest["spec"]["replicas"] == 2


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ({"broken": [WEB]}, "its manifest cannot be used"),
        ({"unread": ["deployment-web.yaml"]}, "deployment-web.yaml could not be read"),
        ({"unread": ["b.yaml", "a.yaml"]}, "a.yaml, b.yaml could not be read"),
    ],
    ids=["broken", "its own file", "other files"],
)
def test_a_template_in_doubt_is_not_deleted(found: dict[str, Any], words: str) -> None:
    answer = decided(then(decided(question()), without(SHOP, "web"), **found))
    assert retiring(answer) == {}
    assert {EAST, WEST} <= answer.works.keys()
    assert any(words in hold.reason for hold in answer.holds)


def test_a_namespace_that_is_needed_no_more_is_released_and_not_deleted() -> None:
    answer = decided(then(decided(question((*CLUSTERS, policy(), deployment()))), (*CLUSTERS, policy())))
    spaces = [work for place, work in answer.retiring.items() if place.key.kind == "Namespace"]
    assert len(spaces) == 2
    assert all(work.preserve for work in spaces)


def asked(**changes: Any) -> Question:
    return question(ledger=ledger_after(decided(question())), **changes)


def reasons(one: Question, ledger: Ledger | None = None) -> list[str]:
    return list(unreadable(ledger or one.ledger, one.federation))


def test_nothing_speaks_against_deletes_when_all_was_read() -> None:
    assert reasons(asked()) == []


def test_what_was_not_read_speaks_against_every_delete() -> None:
    assert reasons(asked(unread=["x.yaml"])) == ["x.yaml could not be read"]


def test_an_empty_source_is_taken_for_a_mistake() -> None:
    (reason,) = reasons(asked(objects=()))
    assert "no manifest at all" in reason


def test_a_damaged_status_branch_speaks_against_deletes() -> None:
    one = asked()
    damaged = Ledger(bindings=one.ledger.bindings, problems=(Problem(code="GK4011", message="damaged"),))
    assert reasons(one, damaged) == ["a file of the status branch could not be understood"]


@pytest.mark.parametrize("objects", [CLUSTERS, (config_map(),)], ids=["clusters", "a template"])
def test_the_last_template_may_go(objects: tuple[Any, ...]) -> None:
    assert reasons(asked(objects=objects)) == []
