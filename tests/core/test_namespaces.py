from collections.abc import Mapping
from typing import Any

import pytest

from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.core.namespaces import bare, is_synced, namespaces_for
from gitops_karmada.core.override import OverrideIndex
from gitops_karmada.core.propagable import Propagable
from gitops_karmada.core.render import Rendering
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.decode import decode
from gitops_karmada.model.objects import ClusterName, Object
from gitops_karmada.model.policies import OverridePolicy
from gitops_karmada.model.works import Work
from tests.core.worlds import YAML, deployment, overriding

CLUSTERS = {ClusterName(name): decode(Cluster, {"metadata": {"name": name}}).unwrap() for name in ("m1", "m2")}


def work(cluster: str, namespace: str, *, suspended: bool = False) -> Work:
    return Work(cluster=ClusterName(cluster), manifest=deployment(namespace=namespace), suspended=suspended)


def made(
    works: list[Work], declared: Mapping[str, Object] | None = None, *policies: OverridePolicy
) -> dict[tuple[str, str], Work]:
    rendering = Rendering(interpreter=Interpreter(), overrides=OverrideIndex(policies), yaml=YAML)
    found = namespaces_for(works, declared or {}, CLUSTERS, rendering, Propagable())
    assert found.failed == ()
    return {(place.cluster, place.key.name): work for place, work in found.works.items()}


def test_namespaces_are_made_where_they_are_needed() -> None:
    found = made([work("m1", "shop"), work("m2", "shop"), work("m2", "pay"), work("m9", "shop")])
    assert sorted(found) == [("m1", "shop"), ("m2", "pay"), ("m2", "shop")]
    assert found["m1", "shop"].manifest == bare("shop")
    assert found["m1", "shop"].preserve


def test_a_declared_namespace_goes_with_its_labels_and_overrides() -> None:
    declared = {"shop": {**bare("shop"), "metadata": {"name": "shop", "labels": {"team": "red"}}}}
    rule: dict[str, Any] = {"overriders": {"labelsOverrider": [{"operator": "add", "value": {"site": "a"}}]}}
    found = made([work("m1", "shop")], declared, overriding("site", namespace="", overrideRules=[rule]))
    assert found["m1", "shop"].manifest["metadata"]["labels"] == {"team": "red", "site": "a"}


def test_a_namespace_that_a_policy_sends_is_left_to_it() -> None:
    sent = Work(cluster=ClusterName("m1"), manifest=bare("shop"))
    assert made([work("m1", "shop"), sent]) == {}


def test_a_namespace_is_suspended_with_all_that_needs_it() -> None:
    found = made([work("m1", "shop", suspended=True), work("m1", "pay", suspended=True), work("m1", "pay")])
    assert {name: one.suspended for (_, name), one in found.items()} == {"shop": True, "pay": False}


@pytest.mark.parametrize(
    ("name", "labels", "synced"),
    [
        ("default", {}, False),
        ("kube-system", {}, False),
        ("karmada-system", {}, False),
        ("team-a", {}, True),
        ("team-a", {"namespace.karmada.io/skip-auto-propagation": "True"}, False),
        ("team-a", {"namespace.karmada.io/skip-auto-propagation": "no"}, True),
    ],
)
def test_which_namespaces_go_by_themselves(name: str, labels: dict[str, str], synced: bool) -> None:
    assert is_synced(name, {**bare(name), "metadata": {"name": name, "labels": labels}}, Propagable()) is synced
