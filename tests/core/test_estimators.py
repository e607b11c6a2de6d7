"""Room by summary, by models and by nodes."""

from dataclasses import replace
from typing import Any

import pytest

from gitops_karmada.core.capacity import Room, replicas_of, sets_of
from gitops_karmada.core.estimators.nodes import room_on_nodes
from gitops_karmada.core.estimators.quotas import room_by_quotas
from gitops_karmada.core.estimators.summary import room_by_summary
from gitops_karmada.core.first_fit import Part, fill
from gitops_karmada.core.member_quotas import member_quotas_of
from gitops_karmada.core.nodes import nodes_of
from gitops_karmada.model.bindings import Component, ReplicaRequirements
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.decode import decode

FOUR = {"cpu": "4", "memory": "8Gi", "pods": "100"}
USED = {"cpu": "1", "memory": "2Gi", "pods": "20"}


def room(allocatable: dict[str, str] | None, allocated: dict[str, str] | None = None, **models: Any) -> Room:
    """`models` are (minima, count) by name, in order of their grades."""
    ranges = [
        {"grade": grade, "ranges": [{"name": name, "min": least, "max": "9e18"} for name, least in minima.items()]}
        for grade, (minima, _) in enumerate(models.values())
    ]
    counts = [{"grade": grade, "count": count} for grade, (_, count) in enumerate(models.values())]
    summary = {"allocatable": allocatable, "allocated": allocated or {}, "allocatableModelings": counts}
    cluster = {"spec": {"resourceModels": ranges}, "status": {"resourceSummary": summary if allocatable else None}}
    return Room(decode(Cluster, cluster).unwrap(), None, by_models=True)


def need(request: dict[str, str] | None, **claim: Any) -> ReplicaRequirements | None:
    if request is None:
        return None
    return decode(ReplicaRequirements, {"resourceRequest": request, "nodeClaim": claim or None}).unwrap()


def parts(*components: tuple[int, dict[str, str]]) -> tuple[Component, ...]:
    return tuple(
        decode(
            Component, {"name": f"c{index}", "replicas": replicas, "replicaRequirements": {"resourceRequest": asked}}
        ).unwrap()
        for index, (replicas, asked) in enumerate(components)
    )


def grades(*cpus: str, memory: tuple[str, ...] = (), counts: tuple[int, ...] = ()) -> dict[str, Any]:
    minima = [{"cpu": cpu, **({"memory": memory[index]} if memory else {})} for index, cpu in enumerate(cpus)]
    return {f"g{index}": (least, counts[index] if counts else 1) for index, least in enumerate(minima)}


LARGE = {"cpu": "100", "memory": "100Gi", "pods": "100"}


@pytest.mark.parametrize(
    ("found", "request_of_one", "expected"),
    [
        pytest.param(room(FOUR, USED), {"cpu": "500m", "memory": "1Gi"}, 6, id="V7.1"),
        pytest.param(room(None), {"cpu": "1"}, 0, id="V7.3"),
        pytest.param(room({"pods": "10"}, {"pods": "10"}), None, 0, id="V7.4"),
        pytest.param(room({"pods": "10"}), None, 10, id="V7.5"),
        pytest.param(room(FOUR, USED), {"nvidia.com/gpu": "1"}, 0, id="V7.7"),
        pytest.param(room(LARGE, None, **grades("0", "1", "2")), {"cpu": "1500m"}, 1, id="V7.8"),
        pytest.param(room(LARGE, None, **grades("0", "1", "2")), {"cpu": "3"}, 0, id="V7.9"),
        pytest.param(
            room(LARGE, None, **grades("0", "1", "2", memory=("0", "1Gi", "2Gi"))),
            {"cpu": "1", "memory": "1536Mi"},
            1,
            id="V7.10",
        ),
        pytest.param(
            room(LARGE, None, **grades("0", "1", "2", memory=("0", "1Gi", "2Gi"))), {"memory": "2560Mi"}, 0, id="V7.11"
        ),
        pytest.param(
            room({"cpu": "3", "pods": "100"}, None, **grades("0", "1", counts=(0, 3))), {"cpu": "500m"}, 6, id="V7.13"
        ),
    ],
)
def test_replicas_by_summary(found: Room, request_of_one: dict[str, str] | None, expected: int) -> None:
    assert room_by_summary(found, replicas_of(need(request_of_one))) == expected


