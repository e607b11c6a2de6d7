from dataclasses import replace
from typing import Any

import pytest

from gitops_karmada.core.bind import Wish
from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.core.override import OverrideIndex
from gitops_karmada.core.render import (
    NotRendered,
    Rendered,
    Rendering,
    conflict_resolution,
    is_suspended,
    render,
    staying,
    targets,
)
from gitops_karmada.model.bindings import Binding, BindingSpec, Component, ConflictResolution, TargetCluster
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.decode import decode
from gitops_karmada.model.objects import Object
from gitops_karmada.model.policies import OverridePolicy
from gitops_karmada.model.works import Work
from tests.core.worlds import RESOURCE, YAML, bound, deployment, overriding, propagation

M1 = decode(Cluster, {"metadata": {"name": "m1"}}).unwrap()


def rendering(*policies: OverridePolicy) -> Rendering:
    return Rendering(interpreter=Interpreter(), overrides=OverrideIndex(policies), yaml=YAML)


def work(binding: Binding, obj: Object, replicas: int = 0, *policies: OverridePolicy) -> Work:
    rendered = render(binding, obj, TargetCluster(name="m1", replicas=replicas), M1, rendering(*policies))
    assert isinstance(rendered, Rendered), str(rendered)
    return rendered.work


def spec(**fields: Any) -> BindingSpec:
    return decode(Binding, {"spec": {"resource": RESOURCE, **fields}}).unwrap().spec


def names(*clusters: str) -> list[dict[str, Any]]:
    return [{"name": name} for name in clusters]


def test_targets_are_scheduled_clusters_and_those_of_dependents() -> None:
    both = spec(
        clusters=[{"name": "m1", "replicas": 2}],
        requiredBy=[
            {"name": "a", "clusters": [{"name": "m1", "replicas": 9}]},
            {"name": "b", "clusters": names("m2")},
        ],
    )
    assert [(target.name, target.replicas) for target in targets(both)] == [("m1", 2), ("m2", 0)]
    assert [target.name for target in targets(spec(requiredBy=[{"name": "a", "clusters": names("foo")}]))] == ["foo"]


def test_a_cluster_that_is_left_gracefully_keeps_its_copy() -> None:
    leaving = spec(
        clusters=names("m1"),
        requiredBy=[{"name": "a", "clusters": names("m2")}],
        gracefulEvictionTasks=[
            {"fromCluster": "m3", "purgeMode": "Gracefully"},
            {"fromCluster": "m4", "purgeMode": "Directly"},
        ],
    )
    assert staying(leaving) == {"m1", "m2", "m3"}


@pytest.mark.parametrize(
    ("annotation", "resolution", "expected"),
    [
        ("overwrite", "Abort", "overwrite"),
        ("abort", "Overwrite", "abort"),
        ("InvalidValue", "Overwrite", "overwrite"),
        (None, "Overwrite", "overwrite"),
        (None, "Abort", "abort"),
        ("bogus", None, "abort"),
    ],
)
def test_conflict_resolution(annotation: str | None, resolution: str | None, expected: str) -> None:
    obj = {"metadata": {"annotations": {"work.karmada.io/conflict-resolution": annotation}}}
    wanted = ConflictResolution(resolution) if resolution else None
    assert conflict_resolution(obj, BindingSpec(conflict_resolution=wanted)) == expected


@pytest.mark.parametrize(
    ("suspension", "suspended"),
    [
        (None, False),
        ({"dispatching": True}, True),
        ({"dispatching": False}, False),
        ({"dispatchingOnClusters": {"clusterNames": ["m1"]}}, True),
        ({"dispatchingOnClusters": {"clusterNames": ["m2"]}}, False),
    ],
)
def test_suspension_of_dispatching(suspension: dict[str, Any] | None, suspended: bool) -> None:
    assert is_suspended(spec(suspension=suspension), "m1") is suspended


def test_replicas_are_the_scheduled_ones_whatever_the_template_says() -> None:
    obj = deployment(replicas=3)
    assert work(bound(obj, propagation()), obj, 5).manifest["spec"]["replicas"] == 5
    assert obj["spec"]["replicas"] == 3


def test_a_deployment_of_zero_without_needs_is_no_workload() -> None:
    obj = deployment(replicas=0)
    assert work(bound(obj, propagation(), wish=Wish()), obj, 7).manifest["spec"]["replicas"] == 0


def test_components_are_not_divided() -> None:
    obj = deployment(replicas=3)
    wish = Wish(components=(Component(name="head", replicas=1),))
    assert work(bound(obj, propagation(), wish=wish), obj).manifest["spec"]["replicas"] == 3


