"""Real Git over HTTP on loopback: `git http-backend` behind a small server, which can also fail on purpose."""

from __future__ import annotations

import base64
import os
import subprocess
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import ClassVar
from urllib.parse import quote, urlsplit

from tests.envtest.server import free_port

_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request that came in, with the user it claimed to be (None: none) and the status it was answered with."""

    method: str
    path: str
    user: str | None
    status: int


class Faults:
    """How the server fails from now on. One fault at a time; `heal` ends it, hanging requests included."""

    def __init__(self) -> None:
        self._healed = threading.Event()
        self.heal()

    def heal(self) -> None:
        self.limit: int | None = None
        self.code: int | None = None
        self.hanging = False
        self._healed.set()

    def break_off(self, after: int) -> None:
        """Close the connection after this many bytes of an answer's body."""
        self.heal()
        self.limit = after

    def status(self, code: int) -> None:
        """Answer everything with this HTTP status."""
        self.heal()
        self.code = code

    def hang(self) -> None:
        """Accept requests and never answer."""
        self.heal()
        self._healed = threading.Event()
        self.hanging = True

    def wait_healed(self) -> None:
        self._healed.wait()


class GitServer:
    """Bare repositories below `folder`, served over HTTP. Use as a context manager.

    With `credentials` (user, password) every request needs them. They may be changed at any time, as an expired
    token is.
    """

    def __init__(self, folder: Path, credentials: tuple[str, str] | None = None) -> None:
        self.folder = folder
        self.credentials = credentials
        self.faults = Faults()
        self.requests: list[Request] = []
        self._port = free_port()
        self._server: ThreadingHTTPServer | None = None

    def create(self, name: str, branch: str = "main") -> Path:
        """Create an empty bare repository that may be pushed to; return its path."""
        path = self.path(name)
        path.mkdir(parents=True)
        _git("init", "--quiet", "--bare", f"--initial-branch={branch}", str(path))
        _git("-C", str(path), "config", "http.receivepack", "true")
        return path

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.git"

    def url(self, name: str, credentials: tuple[str, str] | None = None) -> str:
        """Return the repository's URL; with the credentials inside when given."""
        user = f"{quote(credentials[0], safe='')}:{quote(credentials[1], safe='')}@" if credentials else ""
        return f"http://{user}127.0.0.1:{self._port}/{name}.git"

    def start(self) -> None:
        """Start listening; also after `refuse`, on the same port."""
        self.folder.mkdir(parents=True, exist_ok=True)
        handler = type("Handler", (_Handler,), {"git_server": self})
        self._server = _Server(("127.0.0.1", self._port), handler)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def refuse(self) -> None:
        """Stop listening: connections are refused until `start`."""
        self.faults.heal()
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def __enter__(self) -> GitServer:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.refuse()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a client that goes away in the middle is part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    git_server: ClassVar[GitServer]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        """Keep quiet; `requests` of the server is the log."""

    def _serve(self) -> None:
        body = self._body()
        faults = self.git_server.faults
        if faults.hanging:
            faults.wait_healed()
            self.close_connection = True
            return
        if faults.code is not None:
            self._refuse(faults.code)
        elif not self._is_welcome():
            self._refuse(401, ("WWW-Authenticate", 'Basic realm="git"'))
        else:
            self._answer(body)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            return b"".join(self._chunks())
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline().split(b";")[0], 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def _user(self) -> tuple[str, str] | None:
        kind, _, value = self.headers.get("Authorization", "").partition(" ")
        if kind.lower() != "basic":
            return None
        user, _, password = base64.b64decode(value).decode().partition(":")
        return user, password

    def _is_welcome(self) -> bool:
        wanted = self.git_server.credentials
        return wanted is None or self._user() == wanted

    def _refuse(self, code: int, *headers: tuple[str, str]) -> None:
        self._note(code)
        self._send(code, headers, b"")

    def _answer(self, body: bytes) -> None:
        done = subprocess.run(["git", "http-backend"], input=body, env=self._environment(), capture_output=True)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = [_header(line) for line in head.decode("latin-1").splitlines()]
        status = next((value for name, value in headers if name == "Status"), "200 OK")
        self._note(int(status.split()[0]))
        self._send(int(status.split()[0]), [pair for pair in headers if pair[0] != "Status"], content)

    def _send(self, code: int, headers: Iterable[tuple[str, str]], content: bytes) -> None:
        self.send_response(code)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        limit = self.git_server.faults.limit
        if limit is not None and len(content) > limit:
            self.close_connection = True
        self.wfile.write(content[:limit])

    def _note(self, status: int) -> None:
        user = self._user()
        self.git_server.requests.append(
            Request(method=self.command, path=self.path, user=user[0] if user else None, status=status)
        )

    def _environment(self) -> dict[str, str]:
        address = urlsplit(self.path)
        user = self._user()
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.git_server.folder),
            "GIT_PROJECT_ROOT": str(self.git_server.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "PATH_INFO": address.path,
            "QUERY_STRING": address.query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REMOTE_ADDR": "127.0.0.1",
            **({"REMOTE_USER": user[0]} if user else {}),
        }


def _header(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip(), value.strip()


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)
