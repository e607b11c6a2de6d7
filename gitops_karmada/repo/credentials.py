"""Who we are to a Git server. Secrets are read when they are needed and handed to Git where nobody can look."""

import base64
import os
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote, urlsplit

from gitops_karmada.repo.failures import GitError, Reason

_ENOUGH = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Password:
    user: str
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenFile:
    """A token or password in a file, read anew for each call: it may be replaced at any time."""

    path: Path
    user: str = "token"


@dataclass(frozen=True, slots=True, kw_only=True)
class SshKey:
    """A private key file, and the hosts whose keys are known. Unknown hosts are refused."""

    path: Path
    known_hosts: Path | None = None


Credentials: TypeAlias = Password | TokenFile | SshKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What a git process gets: settings, environment, file descriptors, and the words no message may hold."""

    settings: tuple[tuple[str, str], ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    descriptors: tuple[int, ...] = ()
    secrets: tuple[str, ...] = field(default=(), repr=False)


@contextmanager
def access(url: str, credentials: Credentials | None) -> Iterator[Access]:
    """Open the way for one git process. The secret is in no argument, no variable and no file with a name."""
    match credentials:
        case None:
            yield Access()
        case SshKey():
            yield Access(environment={"GIT_SSH_COMMAND": _ssh(credentials)})
        case Password() | TokenFile():
            password = _password(credentials)
            with _unnamed_file(password.secret) as descriptor:
                yield _helper(url, password, descriptor)


def redacted(text: str, secrets: tuple[str, ...]) -> str:
    """The text without the secrets, in whatever form they are written."""
    for secret in secrets:
        if len(secret) >= _ENOUGH:
            for form in {secret, quote(secret, safe=""), quote(secret), base64.b64encode(secret.encode()).decode()}:
                text = text.replace(form, "***")
    return text


def _password(credentials: Password | TokenFile) -> Password:
    if isinstance(credentials, Password):
        return credentials
    try:
        secret = credentials.path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        message = f"the token file {str(credentials.path)!r} cannot be read: {reason}"
        raise GitError(Reason.AUTHENTICATION, message, "Mount the file, or correct its path") from None
    if not secret or "\n" in secret or "\0" in secret:
        message = f"the token file {str(credentials.path)!r} holds no single line"
        raise GitError(Reason.AUTHENTICATION, message, "Write the token alone into it")
    return Password(user=credentials.user, secret=secret)


def _ssh(key: SshKey) -> str:
    options = ["ssh", "-F", "/dev/null", "-i", str(key.path), "-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes"]
    options += ["-o", "StrictHostKeyChecking=yes", "-o", "ConnectTimeout=15", "-o", "PermitLocalCommand=no"]
    if key.known_hosts:
        options += ["-o", f"UserKnownHostsFile={key.known_hosts}"]
    return shlex.join(options)


def _helper(url: str, password: Password, descriptor: int) -> Access:
    # Bound to its own server: after a redirect to another one Git does not ask this helper.
    parts = urlsplit(url)
    name = f"credential.{parts.scheme}://{parts.netloc}.helper"
    script = (
        '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$GITOPS_KARMADA_USER" '
        f'"$(cat {_place(descriptor)})"; }}; f'
    )
    encoded = base64.b64encode(f"{password.user}:{password.secret}".encode()).decode()
    return Access(
        settings=((name, script),),
        environment={"GITOPS_KARMADA_USER": password.user},
        descriptors=(descriptor,),
        secrets=(password.secret, encoded),
    )


def _place(descriptor: int) -> str:
    folder = "/proc/self/fd" if Path("/proc/self/fd").is_dir() else "/dev/fd"
    return f"{folder}/{descriptor}"


@contextmanager
def _unnamed_file(secret: str) -> Iterator[int]:
    """A file that exists in memory or, where that is not to be had, under no name."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("secret")
    else:
        descriptor, name = tempfile.mkstemp()
        Path(name).unlink()
    try:
        os.write(descriptor, secret.encode())
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)