def test_without_models_in_the_spec_the_summary_counts() -> None:
    """V7.12."""
    found = decode(
        Cluster,
        {"status": {"resourceSummary": {"allocatable": FOUR, "allocatableModelings": [{"grade": 0, "count": 0}]}}},
    ).unwrap()
    assert room_by_summary(Room(found, None, by_models=True), replicas_of(need({"cpu": "1"}))) == 4


def test_what_is_taken_is_gone() -> None:
    """V7.2."""
    found = room(FOUR, USED)
    found.take([Part(replicas=2, request={"cpu": 500, "memory": 2**30})], 1, "web")
    assert room_by_summary(found, replicas_of(need({"cpu": "500m", "memory": "1Gi"}))) == 4


FLINK = parts((1, {"cpu": "1"}), (2, {"cpu": "1500m"}))


@pytest.mark.parametrize(
    ("found", "components", "expected"),
    [
        pytest.param(room({"cpu": "10", "pods": "100"}), FLINK, 2, id="V7.18"),
        pytest.param(
            room({"cpu": "10", "memory": "6Gi", "pods": "100"}),
            parts((1, {"cpu": "1", "memory": "2Gi"}), (2, {"cpu": "2", "memory": "2Gi"})),
            1,
            id="V7.20",
        ),
        pytest.param(room({"cpu": "10", "pods": "3"}), parts((3, {"cpu": "1"})), 1, id="V7.21"),
        pytest.param(
            room({"cpu": "40", "memory": "64Gi", "nvidia.com/gpu": "8", "pods": "100"}),
            parts((2, {"cpu": "4", "memory": "8Gi", "nvidia.com/gpu": "1"})),
            4,
            id="V7.22",
        ),
        pytest.param(
            room(LARGE, None, **grades("500m", "1", "2", counts=(5, 0, 10))),
            parts((1, {"cpu": "1500m"})),
            10,
            id="V7.23",
        ),
        pytest.param(
            room(LARGE, None, **grades("500m", "1", "2", counts=(5, 0, 10))), parts((1, {})), 100, id="V7.23a"
        ),
        pytest.param(
            room(LARGE, None, **grades("1", "3", "4", memory=("2Gi", "10Gi", "12Gi"), counts=(2, 6, 3))),
            parts((1, {"cpu": "1", "memory": "2Gi"}), (3, {"cpu": "3", "memory": "10Gi"})),
            3,
            id="V7.23c",
        ),
    ],
)
def test_sets_by_summary(found: Room, components: tuple[Component, ...], expected: int) -> None:
    assert room_by_summary(found, sets_of(components)) == expected


def test_a_set_that_was_placed_leaves_less() -> None:
    """V7.18, second part."""
    found = room({"cpu": "10", "pods": "100"})
    found.take(sets_of(FLINK).parts, 1, "flink")
    assert room_by_summary(found, sets_of(FLINK)) == 1


def node(name: str, cpu: str, memory: str, pods: str, **fields: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "labels": fields.pop("labels", {})},
        "spec": fields,
        "status": {"allocatable": {"cpu": cpu, "memory": memory, "pods": pods}},
    }


def pod(where: str, cpu: str, **fields: Any) -> dict[str, Any]:
    containers = [{"name": "main", "resources": {"requests": {"cpu": cpu}}}]
    return {"metadata": {"name": "p"}, "spec": {"nodeName": where, "containers": containers, **fields}}


NODES = [
    node("a", "2", "6", "8", labels={"a": "1", "size": "small"}),
    node("b", "3", "5", "9", labels={"a": "0"}),
    node("c", "8", "16", "11", labels={"a": "2"}, taints=[{"key": "key1", "effect": "NoSchedule"}]),
]


