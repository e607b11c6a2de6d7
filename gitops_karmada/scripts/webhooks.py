"""Asks interpreter webhooks: HTTPS only, of hosts that the operator named, each within its deadline."""

import asyncio
import base64
import binascii
import contextlib
import ssl
import threading
import uuid
from collections.abc import Coroutine, Iterable
from types import TracebackType
from typing import Any, TypeVar
from urllib.parse import urlsplit

import aiohttp
import orjson

from gitops_karmada.model.customizations import InterpreterWebhook, WebhookError

T = TypeVar("T")

API_VERSION = "config.karmada.io/v1alpha1"
KIND = "ResourceInterpreterContext"
MAX_ANSWER = 8 << 20
CLOSE_SECONDS = 5.0


class HttpsWebhooks:
    """Kept-alive connections to webhooks. Only `hosts` are asked (a name or name:port), whatever a repository says."""

    def __init__(self, hosts: Iterable[str]) -> None:
        self._hosts = frozenset(host.lower() for host in hosts)
        self._sessions: dict[str, aiohttp.ClientSession] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def ask(self, webhook: InterpreterWebhook, request: dict[str, Any]) -> Any:
        """The response to the request. Raises WebhookError."""
        url = self._allowed(url_of(webhook))
        uid = str(uuid.uuid4())
        body = orjson.dumps({"apiVersion": API_VERSION, "kind": KIND, "request": {"uid": uid, **request}})
        answer = self._run(self._post(webhook, url, body))
        response = answer.get("response") if isinstance(answer, dict) else None
        if isinstance(response, dict) and response.get("uid") != uid:
            raise WebhookError("answered another question: its uid is not the one of the request")
        return response

    def close(self) -> None:
        loop, self._loop = self._loop, None
        if loop is None or self._thread is None:
            return
        with contextlib.suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(self._close_sessions(), loop).result(CLOSE_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        self._thread.join(CLOSE_SECONDS)

    def __enter__(self) -> "HttpsWebhooks":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _allowed(self, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme != "https" or not parts.hostname or parts.username or parts.password:
            raise WebhookError(f"{url!r} is not an https URL of a host")
        if not self._hosts & {parts.hostname, f"{parts.hostname}:{parts.port or 443}"}:
            raise WebhookError(
                f"the host {parts.hostname} is not among those that may be asked; the operator's settings name them"
            )
        return url

    async def _post(self, webhook: InterpreterWebhook, url: str, body: bytes) -> Any:
        seconds = webhook.timeout_seconds
        try:
            async with asyncio.timeout(seconds):
                return await self._exchange(webhook, url, body)
        except TimeoutError:
            raise WebhookError(f"did not answer within {seconds} s") from None
        except aiohttp.ClientError as error:
            raise WebhookError(f"cannot be reached: {error}") from error

    async def _exchange(self, webhook: InterpreterWebhook, url: str, body: bytes) -> Any:
        session = self._session(webhook.client_config.ca_bundle)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        async with session.post(url, data=body, headers=headers, allow_redirects=False) as response:
            if response.status != 200:
                raise WebhookError(f"answered with status {response.status}")
            return _read(await _body(response))

    def _session(self, ca_bundle: str) -> aiohttp.ClientSession:
        if ca_bundle not in self._sessions:
            connector = aiohttp.TCPConnector(ssl=context_of(ca_bundle))
            timeout = aiohttp.ClientTimeout(total=None)
            self._sessions[ca_bundle] = aiohttp.ClientSession(connector=connector, timeout=timeout, trust_env=False)
        return self._sessions[ca_bundle]

    async def _close_sessions(self) -> None:
        for session in self._sessions.values():
            await session.close()
        self._sessions.clear()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        """In a loop of our own, so that it does not matter whether the one who asks has one."""
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="webhooks", daemon=True)
                self._thread.start()
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


async def _body(response: aiohttp.ClientResponse) -> bytes:
    """The answer, or so much of it that it is seen to be too long."""
    parts: list[bytes] = []
    length = 0
    while length <= MAX_ANSWER and (part := await response.content.read(MAX_ANSWER)):
        parts.append(part)
        length += len(part)
    return b"".join(parts)


def _read(body: bytes) -> Any:
    if len(body) > MAX_ANSWER:
        raise WebhookError(f"answered with more than {MAX_ANSWER >> 20} MiB")
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise WebhookError(f"answered with something that is no JSON: {error}") from error


def url_of(webhook: InterpreterWebhook) -> str:
    """The URL, or the address of the service inside its cluster."""
    config = webhook.client_config
    if config.service is None:
        return config.url
    service = config.service
    return f"https://{service.name}.{service.namespace}.svc:{service.port}/{service.path.lstrip('/')}"


def context_of(ca_bundle: str) -> ssl.SSLContext:
    """Trust the bundle alone where there is one, else what the machine trusts."""
    if not ca_bundle:
        return ssl.create_default_context()
    try:
        return ssl.create_default_context(cadata=base64.b64decode(ca_bundle, validate=True).decode("ascii"))
    except (binascii.Error, UnicodeDecodeError, ssl.SSLError) as error:
        raise WebhookError(f"its caBundle is no base64 of PEM certificates: {error}") from error
