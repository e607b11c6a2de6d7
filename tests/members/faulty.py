"""An API server over HTTPS that answers whatever a test says: for what a real one does only when it is broken."""

import asyncio
import contextlib
import json
import ssl
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

from tests.envtest.certificates import write_certificates


@dataclass
class Faulty:
    """`answers` maps a path to what it answers; every request is noted."""

    server: str
    authority: Path
    answers: dict[str, Callable[[web.Request], web.StreamResponse]] = field(default_factory=dict)
    requests: list[web.Request] = field(default_factory=list)
    default: Callable[[web.Request], web.StreamResponse] | None = None

    def json(self, path: str, body: Any, status: int = 200, **headers: str) -> None:
        self.answers[path] = lambda _: json_answer(body, status, **headers)

    def text(self, path: str, body: str, status: int = 200, content_type: str = "text/html") -> None:
        self.answers[path] = lambda _: web.Response(text=body, status=status, content_type=content_type)

    def asked(self, path: str) -> list[web.Request]:
        return [request for request in self.requests if request.path == path]

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        await request.read()
        self.requests.append(request)
        answer = self.answers.get(request.path) or self.default
        return answer(request) if answer else json_answer(status_of(404, "NotFound", "not found"), 404)


def json_answer(body: Any, status: int = 200, **headers: str) -> web.Response:
    return web.Response(body=json.dumps(body), status=status, content_type="application/json", headers=headers)


def status_of(code: int, reason: str, message: str, **details: Any) -> dict[str, Any]:
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "reason": reason,
        "message": message,
        "details": details,
        "code": code,
    }


@contextlib.asynccontextmanager
async def faulty_server(folder: Path) -> AsyncIterator[Faulty]:
    folder.mkdir(exist_ok=True)
    files = write_certificates(folder, "faulty")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(files.server, files.server_key)
    server = Faulty(server="", authority=files.authority)
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", server._handle)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
    await site.start()
    assert site._server is not None
    port = site._server.sockets[0].getsockname()[1]  # type: ignore[attr-defined]
    server.server = f"https://127.0.0.1:{port}"
    try:
        yield server
    finally:
        await runner.cleanup()


@contextlib.asynccontextmanager
async def black_hole() -> AsyncIterator[int]:
    """A port that takes connections and never says a word, not even to open TLS."""

    async def swallow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            await reader.read()
        writer.close()

    server = await asyncio.start_server(swallow, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
