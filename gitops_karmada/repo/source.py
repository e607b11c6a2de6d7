"""The source: what one commit of a repository holds. Blobs are read, nothing is ever checked out."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

from gitops_karmada.model.federation import Commit
from gitops_karmada.repo import commits
from gitops_karmada.repo.addresses import Address, Transport, address
from gitops_karmada.repo.clone import Clone, prepare
from gitops_karmada.repo.credentials import Credentials
from gitops_karmada.repo.failures import GitError, Reason
from gitops_karmada.repo.plumbing import Git, first_line
from gitops_karmada.repo.refs import Branch, Pinned, Reference, Tag, is_commit
from gitops_karmada.repo.tree import TreeFile

_HINT = "Push it, or correct the name in the settings; the last good state stays in force"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The tip of the source now. `rewritten_from` is the tip read before when this one does not descend from it."""

    commit: Commit
    moved: bool
    rewritten_from: str | None = None


class Source:
    """A repository that is read. A folder is read where it lies; anything else through one bare clone."""

    def __init__(
        self,
        where: str | Address,
        reference: Reference | None = None,
        *,
        cache: Path,
        credentials: Credentials | None = None,
        passed: Mapping[str, str] | None = None,
        seconds: float = 60,
    ) -> None:
        self.address = where if isinstance(where, Address) else address(where)
        self.reference = reference or Branch()
        self._cache = cache
        self._clone = Clone(self.address, cache, credentials=credentials, passed=passed, seconds=seconds)
        self._last: Commit | None = None

    @cached_property
    def git(self) -> Git:
        """Git on the objects of the source: the repository's own in a folder, else our clone's."""
        if self.address.transport is not Transport.FOLDER:
            self._clone.open()
            return self._clone.git
        prepare(self._cache)
        return replace(self._clone.git, folder=_git_folder(self.address, self._clone.git))

    def read(self, since: str | None = None) -> Reading:
        """Find the tip, and fetch it when it has moved. A tip that cannot be found is an error, never empty.

        `since` is the commit that was read last, by this process or one before it.
        """
        name, ref = self._local_tip() if self.address.transport is Transport.FOLDER else self._fetched_tip()
        before, since = self._last, since or (self._last.id if self._last else None)
        if before and before.id == name:
            return Reading(commit=before, moved=False, rewritten_from=self._rewritten(since, name))
        self._last = commits.commit(self.git, name, ref)
        return Reading(commit=self._last, moved=True, rewritten_from=self._rewritten(since, name))

    def tree(self, commit: Commit) -> "GitTree":
        return GitTree(self.git, commit, self._forget)

    def file_at(self, commit: str, path: str) -> bytes | None:
        """The content of a file in a commit, or None where the commit has no such file."""
        _check(commit)
        outcome = self.git.run("cat-file", "blob", f"{commit}:{path}")
        return None if outcome.code else outcome.output

    def changed(self, before: str, after: str) -> tuple[str, ...]:
        """The paths that differ between two commits."""
        _check(before)
        _check(after)
        output = self.git.text("diff-tree", "-r", "-z", "--name-only", "--no-renames", before, after)
        return tuple(path for path in output.split("\0") if path)

    def last_change(self, commit: str, path: str, line: int = 0) -> Commit | None:
        """The commit that caused a line of a file, or the file where no line is given."""
        _check(commit)
        return commits.last_change(self.git, commit, path, line)

    def ignored(self) -> frozenset[str]:
        """What `.gitignore` files keep out of the next commit of a folder; a folder ends in a slash."""
        if self.address.transport is not Transport.FOLDER or self.address.path is None:
            return frozenset()
        root = str(self.address.path)
        options = ("-z", "--others", "--ignored", "--exclude-standard", "--directory")
        outcome = self.git.run(f"--work-tree={root}", "-C", root, "ls-files", *options)
        return (
            frozenset()
            if outcome.code
            else frozenset(os.fsdecode(path) for path in outcome.output.split(b"\0") if path)
        )

    def is_ancestor(self, older: str, newer: str) -> bool:
        return self.git.run("merge-base", "--is-ancestor", older, newer).code == 0

    def tidy(self) -> bool:
        return self.address.transport is not Transport.FOLDER and self._clone.tidy()

    def _forget(self) -> None:
        """Our copy is damaged: it is made anew at the next reading. Somebody's own repository is left alone."""
        if self.address.transport is not Transport.FOLDER:
            self._clone.forget()
            self._last = None

    def _local_tip(self) -> tuple[str, str]:
        match self.reference:
            case Branch(name=""):
                ref = "HEAD"
            case Branch(name=name):
                ref = f"refs/heads/{name}"
            case Tag(name=name):
                ref = f"refs/tags/{name}"
            case Pinned(commit=name):
                ref = name
        outcome = self.git.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        found = outcome.output.decode("ascii", "replace").strip()
        if ref == "HEAD" and outcome.code:
            raise GitError(Reason.REF_NOT_FOUND, f"{self.address} has no commit yet", "Commit the files first")
        if outcome.code or not is_commit(found):
            raise GitError(Reason.REF_NOT_FOUND, f"{self.reference} is not in {self.address}", _HINT)
        return found, self._ref_name(ref)

    def _ref_name(self, ref: str) -> str:
        if ref != "HEAD":
            return ref
        return self.git.run("symbolic-ref", "--quiet", "HEAD").output.decode("utf-8", "replace").strip() or "HEAD"

    def _fetched_tip(self) -> tuple[str, str]:
        try:
            return self._tip_of_remote()
        except GitError as error:
            if error.reason is not Reason.DAMAGED:
                raise
            # Our copy may be what is damaged; it costs nothing but a fetch to make it anew.
            self._forget()
            return self._tip_of_remote()

    def _tip_of_remote(self) -> tuple[str, str]:
        if isinstance(self.reference, Pinned):
            return self._fetched_commit(self.reference.commit)
        ref, name = self._advertised()
        if self._last and self._last.id == name:
            return name, ref
        if not self._has(name):
            self._fetch(f"+{ref}:{self._kept(ref)}")
            name = self.git.text("rev-parse", "--verify", f"{self._kept(ref)}^{{commit}}")
        else:
            name = self.git.text("rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}")
            self.git.text("update-ref", self._kept(ref), name)
        return name, ref

    def _advertised(self) -> tuple[str, str]:
        """The full name of the reference in the repository and what it stands for, without fetching anything."""
        wanted = {Branch: "refs/heads/", Tag: "refs/tags/"}[type(self.reference)] + getattr(self.reference, "name", "")
        symbolic = isinstance(self.reference, Branch) and not self.reference.name
        pattern = "HEAD" if symbolic else wanted
        outcome = self._clone.remote("ls-remote", "--symref", "--end-of-options", self.address.url, pattern)
        if outcome.code:
            raise self._clone.failure(outcome, "reading")
        lines = [line.split("\t") for line in outcome.output.decode("utf-8", "surrogateescape").splitlines()]
        ids = {line[1]: line[0] for line in lines if len(line) == 2 and is_commit(line[0])}
        target = next((line[0].removeprefix("ref: ") for line in lines if line[0].startswith("ref: ")), "HEAD")
        if pattern not in ids:
            raise GitError(Reason.REF_NOT_FOUND, f"{self.reference} is not in {self.address}", _HINT)
        return (target if symbolic else pattern), ids[pattern]

    def _fetched_commit(self, name: str) -> tuple[str, str]:
        if not self._has(name):
            try:
                self._fetch(f"+{name}:{self._kept(name)}")
            except GitError as error:
                if error.reason in (Reason.AUTHENTICATION, Reason.TIMEOUT, Reason.LIMIT):
                    raise
                # Servers may refuse to hand out a commit by its id; then it comes with the branch it is on.
                self._fetch("+refs/heads/*:refs/gk/heads/*")
        if not self._has(name):
            raise GitError(Reason.REF_NOT_FOUND, f"{self.reference} is not in {self.address}", _HINT)
        return name, name

    def _fetch(self, refspec: str) -> None:
        options = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance")
        with self._clone.alone():
            outcome = self._clone.remote("fetch", *options, "--end-of-options", self.address.url, refspec)
        if outcome.code:
            raise self._clone.failure(outcome, "fetching")

    def _has(self, name: str) -> bool:
        """Whether a commit is here, with all that it holds (a fetch that broke off leaves no reference to it)."""
        return self.git.run("cat-file", "-e", f"{name}^{{tree}}").code == 0 and self._is_kept(name)

    def _is_kept(self, name: str) -> bool:
        outcome = self.git.run("for-each-ref", "--count=1", "--contains", name, "--format=%(refname)", "refs/gk/")
        return outcome.code == 0 and bool(outcome.output.strip())

    @staticmethod
    def _kept(ref: str) -> str:
        return f"refs/gk/source/{ref.removeprefix('refs/')}"

    def _rewritten(self, since: str | None, name: str) -> str | None:
        if since is None or since == name or not is_commit(since) or not isinstance(self.reference, Branch):
            return None
        return None if self.is_ancestor(since, name) else since


