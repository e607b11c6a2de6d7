"""The command of containers, by container name."""

from collections.abc import Mapping
from typing import Any

from gitops_karmada.core.containers import containers_of
from gitops_karmada.core.overriders import YamlText
from gitops_karmada.core.patch import PatchError, patched
from gitops_karmada.model.objects import Object
from gitops_karmada.model.policies import CommandArgsOverrider, OverriderOperator


def override_command(obj: Object, element: CommandArgsOverrider, _yaml: YamlText) -> Object:
    return override_words(obj, element, "command")


def override_words(obj: Object, element: CommandArgsOverrider, field: str) -> Object:
    """Add at the end, or take away every equal word, in each container of that name."""
    for place, container in containers_of(obj):
        if container.get("name") == element.container_name:
            obj = patched(obj, f"{place}/{field}", OverriderOperator.ADD, _words(container, field, element))
    return obj


def _words(container: Mapping[str, Any], field: str, element: CommandArgsOverrider) -> list[str]:
    current = container.get(field) or []
    if not isinstance(current, list | tuple):
        raise PatchError(f"{field} of container {element.container_name!r}: expected a list")
    if element.operator is OverriderOperator.REMOVE:
        return [str(word) for word in current if word not in element.value]
    return [*(str(word) for word in current), *element.value]
