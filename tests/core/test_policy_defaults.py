from typing import Any

import pytest

from gitops_karmada.core.policy_defaults import MAX_INT32, default_resource_models, with_policy_defaults
from gitops_karmada.core.validate import broken_rules
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.decode import decode
from gitops_karmada.model.objects import Object, dig


def policy(kind: str = "PropagationPolicy", **spec: Any) -> Object:
    metadata = {"name": "web"} if kind.startswith("Cluster") else {"name": "web", "namespace": "shop"}
    return {"apiVersion": "policy.karmada.io/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec}


def defaulted(obj: Object, *path: str | int) -> Any:
    return dig(with_policy_defaults(obj), *path)


def test_what_the_api_fills_in() -> None:
    spec = defaulted(policy(), "spec")
    assert spec == {
        "priority": 0,
        "preemption": "Never",
        "conflictResolution": "Abort",
        "schedulerName": "default-scheduler",
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"spreadByField": "cluster", "minGroups": 1}),
        ({"spreadByLabel": "x", "minGroups": 0}, {"spreadByLabel": "x", "minGroups": 1}),
        ({"spreadByField": "region", "minGroups": -2}, {"spreadByField": "region", "minGroups": -2}),
    ],
)
def test_spread_constraints(given: dict[str, Any], expected: dict[str, Any]) -> None:
    """A maxGroups that is left out is no upper bound."""
    assert defaulted(policy(placement={"spreadConstraints": [given]}), "spec", "placement", "spreadConstraints", 0) == {
        **expected,
        "maxGroups": MAX_INT32,
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted"}),
        ({"replicaSchedulingType": "Duplicated"}, {"replicaSchedulingType": "Duplicated"}),
        (
            {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Aggregated"},
            {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Aggregated"},
        ),
    ],
)
def test_replica_scheduling(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert (
        defaulted(policy(placement={"replicaScheduling": given}), "spec", "placement", "replicaScheduling") == expected
    )


def test_failover() -> None:
    application = defaulted(
        policy(failover={"application": {"decisionConditions": {}}}), "spec", "failover", "application"
    )
    assert application == {
        "decisionConditions": {"tolerationSeconds": 300},
        "purgeMode": "Gracefully",
        "gracePeriodSeconds": 600,
    }
    never = policy(failover={"application": {"decisionConditions": {}, "purgeMode": "Never"}, "cluster": {}})
    assert "gracePeriodSeconds" not in defaulted(never, "spec", "failover", "application")
    assert defaulted(never, "spec", "failover", "cluster") == {"purgeMode": "Gracefully"}


def test_selectors_mean_the_namespace_of_their_policy() -> None:
    selectors = [{"kind": "A"}, {"kind": "B", "namespace": "other"}]
    for kind in ("PropagationPolicy", "OverridePolicy"):
        found = defaulted(policy(kind, resourceSelectors=selectors), "spec", "resourceSelectors")
        assert [selector["namespace"] for selector in found] == ["shop", "other"]
    for kind in ("ClusterPropagationPolicy", "ClusterOverridePolicy"):
        assert defaulted(policy(kind, resourceSelectors=selectors), "spec", "resourceSelectors") == selectors


def test_service_imports_bring_their_dependencies() -> None:
    selectors = [{"apiVersion": "multicluster.x-k8s.io/v1alpha1", "kind": "ServiceImport"}]
    assert defaulted(policy(resourceSelectors=selectors, propagateDeps=False), "spec", "propagateDeps") is True


def cluster(**spec: Any) -> Object:
    return {"apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster", "metadata": {"name": "m1"}, "spec": spec}


def test_clusters_get_zones_and_grades() -> None:
    assert defaulted(cluster(zone="a"), "spec", "zones") == ["a"]
    assert "zone" not in defaulted(cluster(zone="a"), "spec")
    assert len(defaulted(cluster(), "spec", "resourceModels")) == 9
    own = [
        {"grade": 1, "ranges": [{"name": "cpu", "min": "2", "max": "3"}]},
        {"grade": 0, "ranges": [{"name": "cpu", "min": "1", "max": "2"}]},
    ]
    found = defaulted(cluster(resourceModels=own), "spec", "resourceModels")
    assert [(model["grade"], model["ranges"][0]["min"], model["ranges"][0]["max"]) for model in found] == [
        (0, "0", "2"),
        (1, "2", str(2**63 - 1)),
    ]


def test_the_default_grades_are_valid() -> None:
    assert [one.path for one in broken_rules(decode(Cluster, with_policy_defaults(cluster())).unwrap())] == []
    assert default_resource_models()[3]["ranges"] == [
        {"name": "cpu", "min": "4", "max": "8"},
        {"name": "memory", "min": "32Gi", "max": "64Gi"},
    ]


@pytest.mark.parametrize(
    "spec",
    [
        [],
        "text",
        {"placement": []},
        {"placement": {"spreadConstraints": "x", "replicaScheduling": 3}},
        {"failover": {"application": []}},
        {"resourceSelectors": ["x"]},
    ],
)
def test_wrong_shapes_are_left_for_decoding_to_name(spec: Any) -> None:
    obj = {**policy(), "spec": spec}
    assert set(with_policy_defaults(obj)) == set(obj)
    assert with_policy_defaults({**cluster(), "spec": {"resourceModels": [{"grade": "x"}]}})["kind"] == "Cluster"


def test_defaulting_twice_changes_nothing() -> None:
    once = with_policy_defaults(policy(placement={"spreadConstraints": [{}], "replicaScheduling": {}}))
    assert with_policy_defaults(once) == once
