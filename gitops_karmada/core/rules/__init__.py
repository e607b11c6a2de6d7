"""What a policy, cluster or quota must not say. A plugin here tells what is wrong with one noun, and where.

These are the rules of Karmada's API server and webhooks; the object is not used while one of them is broken.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A broken rule: its code, the field (`spec.placement.spreadConstraints[0]`), the reason and the next step."""

    code: str
    path: str
    message: str
    hint: str = ""


Rule: TypeAlias = Callable[[Any], Iterator[Broken]]
