"""Kubernetes objects and what names them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NewType, TypeAlias

ClusterName = NewType("ClusterName", str)

# A Kubernetes object, or a part of one: plain JSON values, never changed in place.
Object: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Key:
    """What an object is called, for ever. The version is left out: the API server treats it as no part of identity."""

    group: str
    kind: str
    namespace: str = ""
    name: str

    def __str__(self) -> str:
        kind = f"{self.kind}.{self.group}" if self.group else self.kind
        return f"{kind} {self.namespace}/{self.name}" if self.namespace else f"{kind} {self.name}"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class GroupVersionKind:
    group: str
    version: str
    kind: str

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version


def group_of(api_version: str) -> str:
    group, slash, _ = api_version.rpartition("/")
    return group if slash else ""


def key_of(obj: Object) -> Key:
    metadata = metadata_of(obj)
    return Key(
        group=group_of(str(obj.get("apiVersion") or "")),
        kind=str(obj.get("kind") or ""),
        namespace=str(metadata.get("namespace") or ""),
        name=str(metadata.get("name") or ""),
    )


def gvk_of(obj: Object) -> GroupVersionKind:
    api_version = str(obj.get("apiVersion") or "")
    group = group_of(api_version)
    return GroupVersionKind(group=group, version=api_version.rpartition("/")[2], kind=str(obj.get("kind") or ""))


def metadata_of(obj: Object) -> Object:
    metadata = obj.get("metadata")
    return metadata if isinstance(metadata, Mapping) else {}


def labels_of(obj: Object) -> Mapping[str, str]:
    labels = metadata_of(obj).get("labels")
    return labels if isinstance(labels, Mapping) else {}


def annotations_of(obj: Object) -> Mapping[str, str]:
    annotations = metadata_of(obj).get("annotations")
    return annotations if isinstance(annotations, Mapping) else {}


def dig(obj: Any, *path: str | int) -> Any:
    """The value at a path of keys and indexes, or None where the path ends early."""
    for step in path:
        if isinstance(step, int):
            obj = obj[step] if isinstance(obj, list | tuple) and -len(obj) <= step < len(obj) else None
        else:
            obj = obj.get(step) if isinstance(obj, Mapping) else None
    return obj
