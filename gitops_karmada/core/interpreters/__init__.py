"""What each kind means. A plugin here holds only what it knows; what it leaves out, the kind has no rule for.

Requirements, components, references and items keep the shapes of Karmada's API:
`ReplicaRequirements`, `Component`, `DependentObjectReference`, `AggregatedStatusItem`.
A plugin that cannot answer raises `InterpretError`; none of them changes what it was given.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gitops_karmada.model.objects import Object
from gitops_karmada.model.problems import Location, ManifestError

Replicas: TypeAlias = tuple[int, Object | None]
Items: TypeAlias = Sequence[Object] | None


class InterpretError(ManifestError):
    """An object that its interpreter cannot read. `location` is where the interpreter stands, when people wrote it."""

    def __init__(self, message: str, location: Location | None = None) -> None:
        super().__init__(message)
        self.location = location


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpretation:
    """The operations of one kind: the wish, the parts, the way back."""

    replicas: Callable[[Object], Replicas] | None = None
    components: Callable[[Object], Sequence[Object]] | None = None
    revise: Callable[[Object, int], Object] | None = None
    retain: Callable[[Object, Object], Object] | None = None
    health: Callable[[Object], bool] | None = None
    reflect: Callable[[Object], Object | None] | None = None
    aggregate: Callable[[Object, Items], Object] | None = None
    dependencies: Callable[[Object], Sequence[Object]] | None = None
