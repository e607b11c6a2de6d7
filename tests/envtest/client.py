"""An independent client of an API server: plain HTTP requests, nothing of the product."""

from __future__ import annotations

import http.client
import json
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

Object = dict[str, Any]
Objects = list[Object]  # Inside Client the word list is the method.

MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"


class ApiError(Exception):
    """The server refused: `code` is the HTTP status, `reason` Kubernetes' word, `body` the whole answer."""

    def __init__(self, request: str, code: int, body: Any) -> None:
        self.code = code
        self.body = body
        self.reason = body.get("reason", "") if isinstance(body, dict) else ""
        said = body.get("message", "") if isinstance(body, dict) else body
        super().__init__(f"{request}: {code} {self.reason}: {said}")


class NotFoundError(ApiError):
    """The object, or the whole kind, is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """How the server calls a kind: `prefix` is `/api/v1` or `/apis/GROUP/VERSION`."""

    prefix: str
    plural: str
    namespaced: bool

    def path(self, namespace: str | None, name: str | None = None, subresource: str | None = None) -> str:
        parts = [self.prefix]
        if self.namespaced and namespace is not None:
            parts += ["namespaces", quote(namespace)]
        parts += [self.plural, *([quote(name)] if name else []), *([subresource] if subresource else [])]
        return "/".join(parts)


class Client:
    """Requests as one user; each has a connection of its own and a deadline of `timeout` seconds."""

    def __init__(self, server: str, authority: Path, token: str, timeout: float = 20) -> None:
        self.server = server
        self.timeout = timeout
        self._address = urlsplit(server)
        self._tls = ssl.create_default_context(cafile=str(authority))
        self._token = token
        self._resources: dict[tuple[str, str], Resource] = {}

    def get(self, api_version: str, kind: str, name: str, namespace: str | None = None) -> Object:
        return self._object("GET", self._path(api_version, kind, name, namespace))

    def find(self, api_version: str, kind: str, name: str, namespace: str | None = None) -> Object | None:
        """Return the object, or None when it (or its kind) is not there."""
        try:
            return self.get(api_version, kind, name, namespace)
        except NotFoundError:
            return None

    def list(self, api_version: str, kind: str, namespace: str | None = None, labels: str | None = None) -> Objects:
        """Return all objects of the kind, of all namespaces when none is given, with apiVersion and kind filled in."""
        path = self.resource(api_version, kind).path(namespace)
        query = urlencode({"labelSelector": labels}) if labels else ""
        items = self._object("GET", f"{path}?{query}" if query else path)["items"]
        return [{"apiVersion": api_version, "kind": kind, **item} for item in items]

    def create(self, obj: Mapping[str, Any]) -> Object:
        return self._object("POST", self._collection(obj), obj)

    def replace(self, obj: Mapping[str, Any]) -> Object:
        return self._object("PUT", self._own_path(obj), obj)

    def apply(self, obj: Mapping[str, Any], manager: str, force: bool = False) -> Object:
        """Server-side apply as field manager `manager`."""
        query = urlencode({"fieldManager": manager, "force": str(force).lower()})
        return self._object("PATCH", f"{self._own_path(obj)}?{query}", obj, APPLY)

    def patch(
        self,
        api_version: str,
        kind: str,
        name: str,
        namespace: str | None = None,
        *,
        patch: Mapping[str, Any] | Sequence[Any],
        manager: str | None = None,
    ) -> Object:
        """Merge patch (a mapping) or JSON patch (a list)."""
        path = self._path(api_version, kind, name, namespace)
        query = f"?{urlencode({'fieldManager': manager})}" if manager else ""
        return self._object("PATCH", path + query, patch, MERGE if isinstance(patch, Mapping) else JSON_PATCH)

    def patch_status(
        self, api_version: str, kind: str, name: str, namespace: str | None = None, *, patch: Mapping[str, Any]
    ) -> Object:
        """Merge `patch` (what stands below `status`) into the status of the object."""
        path = self._path(api_version, kind, name, namespace, "status")
        return self._object("PATCH", path, {"status": patch}, MERGE)

    def delete(self, api_version: str, kind: str, name: str, namespace: str | None = None, grace: int = 0) -> None:
        path = self._path(api_version, kind, name, namespace)
        self.request("DELETE", path, {"gracePeriodSeconds": grace, "propagationPolicy": "Background"})

    def namespace(self, name: str) -> Object:
        """Return the namespace, created if it is absent."""
        return self.find("v1", "Namespace", name) or self.create(
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        )

    def install(self, definition: Mapping[str, Any]) -> None:
        """Create a CustomResourceDefinition and wait until its kind is served."""
        self.create(definition)
        self.wait(
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            definition["metadata"]["name"],
            until=lambda crd: has_condition(crd, "Established"),
        )
        spec = definition["spec"]
        version = next(version["name"] for version in spec["versions"] if version.get("served"))
        kind = spec["names"]["kind"]
        self._until(lambda: self._is_served(f"{spec['group']}/{version}", kind), f"{kind} is not served", 10)

    def wait(
        self,
        api_version: str,
        kind: str,
        name: str,
        namespace: str | None = None,
        *,
        until: Callable[[Object], bool] = lambda obj: True,
        seconds: float = 10,
    ) -> Object:
        """Return the object once it is there and `until(object)` holds."""
        seen: list[Object | None] = [None]

        def holds() -> bool:
            seen[0] = self.find(api_version, kind, name, namespace)
            return seen[0] is not None and until(seen[0])

        self._until(holds, lambda: f"{kind} {namespace}/{name} is not as awaited: {json.dumps(seen[0])}", seconds)
        found = seen[0]
        assert found is not None
        return found

    def wait_gone(
        self, api_version: str, kind: str, name: str, namespace: str | None = None, *, seconds: float = 10
    ) -> None:
        self._until(
            lambda: self.find(api_version, kind, name, namespace) is None,
            f"{kind} {namespace}/{name} is still there",
            seconds,
        )

    def resource(self, api_version: str, kind: str) -> Resource:
        """Return how the server calls the kind; raise NotFoundError when it does not serve it."""
        key = (api_version, kind)
        if key not in self._resources:
            self._discover(api_version)
        if key not in self._resources:
            raise NotFoundError(f"{api_version} {kind}", 404, {"reason": "NotServed", "message": "kind is not served"})
        return self._resources[key]

    def request(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> Any:
        """Send one request and return the decoded answer (text when it is not JSON); raise ApiError when refused."""
        connection = http.client.HTTPSConnection(
            self._address.hostname or "", self._address.port, timeout=self.timeout, context=self._tls
        )
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": content_type}
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return _decoded(f"{method} {path}", answer.status, answer.read())
        finally:
            connection.close()

    def _object(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> Object:
        value: Object = self.request(method, path, body, content_type)
        return value

    def _discover(self, api_version: str) -> None:
        prefix = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
        for entry in self._object("GET", prefix)["resources"]:
            if "/" not in entry["name"]:
                self._resources[api_version, entry["kind"]] = Resource(
                    prefix=prefix, plural=entry["name"], namespaced=entry["namespaced"]
                )

    def _is_served(self, api_version: str, kind: str) -> bool:
        try:
            self.list(api_version, kind)
        except ApiError:
            # 404 until it is routed, then for a moment 429: its storage is being set up.
            return False
        return True

    def _path(
        self, api_version: str, kind: str, name: str, namespace: str | None, subresource: str | None = None
    ) -> str:
        return self.resource(api_version, kind).path(namespace or "default", name, subresource)

    def _own_path(self, obj: Mapping[str, Any]) -> str:
        metadata = obj["metadata"]
        return self._path(obj["apiVersion"], obj["kind"], metadata["name"], metadata.get("namespace"))

    def _collection(self, obj: Mapping[str, Any]) -> str:
        return self.resource(obj["apiVersion"], obj["kind"]).path(obj["metadata"].get("namespace") or "default")

    @staticmethod
    def _until(holds: Callable[[], bool], complaint: str | Callable[[], str], seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > deadline:
                raise TimeoutError(complaint if isinstance(complaint, str) else complaint())
            time.sleep(0.05)


def has_condition(obj: Mapping[str, Any], kind: str, status: str = "True") -> bool:
    """Return whether the object's status has a condition of this type with this status."""
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return any(condition["type"] == kind and condition["status"] == status for condition in conditions)


def _decoded(request: str, code: int, body: bytes) -> Any:
    text = body.decode(errors="replace")
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    if code == http.client.NOT_FOUND:
        raise NotFoundError(request, code, value)
    if code >= http.client.BAD_REQUEST:
        raise ApiError(request, code, value)
    return value
