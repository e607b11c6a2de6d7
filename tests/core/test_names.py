"""Karmada's names, as its own tests have them (propagation reference 0.8)."""

import pytest

from gitops_karmada.core.names import (
    binding_name,
    binding_reference_key,
    execution_space,
    is_reserved_namespace,
    work_name,
)


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("Pods", "pod", "pod-pods"),
        ("pods", "Pod", "pod-pods"),
        ("Role", "system:controller:tom", "system.controller.tom-role"),
        ("ClusterRole", "system::tom", "system..tom-clusterrole"),
        ("RoleBinding", "system::tt:tom", "system..tt.tom-rolebinding"),
    ],
)
def test_binding_names(kind: str, name: str, expected: str) -> None:
    assert binding_name(kind, name) == expected


@pytest.mark.parametrize(
    ("kind", "name", "namespace", "expected"),
    [
        ("Deployment", "nginx", "default", "nginx-687f7fb96f"),
        ("Pod", "pod", "", "pod-6c46fd8b9d"),
        ("pods", "Pod", "default", "pod-5fdddc94c5"),
        ("Pods", "work:pod", "default", "work.pod-85bc474696"),
        ("ClusterRole", "system:foo", "", "system.foo-5f7d88f69"),
        ("Namespace", "test", "", "test-69fd499b4c"),
        ("ConfigMap", "app-config", "default", "app-config-8f8879f6d"),
        ("StatefulSet", "db", "prod", "db-fcc8bdddd"),
    ],
)
def test_work_names(kind: str, name: str, namespace: str, expected: str) -> None:
    assert work_name(kind, name, namespace) == expected


def test_reference_keys() -> None:
    assert binding_reference_key("default", "nginx-deployment") == "5bdc5c4dcf"
    assert binding_reference_key("a", "b-c") == "54b8f6799c"
    assert binding_reference_key("a-b", "c") == "57959946cc"


@pytest.mark.parametrize(
    ("namespace", "reserved"),
    [("karmada-system", True), ("karmada-cluster", True), ("karmada-es-", True), ("test-A", False)],
)
def test_reserved_namespaces(namespace: str, reserved: bool) -> None:
    assert is_reserved_namespace(namespace) is reserved


def test_execution_space() -> None:
    assert execution_space("member-cluster-normal") == "karmada-es-member-cluster-normal"
