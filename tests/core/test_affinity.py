"""Which clusters an affinity means."""

from typing import Any

import pytest

from gitops_karmada.core.affinity import matches_cluster, taint_text
from gitops_karmada.model.clusters import Taint
from gitops_karmada.model.decode import decode
from gitops_karmada.model.placement import ClusterAffinity
from tests.core.nouns import cluster


def fields(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"fieldSelector": {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}}


@pytest.mark.parametrize(
    ("affinity", "of_cluster", "expected"),
    [
        pytest.param({}, {}, True, id="empty means all"),
        pytest.param(fields("zone", "In", "z1"), {"zones": ("z1", "z2")}, True, id="V4.22"),
        pytest.param(fields("zone", "NotIn", "z1"), {"zones": ("z1", "z2")}, False, id="V4.23"),
        pytest.param(fields("zone", "NotIn", "z1"), {}, True, id="V4.24"),
        pytest.param(fields("zone", "In", "z1"), {}, False, id="V4.25"),
        pytest.param(fields("provider", "NotIn", "p1"), {}, True, id="V4.26"),
        pytest.param(fields("region", "In", "eu"), {"region": "eu"}, True, id="region"),
        pytest.param(fields("planet", "Exists"), {"region": "eu"}, False, id="an unknown field is never there"),
        pytest.param({"exclude": ["m1"], "clusterNames": ["m1"]}, {}, False, id="V4.27"),
        pytest.param({"labelSelector": {"matchLabels": {"a": "b"}}}, {"labels": {"a": "b"}}, True, id="label"),
        pytest.param({"labelSelector": {"matchLabels": {"a": "no value"}}}, {}, False, id="invalid selector"),
    ],
)
def test_matches(affinity: dict[str, Any], of_cluster: dict[str, Any], expected: bool) -> None:
    assert matches_cluster(decode(ClusterAffinity, affinity).unwrap(), cluster("m1", **of_cluster)) is expected


@pytest.mark.parametrize(
    ("taint", "text"),
    [
        (Taint(key="a", value="b", effect="NoSchedule"), "a=b:NoSchedule"),
        (Taint(key="a", effect="NoSchedule"), "a:NoSchedule"),
        (Taint(key="a"), "a"),
        (Taint(key="a", value="b"), "a=b:"),
    ],
)
def test_taints_read_as_kubernetes_writes_them(taint: Taint, text: str) -> None:
    assert taint_text(taint) == text
