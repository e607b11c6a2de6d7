"""The arguments of containers, by container name."""

from gitops_karmada.core.overriders import YamlText
from gitops_karmada.core.overriders.command import override_words
from gitops_karmada.model.objects import Object
from gitops_karmada.model.policies import CommandArgsOverrider


def override_args(obj: Object, element: CommandArgsOverrider, _yaml: YamlText) -> Object:
    return override_words(obj, element, "args")
