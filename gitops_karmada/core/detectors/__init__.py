"""Which tools own an object in a member. One detector a tool: it reads marks of the live object and never guesses.

A detector yields nothing when it finds no mark of its tool. A mark that names another object than the one it stands on
is a copy and proves nothing. A field manager alone tells who wrote, not who owns now.
"""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from gitops_karmada.model.actions import Owner
from gitops_karmada.model.objects import Object

Detector: TypeAlias = Callable[[Object], Iterable[Owner]]
