"""What pods need."""

from typing import Any

import pytest

from gitops_karmada.model.pod_templates import dependencies_of, node_claim_of, requirements_of


def test_pod_that_says_nothing_needs_nothing() -> None:
    assert requirements_of({}) is None
    assert requirements_of({"spec": {"containers": [{"resources": {"requests": {"cpu": "0"}}}]}}) is None


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, None),
        ({"tolerations": []}, None),
        ({"nodeSelector": {}}, {"nodeSelector": {}}),
        ({"affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}}}, None),
        (
            {
                "affinity": {
                    "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}
                }
            },
            {"hardNodeAffinity": {"nodeSelectorTerms": []}},
        ),
    ],
    ids=["nothing", "no tolerations", "empty selector counts", "preferences do not", "requirement"],
)
def test_node_claim(spec: dict[str, Any], expected: Any) -> None:
    assert node_claim_of({"spec": spec}) == expected


def test_cpu_keeps_milli_units_and_all_else_whole_ones() -> None:
    """As precise as Karmada is: finer amounts are rounded up, container by container."""
    requests = {"cpu": "1500u", "memory": "100m", "hugepages-2Mi": "2Mi", "example.com/gpu": "2"}
    found = requirements_of({"spec": {"containers": [{"resources": {"requests": requests}}] * 2}})
    assert found == {"resourceRequest": {"cpu": "4m", "memory": "2", "hugepages-2Mi": "4Mi", "example.com/gpu": "4"}}


def test_quantity_that_kubernetes_refuses_is_an_error() -> None:
    with pytest.raises(ValueError, match="not a quantity"):
        requirements_of({"spec": {"containers": [{"resources": {"requests": {"cpu": "1 core"}}}]}})


def test_default_account_is_there_already() -> None:
    assert dependencies_of({"spec": {"serviceAccountName": "default"}}, "a") == []
    assert dependencies_of({"spec": {"serviceAccountName": "x"}}, "") == [
        {"apiVersion": "v1", "kind": "ServiceAccount", "name": "x"}
    ]
