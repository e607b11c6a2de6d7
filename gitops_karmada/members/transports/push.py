"""A member's API server, over HTTPS."""

import asyncio
import contextlib
import ssl
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias, TypeVar
from urllib.parse import urlencode

import aiohttp
import orjson
from multidict import CIMultiDict
from yarl import URL

from gitops_karmada.members.answers import Page, names_of, object_of, objects_of, page_of, refusal_of
from gitops_karmada.members.credentials import Credentials
from gitops_karmada.members.discover import aggregated, groups_of, resources_of
from gitops_karmada.members.kubeconfig import Access
from gitops_karmada.members.refusals import RefusalError, SilentError, UnreachedError
from gitops_karmada.members.resources import Discovery, Resource
from gitops_karmada.members.transports import Trim, Written, whole
from gitops_karmada.model.members import Deadlines
from gitops_karmada.model.objects import Object

JSON = "application/json"
APPLY = "application/apply-patch+yaml"
JSON_PATCH = "application/json-patch+json"
METADATA_ONLY = f"{JSON};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,{JSON}"
AGGREGATED = f"{JSON};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,{JSON}"
PAGE = 500
# Tries of one request: a read after any trouble, a write where the server said that it did not act.
TRIES = 4
LONGEST_PAUSE = 10.0
LIST_TRIES = 3
USER_AGENT = "gitops-karmada"

Query: TypeAlias = Mapping[str, str]
T = TypeVar("T")


