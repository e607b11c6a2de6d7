"""What Kubernetes demands of names, namespaces, labels and annotations."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gitops_karmada.model.files import FieldPath
from gitops_karmada.model.objects import Object, group_of

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?\Z")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\Z")
_SERVICE = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?\Z")
_QUALIFIED = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]\Z")
_MOST_ANNOTATIONS = 256 * 1024

# Groups and kinds whose names may hold whatever a path segment can; None is every kind of the group.
_PATH_SEGMENT: Mapping[str, frozenset[str] | None] = {
    "rbac.authorization.k8s.io": None,
    "apiregistration.k8s.io": None,
    "certificates.k8s.io": frozenset({"ClusterTrustBundle"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """One thing that Kubernetes refuses. `code` is one of model/codes.py."""

    code: str
    path: FieldPath
    message: str
    hint: str = ""


def metadata_faults(obj: Object) -> Iterator[Wrong]:
    metadata = obj.get("metadata")
    if metadata is not None and not isinstance(metadata, Mapping):
        yield _type(("metadata",), "a map", metadata)
        return
    metadata = metadata or {}
    yield from _name(obj, metadata)
    yield from _namespace(metadata.get("namespace"))
    yield from _labels(metadata.get("labels"))
    yield from _annotations(metadata.get("annotations"))


def described(value: Any) -> str:
    """A value for a message: its type, and the value where it is short."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, Mapping):
        return "a map"
    if isinstance(value, list | tuple):
        return "a list"
    return repr(value if len(value) <= 60 else value[:57] + "...")


def wrong_type(path: FieldPath, expected: str, value: Any) -> Wrong:
    return _type(path, expected, value)


def _type(path: FieldPath, expected: str, value: Any) -> Wrong:
    scalar = isinstance(value, bool | int | float) or value is None
    hint = "Quote it" if expected == "a string" and scalar else ""
    if expected in ("a whole number", "true or false") and isinstance(value, str):
        hint = "Remove the quotes"
    code = "GK1002" if hint else "GK1019"
    return Wrong(code=code, path=path, message=f"expected {expected}, got {described(value)}", hint=hint)


def _name(obj: Object, metadata: Mapping[str, Any]) -> Iterator[Wrong]:
    path: FieldPath = ("metadata", "name")
    name = metadata.get("name")
    if name is None or name == "":
        if metadata.get("generateName"):
            hint = "Without a name of its own it would be created anew each time, and never removed; give it a name"
            message = "only a generateName is given, and no name"
            yield Wrong(code="GK1017", path=("metadata", "generateName"), message=message, hint=hint)
        else:
            yield Wrong(code="GK1016", path=path, message="the object has no name", hint="Give it a metadata.name")
    elif not isinstance(name, str):
        yield _type(path, "a string", name)
    elif reason := illegal_name(obj, name):
        yield Wrong(code="GK1018", path=path, message=f"{described(name)} is no legal name: {reason}")


def illegal_name(obj: Object, name: str) -> str:
    """What is wrong with the name of an object of this kind, or nothing."""
    group, kind = group_of(str(obj.get("apiVersion") or "")), str(obj.get("kind") or "")
    if group in _PATH_SEGMENT and (_PATH_SEGMENT[group] is None or kind in (_PATH_SEGMENT[group] or ())):
        return "it must be no . or .. and hold no / or %" if name in (".", "..") or set(name) & {"/", "%"} else ""
    if (group, kind) == ("", "Namespace"):
        return _dns(name, _LABEL, 63, "lower-case letters, digits and -, starting and ending with a letter or digit")
    if (group, kind) == ("", "Service"):
        return _dns(name, _SERVICE, 63, "lower-case letters, digits and -, starting with a letter")
    words = "lower-case letters, digits, - and ., starting and ending with a letter or digit"
    return _dns(name, _SUBDOMAIN, 253, words)


def _dns(name: str, pattern: re.Pattern[str], longest: int, words: str) -> str:
    if len(name) > longest:
        return f"it has {len(name)} characters, {longest} are allowed"
    return "" if pattern.match(name) else f"it must consist of {words}"


def _namespace(namespace: Any) -> Iterator[Wrong]:
    path: FieldPath = ("metadata", "namespace")
    if namespace is None or namespace == "":
        return
    if not isinstance(namespace, str):
        yield _type(path, "a string", namespace)
    elif reason := _dns(namespace, _LABEL, 63, "lower-case letters, digits and -"):
        yield Wrong(code="GK1018", path=path, message=f"{described(namespace)} is no legal namespace: {reason}")


def _labels(labels: Any) -> Iterator[Wrong]:
    for path, key, value in _entries(labels, ("metadata", "labels")):
        if isinstance(key, Wrong):
            yield key
        elif reason := illegal_key(key):
            yield Wrong(code="GK1018", path=path, message=f"{described(key)} is no legal label key: {reason}")
        elif not isinstance(value, str):
            yield _type(path, "a string", value)
        elif value and (len(value) > 63 or not _QUALIFIED.match(value)):
            message = f"{described(value)} is no legal label value: at most 63 letters, digits, -, _ and ."
            yield Wrong(code="GK1018", path=path, message=message)


def _annotations(annotations: Any) -> Iterator[Wrong]:
    size = 0
    for path, key, value in _entries(annotations, ("metadata", "annotations")):
        if isinstance(key, Wrong):
            yield key
        elif reason := illegal_key(key.lower()):
            yield Wrong(code="GK1018", path=path, message=f"{described(key)} is no legal annotation key: {reason}")
        elif not isinstance(value, str):
            yield _type(path, "a string", value)
        else:
            size += len(key) + len(value)
    if size > _MOST_ANNOTATIONS:
        message = f"the annotations hold {size:,} characters, {_MOST_ANNOTATIONS:,} are allowed"
        yield Wrong(code="GK1018", path=("metadata", "annotations"), message=message)


def _entries(values: Any, path: FieldPath) -> Iterator[tuple[FieldPath, Any, Any]]:
    if isinstance(values, Mapping):
        yield from (((*path, key), key, value) for key, value in values.items())
    elif values is not None:
        yield path, _type(path, "a map of strings", values), None


def illegal_key(key: str) -> str:
    """What is wrong with a label or annotation key, or nothing."""
    prefix, slash, name = key.rpartition("/")
    if slash and (len(prefix) > 253 or not _SUBDOMAIN.match(prefix)):
        return "before the / there must be a DNS name"
    if len(name) > 63 or not _QUALIFIED.match(name):
        return "the name must be at most 63 letters, digits, -, _ and ., starting and ending with a letter or digit"
    return ""
