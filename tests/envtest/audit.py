"""The audit log of an API server: the independent witness of who wrote what."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WRITES = frozenset({"create", "update", "patch", "delete", "deletecollection"})

# Metadata of every finished request. Watches are told when they begin.
POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [{"level": "None", "users": ["system:apiserver"]}, {"level": "Metadata"}],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One request that the server answered."""

    user: str
    verb: str
    group: str
    resource: str
    subresource: str
    namespace: str
    name: str
    code: int
    user_agent: str
    uri: str


class AuditLog:
    """Reads the log file while the server writes it. The server writes a request's line before it answers."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def mark(self) -> int:
        """Return the place where the log ends now, for `since`."""
        return self.path.stat().st_size if self.path.is_file() else 0

    def events(self, since: int = 0, user: str | None = None) -> tuple[Event, ...]:
        """Return the requests after the mark, of one user or of all."""
        return tuple(event for event in self._read(since) if user in (None, event.user))

    def writes(self, since: int = 0, user: str | None = None) -> tuple[Event, ...]:
        """Return the requests after the mark that change something (also when they were refused: see `code`)."""
        return tuple(event for event in self.events(since, user) if event.verb in WRITES and not _is_dry(event))

    def _read(self, since: int) -> Iterator[Event]:
        if not self.path.is_file():
            return
        with self.path.open("rb") as file:
            file.seek(since)
            yield from (_event(json.loads(line)) for line in file if line.endswith(b"\n"))


def _is_dry(event: Event) -> bool:
    # Also questions in the form of a create: what am I allowed to do.
    return "dryRun=All" in event.uri or event.group in {"authorization.k8s.io", "authentication.k8s.io"}


def _event(line: dict[str, Any]) -> Event:
    what = line.get("objectRef") or {}
    return Event(
        user=line["user"]["username"],
        verb=line["verb"],
        group=what.get("apiGroup", ""),
        resource=what.get("resource", ""),
        subresource=what.get("subresource", ""),
        namespace=what.get("namespace", ""),
        name=what.get("name", ""),
        code=(line.get("responseStatus") or {}).get("code", 0),
        user_agent=line.get("userAgent", ""),
        uri=line.get("requestURI", ""),
    )
