"""Types of well-known fields of Kubernetes' own kinds, where YAML's reading of a value so often is another."""

from collections.abc import Iterator, Mapping
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
_FREE = frozenset({"data", "limits", "options", "parameters", "requests"})


def type_faults(obj: Object) -> Iterator[Wrong]:
    """Fields whose value the API server would refuse for its type."""
    group, kind = group_of(str(obj.get("apiVersion") or "")), obj.get("kind")
    if group not in _GROUPS:
        return
    if kind == "ConfigMap":
        yield from _strings(obj.get("data"), ("data",))
    elif kind in _KINDS:
        spec = obj.get("spec")
        yield from (
            _faults(spec, ("spec",)) if isinstance(spec, Mapping | None) else [wrong_type(("spec",), "a map", spec)]
        )
        if kind == "Service" and isinstance(spec, Mapping):
            yield from _strings(spec.get("selector"), ("spec", "selector"))


def _faults(value: Any, path: FieldPath) -> Iterator[Wrong]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            if item is not None:
                yield from _field(name, item, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, Mapping):
                yield from _faults(item, (*path, index))


def _field(name: str, value: Any, path: FieldPath) -> Iterator[Wrong]:
    if name in _MAPS_OF_STRINGS:
        yield from _strings(value, path)
    elif name in _FREE:
        return
    elif isinstance(value, Mapping):
        yield from _faults(value, path)
    elif isinstance(value, list):
        if name in _LISTS_OF_STRINGS:
            yield from (
                wrong_type((*path, i), "a string", item) for i, item in enumerate(value) if not isinstance(item, str)
            )
        else:
            yield from _faults(value, path)
    elif expected := _expected(name, value, path):
        yield wrong_type(path, expected, value)


def _expected(name: str, value: Any, path: FieldPath) -> str:
    """What a field needs that its value is not, or nothing."""
    if name in _INTEGERS and (isinstance(value, bool) or not isinstance(value, int)):
        return "a whole number"
    if name in _BOOLEANS and not isinstance(value, bool):
        return "true or false"
    if name in _STRINGS and not isinstance(value, str) and path[-2:] != ("target", "value"):
        return "a string"
    return ""


def _strings(values: Any, path: FieldPath) -> Iterator[Wrong]:
    if isinstance(values, Mapping):
        yield from (
            wrong_type((*path, key), "a string", value) for key, value in values.items() if not isinstance(value, str)
        )
    elif values is not None:
        yield wrong_type(path, "a map of strings", values)
