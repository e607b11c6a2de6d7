"""The status branch: read as a tree, written as one commit on top of it, pushed only if nobody else was faster."""

import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from gitops_karmada.model.federation import Commit
from gitops_karmada.model.settings import Author
from gitops_karmada.repo import commits
from gitops_karmada.repo.addresses import Address, address
from gitops_karmada.repo.clone import Clone
from gitops_karmada.repo.credentials import Credentials
from gitops_karmada.repo.failures import GitError, Reason
from gitops_karmada.repo.fast_import import stream
from gitops_karmada.repo.messages import Message, trailers
from gitops_karmada.repo.plumbing import Git, Outcome, first_line
from gitops_karmada.repo.refs import branch as legal_branch
from gitops_karmada.repo.refs import is_commit
from gitops_karmada.repo.source import GitTree

# How Git and the well-known servers say that the branch has moved meanwhile.
_LOST = re.compile(
    r"non-fast-forward|fetch first|cannot lock ref|incorrect old value|reference already exists|failed to update ref"
    r"|stale info|remote ref updated since|needs force|already locked|unable to create .*\.lock|unable to lock",
    re.IGNORECASE,
)
_counter = itertools.count()


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    commit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchanged:
    """The tree would have been the same: there is no commit."""

    commit: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LostRace:
    """Somebody else was faster. Read again, decide again."""

    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The repository does not let us write. Nothing new may be applied until it does."""

    message: str
    reason: Reason = Reason.UNWRITABLE


Publication: TypeAlias = Published | Unchanged | LostRace | Refused
Observe: TypeAlias = Callable[[str], None]


class StatusTree(Mapping[str, bytes]):
    """The files of the branch at one commit, read when they are asked for. Without a commit there are none."""

    def __init__(self, git: Git, commit: Commit | None) -> None:
        self._git = git
        self.commit = commit

    @cached_property
    def _tree(self) -> GitTree | None:
        return GitTree(self._git, self.commit) if self.commit else None

    def __getitem__(self, path: str) -> bytes:
        if self._tree is None or path not in self._tree.files:
            raise KeyError(path)
        return self._git.blob(self._tree.files[path].blob)

    def __iter__(self) -> Iterator[str]:
        return iter(self._tree.files if self._tree else ())

    def __len__(self) -> int:
        return len(self._tree.files) if self._tree else 0

    def __contains__(self, path: object) -> bool:
        return self._tree is not None and path in self._tree.files

    def blob(self, path: str) -> str | None:
        """The id of a file's content: equal ids, equal content."""
        file = self._tree.files.get(path) if self._tree else None
        return file.blob if file else None

    def contents(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Many files at once, which is much faster than one by one."""
        if self._tree is not None:
            yield from self._tree.contents(paths)

    def below(self, folder: str) -> Iterator[tuple[str, bytes]]:
        """Every file below a folder."""
        prefix = folder.rstrip("/") + "/"
        yield from self.contents([path for path in self if path.startswith(prefix)])


class StatusBranch:
    """One branch of a repository that we write. `mark` is the file by which a branch is known to be ours."""

    def __init__(
        self,
        where: str | Address,
        branch: str,
        *,
        cache: Path,
        author: Author,
        credentials: Credentials | None = None,
        passed: Mapping[str, str] | None = None,
        seconds: float = 60,
        mark: str | None = "federation.json",
        observe: Observe | None = None,
    ) -> None:
        self.address = where if isinstance(where, Address) else address(where)
        self.branch = legal_branch(branch).name
        if not self.branch:
            raise GitError(Reason.REFUSED, "the status branch has no name", "Name it in the settings")
        self._clone = Clone(self.address, cache, credentials=credentials, passed=passed, seconds=seconds)
        self._author = author
        self._mark = mark
        self.observe = observe or (lambda step: None)
        self._last: StatusTree | None = None

    def read(self) -> StatusTree:
        """The branch as it is now. A branch that does not exist yet has no commit; one that cannot be read raises."""
        try:
            return self._read()
        except GitError as error:
            if error.reason is not Reason.DAMAGED:
                raise
            self._clone.forget()
            self._last = None
            return self._read()

    def publish(
        self, base: str | None, changes: Mapping[str, bytes | None], message: Message, when: datetime
    ) -> Publication:
        """Write the changes on top of `base` and push them. Given the same, the commit has the same id."""
        self._clone.open()
        with self._clone.lock():
            if foreign := self._foreign(base):
                return foreign
            self.observe("before writing")
            commit = self._written(base, changes, message, when)
            self.observe("written")
            try:
                if base and self._tree_of(commit) == self._tree_of(base):
                    return Unchanged(commit=base)
                result = self._pushed(commit)
            finally:
                self._settle(commit)
        self.observe("settled")
        self._clone.tidy()
        return result

    def history(self, path: str = "", most: int = 100) -> tuple[tuple[Commit, Mapping[str, str]], ...]:
        """The latest commits of the branch, with their trailers, or those that touched a path."""
        tip = self.read().commit
        if tip is None:
            return ()
        form = f"--format={commits.FORMAT}%B%x01"
        paths = ("--", path) if path else ()
        output = self._git.text("log", f"-{int(most)}", "--no-notes", form, "--end-of-options", tip.id, *paths)
        return tuple(_logged(entry) for entry in output.split("\x01") if entry.strip())

    @property
    def _git(self) -> Git:
        return self._clone.git

    @property
    def _ref(self) -> str:
        return f"refs/heads/{self.branch}"

    @property
    def _kept(self) -> str:
        return f"refs/gk/status/{self.branch}"

    def _read(self) -> StatusTree:
        tip = self._remote_tip()
        if self._last is not None and (self._last.commit.id if self._last.commit else None) == tip:
            return self._last
        if tip is None:
            self._last = StatusTree(self._git, None)
            return self._last
        if self._git.run("cat-file", "-e", f"{tip}^{{tree}}").code or self._kept_tip() != tip:
            tip = self._fetched()
        self.observe("read")
        self._last = StatusTree(self._git, commits.commit(self._git, tip, self._ref))
        return self._last

    def _remote_tip(self) -> str | None:
        outcome = self._clone.remote("ls-remote", "--end-of-options", self.address.url, self._ref)
        if outcome.code:
            raise self._clone.failure(outcome, "reading the status branch of")
        lines = (line.split("\t") for line in outcome.output.decode("utf-8", "replace").splitlines())
        return next((line[0] for line in lines if line[1:] == [self._ref] and is_commit(line[0])), None)

    def _kept_tip(self) -> str:
        return self._git.run("rev-parse", "--verify", "--quiet", self._kept).output.decode("ascii", "replace").strip()

    def _fetched(self) -> str:
        options = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance")
        refspec = f"+{self._ref}:{self._kept}"
        with self._clone.alone():
            outcome = self._clone.remote("fetch", *options, "--end-of-options", self.address.url, refspec)
            if outcome.code:
                raise self._clone.failure(outcome, "fetching the status branch of")
            return self._git.text("rev-parse", "--verify", self._kept)

    def _foreign(self, base: str | None) -> Refused | None:
        """A branch with other things on it is somebody else's: its files are never touched."""
        if base is None or self._mark is None:
            return None
        listed = self._git.run("ls-tree", "--name-only", "--full-tree", "--end-of-options", base)
        names = listed.output.decode("utf-8", "replace").split("\n")
        if listed.code or self._mark in names or not any(names):
            return None
        return Refused(message=f"branch {self.branch!r} of {self.address} holds other things and no {self._mark}")

    def _written(self, base: str | None, changes: Mapping[str, bytes | None], message: Message, when: datetime) -> str:
        ref = f"refs/gk/outgoing/{os.getpid()}-{next(_counter)}"
        parts = stream(ref, base, changes, message.text(), self._author, when)
        outcome = self._git.feed("fast-import", "--quiet", "--done", "--date-format=raw", parts=parts, seconds=600)
        if outcome.code:
            raise GitError(Reason.DAMAGED, f"the commit could not be written: {first_line(outcome.errors)}")
        return self._git.text("rev-parse", "--verify", ref)

    def _tree_of(self, commit: str) -> str:
        return self._git.text("rev-parse", "--verify", f"{commit}^{{tree}}")

    def _pushed(self, commit: str) -> Publication:
        options = ("--quiet", "--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no")
        try:
            outcome = self._clone.remote(
                "push", *options, "--end-of-options", self.address.url, f"{commit}:{self._ref}"
            )
        except GitError:
            # The answer is missing, which says nothing about the deed.
            if self._is_there(commit):
                return Published(commit=commit)
            raise
        self.observe("pushed")
        if outcome.code == 0:
            with self._clone.alone():
                self._git.run("update-ref", self._kept, commit)
            return Published(commit=commit)
        return self._not_pushed(commit, outcome)

    def _not_pushed(self, commit: str, outcome: Outcome) -> Publication:
        said = outcome.output.decode("utf-8", "replace")
        verdict = next((line for line in said.splitlines() if line.startswith("!")), "")
        if _LOST.search(verdict) or (not verdict and _LOST.search(outcome.errors)):
            return LostRace(message=f"branch {self.branch!r} of {self.address} has moved meanwhile")
        if verdict:
            why = verdict.rpartition("\t")[2]
            told = " ".join(line.strip() for line in outcome.errors.splitlines() if line.startswith("remote:"))[:300]
            return Refused(message=f"{self.address} refused branch {self.branch!r}: {why} {told}".rstrip())
        if self._is_there(commit):
            return Published(commit=commit)
        failure = self._clone.failure(outcome, "pushing to")
        if failure.reason is Reason.AUTHENTICATION:
            return Refused(message=str(failure), reason=failure.reason)
        raise failure

    def _is_there(self, commit: str) -> bool:
        try:
            return self._remote_tip() == commit
        except GitError:
            return False

    def _settle(self, commit: str) -> None:
        """Drop what was only needed on the way. What a crash leaves here is swept when the clone is next opened."""
        listed = self._git.run("for-each-ref", f"--points-at={commit}", "--format=%(refname)", "refs/gk/outgoing/")
        for ref in listed.output.decode("utf-8", "replace").split():
            self._git.run("update-ref", "-d", ref)


def _logged(entry: str) -> tuple[Commit, Mapping[str, str]]:
    *_, text = entry.split("\0", 4)
    return commits.parsed(entry), trailers(text)
