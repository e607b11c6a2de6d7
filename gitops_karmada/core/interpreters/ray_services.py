"""Ray's RayService."""

import math
from typing import Any

from gitops_karmada.core.fields import integer, mapping, sequence, with_field
from gitops_karmada.core.interpreters import Interpretation, Items, Replicas
from gitops_karmada.core.interpreters.ray_clusters import groups, needed_by, templates_of
from gitops_karmada.core.thirdparty_status import (
    count,
    first,
    greatest,
    only_status,
    reports_of,
    total,
    with_status,
    without_empty,
    without_spec,
)
from gitops_karmada.core.workload_status import has_condition
from gitops_karmada.model.objects import Object, dig
from gitops_karmada.model.quantity import quantity

CLUSTER = ("spec", "rayClusterConfig")
APPLICATION_STATES = {"NOT_STARTED": 1, "DEPLOYING": 2, "DELETING": 3, "UNHEALTHY": 4, "DEPLOY_FAILED": 5}


def replicas(obj: Object) -> Replicas:
    """The head and all workers; one replica needs what the head needs, as large as the largest of them."""
    cluster = mapping(obj, *CLUSTER)
    if dig(cluster, "headGroupSpec", "template") is None:
        return 0, None
    parts = groups(cluster)
    needs = parts[0].get("replicaRequirements")
    return sum(part["replicas"] for part in parts), _enlarged(needs, parts) if needs else None


def _enlarged(needs: Object, parts: list[Object]) -> Object:
    requests = [mapping(part, "replicaRequirements", "resourceRequest") for part in parts]
    largest = {
        name: max((request[name] for request in requests if name in request), key=quantity)
        for name in ("cpu", "memory")
        if any(name in request for request in requests)
    }
    request = {**mapping(needs, "resourceRequest"), **largest}
    return {**needs, "resourceRequest": request} if request else needs


def revise(obj: Object, number: int) -> Object:
    """The head stays one; the workers are shared among their groups as they are now."""
    workers = sequence(obj, *CLUSTER, "workerGroupSpecs")
    if not workers:
        return obj
    shares = _shares(max(0, number - 1), [count(group.get("replicas"), 0) for group in workers])
    revised = [{**group, "replicas": share} for group, share in zip(workers, shares, strict=True)]
    return with_field(obj, (*CLUSTER, "workerGroupSpecs"), revised)


def _shares(workers: int, current: list[int]) -> list[int]:
    """In proportion, rounded half up, the last group taking the rest; equal where there are none yet."""
    whole, several = sum(current), len(current)
    if workers == 0:
        return [0] * several
    if whole == 0:
        return [workers // several + (1 if i < workers % several else 0) for i in range(several - 1)] + [
            workers - sum(workers // several + (1 if i < workers % several else 0) for i in range(several - 1))
        ]
    # Floating point, as in Karmada, so that ties fall the same way.
    first_shares = [math.floor(workers * (share / whole) + 0.5) for share in current[:-1]]
    return [*first_shares, workers - sum(first_shares)]


def is_healthy(obj: Object) -> bool:
    return has_condition(mapping(obj, "status"), "Ready")


def aggregate(obj: Object, items: Items) -> Object:
    if items is None:
        return without_empty(obj)
    if len(items) == 1:
        return only_status(without_spec(obj), items)
    reports = reports_of(items)
    said: dict[str, Any] = {
        "conditions": [condition for report in reports for condition in sequence(report, "conditions")],
        "numServeEndpoints": total(reports, "numServeEndpoints"),
        "lastUpdateTime": greatest(reports, "lastUpdateTime"),
        "observedGeneration": max((integer(report, "observedGeneration") for report in reports), default=0),
        "serviceStatus": "" if any(report.get("serviceStatus") == "" for report in reports) else "Running",
    }
    if active := first(reports, "activeServiceStatus"):
        said["activeServiceStatus"] = {**active, "applicationStatuses": _applications(reports)}
    if pending := first(reports, "pendingServiceStatus"):
        said["pendingServiceStatus"] = pending
    return with_status(without_spec(obj), **said)


def _applications(reports: list[Object]) -> Object:
    """Each application as the first of the members where it is worst has it."""
    worst: dict[str, Object] = {}
    for report in reports:
        for name, status in mapping(report, "activeServiceStatus", "applicationStatuses").items():
            if name not in worst or _badness(status) > _badness(worst[name]):
                worst[name] = status
    return worst


def _badness(application: Object) -> int:
    return APPLICATION_STATES.get(application.get("status", ""), 0)


def dependencies(obj: Object) -> list[Object]:
    return needed_by(obj, templates_of(mapping(obj, *CLUSTER)))


RAY_SERVICE = Interpretation(
    replicas=replicas, revise=revise, health=is_healthy, aggregate=aggregate, dependencies=dependencies
)
