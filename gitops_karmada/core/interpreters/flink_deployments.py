"""Apache Flink's FlinkDeployment."""

from typing import Any

from gitops_karmada.core.fields import mapping, text
from gitops_karmada.core.interpreters import Interpretation, InterpretError, Items, Replicas
from gitops_karmada.core.thirdparty_status import count, keep, number, reports_of, with_status, without_empty
from gitops_karmada.model.objects import Object, dig, metadata_of
from gitops_karmada.model.quantity import Quantity, quantity

SETTLED = frozenset({"RUNNING", "FINISHED", "FAILED", "CANCELED", "SUSPENDED", "CANCELLING", "FAILING", "RESTARTING"})
STARTING = frozenset({"CREATED", "INITIALIZING", "RECONCILING"})
# Errors that moving the job elsewhere would not mend.
USER_ERRORS = ("ErrImagePull", "ImagePullBackOff", "CrashLoopBackOff")
STATUS = (
    "clusterInfo",
    "error",
    "jobManagerDeploymentStatus",
    "jobStatus",
    "observedGeneration",
    "lifecycleState",
    "reconciliationStatus",
    "taskManager",
)
DEFAULTS = {"error": "", "jobManagerDeploymentStatus": "", "lifecycleState": "", "observedGeneration": 0}


def replicas(obj: Object) -> Replicas:
    """Job manager and task managers together; one replica is taken as large as the larger of the two."""
    requests = [_request(obj, "jobManager"), _request(obj, "taskManager")]
    largest = {
        name: str(max(request[name] for request in requests if name in request))
        for name in ("cpu", "memory")
        if any(name in request for request in requests)
    }
    needs = {"resourceRequest": largest, "namespace": metadata_of(obj).get("namespace") or None, **_pod_wishes(obj)}
    return _job_managers(obj) + _task_managers(obj), without_empty(_said(needs)) or None


def components(obj: Object) -> list[Object]:
    return [
        _component(obj, "jobmanager", _job_managers(obj), "jobManager"),
        _component(obj, "taskmanager", _task_managers(obj), "taskManager"),
    ]


def _component(obj: Object, name: str, wished: int, part: str) -> Object:
    request = {resource: str(amount) for resource, amount in _request(obj, part).items()}
    needs = without_empty(_said({"resourceRequest": request, **_pod_wishes(obj)}))
    return without_empty({"name": name, "replicas": wished, "replicaRequirements": needs})


def _job_managers(obj: Object) -> int:
    return count(dig(obj, "spec", "jobManager", "replicas"), 1)


def _task_managers(obj: Object) -> int:
    """As said, else as many as the parallelism needs at so many slots each, else one."""
    said = number(dig(obj, "spec", "taskManager", "replicas"))
    if said is not None:
        return int(said)
    parallelism = number(dig(obj, "spec", "job", "parallelism"))
    slots = number(dig(obj, "spec", "flinkConfiguration", "taskmanager.numberOfTaskSlots"))
    return 1 if parallelism is None or not slots else int(-(-parallelism // slots))


def _request(obj: Object, part: str) -> dict[str, Quantity]:
    resource = mapping(obj, "spec", part, "resource")
    try:
        return {name: quantity(resource[name]) for name in ("cpu", "memory") if resource.get(name) is not None}
    except (TypeError, ValueError) as wrong:
        raise InterpretError(f"spec.{part}.resource: {wrong}") from wrong


def _pod_wishes(obj: Object) -> Object:
    spec = mapping(obj, "spec", "podTemplate", "spec")
    claim = _said({"nodeSelector": spec.get("nodeSelector"), "tolerations": spec.get("tolerations")})
    return {"nodeClaim": claim, "priorityClassName": spec.get("priorityClassName") or None}


def _said(fields: Object) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def is_healthy(obj: Object) -> bool:
    status = mapping(obj, "status")
    state = dig(status, "jobStatus", "state")
    if state is None:
        return (status.get("jobManagerDeploymentStatus"), status.get("lifecycleState")) == ("READY", "STABLE")
    if state in STARTING:
        return any(error in text(status, "error") for error in USER_ERRORS)
    return state in SETTLED


def aggregate(obj: Object, items: Items) -> Object:
    """The last member speaks for all: such a job runs in one."""
    if items is None:
        return without_empty(obj)
    reports = reports_of(items)
    said = {name: reports[-1].get(name) for name in STATUS} if reports else dict.fromkeys(STATUS) | DEFAULTS
    return with_status(obj, **said)


FLINK_DEPLOYMENT = Interpretation(
    replicas=replicas,
    components=components,
    health=is_healthy,
    reflect=keep(*STATUS),
    aggregate=aggregate,
)
