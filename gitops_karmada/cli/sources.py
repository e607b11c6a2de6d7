"""Which repository and which commit of it the flags mean."""

import os
from collections.abc import Iterable
from pathlib import Path

from gitops_karmada.cli import places
from gitops_karmada.cli.feeds import FolderFeed, Lines, Read, SourceFeed, is_committed
from gitops_karmada.cli.options import Where
from gitops_karmada.model.problems import Location, Problem, SettingsError
from gitops_karmada.repo.credentials import Credentials, SshKey, TokenFile
from gitops_karmada.repo.refs import Branch, Pinned, Reference, branch, is_commit, pinned
from gitops_karmada.repo.source import Source

# What git may know of our surroundings: how to reach the network.
PASSED = (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "ALL_PROXY",
    "SSL_CERT_FILE",
)


def read(where: Where) -> Read:
    """The files as they lie there when a folder is meant, else the commit that is meant."""
    return feed_as_it_is(where)() if as_it_is(where) else feed(where)()


def feed(where: Where, rev: str = "") -> SourceFeed:
    """Commits: the one that is named, else the newest of the branch that flags or settings name."""
    cache = places.cache(where)
    found = SourceFeed(source(where, reference(where, rev or where.rev)), cache)
    if rev or where.rev or where.branch:
        return found
    named = found().federation.settings.spec.source.branch
    return SourceFeed(source(where, branch(named)), cache) if named else found


def feed_as_it_is(where: Where) -> FolderFeed:
    folder = places.local_folder(where)
    if folder is None:
        raise SettingsError(
            "only a folder has files that are not committed\nGive --repo DIR, or name a commit with --rev"
        )
    return FolderFeed(folder.absolute(), places.cache(where))


def as_it_is(where: Where) -> bool:
    """Whether the files of a folder are meant as they lie there: no commit and no branch was named."""
    folder = places.local_folder(where)
    return folder is not None and not where.rev and not where.branch and not _is_bare(folder)


def is_uncommitted(where: Where, lines: Lines) -> bool:
    """Whether files of a folder are meant that are not, or not so, in the commit that is checked out there."""
    folder = places.local_folder(where)
    return folder is not None and as_it_is(where) and not is_committed(folder, places.cache(where), lines)


def _is_bare(folder: Path) -> bool:
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir()


def source(where: Where, which: Reference) -> Source:
    return Source(
        places.repository(where),
        which,
        cache=places.cache(where),
        credentials=credentials(where),
        passed=passed(),
    )


def passed() -> dict[str, str]:
    return {name: os.environ[name] for name in PASSED if name in os.environ}


def credentials(where: Where) -> Credentials | None:
    """Who we are to the Git server: files, read anew for every call."""
    if where.git_ssh_key:
        known_hosts = Path(where.git_known_hosts) if where.git_known_hosts else None
        return SshKey(path=Path(where.git_ssh_key), known_hosts=known_hosts)
    return TokenFile(path=Path(where.git_token_file)) if where.git_token_file else None


def reference(where: Where, rev: str) -> Reference:
    if not rev:
        return branch(where.branch) if where.branch else Branch()
    return pinned(rev) if is_commit(rev) else _resolved(where, rev)


def _resolved(where: Where, rev: str) -> Pinned:
    """`HEAD~1`, a short id, a tag, a branch: in a folder git says which commit is meant."""
    folder = places.local_folder(where)
    if folder is None:
        raise SettingsError(f"{rev!r} is no whole commit id\nFor a URL give all 40 digits, or a branch with --branch")
    git = source(where, Branch()).git
    found = git.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}")
    name = found.output.decode("ascii", "replace").strip()
    if found.code or not is_commit(name):
        raise SettingsError(f"there is no commit {rev!r} in {folder}\nSee: git log --oneline --all")
    return pinned(name)


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Each finding once, by file and line; what has no place comes last."""
    return sorted(set(problems), key=_place)


def _place(problem: Problem) -> tuple[bool, Location, str, str]:
    location = problem.location
    return location is None, location or Location(file=""), problem.code, problem.message
