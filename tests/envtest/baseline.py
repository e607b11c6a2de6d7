"""Bring a cluster back to how it was when it was new, through its etcd.

Deleting through the API would need controllers (a namespace never goes without one) and a list of every kind; the API
server follows its etcd, so removing the keys is enough and takes milliseconds.
"""

from __future__ import annotations

import base64
import json
import urllib.request
from typing import Any

_PREFIX = "/registry/"
# What the API server itself keeps up to date, and must not be taken back in time.
_OWN = tuple(f"{_PREFIX}{name}/" for name in ("leases", "masterleases", "ranges", "peerserverleases"))


class Baseline:
    """The keys and values of a new cluster."""

    def __init__(self, etcd: str) -> None:
        self._etcd = etcd
        self._pairs = {pair["key"]: pair for pair in _range(etcd, keys_only=False)}

    def restore(self) -> int:
        """Delete what was added since, put back what was changed or deleted; return how many keys that were."""
        now = {pair["key"]: pair for pair in _range(self._etcd, keys_only=True)}
        added = [key for key in now if key not in self._pairs]
        changed = [key for key, pair in self._pairs.items() if _revision(now.get(key)) != _revision(pair)]
        for key in added:
            _call(self._etcd, "deleterange", {"key": key})
        for key in changed:
            _call(self._etcd, "put", {"key": key, "value": self._pairs[key]["value"]})
        if changed:
            restored = _range(self._etcd, keys_only=False)
            self._pairs |= {pair["key"]: pair for pair in restored if pair["key"] in self._pairs}
        return len(added) + len(changed)


def revisions(etcd: str) -> dict[str, str]:
    """Return the revision of every object that is stored, by its key."""
    return {_decoded(pair["key"]): pair["mod_revision"] for pair in _range(etcd, keys_only=True)}


def _range(etcd: str, *, keys_only: bool) -> list[dict[str, Any]]:
    end = _PREFIX[:-1] + chr(ord("/") + 1)
    query = {"key": _encoded(_PREFIX), "range_end": _encoded(end), "keys_only": keys_only}
    pairs = _call(etcd, "range", query).get("kvs") or []
    return [pair for pair in pairs if not _decoded(pair["key"]).startswith(_OWN)]


def _call(etcd: str, operation: str, query: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(f"{etcd}/v3/kv/{operation}", json.dumps(query).encode())
    with urllib.request.urlopen(request, timeout=10) as answer:
        value: dict[str, Any] = json.load(answer)
        return value


def _revision(pair: dict[str, Any] | None) -> str | None:
    return pair["mod_revision"] if pair else None


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _decoded(text: str) -> str:
    return base64.b64decode(text).decode(errors="replace")
