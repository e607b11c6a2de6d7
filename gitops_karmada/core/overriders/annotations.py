"""Annotations of the object itself, not of its pods."""

from gitops_karmada.core.overriders import YamlText
from gitops_karmada.core.overriders.labels import override_marks
from gitops_karmada.model.objects import Object
from gitops_karmada.model.policies import LabelAnnotationOverrider


def override_annotations(obj: Object, element: LabelAnnotationOverrider, _yaml: YamlText) -> Object:
    return override_marks(obj, element, "annotations")
