"""One turn's decision: values in, values out."""

from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitops_karmada.core.record import files_of
from gitops_karmada.model.federation import Ledger
from gitops_karmada.model.members import Unreachable
from gitops_karmada.model.objects import ClusterName, key_of
from gitops_karmada.model.plan import Cause
from gitops_karmada.model.works import Place
from tests.core.questions import (
    CLUSTERS,
    NOW,
    SHOP,
    WEB,
    cluster,
    config_map,
    decided,
    deployment,
    divided,
    ledger_after,
    observed,
    override,
    policy,
    question,
    shares,
    then,
    without,
)

SITE = {
    "targetCluster": {"clusterNames": ["west"]},
    "overriders": {"labelsOverrider": [{"operator": "add", "value": {"site": "w"}}]},
}


def test_replicas_are_divided_and_rendered() -> None:
    answer = decided(question())
    assert shares(answer) == {"east": 4, "west": 2}
    works = {
        place.cluster: work.manifest["spec"]["replicas"] for place, work in answer.works.items() if place.key == WEB
    }
    assert works == {"east": 4, "west": 2}
    assert answer.problems == ()


def test_namespaces_come_along() -> None:
    answer = decided(question())
    namespaces = {place.cluster for place in answer.works if place.key.kind == "Namespace"}
    assert namespaces == {"east", "west"}


@pytest.mark.parametrize(
    "spec",
    [{}, {"members": [{"name": "east", "mode": "render-only"}]}, {"failover": {"enabled": True}}],
    ids=["as it comes", "applied by another tool", "with failover"],
)
def test_planning_twice_changes_nothing(spec: dict[str, object]) -> None:
    answer = decided(question(spec=spec))
    ledger = ledger_after(answer)
    again = decided(question(ledger=ledger, now=NOW + timedelta(hours=1), spec=spec))
    assert files_of(again, ledger) == {}
    assert again.retiring == {}


def test_a_plan_from_the_branch_is_the_plan_from_memory() -> None:
    """A restart forgets nothing: what is read from files decides as what was never written."""
    answer = decided(question())
    kept = replace(
        Ledger(commit="s1", instance="lab", source_commit="c1"),
        bindings=answer.bindings,
        works=answer.works,
        clusters=answer.clusters,
        sources=answer.sources,
        whys=answer.whys,
        memory=answer.memory,
    )
    changed = (*without(SHOP, "web"), deployment(replicas=9))
    assert decided(question(changed, ledger=kept)) == decided(question(changed, ledger=ledger_after(answer)))


@given(seed=st.integers(0, 2**32), replicas=st.integers(0, 50), weights=st.tuples(*[st.integers(1, 9)] * 2))
@settings(max_examples=40, deadline=None)
def test_the_order_of_files_does_not_matter(seed: int, replicas: int, weights: tuple[int, int]) -> None:
    objects = [
        *CLUSTERS,
        policy(weights=dict(zip(("east", "west"), weights, strict=True))),
        *(deployment(f"web-{number}", replicas + number) for number in range(3)),
        override("site", SITE),
        config_map(),
    ]
    shuffled = Random(seed).sample(objects, len(objects))
    members = {name: observed(name) for name in Random(seed).sample(["east", "west"], 2)}
    assert decided(question(shuffled, members=members)) == decided(question(objects))


@given(replicas=st.integers(1, 200), weights=st.tuples(*[st.integers(1, 20)] * 2), grown=st.integers(0, 50))
@settings(max_examples=40, deadline=None)
def test_shares_sum_to_the_wish_and_grow_with_it(replicas: int, weights: tuple[int, int], grown: int) -> None:
    divide = policy(weights=dict(zip(("east", "west"), weights, strict=True)))
    first = decided(question((*CLUSTERS, divide, deployment(replicas=replicas))))
    second = decided(then(first, (*CLUSTERS, divide, deployment(replicas=replicas + grown))))
    before, after = shares(first), shares(second)
    assert sum(before.values()) == replicas
    assert sum(after.values()) == replicas + grown
    assert all(after.get(name, 0) >= share for name, share in before.items())