def on_nodes(
    nodes: list[Any], pods: list[Any], asked: ReplicaRequirements | tuple[Component, ...] | None
) -> int | None:
    found = Room(Cluster(), nodes_of(nodes, pods), by_models=False)
    return room_on_nodes(found, sets_of(asked) if isinstance(asked, tuple) else replicas_of(asked))


EXISTS = [{"key": "key1", "operator": "Exists"}]
TWO = {"cpu": "1", "memory": "2"}
LARGER = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["0"]}]}]}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        pytest.param(need(TWO, tolerations=EXISTS), 12, id="V7.24"),
        pytest.param(need(TWO), 4, id="an untolerated taint"),
        pytest.param(need(TWO, nodeSelector={"size": "small"}), 2, id="V7.26"),
        pytest.param(need(TWO, hardNodeAffinity=LARGER, tolerations=EXISTS), 10, id="V7.27"),
        pytest.param(need(TWO, hardNodeAffinity={"nodeSelectorTerms": []}), 0, id="an empty affinity matches nothing"),
        pytest.param(
            need(
                TWO,
                hardNodeAffinity={
                    "nodeSelectorTerms": [
                        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["b"]}]}
                    ]
                },
            ),
            2,
            id="by the node's name",
        ),
        pytest.param(None, 17, id="no requirements, no tolerations: pods"),
    ],
)
def test_replicas_on_nodes(asked: ReplicaRequirements | None, expected: int) -> None:
    assert on_nodes(NODES, [], asked) == expected


def test_pods_use_the_room_of_their_node_until_they_are_over() -> None:
    """V7.34."""
    four = [node("a", "4", "8Gi", "110")]
    assert on_nodes(four, [pod("a", "1")], need({"cpu": "1"})) == 3
    done = {**pod("a", "1"), "status": {"phase": "Succeeded"}}
    assert on_nodes(four, [done], need({"cpu": "1"})) == 4
    starting = pod("a", "1", initContainers=[{"name": "i", "resources": {"requests": {"cpu": "3"}}}])
    assert on_nodes(four, [starting], need({"cpu": "1"})) == 1