class GitTree:
    """The files of one commit."""

    def __init__(self, git: Git, commit: Commit, damaged: Callable[[], None] = lambda: None) -> None:
        self._git = git
        self._damaged = damaged
        self.commit = commit

    @cached_property
    def files(self) -> Mapping[str, TreeFile]:
        output = self._git.run("ls-tree", "-r", "-l", "-z", "--full-tree", "--end-of-options", self.commit.id)
        if output.code:
            self._damaged()
            raise GitError(
                Reason.DAMAGED, f"commit {self.commit.id[:12]} cannot be listed: {first_line(output.errors)}"
            )
        return dict(map(_entry, output.output.split(b"\0")[:-1]))

    def contents(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        paths = list(paths)
        try:
            yield from zip(paths, self._git.blobs([self.files[path].blob for path in paths]), strict=True)
        except GitError as error:
            if error.reason is Reason.DAMAGED:
                self._damaged()
            raise

    def fetcher(self, path: str) -> Callable[[], bytes]:
        return partial(self._git.blob, self.files[path].blob)


def _entry(line: bytes) -> tuple[str, TreeFile]:
    facts, _, path = line.partition(b"\t")
    mode, _, blob, size = facts.decode("ascii").split()
    file = TreeFile(blob=blob, mode=mode, size=-1 if size == "-" else int(size))
    return path.decode("utf-8", "surrogateescape"), file


def _git_folder(where: Address, git: Git) -> Path:
    """Where the objects of the repository in a folder lie; folders above it are not searched."""
    root = where.path or Path(where.url)
    if not root.is_dir():
        raise GitError(Reason.UNREACHABLE, f"there is no folder {where}", "Name the root folder of the repository")
    outcome = git.discover(root)
    if outcome.code:
        message = f"{where} is no Git repository: {first_line(outcome.errors)}"
        raise GitError(Reason.UNREACHABLE, message, "Name its root folder, or run git init there")
    return Path(os.fsdecode(outcome.output.removesuffix(b"\n")))


def _check(commit: str) -> None:
    if not is_commit(commit):
        raise GitError(Reason.REFUSED, f"{commit[:80]!r} is no commit id")
