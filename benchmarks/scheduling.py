"""How long passes take: `python -m benchmarks.scheduling [BINDINGS] [CLUSTERS]` prints seconds and memory as JSON."""

import json
import resource
import sys
import time
from dataclasses import replace
from typing import Any

from gitops_karmada.core.schedule import Scheduled, SchedulingWorld, schedule
from gitops_karmada.core.triggers import needs_pass
from gitops_karmada.model.bindings import Binding, BindingSpec, ObjectReference, ReplicaRequirements
from gitops_karmada.model.clusters import APIEnablement, APIResource, Cluster, ClusterStatus, ResourceSummary
from gitops_karmada.model.decode import decode
from gitops_karmada.model.frozen import Frozen
from gitops_karmada.model.metadata import ObjectMeta
from gitops_karmada.model.placement import Placement
from gitops_karmada.model.quantity import quantity

SERVED = (APIEnablement(group_version="apps/v1", resources=(APIResource(kind="Deployment"),)),)
DIVIDED = {"replicaSchedulingType": "Divided"}
PLACEMENTS: dict[str, Any] = {
    "duplicated": {},
    "static": {"replicaScheduling": {**DIVIDED, "replicaDivisionPreference": "Weighted"}},
    "aggregated": {"replicaScheduling": {**DIVIDED, "replicaDivisionPreference": "Aggregated"}},
    "dynamic": {
        "replicaScheduling": {
            **DIVIDED,
            "replicaDivisionPreference": "Weighted",
            "weightPreference": {"dynamicWeight": "AvailableReplicas"},
        }
    },
}


def cluster(number: int) -> Cluster:
    room = {"cpu": "100000", "memory": "400Ti", "pods": "1000000"}
    summary = ResourceSummary(allocatable=Frozen({name: quantity(amount) for name, amount in room.items()}))
    status = ClusterStatus(api_enablements=SERVED, resource_summary=summary)
    return Cluster(metadata=ObjectMeta(name=f"member{number:04}"), status=status)


def binding(number: int, placement: Placement) -> Binding:
    """One of five sizes, so that few ask for the same but many for the like."""
    size = 1 + number % 5
    request = Frozen({"cpu": quantity(f"{100 * size}m"), "memory": quantity("128Mi")})
    name = f"web-{number}"
    return Binding(
        metadata=ObjectMeta(name=f"{name}-deployment", namespace="shop"),
        spec=BindingSpec(
            resource=ObjectReference(
                api_version="apps/v1", kind="Deployment", namespace="shop", name=name, uid=str(number)
            ),
            replicas=2 + size,
            replica_requirements=ReplicaRequirements(resource_request=request),
            placement=placement,
        ),
    )


def measure(fields: dict[str, Any], bindings: int, clusters: int) -> dict[str, float]:
    """Seconds of processor time for a turn in which all are new, and for one in which all run as they are."""
    members = [cluster(number) for number in range(clusters)]
    placement = decode(Placement, fields).unwrap()
    wishes = [binding(number, placement) for number in range(bindings)]
    first, settled = _turn(SchedulingWorld(members), wishes)
    second, _ = _turn(SchedulingWorld(members), settled)
    return {"first": round(first, 3), "again": round(second, 3)}


def _turn(world: SchedulingWorld, bindings: list[Binding]) -> tuple[float, list[Binding]]:
    start, settled = time.process_time(), []
    for wish in bindings:
        result = schedule(wish, world, needs_pass(wish, world))
        if isinstance(result, Scheduled):
            world.settle(wish, result.clusters)
        settled.append(replace(wish, spec=replace(wish.spec, clusters=result.decision.clusters)))
    return time.process_time() - start, settled


def main(arguments: list[str]) -> None:
    bindings, clusters = (int(argument) for argument in (arguments + ["20000", "2"][len(arguments) :]))
    seconds = {name: measure(fields, bindings, clusters) for name, fields in PLACEMENTS.items()}
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"bindings": bindings, "clusters": clusters, "seconds": seconds, "peakMiB": memory}, indent=2))


if __name__ == "__main__":
    main(sys.argv[1:])