class PushMember:
    """Requests of one member, over connections that are kept."""

    def __init__(self, access: Access, deadlines: Deadlines, concurrency: int = 16) -> None:
        self._access = access
        self._deadlines = deadlines
        self._concurrency = concurrency
        # A request waits here for its turn, so that the wait does not count against its deadline.
        self._slots = asyncio.Semaphore(concurrency)
        self._credentials = Credentials(access)
        self._open: aiohttp.ClientSession | None = None

    # What a transport does

    async def begin(self) -> None:
        return

    async def ready(self) -> bool:
        try:
            return await self._healthy("/readyz")
        except RefusalError as refusal:
            if refusal.status != 404:
                raise
            return await self._healthy("/healthz")

    async def version(self) -> str:
        return str(object_of(await self._read("/version"), "/version", named=False).get("gitVersion") or "")

    async def discover(self) -> Discovery:
        core, rest = await asyncio.gather(self._discovered("/api"), self._discovered("/apis"))
        return Discovery(resources=(*core.resources, *rest.resources), failed=core.failed | rest.failed)

    async def list(
        self, resource: Resource, *, selector: str = "", namespace: str = "", trim: Trim = whole
    ) -> tuple[Object, ...]:
        pages = self._whole_list(resource, selector, namespace, JSON, lambda page: objects_of(page, resource, trim))
        return tuple(obj for objects in await pages for obj in objects)

    async def names(self, resource: Resource, *, namespace: str = "") -> frozenset[tuple[str, str]]:
        return frozenset().union(*await self._whole_list(resource, "", namespace, METADATA_ONLY, names_of))

    async def get(self, resource: Resource, namespace: str, name: str) -> Object | None:
        path = resource.path(namespace, name)
        try:
            return object_of(await self._read(path), path)
        except RefusalError as refusal:
            if refusal.status == 404 and refusal.reason == "NotFound":
                return None
            raise

    async def apply(self, resource: Resource, body: Object, *, manager: str, force: bool = False) -> Written:
        metadata = body["metadata"]
        path = resource.path(metadata.get("namespace") or "", metadata["name"])
        query = {"fieldManager": manager, "force": "true" if force else "false"}
        status, text = await self._send("PATCH", path, query, orjson.dumps(body), APPLY)
        return Written(object=object_of(text, path), created=status == 201)

    async def rehearse(self, resource: Resource, body: Object, *, manager: str) -> None:
        metadata = body["metadata"]
        path = resource.path(metadata.get("namespace") or "", metadata["name"])
        query = {"fieldManager": manager, "force": "true", "dryRun": "All"}
        await self._send("PATCH", path, query, orjson.dumps(body), APPLY)

    async def patch(
        self, resource: Resource, namespace: str, name: str, operations: Sequence[Object], *, manager: str
    ) -> Object:
        path = resource.path(namespace, name)
        body = orjson.dumps(list(operations))
        _, text = await self._send("PATCH", path, {"fieldManager": manager}, body, JSON_PATCH)
        return object_of(text, path)

    async def delete(self, resource: Resource, namespace: str, name: str, *, uid: str, resource_version: str) -> None:
        preconditions = {"uid": uid, **({"resourceVersion": resource_version} if resource_version else {})}
        options = {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": "Background",
            "preconditions": preconditions,
        }
        await self._send("DELETE", resource.path(namespace, name), {}, orjson.dumps(options), JSON)

    async def close(self) -> None:
        if self._open:
            await self._open.close()
            self._open = None

    # How it is said

    async def _healthy(self, path: str) -> bool:
        status, _ = await self._send("GET", path, {}, None, None, accept="*/*", tries=1)
        return status == 200

    async def _discovered(self, root: str) -> Discovery:
        text = await self._read(root, AGGREGATED)
        kind = object_of(text, root, named=False).get("kind")
        return aggregated(text) if kind == "APIGroupDiscoveryList" else await self._discovered_one_by_one(root, text)

    async def _discovered_one_by_one(self, root: str, text: bytes) -> Discovery:
        """As servers before Kubernetes 1.26 tell it; a group that does not answer is named and left out."""
        found: list[Resource] = []
        failed: set[str] = set()
        for group_version in groups_of(text):
            try:
                found += resources_of(await self._read(f"{root}/{group_version}"), group_version)
            except RefusalError:
                failed.add(group_version)
        return Discovery(resources=tuple(found), failed=frozenset(failed))

    async def _whole_list(
        self, resource: Resource, selector: str, namespace: str, accept: str, read: Callable[[Page], T]
    ) -> tuple[T, ...]:
        """All pages of a list. When its continuation is too old (410), the list begins anew."""
        query = {"limit": str(PAGE), **({"labelSelector": selector} if selector else {})}
        for attempt in range(LIST_TRIES):
            try:
                pages = self._pages(resource.path(namespace), accept, query)
                return tuple([read(page) async for page in pages])
            except RefusalError as refusal:
                if refusal.status != 410 or attempt == LIST_TRIES - 1:
                    raise
        raise UnreachedError(f"{resource.plural} change faster than they can be listed")

    async def _pages(self, path: str, accept: str, query: Query) -> AsyncIterator[Page]:
        page = page_of(await self._read(path, accept, query), path)
        yield page
        while page.continuation:
            page = page_of(await self._read(path, accept, {**query, "continue": page.continuation}), path)
            yield page

    async def _read(self, path: str, accept: str = JSON, query: Query | None = None) -> bytes:
        _, text = await self._send("GET", path, query or {}, None, None, accept=accept)
        return text

    async def _send(
        self,
        method: str,
        path: str,
        query: Query,
        body: bytes | None,
        content_type: str | None,
        *,
        accept: str = JSON,
        tries: int = TRIES,
    ) -> tuple[int, bytes]:
        """One request, again where that is safe. Raise `RefusalError` or `UnreachedError`."""
        for attempt in range(1, tries + 1):
            try:
                return await self._send_once(method, path, query, body, content_type, accept)
            except RefusalError as refusal:
                pause = _pause(refusal, method, attempt)
                if pause is None or attempt == tries:
                    raise
            except UnreachedError as error:
                # A broken connection may just have been an old one, and all our writes can be sent twice: they carry
                # preconditions or change nothing the second time. Silence is not asked twice.
                if isinstance(error, SilentError) or attempt > 1 or tries == 1:
                    raise
                pause = 0.0
            await asyncio.sleep(pause)
        raise UnreachedError(f"{method} {path}: no answer")

    async def _send_once(
        self, method: str, path: str, query: Query, body: bytes | None, content_type: str | None, accept: str
    ) -> tuple[int, bytes]:
        shown = await self._credentials.headers()
        status, text, retry = await self._exchange(method, path, query, body, content_type, accept, shown)
        if status == 401 and await self._credentials.refused(shown):
            shown = await self._credentials.headers()
            status, text, retry = await self._exchange(method, path, query, body, content_type, accept, shown)
        if 200 <= status < 300:
            return status, text
        if status < 400:
            raise UnreachedError(f"{method} {path}: HTTP {status}, which no API server answers")
        raise refusal_of(status, text, retry)

    async def _exchange(
        self,
        method: str,
        path: str,
        query: Query,
        body: bytes | None,
        content_type: str | None,
        accept: str,
        shown: Mapping[str, str],
    ) -> tuple[int, bytes, str]:
        headers = CIMultiDict({"Accept": accept, **shown})
        for group in self._access.impersonate_groups:
            headers.add("Impersonate-Group", group)
        if content_type:
            headers["Content-Type"] = content_type
        url = URL(
            f"{self._access.server}{path}?{urlencode(query)}" if query else self._access.server + path, encoded=True
        )
        try:
            async with (
                self._slots,
                self._session().request(
                    method,
                    url,
                    data=body,
                    headers=headers,
                    allow_redirects=False,
                    proxy=self._access.proxy_url or None,
                    server_hostname=self._access.tls_server_name or None,
                ) as response,
            ):
                return response.status, await response.read(), response.headers.get("Retry-After", "")
        except TimeoutError as error:
            raise SilentError(self._silence(error, method, path)) from error
        except aiohttp.ClientConnectorCertificateError as error:
            raise UnreachedError(f"its certificate is not trusted: {error.certificate_error}") from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise UnreachedError(f"{method} {path}: {_said(error)}") from error

    def _silence(self, error: TimeoutError, method: str, path: str) -> str:
        if isinstance(error, aiohttp.ConnectionTimeoutError):
            return f"no connection to {self._access.server} within {self._deadlines.connect:g} s"
        return f"{method} {path}: no answer from {self._access.server} within {self._deadlines.request:g} s"

    def _session(self) -> aiohttp.ClientSession:
        if self._open is None or self._open.closed:
            connector = aiohttp.TCPConnector(
                limit=self._concurrency, ssl=tls_context(self._access), keepalive_timeout=60, ttl_dns_cache=30
            )
            timeout = aiohttp.ClientTimeout(
                total=self._deadlines.request, sock_connect=self._deadlines.connect, connect=self._deadlines.request
            )
            self._open = aiohttp.ClientSession(
                connector=connector,
                timeout=timeout,
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": USER_AGENT},
                trust_env=False,
            )
        return self._open


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__


