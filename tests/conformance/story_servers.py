"""What an API server and its controllers add to an object by themselves, where no pod ever runs."""

from collections.abc import Callable, Mapping
from typing import Any

from gitops_karmada.model.objects import Object, dig

# Statuses are written whole: fields that are not left out when empty appear with their zero values.
NEW: Mapping[str, Object] = {
    "DaemonSet": {"currentNumberScheduled": 0, "desiredNumberScheduled": 0, "numberMisscheduled": 0, "numberReady": 0},
    "Deployment": {},
    "HorizontalPodAutoscaler": {"currentMetrics": None, "desiredReplicas": 0},
    "Ingress": {"loadBalancer": {}},
    "Job": {},
    "CronJob": {},
    "PersistentVolumeClaim": {"phase": "Pending"},
    "PodDisruptionBudget": {"currentHealthy": 0, "desiredHealthy": 0, "disruptionsAllowed": 0, "expectedPods": 0},
    "Service": {"loadBalancer": {}},
    "StatefulSet": {"availableReplicas": 0, "replicas": 0},
}
COUNTED = frozenset({"DaemonSet", "Deployment", "StatefulSet"})


def new_status(obj: Object) -> Object | None:
    """The status that a new object has, where it has one that the store does not know."""
    if obj.get("kind") == "CustomResourceDefinition":
        return _defined(obj)
    return NEW.get(str(obj.get("kind")))


def _defined(obj: Object) -> Object:
    names = ("kind", "listKind", "plural", "singular")
    accepted = {"type": "NamesAccepted", "status": "True", "reason": "NoConflicts", "message": "no conflicts found"}
    established = {
        "type": "Established",
        "status": "True",
        "reason": "InitialNamesAccepted",
        "message": "the initial names have been accepted",
    }
    return {
        "acceptedNames": {name: dig(obj, "spec", "names", name) for name in names},
        "conditions": [accepted, established],
        "storedVersions": [version["name"] for version in obj["spec"]["versions"] if version.get("storage")],
    }


def reported(obj: Object, status: Object) -> Object:
    """A status as a controller writes it and the server keeps it, from one whose counters were left out."""
    if obj.get("kind") in COUNTED:
        status = {"observedGeneration": dig(obj, "metadata", "generation") or 1, **status}
    return ON_WRITE.get(str(obj.get("kind")), _kept)(status)


def _kept(status: Object) -> Object:
    return status


def _balanced(status: Object) -> Object:
    entries: list[dict[str, Any]] = [
        {**entry, "ipMode": entry.get("ipMode", "VIP")} if entry.get("ip") else dict(entry)
        for entry in dig(status, "loadBalancer", "ingress") or ()
    ]
    return {**status, "loadBalancer": {"ingress": entries}} if entries else status


ON_WRITE: Mapping[str, Callable[[Object], Object]] = {"Service": _balanced}
