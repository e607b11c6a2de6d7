"""What a commit asks for: every manifest in its place, and nothing good lost to something bad."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_karmada.core.federate import federate, in_its_scope
from gitops_karmada.core.scopes import Scopes
from gitops_karmada.model.federation import Federation
from gitops_karmada.model.files import Manifest
from gitops_karmada.model.objects import Key, key_of
from gitops_karmada.model.problems import Problem
from gitops_karmada.model.settings import FederationSpec, SecretHandling, Settings
from tests.core.questions import SHOP, WEB, cluster, config_map, deployment, federation, policy, without, written

SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "shop"}, "data": {"a": "eA=="}}
LEAK = Problem(code="GK1006", message="a Secret with readable values (data.a)")


def read(*manifests: Manifest, secrets: SecretHandling = SecretHandling.REFUSE) -> Federation:
    return federate(manifests, Settings(spec=FederationSpec(secrets=secrets)))


def test_kinds_are_sorted_to_where_they_belong() -> None:
    found = federation(SHOP)
    assert {key.name for key in found.templates} == {"web", "settings"}
    assert [one.value.name for one in found.clusters] == ["east", "west"]
    assert [one.value.metadata.name for one in found.propagation_policies] == ["all"]
    assert found.problems == ()


def test_a_priority_class_orders_bindings_and_can_be_sent_to_members() -> None:
    value = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 7}
    found = federation([value])
    assert [one.value.value for one in found.priority_classes] == [7]
    assert [key.name for key in found.templates] == ["high"]


def test_a_namespace_is_a_template_and_known_by_its_name() -> None:
    found = federation([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}])
    assert found.namespaces["shop"].object == found.templates[Key(group="", kind="Namespace", name="shop")].object


def test_what_is_declared_twice_is_used_nowhere() -> None:
    """Which of two to believe is not ours to guess; both places are named."""
    found = read(written(deployment()), replace(written(deployment(replicas=9), 7), document=2), written(config_map()))
    assert WEB not in found.templates
    assert found.broken == {WEB}
    assert [problem.code for problem in found.problems] == ["GK1007", "GK1007"]
    assert "deployment-web.yaml:7 (document 2)" in found.problems[0].message
    assert len(found.templates) == 1


def test_a_policy_that_is_wrong_is_broken_and_says_where() -> None:
    wrong = policy(placement={"replicaScheduling": {"replicaSchedulingType": "Sideways"}})
    found = federation((*without(SHOP, "all"), wrong))
    assert found.propagation_policies == ()
    assert found.broken == {key_of(wrong)}
    (problem,) = found.problems
    assert problem.path == "spec.placement.replicaScheduling.replicaSchedulingType"
    assert problem.location is not None
    assert problem.location.file == "propagationpolicy-all.yaml"


def test_a_field_that_nobody_reads_is_a_warning() -> None:
    found = federation([cluster("east", tains=[])])
    assert [one.value.name for one in found.clusters] == ["east"]
    assert [(str(problem.severity), problem.path) for problem in found.problems] == [("warning", "spec.tains")]


@pytest.mark.parametrize(
    ("obj", "namespace"),
    [
        (deployment(), "shop"),
        ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}, "default"),
        ({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n", "namespace": "x"}}, ""),
        ({"apiVersion": "toys.example/v1", "kind": "Gizmo", "metadata": {"name": "g"}}, ""),
    ],
    ids=["said", "not said", "has none", "not known"],
)
def test_an_object_gets_the_namespace_that_kubectl_would_give_it(obj: dict[str, Any], namespace: str) -> None:
    assert key_of(in_its_scope(obj, Scopes([]))).namespace == namespace


def test_a_definition_in_the_repository_says_the_scope_of_its_kind() -> None:
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "gizmos.toys.example"},
        "spec": {
            "group": "toys.example",
            "scope": "Namespaced",
            "names": {"kind": "Gizmo", "plural": "gizmos"},
            "versions": [{"name": "v1", "served": True, "storage": True}],
        },
    }
    gizmo = {"apiVersion": "toys.example/v1", "kind": "Gizmo", "metadata": {"name": "g"}}
    found = federation([gizmo, definition])
    assert Key(group="toys.example", kind="Gizmo", namespace="default", name="g") in found.templates


def test_a_readable_secret_is_refused_unless_the_settings_let_it_through() -> None:
    manifest = replace(written(SECRET), leak=LEAK)
    refused = read(manifest)
    assert refused.problems == (LEAK,)
    assert refused.broken == {key_of(SECRET)}
    assert refused.templates == {}
    let_through = read(manifest, secrets=SecretHandling.REDACT)
    assert let_through.problems == ()
    assert let_through.templates[key_of(SECRET)].object["data"] == {"a": "eA=="}


def test_a_half_encrypted_secret_is_refused_under_any_settings() -> None:
    manifest = replace(written(SECRET), leak=LEAK, encrypted=True)
    assert read(manifest, secrets=SecretHandling.REDACT).problems == (LEAK,)


def test_our_own_decisions_are_no_templates() -> None:
    work = {"apiVersion": "work.karmada.io/v1alpha1", "kind": "Work", "metadata": {"name": "w", "namespace": "x"}}
    assert federation([work]).templates == {}


@given(seed=st.integers(0, 2**32))
def test_the_order_of_files_does_not_matter(seed: int) -> None:
    objects = [*SHOP, deployment("other"), deployment("other", replicas=2)]
    shuffled = Random(seed).sample(objects, len(objects))
    one, other = federation(objects), federation(shuffled)
    assert one.templates == other.templates
    assert one.broken == other.broken
    assert one.clusters == other.clusters
