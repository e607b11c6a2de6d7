"""Label and field selectors, matched as apimachinery does."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gitops_karmada.model.frozen import NOTHING

REQUIRED = {"required": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    key: str = field(default="", metadata=REQUIRED)
    operator: str = field(default="", metadata=REQUIRED)
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSelector:
    match_labels: Mapping[str, str] = field(default=NOTHING)
    match_expressions: tuple[Requirement, ...] = ()

    def __hash__(self) -> int:
        return hash((tuple(sorted(self.match_labels.items())), self.match_expressions))


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSelector:
    match_expressions: tuple[Requirement, ...] = ()
