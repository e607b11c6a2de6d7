"""What was read from files: documents, manifests, and how to find a field in them again."""

from collections.abc import Callable, Mapping
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
    `leak` is the finding on a Secret that everybody can read; the settings say whether it is refused.
    """

    object: Object
    location: Location
    document: int
    locate: Locate = field(compare=False, repr=False)
    encrypted: bool = False
    leak: Problem | None = None


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


def path_text(path: FieldPath) -> str:
    """A path as people write it: `spec.containers[0].name`, `metadata.labels["example.org/team"]`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.replace("_", "").replace("-", "").isalnum():
            text += f".{step}" if text else step
        else:
            text += f'["{step}"]'
    return text


def field_path(obj: Any, text: str) -> FieldPath:
    """The path that a text means in an object, as far as the object goes. Keys that hold dots are found, too."""
    steps: list[str | int] = []
    while text:
        step, rest = _first_step(obj, text)
        if step is None:
            break
        steps.append(step)
        obj, text = obj[step], rest
    return tuple(steps)


def _first_step(obj: Any, text: str) -> tuple[str | int | None, str]:
    text = text.removeprefix(".")
    if text.startswith("["):
        inner, _, rest = text[1:].partition("]")
        step = int(inner) if inner.isdigit() else inner.strip("\"'")
        return (step, rest) if _holds(obj, step) else (None, "")
    if not isinstance(obj, Mapping):
        return None, ""
    fitting = [key for key in obj if text == key or text.startswith((f"{key}.", f"{key}["))]
    longest = max(fitting, key=len, default=None)
    return (longest, text[len(longest) :]) if longest is not None else (None, "")


def _holds(obj: Any, step: str | int) -> bool:
    if isinstance(step, int):
        return isinstance(obj, list | tuple) and step < len(obj)
    return isinstance(obj, Mapping) and step in obj
