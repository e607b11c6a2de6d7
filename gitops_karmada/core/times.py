"""Points in time as Kubernetes writes them: RFC 3339, UTC, usually to the second."""

from collections.abc import Iterable
from datetime import datetime

from gitops_karmada.core.interpreters import InterpretError


def earliest(times: Iterable[str]) -> str:
    return min(times, key=instant)


def latest(times: Iterable[str]) -> str:
    return max(times, key=instant)


def instant(written: str) -> datetime:
    try:
        return datetime.fromisoformat(written)
    except (TypeError, ValueError):
        raise InterpretError(f"{written!r} is not a time such as 2026-01-31T12:00:00Z") from None


def text_of(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def read_time(written: object) -> datetime | None:
    """The time that `text_of` wrote; None where it is none."""
    try:
        return datetime.fromisoformat(str(written))
    except ValueError:
        return None