def test_a_template_that_goes_takes_its_objects_with_it() -> None:
    answer = decided(then(decided(question()), without(SHOP, "web")))
    assert WEB not in answer.bindings
    assert {place.cluster for place in answer.retiring} == {"east", "west"}
    assert {work.retiring for work in answer.retiring.values()} == {"the template was removed"}


def test_an_unread_file_holds_every_delete() -> None:
    """A template that is not there may be in the file that could not be read."""
    answer = decided(then(decided(question()), without(SHOP, "web"), unread=["deployment-web.yaml"]))
    assert answer.retiring == {}
    assert shares(answer) == {"east": 4, "west": 2}
    assert {"deployment-web.yaml could not be read, and its manifest may be there"} <= {
        it.reason for it in answer.holds
    }


def test_an_unread_file_says_nothing_of_namespaces_that_are_needed() -> None:
    """They are no template that may be in it: what goes into them still does."""
    declared = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"team": "web"}}}
    for objects in (SHOP, (*SHOP, declared)):
        first = decided(question(objects))
        answer = decided(then(first, objects, unread=["other.yaml"]))
        assert answer.works == first.works
        assert answer.holds == ()


def test_a_broken_template_keeps_its_last_good_state() -> None:
    first = decided(question())
    answer = decided(then(first, without(SHOP, "web"), broken=[WEB]))
    assert answer.retiring == {}
    assert answer.bindings[WEB] == first.bindings[WEB]
    assert {place: work for place, work in answer.works.items() if place.key == WEB} == {
        place: work for place, work in first.works.items() if place.key == WEB
    }


def test_a_broken_policy_keeps_what_it_placed() -> None:
    first = decided(question())
    wrong = policy(placement={"replicaScheduling": {"replicaSchedulingType": "Sideways"}})
    answer = decided(then(first, (*without(SHOP, "all"), wrong)))
    assert [problem.code for problem in answer.problems] == ["GK2011"]
    assert answer.retiring == {}
    assert shares(answer) == {"east": 4, "west": 2}


def test_a_deleted_policy_keeps_what_it_placed() -> None:
    answer = decided(then(decided(question()), without(SHOP, "all")))
    assert answer.retiring == {}
    assert shares(answer) == {"east": 4, "west": 2}
    assert answer.whys[WEB].claim == ""


def test_an_unreachable_member_keeps_its_share() -> None:
    gone = Unreachable(cluster=ClusterName("west"), reason="refused", observed_at=NOW)
    answer = decided(then(decided(question()), members={"east": observed("east"), "west": gone}))
    assert shares(answer) == {"east": 4, "west": 2}
    assert answer.retiring == {}


def test_a_cluster_that_is_labelled_anew_gets_other_overrides_with_the_next_change() -> None:
    """As in Karmada: nothing is rendered anew because a label of a cluster changed."""
    rule = {**SITE, "targetCluster": {"labelSelector": {"matchLabels": {"tier": "front"}}}}
    objects = (*SHOP, override("site", rule))
    labelled = (*without(objects, "west"), cluster("west", labels={"tier": "front"}))
    first = decided(question(objects))
    place = Place(cluster=ClusterName("west"), key=WEB)
    second = decided(then(first, labelled))
    assert second.works[place] == first.works[place]
    third = decided(then(second, (*without(labelled, "web"), deployment(image="web:2"))))
    assert third.works[place].manifest["metadata"]["labels"]["site"] == "w"


def test_an_override_that_cannot_be_applied_is_said_in_every_turn() -> None:
    rule = {"overriders": {"plaintext": [{"path": "/spec/no/such", "operator": "replace", "value": 1}]}}
    objects = (*SHOP, override("wrong", rule, resourceSelectors=[{"apiVersion": "apps/v1", "kind": "Deployment"}]))
    first = decided(then(decided(question()), objects))
    second = decided(then(first, objects))
    for answer in (first, second):
        assert {problem.code for problem in answer.problems} == {"GK2006"}
        assert len([place for place in answer.works if place.key == WEB]) == 2


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (lambda: (*without(SHOP, "web"), deployment(image="web:2")), Cause.MANIFEST),
        (lambda: (*without(SHOP, "all"), policy(weights={"east": 1, "west": 1})), Cause.POLICY),
        (lambda: (*SHOP, rebalancer()), Cause.REBALANCE),
        (lambda: SHOP, Cause.STATUS),
    ],
    ids=["manifest", "policy", "rebalance", "status"],
)
def test_the_cause_is_the_first_that_applies(change, cause) -> None:  # type: ignore[no-untyped-def]
    answer = decided(then(decided(question()), change(), commit="c2", now=NOW + timedelta(minutes=1)))
    assert answer.cause is cause