def job(**fields: Any) -> Object:
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"namespace": "shop", "name": "run"}, "spec": fields}


DIVIDED = {"placement": {"replicaScheduling": {"replicaSchedulingType": "Divided"}}}


@pytest.mark.parametrize(
    ("policy", "fields", "completions"),
    [
        (DIVIDED, {"parallelism": 10, "completions": 10}, 5),
        (DIVIDED, {"parallelism": 10}, None),
        ({}, {"parallelism": 10, "completions": 10}, 10),
    ],
)
def test_completions_of_jobs_are_shared(
    policy: dict[str, Any], fields: dict[str, int], completions: int | None
) -> None:
    obj = job(**fields)
    clusters = [{"name": "m1", "replicas": 5}, {"name": "m2", "replicas": 5}]
    binding = bound(obj, propagation(**policy), wish=Wish(replicas=10), clusters=clusters)
    assert work(binding, obj, 5).manifest["spec"].get("completions") == completions


def test_an_override_of_replicas_wins_over_the_division() -> None:
    obj = deployment()
    rule = {"overriders": {"plaintext": [{"path": "/spec/replicas", "operator": "replace", "value": 7}]}}
    made = work(bound(obj, propagation()), obj, 5, overriding("seven", overrideRules=[rule]))
    assert made.manifest["spec"]["replicas"] == 7
    assert [
        (entry.policy, [(one.path, one.before, one.after) for one in entry.changes]) for entry in made.overrides
    ] == [("OverridePolicy/shop/seven", [("/spec/replicas", 5, 7)])]


def test_an_override_can_set_the_conflict_resolution() -> None:
    add = {"annotationsOverrider": [{"operator": "add", "value": {"work.karmada.io/conflict-resolution": "overwrite"}}]}
    obj = deployment()
    made = work(bound(obj, propagation()), obj, 3, overriding("adopt", overrideRules=[{"overriders": add}]))
    assert made.conflict_resolution == "overwrite"


def test_an_override_that_fails_says_which_and_where() -> None:
    obj = deployment()
    rule = {"overriders": {"plaintext": [{"path": "/data/mode", "operator": "replace", "value": "x"}]}}
    made = render(
        bound(obj, propagation()),
        obj,
        TargetCluster(name="m1", replicas=3),
        M1,
        rendering(overriding("mix", overrideRules=[rule])),
    )
    assert isinstance(made, NotRendered)
    assert str(made) == (
        "OverridePolicy/shop/mix: spec.overrideRules[0].overriders.plaintext[0]: "
        "replace /data/mode: missing path: there is no 'data'"
    )


def test_an_override_cannot_rename_an_object() -> None:
    obj = deployment()
    rule = {"overriders": {"plaintext": [{"path": "/metadata/name", "operator": "replace", "value": "other"}]}}
    made = render(
        bound(obj, propagation()), obj, TargetCluster(name="m1"), M1, rendering(overriding("r", overrideRules=[rule]))
    )
    assert isinstance(made, NotRendered)
    assert made.policy is not None
    assert "would rename the object" in str(made)


def test_a_cluster_that_is_not_registered_gets_nothing() -> None:
    obj = deployment()
    made = render(bound(obj, propagation()), obj, TargetCluster(name="m9"), None, rendering())
    assert isinstance(made, NotRendered)
    assert "m9" in made.reason


def test_what_a_server_says_is_taken_away_and_the_generation_is_told() -> None:
    obj = {**deployment(), "status": {"replicas": 3}}
    obj = {**obj, "metadata": {**obj["metadata"], "uid": "x", "finalizers": ["y"]}}
    manifest = work(bound(obj, propagation()), obj, 3).manifest
    assert set(manifest) == {"apiVersion", "kind", "metadata", "spec"}
    assert manifest["metadata"] == {
        "namespace": "shop",
        "name": "web",
        "labels": {"app": "web"},
        "annotations": {"resourcetemplate.karmada.io/generation": "1"},
    }


def test_state_follows_a_workload_that_moved_as_a_whole() -> None:
    obj = deployment()
    task = {
        "fromCluster": "m2",
        "purgeMode": "Directly",
        "clustersBeforeFailover": ["m2"],
        "preservedLabelState": {"state": "42"},
    }
    moved = spec(clusters=names("m1"), gracefulEvictionTasks=[task])
    binding = bound(obj, propagation())
    binding = replace(
        binding,
        spec=replace(binding.spec, clusters=moved.clusters, graceful_eviction_tasks=moved.graceful_eviction_tasks),
    )
    assert work(binding, obj, 3).manifest["metadata"]["labels"] == {"app": "web", "state": "42"}
