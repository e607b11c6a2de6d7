"""Where a repository lies: a folder, or a URL of few transports. Nothing in it can become an option or a program."""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from gitops_karmada.repo.credentials import Password
from gitops_karmada.repo.failures import GitError, Reason

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_SCP = re.compile(r"(?:(?P<user>[A-Za-z0-9_][A-Za-z0-9_.-]*)@)?(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*):(?!/)(?P<path>.+)\Z")
_SCP_ROOTED = re.compile(r"(?P<user>[A-Za-z0-9_][A-Za-z0-9_.-]*)@(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*):(?P<path>/.+)\Z")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?)\Z")
_CONTROL = re.compile("[\x00-\x20\x7f]")


class Transport(StrEnum):
    FOLDER = "folder"
    FILE = "file"
    HTTP = "http"
    HTTPS = "https"
    SSH = "ssh"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """`url` is what Git is given and people are shown: credentials written into it are in `password` alone."""

    url: str
    transport: Transport
    path: Path | None = None
    password: Password | None = None

    def __str__(self) -> str:
        return self.url


def address(text: str) -> Address:
    """The repository that a text means. What is none of the allowed transports is refused."""
    if not text or text.startswith("-"):
        raise _refused("an empty address" if not text else "an address that starts with -")
    if url := _URL.match(text):
        return _url(text, url[1].lower())
    if "::" in text.split("/")[0]:
        raise _refused("an address with a transport helper (::)")
    if (scp := _SCP.match(text) or _SCP_ROOTED.match(text)) and not Path(text).exists():
        return _scp(text, scp)
    return _folder(text)


def _url(text: str, scheme: str) -> Address:
    if scheme not in ("file", "http", "https", "ssh"):
        raise _refused(f"the transport {scheme!r}")
    if _CONTROL.search(text):
        raise _refused("an address with spaces or control characters")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise _refused("an address that is no URL") from None
    if scheme == "file":
        return _file(parts)
    if not _HOST.match(parts.netloc.rpartition("@")[2].partition(":")[0] if ":" not in host else f"[{host}]"):
        raise _refused("an address without a proper host")
    if not parts.path.strip("/"):
        raise _refused("an address without a path")
    return _network(parts, scheme, host, port)


def _network(parts: SplitResult, scheme: str, host: str, port: int | None) -> Address:
    where = f"[{host}]" if ":" in host else host
    where = f"{where}:{port}" if port else where
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if scheme == "ssh":
        # An ssh URL names an account; a password in it would have no use.
        if user.startswith("-") or _CONTROL.search(user):
            raise _refused("an ssh address with such a user")
        where = f"{user}@{where}" if user else where
        return Address(url=urlunsplit(("ssh", where, parts.path, "", "")), transport=Transport.SSH)
    url = urlunsplit((scheme, where, parts.path, "", ""))
    # A lone user name is a token with most hosts.
    given = Password(user=user if password else "token", secret=password or user) if user or password else None
    return Address(url=url, transport=Transport(scheme), password=given)


def _file(parts: SplitResult) -> Address:
    if parts.netloc not in ("", "localhost"):
        raise _refused("a file address with a host")
    path = Path(unquote(parts.path))
    return Address(url=f"file://{path.absolute()}", transport=Transport.FILE, path=path.absolute())


def _scp(text: str, match: re.Match[str]) -> Address:
    if _CONTROL.search(text) or match["path"].startswith("-"):
        raise _refused("an ssh address with such a path")
    return Address(url=text, transport=Transport.SSH)


def _folder(text: str) -> Address:
    if "\0" in text or "\n" in text:
        raise _refused("a folder name with control characters")
    path = Path(text).absolute()
    return Address(url=str(path), transport=Transport.FOLDER, path=path)


def _refused(what: str) -> GitError:
    hint = "Use a folder, or a https, http, ssh or file URL; give credentials by reference to a file"
    return GitError(Reason.REFUSED, f"{what} is not allowed for a repository", hint)
