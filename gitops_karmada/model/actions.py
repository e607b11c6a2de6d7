"""What is to be done at a place in a member, what was done, and what the ledger keeps of it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from gitops_karmada.model.objects import Object
from gitops_karmada.model.works import Place


class Certainty(StrEnum):
    """How far a mark proves ownership: only a certain one decides, a likely one refuses adoption, a hint is told."""

    CERTAIN = "certain"
    LIKELY = "likely"
    HINT = "hint"


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Who an object belongs to: the tool, its instance, its unit (an Application, a release), and the evidence."""

    tool: str
    instance: str = ""
    unit: str = ""
    certainty: Certainty = Certainty.CERTAIN
    evidence: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.tool} ({self.unit})" if self.unit else self.tool


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class FieldConflict:
    """A field that somebody else holds. `subresource` is how they wrote it (`scale`), or empty."""

    manager: str
    field: str
    subresource: str = ""

    def __str__(self) -> str:
        through = f" through its {self.subresource} subresource" if self.subresource else ""
        return f"{self.field} is held by {self.manager}{through}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What the last write at a place left: kept in the ledger, and the evidence of the next turn.

    `intent` is the digest of what we sent; `fields` the digest of the managed fields that we then held.
    `adopted` objects existed before us and are released, not deleted, when they leave Git.
    `heat` counts our corrections, fading with time (`core.guard`), as of `heated_at` (seconds of the epoch).
    """

    uid: str = ""
    resource_version: str = ""
    api_version: str = ""
    intent: str = ""
    fields: str = ""
    adopted: bool = False
    contests: int = 0
    heat: float = 0.0
    heated_at: float = 0.0


# What is to be done ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Create:
    """Make an object that must not exist yet."""

    place: Place
    manifest: Object


@dataclass(frozen=True, slots=True, kw_only=True)
class Apply:
    """Apply over our own object. `force_managers` may be overruled; `yielded` are fields left to their managers.

    `drift` is what somebody changed and this corrects. With `recreate` the author allows a new object (in place of this
    one) where a field cannot be changed.
    """

    place: Place
    manifest: Object
    uid: str
    receipt: Receipt = Receipt()
    force_managers: frozenset[str] = frozenset()
    yielded: tuple[FieldConflict, ...] = ()
    drift: tuple[FieldConflict, ...] = ()
    recreate: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopt:
    """Take over an object without an owner. `migrate_managers` are client-side appliers whose fields become ours."""

    place: Place
    manifest: Object
    uid: str
    resource_version: str
    force_managers: frozenset[str] = frozenset()
    migrate_managers: frozenset[str] = frozenset()
    yielded: tuple[FieldConflict, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """Take our marks off and leave the object as it is."""

    place: Place
    api_version: str
    uid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prune:
    """Delete our object: this UID in this version, nothing else."""

    place: Place
    api_version: str
    uid: str
    resource_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """Nothing of ours is there any more, so the ledger drops the place."""

    place: Place
    reason: str = ""
    object: Object | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """Nothing differs, or nothing is to be done. `receipt` is what the ledger keeps (None: nothing to keep)."""

    place: Place
    object: Object | None = None
    receipt: Receipt | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Not now: the next turn looks again."""

    place: Place
    reason: str
    object: Object | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuse:
    """Never, as things are: the object is somebody else's."""

    place: Place
    reason: str
    owner: Owner | None = None
    object: Object | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """Our object, and another reconciler writes it too: we stop writing and say so."""

    place: Place
    reason: str
    conflicts: tuple[FieldConflict, ...] = ()
    owner: Owner | None = None
    receipt: Receipt = Receipt()
    object: Object | None = None


Action: TypeAlias = Create | Apply | Adopt | Release | Prune | Forget | Keep | Wait | Refuse | Contest
Write: TypeAlias = Create | Apply | Adopt | Release | Prune


# What was done --------------------------------------------------------------------------------------------------------


class Fault(StrEnum):
    """Why a write failed, as a person would look it up."""

    UNREACHABLE = "Unreachable"
    UNAUTHORIZED = "Unauthorized"
    FORBIDDEN = "Forbidden"
    NO_SUCH_API = "NoSuchAPI"
    INVALID = "Invalid"
    IMMUTABLE = "ImmutableField"
    DENIED = "AdmissionDenied"
    QUOTA = "QuotaExceeded"
    NAMESPACE_MISSING = "NamespaceMissing"
    NAMESPACE_TERMINATING = "NamespaceTerminating"
    TOO_LARGE = "TooLarge"
    THROTTLED = "Throttled"
    RACE = "ChangedMeanwhile"
    READ_ONLY = "ReadOnlyMember"
    OTHER = "Failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """Written. `object` is the member's answer."""

    place: Place
    object: Object
    receipt: Receipt
    created: bool = False
    adopted: bool = False
    yielded: tuple[FieldConflict, ...] = ()
    drift: tuple[FieldConflict, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchanged:
    place: Place
    object: Object | None = None
    receipt: Receipt | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """The ledger may drop the place: the member answered that the object is gone, or it is not ours any more."""

    place: Place
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    place: Place
    object: Object | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Not done now, with the reason (suspended, being deleted and blocked by a finalizer, over the budget, …)."""

    place: Place
    reason: str
    object: Object | None = None
    receipt: Receipt | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    place: Place
    reason: str
    owner: Owner | None = None
    object: Object | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflicting:
    """The member refused because others hold fields that we wish to set; nothing was forced."""

    place: Place
    reason: str
    conflicts: tuple[FieldConflict, ...] = ()
    object: Object | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contested:
    place: Place
    reason: str
    conflicts: tuple[FieldConflict, ...] = ()
    owner: Owner | None = None
    receipt: Receipt = Receipt()
    object: Object | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Tried and not done. `fields` are the paths that the member named; `transient` may pass by itself."""

    place: Place
    reason: str
    fault: Fault = Fault.OTHER
    transient: bool = False
    fields: tuple[str, ...] = ()


Outcome: TypeAlias = Applied | Unchanged | Pruned | Released | Held | Refused | Conflicting | Contested | Failed
