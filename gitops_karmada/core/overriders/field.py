"""Structured text inside a field: JSON or YAML that is patched and written back."""

from collections.abc import Callable
from typing import Any

from gitops_karmada.core.go_json import read_json, write_json
from gitops_karmada.core.overriders import YamlText
from gitops_karmada.core.patch import PatchError, patched, resolve
from gitops_karmada.model.objects import Object
from gitops_karmada.model.policies import FieldOverrider, OverriderOperator, PatchOperation


def override_field(obj: Object, element: FieldOverrider, yaml: YamlText) -> Object:
    text = resolve(obj, element.field_path)
    if not isinstance(text, str):
        raise PatchError(f"{element.field_path}: expected text, got {type(text).__name__}")
    if element.yaml:
        text = _rewritten(text, element.field_path, element.yaml, yaml.read, yaml.write)
    elif element.json:
        text = _rewritten(text, element.field_path, element.json, read_json, write_json)
    result: Object = patched(obj, element.field_path, OverriderOperator.REPLACE, text)
    return result


def _rewritten(
    text: str,
    field: str,
    operations: tuple[PatchOperation, ...],
    read: Callable[[str], Any],
    write: Callable[[Any], str],
) -> str:
    try:
        value = read(text)
    except ValueError as wrong:
        raise PatchError(f"{field}: the text cannot be read: {wrong}") from wrong
    for operation in operations:
        value = patched(value, operation.sub_path, operation.operator, operation.value)
    return write(value)
