from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gitops_karmada.core.dependencies import DEPENDENCIES, Attached, attach, references_of
from gitops_karmada.core.identity import content_of
from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.model.bindings import Binding, ConflictResolution
from gitops_karmada.model.objects import Key, Object, key_of
from tests.core.worlds import bound, deployment, propagation, selected, with_clusters

CONFIG: Object = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"namespace": "shop", "name": "cfg", "labels": {"for": "web"}},
    "data": {"a": "1"},
}
CFG = key_of(CONFIG)
BY_NAME: Object = {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "shop", "name": "cfg"}


def workload(name: str, *clusters: str, **policy: Any) -> Binding:
    placed = [{"name": cluster, "replicas": 2} for cluster in clusters]
    return bound(deployment(name), propagation(name, propagateDeps=True, **policy), clusters=placed)


def attached(
    *bindings: Binding, references: Sequence[Object] = (BY_NAME,), templates: Mapping[Key, Object] | None = None
) -> Attached:
    return attach(
        {binding.key: binding for binding in bindings},
        {binding.key: references for binding in bindings if binding.spec.propagate_deps},
        {CFG: CONFIG} if templates is None else templates,
        "lab",
    )


def needed(result: Attached) -> list[tuple[str, list[str]]]:
    return [
        (snapshot.name, [target.name for target in snapshot.clusters])
        for snapshot in result.bindings[CFG].spec.required_by
    ]


def test_a_dependency_follows_its_workloads() -> None:
    result = attached(workload("web", "m1", "m2"), workload("api", "m2"))
    assert needed(result) == [("api-deployment", ["m2"]), ("web-deployment", ["m1", "m2"])]
    dependency = result.bindings[CFG]
    assert dependency.metadata.name == "cfg-configmap"
    assert dependency.spec.placement is None
    assert dependency.spec.replicas == 0
    assert result.attached == {CFG}


def test_a_dependency_that_nobody_needs_any_more_is_forgotten() -> None:
    first = attached(workload("web", "m1"))
    web = first.bindings[key_of(deployment("web"))]
    free = replace(web, spec=replace(web.spec, propagate_deps=False))
    assert CFG not in attached(free, first.bindings[CFG]).bindings


def test_a_dependency_with_a_policy_of_its_own_is_on_both() -> None:
    own = bound(CONFIG, propagation("cfg", resourceSelectors=[selected("ConfigMap")]), clusters=[{"name": "m3"}])
    result = attached(workload("web", "m1", conflictResolution="Overwrite"), own)
    dependency = result.bindings[CFG]
    assert [target.name for target in dependency.spec.clusters] == ["m3"]
    assert needed(result) == [("web-deployment", ["m1"])]
    assert dependency.spec.conflict_resolution is ConflictResolution.ABORT
    alone = attach({CFG: dependency}, {}, {CFG: CONFIG}, "lab").bindings[CFG]
    assert alone.spec.required_by == ()
    assert alone.metadata.labels == own.metadata.labels


def test_the_strongest_settings_win_and_differences_are_told() -> None:
    result = attached(
        workload("web", "m1", conflictResolution="Overwrite"), workload("api", "m1", preserveResourcesOnDeletion=True)
    )
    assert result.bindings[CFG].spec.conflict_resolution is ConflictResolution.OVERWRITE
    assert result.bindings[CFG].spec.preserve_resources_on_deletion is True
    (conflict,) = result.conflicts
    assert conflict.message == (
        "conflictResolution conflicted (Overwrite vs Abort); preserveResourcesOnDeletion conflicted (true vs false)"
    )
    assert [key.name for key in conflict.needed_by] == ["api", "web"]


def test_a_missing_dependency_is_told_and_costs_nothing() -> None:
    result = attached(workload("web", "m1"), templates={})
    assert [(one.needed_by.name, one.dependency) for one in result.missing] == [("web", "ConfigMap shop/cfg")]
    assert set(result.bindings) == {key_of(deployment("web"))}


def test_dependencies_by_label() -> None:
    by_label = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "namespace": "shop",
        "labelSelector": {"matchLabels": {"for": "web"}},
    }
    assert needed(attached(workload("web", "m1"), references=[by_label])) == [("web-deployment", ["m1"])]
    nothing = {**by_label, "labelSelector": {"matchLabels": {"for": "api"}}}
    result = attached(workload("web", "m1"), references=[nothing])
    assert CFG not in result.bindings
    assert result.missing == ()


def test_dependencies_are_remembered_while_the_template_is_not_followed() -> None:
    """A changed template whose policy lets it go keeps the dependencies that it ran with."""
    pod = {"volumes": [{"name": "v", "configMap": {"name": "cfg"}}]}
    obj = deployment("web", template={"spec": pod})
    binding = bound(obj, propagation(propagateDeps=True), clusters=[{"name": "m1"}])
    found = references_of(binding, obj, content_of(obj), Interpreter())
    assert list(found) == [BY_NAME]
    recorded = attach({binding.key: binding}, {binding.key: found}, {CFG: CONFIG}, "lab").bindings[binding.key]
    assert DEPENDENCIES in recorded.metadata.annotations
    changed = deployment("web", template={"spec": {}})
    assert list(references_of(recorded, changed, content_of(changed), Interpreter())) == [BY_NAME]
    followed = references_of(recorded, obj, content_of(obj), Interpreter())
    assert list(followed) == [BY_NAME]


def test_attaching_twice_changes_nothing() -> None:
    first = attached(workload("web", "m1"), workload("api", "m2"))
    references = {key: (BY_NAME,) for key, binding in first.bindings.items() if binding.spec.propagate_deps}
    assert attach(first.bindings, references, {CFG: CONFIG}, "lab").bindings == first.bindings


def test_a_workload_that_is_placed_nowhere_brings_nothing() -> None:
    unplaced = workload("web")
    assert attached(unplaced).bindings[CFG].spec.required_by == ()
    first = attached(workload("web", "m1"))
    emptied = with_clusters(first.bindings[unplaced.key], [])
    again = attached(replace(emptied, spec=replace(emptied.spec, clusters=())), first.bindings[CFG])
    assert needed(again) == [("web-deployment", [])]