def test_room_that_goes_moves_what_is_placed_by_room() -> None:
    by_room = policy(
        placement={
            "replicaScheduling": {
                "replicaSchedulingType": "Divided",
                "replicaDivisionPreference": "Weighted",
                "weightPreference": {"dynamicWeight": "AvailableReplicas"},
            }
        }
    )
    objects = (*CLUSTERS, by_room, deployment(replicas=6))
    first = decided(question(objects))
    assert shares(first) == {"east": 3, "west": 3}
    less = {"east": observed("east"), "west": observed("west", cpu="1")}
    kept = decided(then(first, objects, members=less))
    assert shares(kept) == {"east": 3, "west": 3}
    asked = (*objects, rebalancer())
    moved = decided(then(kept, asked, members=less, now=NOW + timedelta(minutes=1)))
    assert shares(moved)["east"] > 3
    assert moved.rebalancers["again"].status.observed_workloads[0].result == "Successful"
    settled = decided(then(moved, asked, members={"east": observed("east"), "west": observed("west")}))
    assert shares(settled) == shares(moved)


def rebalancer() -> dict[str, object]:
    workload = {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "shop", "name": "web"}
    return {
        "apiVersion": "apps.karmada.io/v1alpha1",
        "kind": "WorkloadRebalancer",
        "metadata": {"name": "again"},
        "spec": {"workloads": [workload]},
    }


def test_a_taint_with_failover_evicts_and_the_copy_stays_until_it_is_replaced() -> None:
    spec = {"failover": {"enabled": True, "noExecuteTaintEviction": True}}
    tainted = (*without(SHOP, "west"), cluster("west", taints=[{"key": "down", "effect": "NoExecute"}]))
    answer = decided(then(decided(question(spec=spec)), tainted, spec=spec))
    assert shares(answer) == {"east": 6}
    assert answer.cause is Cause.FAILOVER
    assert Place(cluster=ClusterName("west"), key=WEB) in answer.works
    assert answer.retiring.keys() == set()


def test_a_lower_priority_finds_less_room() -> None:
    aggregated = {"replicaScheduling": {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Aggregated"}}
    classes = [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
        for name, value in (("high", 1000), ("low", 1))
    ]
    policies = [
        policy(
            name,
            placement=aggregated,
            resourceSelectors=[{"apiVersion": "apps/v1", "kind": "Deployment", "name": name}],
            schedulePriority={"priorityClassSource": "KubePriorityClass", "priorityClassName": name},
        )
        for name in ("high", "low")
    ]
    templates = [deployment("high", replicas=8), deployment("low", replicas=8)]
    members = {"east": observed("east", cpu="8"), "west": observed("west", cpu="4")}
    answer = decided(question((*CLUSTERS, *classes, *policies, *templates), members=members))
    assert shares(answer, key_of(templates[0])) == {"east": 8}
    assert shares(answer, key_of(templates[1])) == {}
    conditions = {it.type: it.reason for it in answer.bindings[key_of(templates[1])].status.conditions}
    assert conditions["Scheduled"] == "Unschedulable"


def test_weights_of_a_strategy_can_be_said_in_any_order() -> None:
    one, other = divided({"east": 2, "west": 1}), divided({"west": 1, "east": 2})
    answers = [
        shares(decided(question((*CLUSTERS, policy(placement={"replicaScheduling": way}), deployment()))))
        for way in (one, other)
    ]
    assert answers[0] == answers[1] == {"east": 4, "west": 2}
