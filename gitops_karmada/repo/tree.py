"""A tree of files, wherever it lies: in a commit or in a folder."""

import hashlib
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from gitops_karmada.model.federation import Commit
from gitops_karmada.repo.failures import GitError, Reason

LINK = "120000"
SUBMODULE = "160000"


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeFile:
    """`blob` names the content: equal names, equal content. `mode` is Git's; `size` counts bytes, -1 is unknown."""

    blob: str
    mode: str = "100644"
    size: int = -1


class SourceTree(Protocol):
    """Paths are relative to the root, with `/`, and may hold anything that a file name can (bytes as surrogates)."""

    @property
    def commit(self) -> Commit: ...

    @property
    def files(self) -> Mapping[str, TreeFile]: ...

    def contents(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """The content of each of the paths, in their order."""
        ...

    def fetcher(self, path: str) -> Callable[[], bytes]:
        """A way to read one file again later, without keeping the tree."""
        ...


def blob_id(data: bytes) -> str:
    """The name that Git gives to a content (in repositories with SHA-1, as almost all are)."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def clean_path(path: str) -> str:
    """A configured path without `./` and slashes at its ends; the root is the empty string."""
    if "\0" in path or path.startswith("/") or ".." in path.split("/"):
        message = f"source path {path!r} leaves the repository"
        raise GitError(Reason.REFUSED, message, "Use a path relative to the root of the repository, without ..")
    cleaned = posixpath.normpath(path) if path else "."
    return "" if cleaned == "." else cleaned


def below(tree: SourceTree, paths: Iterable[str]) -> dict[str, str]:
    """Each file below one of the paths, and its name relative to that path. A path that is not there is an error."""
    found: dict[str, str] = {}
    for path in map(clean_path, paths):
        inside = dict(_inside(tree, path))
        if not inside and path and not _is_folder(tree, path):
            where = f"commit {tree.commit.id[:12]}" if tree.commit.id else "the folder"
            message = f"source path {path!r} is not in {where}"
            raise GitError(Reason.PATH_MISSING, message, "A missing path is never read as empty: correct the settings")
        for name, relative in inside.items():
            found.setdefault(name, relative)
    return found


def _inside(tree: SourceTree, path: str) -> Iterator[tuple[str, str]]:
    if not path:
        yield from zip(tree.files, tree.files, strict=True)
        return
    if path in tree.files:
        yield path, path.rpartition("/")[2]
    prefix = path + "/"
    yield from ((name, name[len(prefix) :]) for name in tree.files if name.startswith(prefix))


def _is_folder(tree: SourceTree, path: str) -> bool:
    return path in getattr(tree, "empty_folders", ())
