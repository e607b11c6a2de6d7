"""What a commit, or a folder as it is, asks for: read with its settings, and every line at hand for findings."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from gitops_karmada.cli import places
from gitops_karmada.cli.options import Where
from gitops_karmada.core.federate import federate
from gitops_karmada.model.decode import Fault, decode
from gitops_karmada.model.federation import Federation
from gitops_karmada.model.files import FieldPath, Manifest
from gitops_karmada.model.objects import key_of
from gitops_karmada.model.problems import Location, Problem, SettingsError, Severity
from gitops_karmada.model.settings import FILE, KIND, Settings
from gitops_karmada.repo.failures import GitError
from gitops_karmada.repo.folder import FolderTree
from gitops_karmada.repo.manifests import read_file
from gitops_karmada.repo.reading import ManifestReader
from gitops_karmada.repo.refs import Branch, Pinned, Reference, branch, is_commit, pinned
from gitops_karmada.repo.source import Source
from gitops_karmada.repo.tree import SourceTree


@dataclass(frozen=True, kw_only=True)
class Lines:
    """The lines of a tree's files, for findings. Each file is read when first asked for."""

    tree: SourceTree
    known: dict[str, list[str]] = field(default_factory=dict)

    def __call__(self, location: Location) -> str | None:
        if location.file not in self.known:
            self.known[location.file] = self._read(location.file)
        lines = self.known[location.file]
        return lines[location.line - 1] if 0 < location.line <= len(lines) else None

    def _read(self, file: str) -> list[str]:
        if file not in self.tree.files:
            return []
        (found,) = self.tree.contents([file])
        return found[1].decode("utf-8", "replace").splitlines()


def source(where: Where, rev: str = "") -> Source:
    """The repository at a commit, a branch, or its current branch."""
    return Source(places.repository(where), reference(where, rev or where.rev), cache=places.cache(where))


def reference(where: Where, rev: str) -> Reference:
    if where.branch and not rev:
        return branch(where.branch)
    if not rev:
        return Branch()
    return pinned(rev) if is_commit(rev) else _resolved(where, rev)


def _resolved(where: Where, rev: str) -> Pinned:
    """`HEAD~1`, a short id, a tag, a branch: in a folder git says which commit is meant."""
    folder = places.local_folder(where)
    if folder is None:
        raise SettingsError(f"{rev!r} is no whole commit id\nFor a URL give all 40 digits, or a branch with --branch")
    git = Source(str(folder), cache=places.cache(where)).git
    found = git.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}")
    name = found.output.decode("ascii", "replace").strip()
    if found.code or not is_commit(name):
        raise SettingsError(f"there is no commit {rev!r} in {folder}\nSee: git log --oneline --all")
    return pinned(name)


def as_it_is(where: Where) -> bool:
    """Whether the files of a folder are meant as they lie there: no commit and no branch was named."""
    return not where.rev and not where.branch and places.local_folder(where) is not None and not _is_bare(where)


def _is_bare(where: Where) -> bool:
    folder = places.local_folder(where)
    return folder is not None and (folder / "HEAD").is_file() and (folder / "objects").is_dir()


def folder_tree(where: Where, folder: Path) -> FolderTree:
    """The files as they lie there, on top of the commit that is checked out."""
    try:
        return FolderTree(folder, commit=Source(str(folder), cache=places.cache(where)).read().commit)
    except GitError:
        # No repository yet, or one without a commit: the files are all there is.
        return FolderTree(folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """One tree, read: what it asks for, and its lines."""

    federation: Federation
    lines: Lines


def read(where: Where) -> Read:
    """The files as they lie there when a folder is meant, else the commit that is meant."""
    folder = places.local_folder(where)
    if folder is not None and as_it_is(where):
        return read_tree(folder_tree(where, folder), where)
    origin = source(where)
    return read_tree(origin.tree(origin.read().commit), where)


def read_tree(tree: SourceTree, where: Where) -> Read:
    settings, problems = settings_in(tree)
    found = ManifestReader(places.cache(where)).read(tree, settings.spec.source.paths or ("",))
    federation = federate(
        found.manifests,
        settings,
        commit=tree.commit,
        problems=(*problems, *found.problems),
        unread=found.unread,
        broken=found.broken,
    )
    return Read(federation=federation, lines=Lines(tree=tree))


def settings_in(tree: SourceTree) -> tuple[Settings, tuple[Problem, ...]]:
    """The settings of a tree, with what is odd in them. Settings that cannot be understood are an error."""
    if FILE not in tree.files:
        raise SettingsError(
            f"there is no {FILE} here\nA federation repository has one at its root; start one: gitops-karmada init"
        )
    ((_, data),) = tree.contents([FILE])
    found = read_file(data, FILE)
    manifest = next((it for it in found.manifests if it.object.get("kind") == KIND), None)
    if manifest is None:
        raise WrongSettingsError(found.problems or (_no_settings(),))
    decoded = decode(Settings, manifest.object)
    problems = tuple(_problem(fault, manifest) for fault in decoded.faults)
    if decoded.value is None:
        raise WrongSettingsError(problems)
    return decoded.value, (*found.problems, *problems)


class WrongSettingsError(SettingsError):
    """The settings cannot be used; each finding has its line."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = problems


def _no_settings() -> Problem:
    return Problem(
        code="GK8002",
        location=Location(file=FILE),
        message=f"the file holds no object of kind {KIND}",
        hint="See the one that gitops-karmada init writes",
    )


def _problem(fault: Fault, manifest: Manifest) -> Problem:
    return Problem(
        code="GK8002",
        severity=Severity.ERROR if fault.fatal else Severity.WARNING,
        location=manifest.locate(field_path(fault.path)),
        subject=str(key_of(manifest.object)),
        path=fault.path,
        message=fault.message,
    )


def field_path(text: str) -> FieldPath:
    """`spec.members[0].mode` → its steps."""
    steps = re.findall(r"\[(\d+)\]|([^.\[\]]+)", text)
    return tuple(int(index) if index else name for index, name in steps)


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Each finding once, by file and line; what has no place comes last."""
    return sorted(set(problems), key=_place)


def _place(problem: Problem) -> tuple[bool, Location, str, str]:
    location = problem.location
    return location is None, location or Location(file=""), problem.code, problem.message
