"""Labels of the object itself, not of its pods."""

from collections.abc import Mapping
from typing import Any

from gitops_karmada.core.overriders import YamlText
from gitops_karmada.core.patch import PatchError
from gitops_karmada.model.objects import Object, metadata_of
from gitops_karmada.model.policies import LabelAnnotationOverrider, OverriderOperator


def override_labels(obj: Object, element: LabelAnnotationOverrider, _yaml: YamlText) -> Object:
    return override_marks(obj, element, "labels")


def override_marks(obj: Object, element: LabelAnnotationOverrider, field: str) -> Object:
    """`add` makes the map where there is none; `replace` and `remove` touch only keys that are there."""
    current = metadata_of(obj).get(field)
    if not isinstance(current, Mapping | None):
        raise PatchError(f"metadata.{field}: expected a map")
    changed = _changed(current or {}, element)
    if changed == (current or {}):
        return obj
    return {**obj, "metadata": {**metadata_of(obj), field: changed}}


def _changed(current: Mapping[str, Any], element: LabelAnnotationOverrider) -> Mapping[str, Any]:
    match element.operator:
        case OverriderOperator.ADD:
            return {**current, **element.value}
        case OverriderOperator.REPLACE:
            return {key: element.value.get(key, value) for key, value in current.items()}
        case OverriderOperator.REMOVE:
            return {key: value for key, value in current.items() if key not in element.value}
        case None:
            raise PatchError("an operator is required: add, remove or replace")
