from dataclasses import replace
from typing import Any

import pytest

from gitops_karmada.core.bind import Unbound, Wish, bind, merged_suspension, wish_of
from gitops_karmada.core.claim import claim_of
from gitops_karmada.core.identity import content_of
from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.model.bindings import Binding, ConflictResolution, GracefulEvictionTask
from gitops_karmada.model.decode import decode, encode
from gitops_karmada.model.placement import Suspension
from gitops_karmada.model.settings import FeatureSettings
from tests.core.worlds import SETTINGS, bound, deployment, propagation

WEB = deployment()


def test_a_new_binding_has_names_for_life() -> None:
    binding = bound(WEB, propagation())
    again = bound(deployment(replicas=9), propagation("another"))
    assert (binding.kind, binding.metadata.namespace, binding.metadata.name) == (
        "ResourceBinding",
        "shop",
        "web-deployment",
    )
    assert binding.spec.resource.uid == again.spec.resource.uid
    assert binding.metadata.uid == again.metadata.uid
    assert binding.metadata.labels["resourcebinding.karmada.io/permanent-id"] == binding.metadata.uid
    other = bound({**WEB, "apiVersion": "example.io/v1"}, propagation())
    assert other.metadata.uid != binding.metadata.uid


def test_a_template_without_a_namespace_has_a_cluster_binding() -> None:
    role = {"apiVersion": "v1", "kind": "ClusterRole", "metadata": {"name": "system:foo"}}
    binding = bound(
        role, propagation(namespace="", schedulePriority={"priorityClassSource": "x", "priorityClassName": "y"})
    )
    assert (binding.kind, binding.metadata.name) == ("ClusterResourceBinding", "system.foo-clusterrole")
    assert binding.spec.schedule_priority is None


def test_generation_counts_contents() -> None:
    first = bound(WEB, propagation())
    second = bound(deployment(replicas=9), propagation(), first)
    assert [first.metadata.generation, bound(WEB, propagation("x"), first).metadata.generation] == [1, 1]
    assert second.metadata.generation == 2
    assert content_of({**WEB, "status": {"replicas": 1}}) == content_of(WEB)


def test_what_others_wrote_into_a_binding_stays() -> None:
    first = bound(WEB, propagation(), clusters=[{"name": "m1", "replicas": 3}])
    task = GracefulEvictionTask(from_cluster="m2", reason="TaintUntolerated")
    first = replace(first, spec=replace(first.spec, graceful_eviction_tasks=(task,)))
    second = bound(WEB, propagation(conflictResolution="Overwrite", preserveResourcesOnDeletion=True), first)
    assert second.spec.clusters == first.spec.clusters
    assert second.spec.graceful_eviction_tasks == (task,)
    assert second.spec.conflict_resolution is ConflictResolution.OVERWRITE
    assert second.spec.preserve_resources_on_deletion is True
    assert second.spec.scheduler_name == "default-scheduler"


@pytest.mark.parametrize(
    ("wanted", "current", "expected"),
    [
        (None, Suspension(dispatching=True), None),
        (None, Suspension(dispatching=True, scheduling=True), Suspension(scheduling=True)),
        (Suspension(dispatching=True), Suspension(scheduling=True), Suspension(dispatching=True, scheduling=True)),
        (Suspension(dispatching=False), None, Suspension(dispatching=False)),
    ],
)
def test_suspension_is_merged(
    wanted: Suspension | None, current: Suspension | None, expected: Suspension | None
) -> None:
    assert merged_suspension(wanted, current) == expected


def priority(source: str, name: str) -> dict[str, Any]:
    return {"schedulePriority": {"priorityClassSource": source, "priorityClassName": name}}


def test_priority_comes_from_the_priority_class() -> None:
    found = bound(WEB, propagation(**priority("KubePriorityClass", "high")))
    assert found.spec.schedule_priority is not None
    assert found.spec.schedule_priority.priority == 1000


@pytest.mark.parametrize(
    ("source", "name", "code"), [("KubePriorityClass", "low", "GK2049"), ("Other", "high", "GK2011")]
)
def test_a_priority_that_cannot_be_found_holds_the_binding(source: str, name: str, code: str) -> None:
    found = bind(WEB, propagation(**priority(source, name)), Wish(), SETTINGS, content="c", applied="p")
    assert isinstance(found, Unbound)
    assert found.code == code


def test_workloads_are_grouped_by_their_labels() -> None:
    policy = propagation(
        placement={
            "workloadAffinity": {"affinity": {"groupByLabelKey": "app"}, "antiAffinity": {"groupByLabelKey": "tier"}}
        }
    )
    groups = bound(WEB, policy).spec.workload_affinity_groups
    assert groups is not None
    assert (groups.affinity_group, groups.anti_affinity_group) == ("app=web", "")
    assert bound(deployment(labels={"x": "y"}), policy).spec.workload_affinity_groups is None


def test_the_wish_is_what_the_interpreter_tells() -> None:
    container = {"name": "main", "image": "web:1", "resources": {"requests": {"cpu": "250m"}}}
    obj = deployment(template={"spec": {"containers": [container]}})
    wish = wish_of(obj, Interpreter(), FeatureSettings(resource_quota_estimate=True))
    assert wish.replicas == 3
    assert wish.requirements is not None
    assert str(wish.requirements.resource_request["cpu"]) == "250m"
    assert wish.requirements.namespace == "shop"
    assert (
        wish_of({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}}, Interpreter(), FeatureSettings()) == Wish()
    )


def test_a_binding_is_read_back_as_it_was() -> None:
    binding = bound(WEB, propagation())
    assert decode(Binding, encode(binding)).unwrap() == binding
    assert claim_of(decode(Binding, encode(binding)).unwrap()) == claim_of(binding)
