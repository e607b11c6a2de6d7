"""What never reaches a Work."""

from typing import Any

import pytest

from gitops_karmada.core.prune import prune


def test_server_side_fields_and_status_are_removed() -> None:
    metadata = {
        "name": "x",
        "uid": "u",
        "generation": 3,
        "managedFields": [],
        "labels": {"a": "b"},
        "finalizers": ["f"],
    }
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "b"}, "status": {}}
    pruned = prune(obj)
    kept = {"name": "x", "labels": {"a": "b"}}
    assert pruned == {"apiVersion": "v1", "kind": "ConfigMap", "metadata": kept, "data": {"a": "b"}}
    assert "uid" in metadata
    assert prune(pruned) == pruned


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        (
            "Deployment",
            {"metadata": {"annotations": {"deployment.kubernetes.io/revision": "3", "a": "b"}}},
            {"metadata": {"annotations": {"a": "b"}}},
        ),
        (
            "Job",
            {"spec": {"ttlSecondsAfterFinished": 3, "selector": {"matchLabels": {"controller-uid": "u", "a": "b"}}}},
            {"spec": {"selector": {"matchLabels": {"a": "b"}}}},
        ),
        (
            "Job",
            {"spec": {"manualSelector": True, "selector": {"matchLabels": {"controller-uid": "u"}}}},
            {"spec": {"manualSelector": True, "selector": {"matchLabels": {"controller-uid": "u"}}}},
        ),
        (
            "Job",
            {"spec": {"template": {"metadata": {"labels": {"job-name": "j", "batch.kubernetes.io/job-name": "j"}}}}},
            {"spec": {"template": {"metadata": {"labels": {}}}}},
        ),
        (
            "Secret",
            {"type": "kubernetes.io/service-account-token", "data": {"token": "eA=="}},
            {"type": "kubernetes.io/service-account-token"},
        ),
        ("Secret", {"type": "Opaque", "data": {"a": "eA=="}}, {"type": "Opaque", "data": {"a": "eA=="}}),
        (
            "ServiceAccount",
            {"metadata": {"name": "sa"}, "secrets": [{"name": "sa-token-1"}, {"name": "sa-token-2"}, {"name": "own"}]},
            {"metadata": {"name": "sa"}, "secrets": [{"name": "own"}]},
        ),
        ("Service", {"spec": {"clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"]}}, {"spec": {}}),
        ("Service", {"spec": {"clusterIP": "None"}}, {"spec": {"clusterIP": "None"}}),
        (
            "PersistentVolumeClaim",
            {"metadata": {"annotations": {"volume.kubernetes.io/selected-node": "n"}}},
            {"metadata": {"annotations": {}}},
        ),
    ],
)
def test_rules_of_kinds(kind: str, given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert prune({"kind": kind, **given}) == {"kind": kind, **expected}
