"""What a member's nodes and pods add up to."""

from typing import Any

import pytest

from gitops_karmada.core.summarize import node_summary, resource_summary
from gitops_karmada.model.clusters import ResourceModel
from gitops_karmada.model.decode import decode

DEFAULT = tuple(
    decode(
        ResourceModel,
        {
            "grade": grade,
            "ranges": [{"name": "cpu", "min": cpu, "max": "9e18"}, {"name": "memory", "min": memory, "max": "9e18"}],
        },
    ).unwrap()
    for grade, (cpu, memory) in enumerate([("0", "0"), ("1", "4Gi"), ("2", "16Gi"), ("4", "32Gi")])
)


def node(cpu: str, memory: str, pods: str = "110", name: str = "n", ready: str = "True") -> dict[str, Any]:
    return {
        "metadata": {"name": name},
        "status": {
            "allocatable": {"cpu": cpu, "memory": memory, "pods": pods},
            "conditions": [{"type": "Ready", "status": ready}],
        },
    }


def pod(cpu: str = "1", where: str = "", phase: str = "Running", **spec: Any) -> dict[str, Any]:
    containers = [{"name": "main", "resources": {"requests": {"cpu": cpu}}}]
    return {"spec": {"nodeName": where, "containers": containers, **spec}, "status": {"phase": phase}}


def text(amounts: Any) -> dict[str, str]:
    return {name: str(amount) for name, amount in amounts.items()}


def test_all_nodes_count_ready_or_not() -> None:
    nodes = [node("2", "4Gi"), node("3500m", "4Gi", ready="False")]
    summary = node_summary(nodes)
    assert (summary.total_num, summary.ready_num) == (2, 1)
    assert text(resource_summary(nodes, []).allocatable) == {"cpu": "5500m", "memory": "8Gi", "pods": "220"}


def test_pods_without_a_node_are_about_to_run_those_that_are_over_hold_nothing() -> None:
    """V1.13 and V1.14."""
    summary = resource_summary(
        [node("4", "8Gi")], [pod(phase="Failed"), pod(where="n"), pod(where="n", phase="Succeeded")]
    )
    assert text(summary.allocating) == {"cpu": "1", "pods": "1"}
    assert text(summary.allocated) == {"cpu": "1", "pods": "1"}


def test_nothing_used_is_no_entry() -> None:
    summary = resource_summary([node("4", "8Gi")], [])
    assert (summary.allocated, summary.allocating, summary.allocatable_modelings) == ({}, {}, ())


@pytest.mark.parametrize(
    ("free", "pods", "grade"),
    [
        pytest.param(node("1", "4Gi"), [], 1, id="V1.15"),
        pytest.param(node("3", "3Gi"), [], 0, id="V1.16"),
        pytest.param(node("1", "4Gi"), [pod("1100m", "n")], None, id="V1.17"),
        pytest.param(node("4", "32Gi", pods="1"), [pod("1", "n")], None, id="V1.3: no pod more"),
        pytest.param(node("5", "32Gi", pods="2"), [pod("1", "n")], 3, id="V1.4"),
    ],
)
def test_a_node_has_one_grade(free: dict[str, Any], pods: list[Any], grade: int | None) -> None:
    modelings = resource_summary([free], pods, DEFAULT).allocatable_modelings
    assert [it.grade for it in modelings if it.count] == ([] if grade is None else [grade])
    assert len(modelings) == len(DEFAULT)
