"""How an object differs in some members. A plugin here applies one element of one overrider list to an object.

It returns the object itself where there is nothing to do, and raises PatchError where the element cannot be applied;
it never changes what it was given.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from gitops_karmada.model.objects import Object


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlText:
    """Kubernetes' YAML, passed in: text to a JSON value (ValueError where it is none), and back with sorted keys."""

    read: Callable[[str], Any]
    write: Callable[[Any], str]


Overrider: TypeAlias = Callable[[Object, Any, YamlText], Object]
