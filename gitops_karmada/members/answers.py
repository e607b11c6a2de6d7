"""What an API server's answers say. Anything that is not such an answer is no answer: never an empty list."""

import msgspec
import orjson

from gitops_karmada.members.refusals import RefusalError, UnreachedError
from gitops_karmada.members.resources import Resource
from gitops_karmada.members.transports import Trim
from gitops_karmada.model.objects import Object, dig

NOT_SERVED = "NotServed"
NOT_FOUND = "NotFound"
# The API server writes null for no items here, and here alone.
METADATA_LIST = "PartialObjectMetadataList"


class _ListMeta(msgspec.Struct):
    continuation: str = msgspec.field(name="continue", default="")


class Page(msgspec.Struct):
    """One page of a list, its items still bytes."""

    kind: str
    metadata: _ListMeta
    items: list[msgspec.Raw] | None

    @property
    def continuation(self) -> str:
        return self.metadata.continuation


class _Name(msgspec.Struct):
    name: str
    namespace: str = ""


class _Named(msgspec.Struct):
    metadata: _Name


_PAGES = msgspec.json.Decoder(Page)
_NAMES = msgspec.json.Decoder(_Named)


def page_of(text: bytes, path: str) -> Page:
    try:
        page = _PAGES.decode(text)
    except msgspec.DecodeError as error:
        raise UnreachedError(f"GET {path}: the answer is not a list of Kubernetes objects ({_start(text)})") from error
    if not page.kind.endswith("List"):
        raise UnreachedError(f"GET {path}: the answer is a {page.kind}, not a list")
    if page.items is None and page.kind != METADATA_LIST:
        raise UnreachedError(f"GET {path}: the answer is a {page.kind} with null for its items")
    return page


def objects_of(page: Page, resource: Resource, trim: Trim) -> list[Object]:
    """The objects of a page. A list leaves out the apiVersion and kind of its items."""
    own = {"apiVersion": resource.group_version, "kind": resource.kind}
    return [trim({**own, **orjson.loads(memoryview(item))}) for item in page.items or ()]


def names_of(page: Page) -> frozenset[tuple[str, str]]:
    """(namespace, name) of the objects of a page."""
    try:
        named = [_NAMES.decode(item).metadata for item in page.items or ()]
    except msgspec.DecodeError as error:
        raise UnreachedError(f"the answer is not a list of Kubernetes objects: {error}") from error
    return frozenset((item.namespace, item.name) for item in named)


def object_of(text: bytes, path: str, *, named: bool = True) -> Object:
    try:
        obj = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise UnreachedError(f"{path}: the answer is not JSON ({_start(text)})") from error
    if not isinstance(obj, dict) or (named and not (obj.get("kind") and dig(obj, "metadata", "name"))):
        raise UnreachedError(f"{path}: the answer is not a Kubernetes object ({_start(text)})")
    return obj


def _start(text: bytes) -> str:
    """What kind of text it is, without repeating it: it may hold secrets."""
    if not text.strip():
        return "it is empty"
    return "it looks like HTML" if text.lstrip()[:1] == b"<" else f"it has {len(text)} bytes"


def refusal_of(status: int, text: bytes, retry_after: str) -> RefusalError:
    """Read a Status. A 404 that names no object says that the kind is not served, not that an object is absent."""
    try:
        told = orjson.loads(text)
    except orjson.JSONDecodeError:
        told = {}
    told = told if isinstance(told, dict) and told.get("kind") == "Status" else {}
    reason = str(told.get("reason") or "")
    if status == 404 and not (reason == NOT_FOUND and dig(told, "details", "name")):
        reason = NOT_SERVED
    causes = dig(told, "details", "causes")
    seconds = float(retry_after) if retry_after.isdigit() else float(dig(told, "details", "retryAfterSeconds") or 0)
    return RefusalError(
        status,
        reason,
        str(told.get("message") or f"HTTP {status}"),
        [cause for cause in causes if isinstance(cause, dict)] if isinstance(causes, list) else [],
        seconds,
    )
