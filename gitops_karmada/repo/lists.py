"""Lists of objects in one document: `kind: List`, nested or not, and typed lists such as ConfigMapList."""

from collections.abc import Iterator, Mapping
from typing import Any

from gitops_karmada.model.files import FieldPath
from gitops_karmada.model.objects import Object, metadata_of


def expanded(value: Any, path: FieldPath = ()) -> Iterator[tuple[Any, FieldPath]]:
    """Each object of a document, and where in the document it stands."""
    if not is_list(value):
        yield value, path
        return
    kind = str(value["kind"]).removesuffix("List")
    for index, item in enumerate(value.get("items") or ()):
        here = (*path, "items", index)
        if kind and isinstance(item, Mapping):
            item = {"apiVersion": value.get("apiVersion"), "kind": kind, **item}
        yield from expanded(item, here)


def is_list(value: Object) -> bool:
    """A list has items and no name of its own: a custom kind that merely ends in List has one."""
    if not isinstance(value, Mapping) or not str(value.get("kind") or "").endswith("List"):
        return False
    if value["kind"] == "List" and value.get("apiVersion") == "v1":
        return isinstance(value.get("items"), list | None)
    return isinstance(value.get("items"), list) and not metadata_of(value).get("name")
