"""What was read from files: documents, manifests, and how to find a field in them again."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from gitops_karmada.model.objects import Key, Object
from gitops_karmada.model.problems import Location, Problem

# ("spec", "containers", 0, "name")
FieldPath: TypeAlias = tuple[str | int, ...]
Locate: TypeAlias = Callable[[FieldPath], Location]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a repository may ask of us. A file or repository beyond them is refused by name, never cut short."""

    file_bytes: int = 4 * 2**20
    total_bytes: int = 512 * 2**20
    files: int = 200_000
    documents: int = 5_000
    objects: int = 200_000
    depth: int = 200
    nodes: int = 250_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One YAML or JSON document. `index` counts the documents of the file that are not empty, from 1."""

    value: Any
    file: str
    line: int
    index: int
    locate: Locate = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """The documents of one file. It is not `complete` when a part could not be understood: anything may stand there."""

    documents: tuple[Document, ...] = ()
    problems: tuple[Problem, ...] = ()
    complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """One object as its author wrote it, without what only a server may say.

    `locate` finds the line of a field, or of the nearest parent that was written. `encrypted` objects stay as they are.
    """

    object: Object
    location: Location
    document: int
    locate: Locate = field(compare=False, repr=False)
    encrypted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifests:
    """Everything a tree of files says.

    `unread` names files of which a part could not be understood at all; `broken` names objects that are there but
    cannot be used. Neither may be taken for an object's absence.
    """

    manifests: tuple[Manifest, ...] = ()
    problems: tuple[Problem, ...] = ()
    unread: frozenset[str] = frozenset()
    broken: frozenset[Key] = frozenset()
