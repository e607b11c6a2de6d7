"""The answers of Karmada's scheduler and estimators: None where ours is the same."""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from gitops_karmada.core.capacity import Capacity, Demand, Room, replicas_of, sets_of
from gitops_karmada.core.estimators import Estimator
from gitops_karmada.core.estimators.nodes import room_on_nodes
from gitops_karmada.core.estimators.summary import room_by_summary
from gitops_karmada.core.nodes import nodes_of
from gitops_karmada.core.schedule import NoClusterFit, Scheduled, SchedulingWorld, Unschedulable, schedule
from gitops_karmada.core.summarize import node_summary, resource_summary
from gitops_karmada.model.bindings import Binding, Component, ReplicaRequirements
from gitops_karmada.model.clusters import Cluster, NodeSummary, ResourceSummary
from gitops_karmada.model.decode import decode, json_name
from gitops_karmada.model.settings import FeatureSettings

Case = dict[str, Any]

# The gates as Karmada v1.19 has them by default.
DEFAULTS = FeatureSettings(
    propagation_policy_preemption=False,
    workload_affinity=False,
    multiple_pod_templates_scheduling=False,
    federated_quota_enforcement=False,
    scheduling_overcommit_protection=False,
    stateful_failover_injection=False,
    earlier_affinities=False,
)


def schedule_binding(case: Case) -> str | None:
    binding = decode(Binding, case["binding"]).unwrap()
    world = SchedulingWorld(_clusters(case), features=_features(case))
    result = schedule(binding, world)
    wanted = case["expect"]
    if not isinstance(result, Scheduled):
        if "error" not in wanted:
            return f"expected {wanted}, got {result.message}"
        kind = (isinstance(result, NoClusterFit), isinstance(result, Unschedulable))
        expected = (wanted["fitError"], wanted["unschedulable"])
        return None if kind == expected else f"expected {wanted['error']}, got {result.message}"
    ours = {
        "clusters": sorted(map(_target, result.clusters), key=str),
        "affinityName": result.affinity_name if wanted.get("affinityName") else None,
    }
    theirs = {
        "clusters": sorted(map(_normal, wanted["clusters"] or []), key=str),
        "affinityName": wanted.get("affinityName"),
    }
    return None if ours == theirs and "error" not in wanted else f"expected {wanted}, got {ours}"


def general_estimate(case: Case) -> str | None:
    rooms = Capacity(_clusters(case)).rooms
    wanted = case["expect"].get("sets", case["expect"].get("replicas")) or {}
    ours = {name: room_by_summary(room, _demand(case)) for name, room in rooms.items()}
    return None if ours == wanted else f"expected {wanted}, got {ours}"


def node_estimate(case: Case) -> str | None:
    nodes = nodes_of(case.get("nodes") or [], case.get("pods") or [])
    room = Room(Cluster(), nodes, by_models=False)
    estimator: Estimator = room_on_nodes
    wanted = case["expect"].get("sets", case["expect"].get("replicas"))
    ours = estimator(room, _demand(case))
    return None if ours == wanted else f"expected {wanted}, got {ours}"


def summary(case: Case) -> str | None:
    (cluster,) = _clusters(case)
    nodes, pods = case.get("nodes") or [], case.get("pods") or []
    wanted = (
        decode(NodeSummary, case["expect"]["nodeSummary"]).unwrap(),
        decode(ResourceSummary, case["expect"]["resourceSummary"]).unwrap(),
    )
    ours = (node_summary(nodes), resource_summary(nodes, pods, cluster.spec.resource_models))
    return None if ours == wanted else f"expected {wanted}, got {ours}"


def _clusters(case: Case) -> list[Cluster]:
    return [decode(Cluster, cluster).unwrap() for cluster in case["clusters"]]


def _features(case: Case) -> FeatureSettings:
    names = {json_name(field.name).lower(): field.name for field in fields(FeatureSettings)}
    gates = {names[gate.lower()]: on for gate, on in (case.get("features") or {}).items()}
    return replace(DEFAULTS, **gates, empty_workload_propagation=bool(case.get("emptyPropagation")))


def _demand(case: Case) -> Demand:
    if case.get("components") is not None:
        return sets_of(tuple(decode(Component, it).unwrap() for it in case["components"]))
    requirements = case.get("requirements")
    return replicas_of(decode(ReplicaRequirements, requirements).unwrap() if requirements else None)


def _target(target: Any) -> Mapping[str, Any]:
    components = [{"name": it.name, "replicas": it.replicas} for it in target.components]
    return {"name": target.name, "replicas": target.replicas, "components": components}


def _normal(target: Mapping[str, Any]) -> Mapping[str, Any]:
    components = [{"name": it["name"], "replicas": it.get("replicas", 0)} for it in target.get("components") or ()]
    return {"name": target["name"], "replicas": target.get("replicas") or 0, "components": components}


OPS: dict[str, Callable[[Case], str | None]] = {
    "schedule": schedule_binding,
    "generalEstimate": general_estimate,
    "nodeEstimate": node_estimate,
    "summary": summary,
}
