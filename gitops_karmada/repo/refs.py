"""Names of branches, tags and commits: what Git allows, less what could be taken for anything else."""

import re
from dataclasses import dataclass
from typing import TypeAlias

from gitops_karmada.repo.failures import GitError, Reason

_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?\Z")
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(/|\Z)|\.\Z|/\Z|\A[-/.]|\A@\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A branch by name; without a name, the one that the repository's HEAD stands on."""

    name: str = ""

    def __str__(self) -> str:
        return f"branch {self.name!r}" if self.name else "the default branch"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    name: str

    def __str__(self) -> str:
        return f"tag {self.name!r}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """One commit by its whole id."""

    commit: str

    def __str__(self) -> str:
        return f"commit {self.commit[:12]}"


Reference: TypeAlias = Branch | Tag | Pinned


def branch(name: str) -> Branch:
    return Branch(name=_legal(name, "branch")) if name else Branch()


def tag(name: str) -> Tag:
    return Tag(name=_legal(name, "tag"))


def pinned(commit: str) -> Pinned:
    if not is_commit(commit):
        hint = "Give the whole id, 40 hexadecimal digits"
        raise GitError(Reason.REFUSED, f"{commit[:80]!r} is no commit id", hint)
    return Pinned(commit=commit)


def is_commit(text: str) -> bool:
    return bool(_COMMIT.match(text))


def _legal(name: str, what: str) -> str:
    if len(name) > 200 or _FORBIDDEN.search(name):
        raise GitError(Reason.REFUSED, f"{name[:80]!r} is no legal {what} name", f"Correct the {what} in the settings")
    return name