def test_a_cordoned_node_has_room_for_those_who_tolerate_it() -> None:
    cordoned = [node("a", "4", "8Gi", "110", unschedulable=True)]
    tolerations = [{"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}]
    assert on_nodes(cordoned, [], need({"cpu": "1"})) == 0
    assert on_nodes(cordoned, [], need({"cpu": "1"}, tolerations=tolerations)) == 4


def test_without_nodes_there_is_no_room_and_without_a_list_no_answer() -> None:
    assert on_nodes([], [], need({"cpu": "1"})) == 0
    assert room_on_nodes(Room(Cluster(), None, by_models=False), replicas_of(None)) is None


@pytest.mark.parametrize(
    ("cpus", "components", "expected"),
    [
        pytest.param(["4"], parts((2, {"cpu": "1"})), 2, id="V7.29"),
        pytest.param(["2", "2"], parts((3, {"cpu": "1"})), 1, id="V7.30"),
        pytest.param(["1"] * 4, parts((1, {"cpu": "2"})), 0, id="V7.31a"),
        pytest.param(["4"], parts((1, {"cpu": "1"})), 4, id="V7.33"),
    ],
)
def test_sets_on_nodes(cpus: list[str], components: tuple[Component, ...], expected: int) -> None:
    nodes = [node(f"n{index}", cpu, "64Gi", "110") for index, cpu in enumerate(cpus)]
    assert on_nodes(nodes, [], components) == expected


def test_a_front_and_a_back_end() -> None:
    """V7.31."""
    nodes = [node("a", "1", "2Gi", "110"), node("b", "4", "8Gi", "110"), node("c", "8", "16Gi", "110")]
    components = parts((2, {"cpu": "500m", "memory": "1Gi"}), (1, {"cpu": "2", "memory": "4Gi"}))
    assert on_nodes(nodes, [], components) == 4


def test_no_more_sets_than_asked_for() -> None:
    """V7.32."""
    nodes = nodes_of([node("a", "64", "64Gi", "110")], [])
    assert fill(nodes, [Part(replicas=1, request={"cpu": 1000})], 3) == 3
    assert nodes[0].free["cpu"] == 61000


def test_what_does_not_fit_uses_nothing_up() -> None:
    """V7.36."""
    nodes = nodes_of([node("a", "4", "8Gi", "110")], [])
    assert fill(nodes, [Part(replicas=1, request={"cpu": 100_000})], 1) == 0
    assert nodes[0].free["cpu"] == 4000


def test_zones_take_turns() -> None:
    def zoned(name: str, zone: str) -> dict[str, Any]:
        return node(name, "1", "1", "1", labels={"topology.kubernetes.io/zone": zone})

    found = nodes_of([zoned("d", "z2"), zoned("a", "z1"), zoned("b", "z1"), zoned("c", "z2")], [])
    assert [it.name for it in found] == ["a", "c", "b", "d"]


# Quotas of a member


def quota(hard: dict[str, str], used: dict[str, str] | None = None, namespace: str = "shop", **spec: Any) -> Any:
    status = {"hard": hard, "used": used if used is not None else dict.fromkeys(hard, "0")}
    return {"metadata": {"name": "q", "namespace": namespace}, "spec": spec, "status": status}


def by_quotas(
    quotas: list[Any], request_of_one: dict[str, str], taken: int = 0, priority_class: str = ""
) -> int | None:
    found = Room(Cluster(), None, by_models=False, quotas=member_quotas_of(quotas))
    asked = {"resourceRequest": request_of_one, "namespace": "shop", "priorityClassName": priority_class}
    demand = replicas_of(decode(ReplicaRequirements, asked).unwrap())
    if taken:
        found.take([replace(demand.part, replicas=taken)], 1, "web")
    return room_by_quotas(found, demand)


IMPORTANT: dict[str, Any] = {
    "scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["high"]}]}
}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param(by_quotas([quota({"cpu": "1"}, {"cpu": "200m"})], {"cpu": "200m"}), 4, id="V7.38"),
        pytest.param(by_quotas([quota({"requests.memory": "3Mi"})], {"memory": "2Mi"}), 1, id="V7.39"),
        pytest.param(by_quotas([quota({"requests.nvidia.com/gpu": "3"})], {"nvidia.com/gpu": "1"}), 3, id="V7.40"),
        pytest.param(by_quotas([quota({"cpu": "1"})], {"cpu": "2"}), 0, id="V7.41"),
        pytest.param(by_quotas([quota({"cpu": "800m"})], {"cpu": "200m"}, taken=2), 2, id="V7.42"),
        pytest.param(by_quotas([quota({"cpu": "800m"})], {"cpu": "200m"}, taken=5), 0, id="V7.42, overdrawn"),
        pytest.param(by_quotas([quota({"cpu": "1"}, **IMPORTANT)], {"cpu": "2"}), None, id="V7.43, another class"),
        pytest.param(
            by_quotas([quota({"cpu": "1"}, **IMPORTANT)], {"cpu": "1"}, priority_class="high"), 1, id="its class"
        ),
        pytest.param(by_quotas([quota({"cpu": "1"}, namespace="else")], {"cpu": "2"}), None, id="V7.43, elsewhere"),
        pytest.param(by_quotas([quota({"limits.cpu": "1", "pods": "1"})], {"cpu": "2"}), None, id="not about requests"),
        pytest.param(by_quotas([quota({"cpu": "1"}, {})], {"cpu": "2"}), None, id="use is not known"),
        pytest.param(by_quotas([quota({"cpu": "9"}, scopes=["BestEffort"])], {"cpu": "2"}), None, id="another scope"),
    ],
)
def test_room_by_quotas(answer: int | None, expected: int | None) -> None:
    assert answer == expected


def test_sets_count_all_components_of_the_namespace() -> None:
    found = Room(Cluster(), None, by_models=False, quotas=member_quotas_of([quota({"cpu": "8"})]))
    assert room_by_quotas(found, sets_of(FLINK, "shop")) == 2
    assert room_by_quotas(found, sets_of(FLINK, "else")) is None
