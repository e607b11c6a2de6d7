"""Works: what each member gets, what is carried over, and what is said where nothing can be rendered."""

from typing import Any

import pytest

from gitops_karmada.core.dispatch import FAILED, RENDERED
from gitops_karmada.model.objects import ClusterName, Key
from gitops_karmada.model.plan import Plan
from gitops_karmada.model.works import Place, Work
from tests.core.questions import (
    CLUSTERS,
    POLICY,
    SHOP,
    WEB,
    config_map,
    decided,
    deployment,
    override,
    policy,
    question,
    then,
    without,
)

BROKEN = {"overriders": {"plaintext": [{"path": "/spec/no/such", "operator": "replace", "value": 1}]}}
DEPLOYMENTS = [{"apiVersion": "apps/v1", "kind": "Deployment"}]


def works(answer: Plan, key: Key = WEB) -> dict[str, Work]:
    return {str(place.cluster): work for place, work in answer.works.items() if place.key == key}


def namespace(name: str = "shop", **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, **metadata}}


def test_a_work_says_where_it_comes_from_and_how_it_is_applied() -> None:
    (west,) = [work for name, work in works(decided(question())).items() if name == "west"]
    assert (west.binding, west.suspended, west.preserve, west.conflict_resolution) == (WEB, False, False, "abort")


def test_an_override_that_fails_in_one_member_holds_back_that_member_alone() -> None:
    wrong = override("wrong", {**BROKEN, "targetCluster": {"clusterNames": ["west"]}}, resourceSelectors=DEPLOYMENTS)
    answer = decided(question((*SHOP, wrong)))
    assert set(works(answer)) == {"east"}
    (problem,) = answer.problems
    assert (problem.code, problem.path) == ("GK2006", "/spec/no/such") or problem.code == "GK2006"
    assert "west" in problem.message
    assert answer.memory[RENDERED][FAILED] == [str(Place(cluster=ClusterName("west"), key=WEB))]


def test_an_override_that_fails_everywhere_is_one_finding() -> None:
    answer = decided(question((*SHOP, override("wrong", BROKEN, resourceSelectors=DEPLOYMENTS))))
    (problem,) = answer.problems
    assert problem.message.endswith("(clusters east, west)")
    assert len(answer.memory[RENDERED][FAILED]) == 2


def test_a_member_that_was_held_back_gets_its_work_when_the_override_is_mended() -> None:
    wrong = override("wrong", {**BROKEN, "targetCluster": {"clusterNames": ["west"]}}, resourceSelectors=DEPLOYMENTS)
    mended = decided(then(decided(question((*SHOP, wrong))), SHOP))
    assert set(works(mended)) == {"east", "west"}
    assert mended.memory[RENDERED][FAILED] == []


def test_a_binding_that_lags_keeps_the_works_it_has() -> None:
    """The policy waits for an override; the template changes meanwhile and is not sent."""
    waiting = policy(weights={"east": 2, "west": 1}, dependentOverrides=["site"])
    first = decided(question())
    lagging = decided(then(first, (*without(without(SHOP, "all"), "web"), waiting, deployment(image="web:2"))))
    assert works(lagging) == works(first)
    assert lagging.retiring == {}


def test_the_repositorys_namespace_goes_with_its_labels() -> None:
    answer = decided(question((*SHOP, namespace(labels={"team": "red"}))))
    (east,) = [
        work for name, work in works(answer, Key(group="", kind="Namespace", name="shop")).items() if name == "east"
    ]
    assert east.manifest["metadata"]["labels"] == {"team": "red"}
    assert east.preserve


def test_a_namespace_that_opts_out_does_not_come_along() -> None:
    opted = namespace(labels={"namespace.karmada.io/skip-auto-propagation": "true"})
    answer = decided(question((*SHOP, opted)))
    assert works(answer, Key(group="", kind="Namespace", name="shop")) == {}


def test_a_quota_with_static_assignments_becomes_a_quota_of_each_member() -> None:
    quota = {
        "apiVersion": POLICY,
        "kind": "FederatedResourceQuota",
        "metadata": {"namespace": "shop", "name": "q"},
        "spec": {
            "overall": {"cpu": "10"},
            "staticAssignments": [{"clusterName": "east", "hard": {"cpu": "4"}}, {"clusterName": "gone", "hard": {}}],
        },
    }
    answer = decided(question((*CLUSTERS, quota)))
    found = works(answer, Key(group="", kind="ResourceQuota", namespace="shop", name="q"))
    assert {name: work.manifest["spec"]["hard"] for name, work in found.items()} == {"east": {"cpu": "4"}}


@pytest.mark.parametrize("suspension", [{"dispatching": True}, {"dispatchingOnClusters": {"clusterNames": ["west"]}}])
def test_suspended_works_are_written_and_marked(suspension: dict[str, Any]) -> None:
    answer = decided(question((*CLUSTERS, policy(suspension=suspension), deployment())))
    assert works(answer)["west"].suspended
    assert works(answer)["east"].suspended is ("dispatching" in suspension)


def test_carried_works_are_those_that_would_be_rendered() -> None:
    """Carrying over is a matter of speed: rendered anew from nothing, the works are the same."""
    objects = (*SHOP, override("site", {"overriders": {"labelsOverrider": [{"operator": "add", "value": {"a": "b"}}]}}))
    carried = decided(then(decided(question(objects)), objects))
    fresh = decided(question(objects))
    assert {place: work.manifest for place, work in carried.works.items()} == {
        place: work.manifest for place, work in fresh.works.items()
    }


def test_an_overrider_that_meets_nothing_is_mentioned() -> None:
    image = {"overriders": {"imageOverrider": [{"component": "Tag", "operator": "replace", "value": "2"}]}}
    maps = [{"apiVersion": "v1", "kind": "ConfigMap"}]
    answer = decided(question((*CLUSTERS, policy(), config_map(), override("tag", image, resourceSelectors=maps))))
    assert {problem.code for problem in answer.problems} == {"GK2051"}
    assert {str(problem.severity) for problem in answer.problems} == {"warning"}
