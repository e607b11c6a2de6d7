"""Fields that only an API server writes. In a file they are left over from an export, and left out with a warning."""

from collections.abc import Iterator, Mapping
from typing import Any

from gitops_karmada.model.files import FieldPath
from gitops_karmada.model.objects import Object, annotations_of, group_of, metadata_of
from gitops_karmada.model.secrets import LAST_APPLIED

_METADATA = (
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generation",
    "managedFields",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
)
_ANNOTATIONS = (LAST_APPLIED, "deployment.kubernetes.io/revision")
_CLUSTER_IPS = ("clusterIP", "clusterIPs")
# Its status says what a cluster can hold where nobody can be asked.
_STATUS_COUNTS = {("cluster.karmada.io", "Cluster")}


def server_fields(obj: Object) -> tuple[FieldPath, ...]:
    """The paths of the fields that do not belong in a file."""
    return tuple(_found(obj))


def without(obj: Object, paths: tuple[FieldPath, ...]) -> Object:
    """The object without some of its fields; maps that are left empty by it go, too."""
    for path in paths:
        obj = _without(obj, path)
    return obj


def _found(obj: Object) -> Iterator[FieldPath]:
    metadata = metadata_of(obj)
    yield from (("metadata", name) for name in _METADATA if name in metadata)
    annotations = annotations_of(obj)
    yield from (("metadata", "annotations", name) for name in _ANNOTATIONS if name in annotations)
    identity = (group_of(str(obj.get("apiVersion") or "")), str(obj.get("kind") or ""))
    if "status" in obj and identity not in _STATUS_COUNTS:
        yield ("status",)
    if identity == ("", "Service"):
        yield from _cluster_ips(obj.get("spec"))


def _cluster_ips(spec: Any) -> Iterator[FieldPath]:
    if isinstance(spec, Mapping) and spec.get("clusterIP") != "None" and spec.get("clusterIPs") != ["None"]:
        yield from (("spec", name) for name in _CLUSTER_IPS if name in spec)


def _without(value: Any, path: FieldPath) -> Any:
    name, rest = path[0], path[1:]
    others = {key: item for key, item in value.items() if key != name}
    if not rest:
        return others
    inner = _without(value[name], rest)
    return {key: inner if key == name else item for key, item in value.items()} if inner else others
