"""One bare clone of a repository under our cache folder: never a work tree, never a setting of somebody else."""

import fcntl
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from gitops_karmada.model.problems import SettingsError
from gitops_karmada.repo.addresses import Address, Transport
from gitops_karmada.repo.credentials import Access, Credentials, access
from gitops_karmada.repo.failures import GitError, Reason
from gitops_karmada.repo.plumbing import SETTINGS, Git, Outcome, first_line, settings_file

# Words of git, ssh, curl and the well-known servers, and what they mean. The first that fits counts.
_MEANINGS = (
    (r"unable to access.*(SSL|certificate)|certificate verify failed|Host key verification failed", Reason.REFUSED),
    (r"transport '.*' not allowed|unable to find remote helper|strange (hostname|pathname)", Reason.REFUSED),
    (r"Authentication failed|could not read (Username|Password)|terminal prompts disabled", Reason.AUTHENTICATION),
    (r"Permission denied \(|returned error: 40[13]|HTTP 40[13]|access denied|not authorized", Reason.AUTHENTICATION),
    (r"couldn't find remote ref|Remote branch .* not found|not our ref|no such ref", Reason.REF_NOT_FOUND),
    (r"fsck error|in fsck|index-pack (failed|abort)|bad (object|pack|tree)|pack has|corrupt|inflate", Reason.DAMAGED),
    (r"File size limit exceeded|file too large|signal 25|maximum allowed size", Reason.LIMIT),
    (r"Operation too slow|timed out|Timeout", Reason.TIMEOUT),
)
_HINTS = {
    Reason.AUTHENTICATION: "Check that the credentials are current and may use this repository",
    Reason.REFUSED: "Check the address, and the certificate or host key of the server",
    Reason.DAMAGED: "Run git fsck on the repository",
    Reason.LIMIT: "The repository is larger than allowed",
    Reason.TIMEOUT: "It is tried again at the next turn",
    Reason.UNREACHABLE: "Check the address, the network and the server; the last good state stays in force",
    Reason.REF_NOT_FOUND: "Push it, or correct the name in the settings; the last good state stays in force",
}


class Clone:
    """A bare clone with a life: made when first needed, locked while it is written, tidied now and then."""

    def __init__(
        self,
        address: Address,
        cache: Path,
        *,
        credentials: Credentials | None = None,
        passed: Mapping[str, str] | None = None,
        seconds: float = 60,
    ) -> None:
        self.address = address
        self._credentials = credentials or address.password
        name = hashlib.sha256(str(address).encode()).hexdigest()[:20]
        self.folder = cache / f"{name}.git"
        self.git = Git(folder=self.folder, home=cache, passed=passed or {}, seconds=seconds)
        self._is_open = False

    def open(self) -> None:
        """Make the clone where there is none yet."""
        if self._is_open and self.folder.is_dir():
            return
        prepare(self.git.home)
        if not (self.folder / "objects").is_dir():
            self._make()
        self._is_open = True
        with self.lock(exclusive=True) as held:
            if held:
                self._sweep()

    def forget(self) -> None:
        """Remove the clone, it is made anew when next needed. Nothing is lost: the repository has it all."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self._is_open = False

    def remote(self, *arguments: str, seconds: float | None = None) -> Outcome:
        """Run a command that talks to the repository."""
        self.open()
        with access(self.address.url, self._credentials) as way:
            return self.git.run(*arguments, access=_with_ssh(way, self.address), seconds=seconds)

    def failure(self, outcome: Outcome, what: str) -> GitError:
        """What a refusal means, and what to do."""
        errors = outcome.errors
        if str(self.folder) in errors:
            return GitError(Reason.DAMAGED, f"our copy of {self.address} is damaged: {first_line(errors)}")
        fitting = (reason for words, reason in _MEANINGS if re.search(words, errors, re.IGNORECASE))
        reason = next(fitting, Reason.UNREACHABLE)
        return GitError(reason, f"{what} {self.address} failed: {first_line(errors)}", _HINTS.get(reason, ""))

    @contextmanager
    def lock(self, *, exclusive: bool = False) -> Iterator[bool]:
        """Hold the clone: shared while objects are written, exclusive (if nobody else has it) while it is tidied."""
        handle = os.open(self.folder / "gitops-karmada.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB if exclusive else fcntl.LOCK_SH)
            except BlockingIOError:
                yield False
                return
            yield True
        finally:
            os.close(handle)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the clone's references: two fetches at once would trip over each other's."""
        self.open()
        with self.lock(), _only_one(self.folder / "gitops-karmada.fetching"):
            yield

    def tidy(self, loose: int = 5000, packs: int = 60) -> bool:
        """Repack when there is much to gain and nobody else writes."""
        objects = self.folder / "objects"
        sample = objects / "17"
        many_loose = sample.is_dir() and len(list(sample.iterdir())) * 256 >= loose
        many_packs = len(list((objects / "pack").glob("*.pack"))) >= packs
        if not (many_loose or many_packs):
            return False
        with self.lock(exclusive=True) as held:
            if held:
                self.git.run("gc", "--quiet", "--prune=1.hour.ago", seconds=600)
            return held

    def _make(self) -> None:
        with _only_one(self.folder.with_suffix(".making")):
            if (self.folder / "objects").is_dir():
                return
            fresh = Path(tempfile.mkdtemp(suffix=".new", dir=self.folder.parent))
            outcome = replace(self.git, folder=fresh).run("init", "--quiet", "--bare", "--template=")
            if outcome.code:
                raise GitError(Reason.UNREACHABLE, f"the clone could not be made: {first_line(outcome.errors)}")
            shutil.rmtree(self.folder, ignore_errors=True)
            fresh.rename(self.folder)

    def _sweep(self) -> None:
        """Remove what a killed process left: locks, and references to commits that were never pushed."""
        for leftover in [*self.folder.glob("*.lock"), *(self.folder / "refs").rglob("*.lock")]:
            if leftover.name != "gitops-karmada.lock":
                leftover.unlink(missing_ok=True)
        for leftover in self.folder.glob("fast_import_crash_*"):
            leftover.unlink(missing_ok=True)
        shutil.rmtree(self.folder / "refs" / "gk" / "outgoing", ignore_errors=True)


@contextmanager
def _only_one(file: Path) -> Iterator[None]:
    """Hold a file while something is made that several may want to make at once."""
    handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def prepare(home: Path) -> None:
    """A private folder with the settings that every git of ours reads, and no other."""
    try:
        _prepare(home)
    except OSError as error:
        hint = "Name another folder with --cache, or make this one writable"
        raise SettingsError(f"the cache folder {home} cannot be written: {error.strerror}\n{hint}") from error


def _prepare(home: Path) -> None:
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    settings = settings_file(home)
    if not settings.is_file() or settings.read_text("utf-8") != SETTINGS:
        handle, fresh = tempfile.mkstemp(dir=home)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(SETTINGS)
        Path(fresh).replace(settings)


def _with_ssh(way: Access, address: Address) -> Access:
    if address.transport is not Transport.SSH or "GIT_SSH_COMMAND" in way.environment:
        return way
    command = "ssh -F /dev/null -o BatchMode=yes -o StrictHostKeyChecking=yes -o ConnectTimeout=15"
    return Access(
        settings=way.settings,
        environment={**way.environment, "GIT_SSH_COMMAND": command},
        descriptors=way.descriptors,
        secrets=way.secrets,
    )
