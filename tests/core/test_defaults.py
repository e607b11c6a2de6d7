"""What an API server would have filled in."""

from typing import Any

import pytest

from gitops_karmada.core.defaults import with_defaults


@pytest.mark.parametrize(
    ("api_version", "kind", "given", "expected"),
    [
        ("apps/v1", "Deployment", {"spec": {}}, {"spec": {"replicas": 1}}),
        ("apps/v1", "Deployment", {"spec": {"replicas": 0}}, {"spec": {"replicas": 0}}),
        ("apps/v1", "StatefulSet", {}, {"spec": {"replicas": 1}}),
        ("batch/v1", "Job", {"spec": {}}, {"spec": {"completions": 1, "parallelism": 1, "backoffLimit": 6}}),
        ("batch/v1", "Job", {"spec": {"parallelism": 3}}, {"spec": {"parallelism": 3, "backoffLimit": 6}}),
        (
            "batch/v1",
            "Job",
            {"spec": {"completions": 3}},
            {"spec": {"completions": 3, "parallelism": 1, "backoffLimit": 6}},
        ),
        ("v1", "Service", {"spec": {"ports": []}}, {"spec": {"ports": [], "type": "ClusterIP"}}),
        ("v1", "Secret", {"stringData": {"a": "b"}, "data": {"c": "ZA=="}}, {"data": {"c": "ZA==", "a": "Yg=="}}),
        ("v1", "Pod", {"spec": {"serviceAccount": "s"}}, {"spec": {"serviceAccount": "s", "serviceAccountName": "s"}}),
        ("v1", "ConfigMap", {"data": {}}, {"data": {}}),
        ("apps/v1", "Deployment", {"spec": ["nonsense"]}, {"spec": ["nonsense"]}),
        ("example.io/v1", "Deployment", {"spec": {}}, {"spec": {}}),
    ],
)
def test_defaults(api_version: str, kind: str, given: dict[str, Any], expected: dict[str, Any]) -> None:
    head = {"apiVersion": api_version, "kind": kind}
    defaulted = with_defaults({**head, **given})
    assert defaulted == {**head, **expected}
    assert with_defaults(defaulted) == defaulted


def test_object_that_lacks_nothing_is_the_same_object() -> None:
    obj = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": 2}}
    assert with_defaults(obj) is obj
