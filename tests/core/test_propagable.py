import pytest

from gitops_karmada.core.propagable import Propagable, propagable, skipped_apis
from gitops_karmada.model.objects import GroupVersionKind, Object


def kind(group: str, version: str, name: str) -> GroupVersionKind:
    return GroupVersionKind(group=group, version=version, kind=name)


def obj(api_version: str, kind: str, namespace: str = "") -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"namespace": namespace, "name": "x"}}


def test_the_grammar_of_skipped_apis() -> None:
    skipped = skipped_apis("v1/Node,Pod;networking.k8s.io/v1beta1/Ingress,IngressClass;networking.k8s.io;test.com/v1")
    assert {kind("", "v1", "Node"), kind("", "v1", "Pod")} <= skipped.kinds
    assert {kind("networking.k8s.io", "v1beta1", name) for name in ("Ingress", "IngressClass")} <= skipped.kinds
    assert "networking.k8s.io" in skipped.groups
    assert "test.com/v1" in skipped.group_versions


@pytest.mark.parametrize("text", ["a/b/c/d", "group/v1/"])
def test_what_is_no_api_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"none of|names no kind"):
        skipped_apis(text)


def test_a_wrong_pattern_of_namespaces_is_refused() -> None:
    with pytest.raises(ValueError, match="no regular expression"):
        propagable("", ["("])


@pytest.mark.parametrize(
    ("given", "goes"),
    [
        (obj("v1", "ConfigMap", "shop"), True),
        (obj("v1", "Event", "shop"), False),
        (obj("events.k8s.io/v1", "Event", "shop"), False),
        (obj("coordination.k8s.io/v1", "Lease", "shop"), False),
        (obj("networking.karmada.io/v1alpha1", "MultiClusterService", "shop"), False),
        (obj("multicluster.x-k8s.io/v1alpha1", "ServiceImport", "shop"), True),
        (obj("v1", "ConfigMap", "kube-system"), False),
        (obj("v1", "ConfigMap", "my-kube-system"), True),
        (obj("v1", "ConfigMap", "karmada-es-m1"), False),
        (obj("v1", "Namespace"), True),
    ],
)
def test_what_never_goes_anywhere(given: Object, goes: bool) -> None:
    """The reason names the kind or the namespace."""
    reason = Propagable().refusal(given)
    assert (reason == "") is goes
    assert goes or given["kind"] in reason or given["metadata"]["namespace"] in reason
