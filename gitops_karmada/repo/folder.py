"""A folder on disk as a tree: what would be committed next. Links are listed, never followed."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from gitops_karmada.model.federation import Commit
from gitops_karmada.repo.failures import GitError, Reason
from gitops_karmada.repo.tree import LINK, TreeFile

_SKIPPED = {".git", ".hg", ".svn", "__pycache__", "node_modules"}


class FolderTree:
    """The files of a folder as they are now, committed or not.

    `ignored` are paths that would not be committed; a folder ends in a slash.
    """

    def __init__(self, root: Path, commit: Commit | None = None, ignored: frozenset[str] = frozenset()) -> None:
        if not root.is_dir():
            raise GitError(Reason.PATH_MISSING, f"{str(root)!r} is not a folder", "Name the folder of the repository")
        self._root = root
        self._ignored = ignored
        self.commit = commit or Commit()
        self.empty_folders: set[str] = set()
        self.files: Mapping[str, TreeFile] = dict(sorted(self._listed("")))

    def contents(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        for path in paths:
            yield path, self.fetcher(path)()

    def fetcher(self, path: str) -> Callable[[], bytes]:
        return partial(_link_text if self.files[path].mode == LINK else _content, self._root / path)

    def _listed(self, folder: str) -> Iterator[tuple[str, TreeFile]]:
        try:
            entries = sorted(os.scandir(self._root / folder), key=lambda entry: entry.name)
        except OSError as error:
            raise GitError(
                Reason.UNREACHABLE, f"the folder {folder or '.'!r} cannot be read: {error.strerror}"
            ) from error
        if folder and not entries:
            self.empty_folders.add(folder)
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _SKIPPED and f"{path}/" not in self._ignored:
                    yield from self._listed(path)
            elif path not in self._ignored and (file := _file(entry)):
                yield path, file


def _file(entry: os.DirEntry[str]) -> TreeFile | None:
    found = entry.stat(follow_symlinks=False)
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)):
        return None
    # Not a content id, but as good as one while the folder is watched: what Git's own index goes by.
    blob = f"stat:{found.st_dev}:{found.st_ino}:{found.st_mtime_ns}:{found.st_ctime_ns}:{found.st_size}"
    mode = LINK if stat.S_ISLNK(found.st_mode) else "100644"
    return TreeFile(blob=blob, mode=mode, size=found.st_size)


def _content(path: Path) -> bytes:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as stream:
            return stream.read()
    except OSError as error:
        raise GitError(Reason.UNREACHABLE, f"{path.name!r} cannot be read: {error.strerror}") from error


def _link_text(path: Path) -> bytes:
    return os.fsencode(path.readlink())
