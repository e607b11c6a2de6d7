"""Override policies: one form or the other, pointers that point, and values where they are needed."""

from collections.abc import Iterator

from gitops_karmada.core.label_keys import label_key_faults
from gitops_karmada.core.rules import Broken
from gitops_karmada.core.rules.affinities import affinity_fields
from gitops_karmada.model.policies import (
    FieldOverrider,
    LabelAnnotationOverrider,
    OverridePolicy,
    OverriderOperator,
    Overriders,
    PatchOperation,
)
from gitops_karmada.model.selectors import is_label_value

FORMS = "GK2026"
CODE = "GK2027"


def override_forms(policy: OverridePolicy) -> Iterator[Broken]:
    spec = policy.spec
    if not spec.override_rules:
        return
    if spec.target_cluster is not None:
        yield _both("targetCluster")
    if spec.overriders != Overriders():
        yield _both("overriders")


def _both(field: str) -> Broken:
    return Broken(
        code=FORMS,
        path=f"spec.{field}",
        message=f"overrideRules and {field} cannot co-exist: the old form is not read beside the new one",
        hint="Make it another rule of overrideRules",
    )


def override_rules(policy: OverridePolicy) -> Iterator[Broken]:
    for number, rule in enumerate(policy.spec.override_rules):
        path = f"spec.overrideRules[{number}]"
        yield from affinity_fields(rule.target_cluster, f"{path}.targetCluster")
        yield from _overriders(rule.overriders, f"{path}.overriders")


def _overriders(overriders: Overriders, place: str) -> Iterator[Broken]:
    for number, annotations in enumerate(overriders.annotations_overrider):
        yield from _keys(annotations, f"{place}.annotationsOverrider[{number}].value")
    for number, labels in enumerate(overriders.labels_overrider):
        path = f"{place}.labelsOverrider[{number}].value"
        yield from _keys(labels, path)
        yield from _values(labels, path)
    for number, image in enumerate(overriders.image_overrider):
        if image.predicate is not None:
            yield from _pointer(image.predicate.path, f"{place}.imageOverrider[{number}].predicate.path")
    for number, field in enumerate(overriders.field_overrider):
        yield from _field(field, f"{place}.fieldOverrider[{number}]")


def _keys(overrider: LabelAnnotationOverrider, path: str) -> Iterator[Broken]:
    for key in sorted(overrider.value):
        # The API server compares annotations in lower case.
        for fault in label_key_faults(key.lower() if "annotations" in path else key):
            yield Broken(code=CODE, path=path, message=f"{key!r} is no key: {fault}")


def _values(overrider: LabelAnnotationOverrider, path: str) -> Iterator[Broken]:
    for value in sorted(overrider.value.values()):
        if not is_label_value(value):
            yield Broken(code=CODE, path=path, message=f"{value!r} is no value of a label")


def _pointer(text: str, path: str) -> Iterator[Broken]:
    if text and not text.startswith("/"):
        yield Broken(code=CODE, path=path, message=f"{text!r} is no JSON pointer: it must start with '/'")


def _field(field: FieldOverrider, path: str) -> Iterator[Broken]:
    yield from _pointer(field.field_path, f"{path}.fieldPath")
    if bool(field.json) == bool(field.yaml):
        found = "both json and yaml are" if field.json else "neither json nor yaml is"
        yield Broken(code=CODE, path=path, message=f"{found} set: exactly one says how to read the field")
    for name, operations in (("json", field.json), ("yaml", field.yaml)):
        for number, operation in enumerate(operations):
            yield from _operation(operation, f"{path}.{name}[{number}]")


def _operation(operation: PatchOperation, path: str) -> Iterator[Broken]:
    yield from _pointer(operation.sub_path, f"{path}.subPath")
    if operation.operator is OverriderOperator.REMOVE:
        if operation.value is not None:
            yield Broken(code=CODE, path=f"{path}.value", message="must not be set for remove")
    elif operation.value is None:
        yield Broken(code=CODE, path=f"{path}.value", message=f"is required for {operation.operator}")
