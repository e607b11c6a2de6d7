"""Federations as they come: the newest commit of a source, or a folder as it is now."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from gitops_karmada.cli.connections import odd_members
from gitops_karmada.cli.settings_file import settings_in
from gitops_karmada.core.federate import federate
from gitops_karmada.model.federation import Commit, Federation
from gitops_karmada.model.problems import Location
from gitops_karmada.repo.failures import GitError
from gitops_karmada.repo.file_names import is_hidden, is_manifest_name
from gitops_karmada.repo.folder import FolderTree
from gitops_karmada.repo.reading import ManifestReader
from gitops_karmada.repo.source import Source
from gitops_karmada.repo.tree import SourceTree, blob_id


class Lines:
    """The lines of a tree's files, for findings. Each file is read when first asked for."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree = tree
        self._known: dict[str, list[str]] = {}

    def __call__(self, location: Location) -> str | None:
        if location.file not in self._known:
            self._known[location.file] = self._read(location.file)
        lines = self._known[location.file]
        return lines[location.line - 1] if 0 < location.line <= len(lines) else None

    def _read(self, file: str) -> list[str]:
        if file not in self.tree.files:
            return []
        ((_, data),) = self.tree.contents([file])
        return list(_discreet(data.decode("utf-8", "replace").splitlines()))


# A document that is, or may hold, a Secret, and what of a line may be shown then.
_SECRET: Final = re.compile(r"""["']?kind["']?\s*:\s*["']?Secret""")
_NAME: Final = re.compile(r"""[\s-]*["']?[\w./-]+["']?:(?=\s|$)""")


def _discreet(lines: list[str]) -> Iterator[str]:
    """The lines; of Secrets without their values, which findings of any kind may point at."""
    start = 0
    for end in (*(number for number, line in enumerate(lines) if line.startswith("---")), len(lines)):
        document = lines[start:end]
        is_secret = any(_SECRET.search(line) for line in document)
        yield from map(_without_value, document) if is_secret else document
        start = end


def _without_value(line: str) -> str:
    name = _NAME.match(line)
    shown = name[0] if name else ""
    return line if not line[len(shown) :].strip() else f"{shown} (hidden)".lstrip(" " if not shown else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """One tree, read: what it asks for, and its lines."""

    federation: Federation
    lines: Lines


class SourceFeed:
    """The newest commit of a source. A commit that was read is not read again."""

    def __init__(self, source: Source, cache: Path) -> None:
        self.source = source
        self._reader = ManifestReader(cache)
        self._last: Read | None = None

    def descends(self, older: str, newer: str) -> bool:
        return self.source.is_ancestor(older, newer)

    def __call__(self) -> Read:
        reading = self.source.read()
        if self._last is None or self._last.federation.commit.id != reading.commit.id:
            self._last = read_tree(self.source.tree(reading.commit), self._reader)
        return self._last


class FolderFeed:
    """The files of a folder as they are each time, on top of the commit that is checked out there."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self._folder = folder
        self._cache = cache
        self._reader = ManifestReader(cache)

    def descends(self, older: str, newer: str) -> bool:
        """A folder has the history that its author gives it."""
        return True

    def __call__(self) -> Read:
        source = Source(str(self._folder), cache=self._cache)
        tree = FolderTree(self._folder, commit=_checked_out(source), ignored=_ignored(source))
        return read_tree(tree, self._reader)


def is_committed(folder: Path, cache: Path, lines: Lines) -> bool:
    """Whether every manifest of the folder is as in the commit that is checked out there, and none is missing."""
    tree = lines.tree
    if not tree.commit.id or not (folder / ".git").exists():
        return False
    committed = Source(str(folder), cache=cache).tree(tree.commit).files
    here = [path for path in tree.files if is_manifest_name(path)]
    if {path for path in committed if is_manifest_name(path) and not is_hidden(path)} - set(here):
        return False
    return all(path in committed and committed[path].blob == blob_id(data) for path, data in tree.contents(here))


def _checked_out(source: Source) -> Commit:
    try:
        return source.read().commit
    except GitError:
        # No repository yet, or one without a commit: the files are all there is.
        return Commit()


def _ignored(source: Source) -> frozenset[str]:
    try:
        return source.ignored()
    except GitError:
        return frozenset()


def read_tree(tree: SourceTree, reader: ManifestReader) -> Read:
    settings, problems = settings_in(tree)
    found = reader.read(tree, settings.spec.source.paths or ("",))
    federation = federate(
        found.manifests,
        settings,
        commit=tree.commit,
        problems=(*problems, *found.problems),
        unread=found.unread,
        broken=found.broken,
    )
    federation = replace(federation, problems=(*federation.problems, *odd_members(federation)))
    return Read(federation=federation, lines=Lines(tree))