def _pause(refusal: RefusalError, method: str, attempt: int) -> float | None:
    """Seconds until the request may be sent again, or None when it may not."""
    throttled = refusal.status == 429 or (refusal.status == 503 and refusal.retry_after > 0)
    if not throttled and not (method == "GET" and refusal.status in (500, 502, 503, 504)):
        return None
    wished = refusal.retry_after or 0.2 * 2 ** (attempt - 1)
    return wished if wished <= LONGEST_PAUSE else None


def tls_context(access: Access) -> ssl.SSLContext:
    """A context that trusts the member's authority alone (the system's where none is given), from TLS 1.2 upwards."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if access.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif access.authority:
        with _as_unreached("certificate authority"):
            context.load_verify_locations(cadata=access.authority.decode())
    else:
        context.load_default_certs()
    if access.certificate:
        with _as_unreached("client certificate"):
            _load_certificate(context, access)
    return context


@contextlib.contextmanager
def _as_unreached(what: str) -> Iterator[None]:
    try:
        yield
    except (ssl.SSLError, ValueError) as error:
        raise UnreachedError(f"its {what} cannot be used: {error}") from error


def _load_certificate(context: ssl.SSLContext, access: Access) -> None:
    """The standard library reads certificates from files only: one that nobody else can read, for a moment."""
    with tempfile.NamedTemporaryFile(prefix="gitops-karmada-", suffix=".pem") as file:
        file.write(access.certificate + b"\n" + access.key)
        file.flush()
        context.load_cert_chain(Path(file.name))
