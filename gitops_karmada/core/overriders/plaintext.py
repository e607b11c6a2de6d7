"""A JSON patch of one operation."""

from collections.abc import Mapping

from gitops_karmada.core.overriders import YamlText
from gitops_karmada.core.patch import PatchError, patched
from gitops_karmada.model.objects import Object
from gitops_karmada.model.policies import PlaintextOverrider


def override_plaintext(obj: Object, element: PlaintextOverrider, _yaml: YamlText) -> Object:
    try:
        result = patched(obj, element.path, element.operator, element.value)
    except PatchError as wrong:
        raise PatchError(f"{element.operator} {wrong}" if element.operator else str(wrong)) from wrong
    if not isinstance(result, Mapping):
        raise PatchError(f"{element.path!r} would leave something that is no object")
    return result
