import random
import time
from typing import Any

import pytest

from gitops_karmada.core.match import ImplicitPriority, PolicyIndex, best_priority, implicit_priority
from gitops_karmada.model.decode import decode
from gitops_karmada.model.policies import PropagationPolicy, ResourceSelector

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"namespace": "default", "name": "test", "labels": {"foo": "bar"}},
}
NGINX = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"namespace": "test", "name": "nginx", "labels": {"app": "nginx"}},
}


def selector(**fields: object) -> ResourceSelector:
    return decode(ResourceSelector, {"apiVersion": "v1", "kind": "Pod", **fields}).unwrap()


def policy(named: str, *, namespace: str = "test", priority: int = 0, **fields: object) -> PropagationPolicy:
    kind = "PropagationPolicy" if namespace else "ClusterPropagationPolicy"
    selectors = [{"apiVersion": "apps/v1", "kind": "Deployment", **fields}]
    return decode(
        PropagationPolicy,
        {
            "kind": kind,
            "metadata": {"name": named, "namespace": namespace},
            "spec": {"priority": priority, "resourceSelectors": selectors},
        },
    ).unwrap()


BY_NAME: dict[str, Any] = {"name": "nginx"}
BY_LABEL: dict[str, Any] = {"labelSelector": {"matchLabels": {"app": "nginx"}}}


@pytest.mark.parametrize(
    ("fields", "level"),
    [
        pytest.param({"apiVersion": "unmatched"}, ImplicitPriority.NONE, id="other-version"),
        pytest.param({"kind": "Unmatched"}, ImplicitPriority.NONE, id="other-kind"),
        pytest.param({"namespace": "elsewhere", "name": "test"}, ImplicitPriority.NONE, id="other-namespace"),
        pytest.param({"name": "test"}, ImplicitPriority.NAME, id="name"),
        pytest.param(
            {"name": "other", "labelSelector": {"matchLabels": {"foo": "bar"}}}, ImplicitPriority.NONE, id="other-name"
        ),
        pytest.param(
            {"name": "test", "labelSelector": {"matchLabels": {"foo": "no"}}},
            ImplicitPriority.NAME,
            id="a-name-makes-labels-count-for-nothing",
        ),
        pytest.param({"labelSelector": {"matchLabels": {"foo": "bar"}}}, ImplicitPriority.LABELS, id="labels"),
        pytest.param({"labelSelector": {"matchLabels": {"foo": "no"}}}, ImplicitPriority.NONE, id="other-labels"),
        pytest.param({}, ImplicitPriority.ALL, id="all-of-the-kind"),
        pytest.param({"labelSelector": {"matchLabels": {"": "x"}}}, ImplicitPriority.NONE, id="invalid-selector"),
        pytest.param({"labelSelector": {}}, ImplicitPriority.LABELS, id="empty-label-selector"),
    ],
)
def test_how_closely_a_selector_means_an_object(fields: dict[str, object], level: ImplicitPriority) -> None:
    assert implicit_priority(selector(**fields), POD) is level


def test_the_closest_selector_of_a_policy_counts_and_none_matches_nothing() -> None:
    assert best_priority([selector(), selector(name="test")], POD) is ImplicitPriority.NAME
    assert best_priority([], POD) is ImplicitPriority.NONE


@pytest.mark.parametrize(
    ("policies", "winner"),
    [
        pytest.param([policy("A"), policy("B")], "A", id="smaller-name"),
        pytest.param([policy("abc"), policy("ab")], "ab", id="shorter-name"),
        pytest.param([policy("a"), policy("b", **BY_LABEL), policy("c", **BY_NAME)], "c", id="closest-selector"),
        pytest.param([policy("a", priority=1), policy("b", **BY_NAME)], "a", id="priority-before-closeness"),
        pytest.param([policy("a", priority=-1, **BY_NAME), policy("b", **BY_LABEL)], "b", id="negative-priority"),
        pytest.param([policy("a", namespace="test01")], None, id="another-namespace"),
        pytest.param(
            [policy("a", priority=-100), policy("b", namespace="", priority=1000, **BY_NAME)],
            "a",
            id="namespaced-first",
        ),
        pytest.param([policy("b", namespace=""), policy("c", namespace="", **BY_NAME)], "c", id="cluster-policies"),
    ],
)
def test_which_policy_gets_an_object(policies: list[PropagationPolicy], winner: str | None) -> None:
    """The same answer in every order of files."""
    for _ in range(4):
        random.Random(1).shuffle(policies)
        best = PolicyIndex(policies).best(NGINX)
        assert (best.metadata.name if best else None) == winner


def test_every_competitor_is_told_why_it_lost() -> None:
    index = PolicyIndex(
        [policy("all"), policy("named", **BY_NAME), policy("b-named", **BY_NAME), policy("c", namespace="", priority=9)]
    )
    winner, *others = index.candidates(NGINX)
    assert winner.policy.metadata.name == "b-named"
    assert winner.lost == ""
    assert {other.policy.metadata.name: other.lost for other in others} == {
        "named": "PropagationPolicy test/b-named wins: equal priority and selectors, and its name sorts first",
        "all": "PropagationPolicy test/b-named wins: it selects by name, this one all of the kind",
        "c": "PropagationPolicy test/b-named wins: a PropagationPolicy goes before every ClusterPropagationPolicy",
    }


def test_many_templates_meet_only_the_policies_that_could_mean_them() -> None:
    """20,000 templates and 1,000 policies by name and by label take seconds at most."""
    policies = [policy(f"n{i}", name=f"web-{i}") for i in range(500)]
    policies += [policy(f"l{i}", labelSelector={"matchLabels": {"app": f"app-{i}"}}) for i in range(500)]
    index = PolicyIndex(policies)
    templates = [
        {**NGINX, "metadata": {"namespace": "test", "name": f"web-{i}", "labels": {"app": f"app-{i}"}}}
        for i in range(20_000)
    ]
    started = time.perf_counter()
    found = [index.best(template) for template in templates]
    assert time.perf_counter() - started < 5
    assert [one.metadata.name for one in found if one] == [f"n{i}" for i in range(500)]
