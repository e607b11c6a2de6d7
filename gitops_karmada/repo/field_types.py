"""Types of well-known fields of Kubernetes' own kinds, where YAML's reading of a value so often is another."""

from collections.abc import Mapping
from typing import Any

from gitops_karmada.model.files import FieldPath
from gitops_karmada.model.objects import Object, group_of
from gitops_karmada.repo.metadata_rules import Wrong, wrong_type

_GROUPS = frozenset({"", "apps", "autoscaling", "batch", "networking.k8s.io", "policy"})
_KINDS = frozenset(
    {
        "CronJob", "DaemonSet", "Deployment", "HorizontalPodAutoscaler", "Ingress", "Job", "NetworkPolicy",
        "PersistentVolumeClaim", "Pod", "PodDisruptionBudget", "PodTemplate", "ReplicaSet", "ReplicationController",
        "Service", "ServiceAccount", "StatefulSet",
    }
)  # fmt: skip
_INTEGERS = frozenset(
    {
        "activeDeadlineSeconds", "averageUtilization", "backoffLimit", "backoffLimitPerIndex", "completions",
        "containerPort", "defaultMode", "expirationSeconds", "failedJobsHistoryLimit", "failureThreshold", "fsGroup",
        "hostPort", "initialDelaySeconds", "maxReplicas", "maxSkew", "minDomains", "minReadySeconds", "minReplicas",
        "mode", "nodePort", "parallelism", "periodSeconds", "progressDeadlineSeconds", "replicas",
        "revisionHistoryLimit", "runAsGroup", "runAsUser", "startingDeadlineSeconds", "successThreshold",
        "successfulJobsHistoryLimit", "terminationGracePeriodSeconds", "timeoutSeconds", "tolerationSeconds",
        "ttlSecondsAfterFinished", "weight",
    }
)  # fmt: skip
_BOOLEANS = frozenset(
    {
        "allowPrivilegeEscalation", "automountServiceAccountToken", "enableServiceLinks", "hostIPC", "hostNetwork",
        "hostPID", "optional", "paused", "privileged", "publishNotReadyAddresses", "readOnly",
        "readOnlyRootFilesystem", "runAsNonRoot", "shareProcessNamespace", "stdin", "suspend", "tty",
    }
)  # fmt: skip
_STRINGS = frozenset(
    {
        "claimName", "configMapName", "host", "hostname", "image", "imagePullPolicy", "mountPath", "name",
        "nodeName", "path", "priorityClassName", "restartPolicy", "schedule", "schedulerName", "secretName",
        "serviceAccountName", "serviceName", "storageClassName", "subPath", "timeZone", "topologyKey", "value",
        "workingDir",
    }
)  # fmt: skip
_LISTS_OF_STRINGS = frozenset({"accessModes", "args", "command", "values"})
_MAPS_OF_STRINGS = frozenset({"annotations", "labels", "matchLabels", "nodeSelector", "volumeAttributes"})
# Maps with keys of the author's own, and values that may be several things.
_NO_STRINGS = {**dict.fromkeys(_INTEGERS, "a whole number"), **dict.fromkeys(_BOOLEANS, "true or false")}
_FREE = frozenset({"data", "limits", "options", "parameters", "requests"})


def type_faults(obj: Object) -> list[Wrong]:
    """Fields whose value the API server would refuse for its type."""
    group, kind = group_of(str(obj.get("apiVersion") or "")), obj.get("kind")
    faults: list[Wrong] = []
    if group not in _GROUPS:
        return faults
    if kind == "ConfigMap":
        _strings(obj.get("data"), ("data",), faults)
    elif kind in _KINDS:
        _spec(obj.get("spec"), kind == "Service", faults)
    return faults


def _spec(spec: Any, is_service: bool, faults: list[Wrong]) -> None:
    if isinstance(spec, Mapping):
        _walk(spec, ("spec",), faults)
        if is_service:
            _strings(spec.get("selector"), ("spec", "selector"), faults)
    elif spec is not None:
        faults.append(wrong_type(("spec",), "a map", spec))


def _walk(value: Mapping[str, Any], path: FieldPath, faults: list[Wrong]) -> None:
    # Run over every field of every object: the class is compared because that is what costs least.
    for name, item in value.items():
        kind = item.__class__
        if kind is str:
            if name in _NO_STRINGS:
                faults.append(wrong_type((*path, name), _NO_STRINGS[name], item))
        elif kind is dict:
            if name in _MAPS_OF_STRINGS:
                _strings(item, (*path, name), faults)
            elif name not in _FREE:
                _walk(item, (*path, name), faults)
        elif kind is list:
            _items(name, item, (*path, name), faults)
        elif item is not None and (expected := _expected(name, item, path)):
            faults.append(wrong_type((*path, name), expected, item))


def _items(name: str, items: list[Any], path: FieldPath, faults: list[Wrong]) -> None:
    if name in _MAPS_OF_STRINGS:
        faults.append(wrong_type(path, "a map of strings", items))
    elif name in _LISTS_OF_STRINGS:
        wrong = (index for index, item in enumerate(items) if item.__class__ is not str)
        faults.extend(wrong_type((*path, index), "a string", items[index]) for index in wrong)
    else:
        for index, item in enumerate(items):
            if item.__class__ is dict:
                _walk(item, (*path, index), faults)


def _expected(name: str, value: bool | float, path: FieldPath) -> str:
    """What a field needs that a value, which is neither text nor a map nor a list, is not; or nothing."""
    if name in _STRINGS and (*path[-1:], name) != ("target", "value"):
        return "a string"
    if name in _MAPS_OF_STRINGS:
        return "a map of strings"
    if name in _INTEGERS and value.__class__ is not int:
        return "a whole number"
    return "true or false" if name in _BOOLEANS and value.__class__ is not bool else ""


def _strings(values: Any, path: FieldPath, faults: list[Wrong]) -> None:
    if isinstance(values, Mapping):
        wrong = (key for key, value in values.items() if value.__class__ is not str)
        faults.extend(wrong_type((*path, key), "a string", values[key]) for key in wrong)
    elif values is not None:
        faults.append(wrong_type(path, "a map of strings", values))
