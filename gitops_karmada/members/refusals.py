"""What a member answers when it says no, and that it did not answer at all."""

from collections.abc import Iterable, Mapping
from typing import Any

from gitops_karmada.model.actions import FieldConflict
from gitops_karmada.model.problems import MemberError

CONFLICT = "Conflict"
MANAGER_CONFLICT = "FieldManagerConflict"


class UnreachedError(MemberError):
    """No answer, or none that a Kubernetes API server gives: what is there is unknown."""


class SilentError(UnreachedError):
    """It took the connection, or should have, and did not answer within the deadline."""


class RefusalError(MemberError):
    """The member answered no. `status` is HTTP's, `reason` Kubernetes' word, `causes` what it says of single fields."""

    def __init__(
        self, status: int, reason: str, message: str, causes: Iterable[Mapping[str, Any]] = (), retry_after: float = 0
    ) -> None:
        super().__init__(message or reason or f"HTTP {status}")
        self.status = status
        self.reason = reason
        self.message = message or reason or f"HTTP {status}"
        self.causes = tuple(causes)
        self.retry_after = retry_after

    @property
    def conflicts(self) -> tuple[FieldConflict, ...]:
        """The fields that other managers hold."""
        found = (_conflict(cause) for cause in self.causes if cause.get("reason") == MANAGER_CONFLICT)
        return tuple(sorted(found))

    @property
    def fields(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(str(cause["field"]) for cause in self.causes if cause.get("field")))


def _conflict(cause: Mapping[str, Any]) -> FieldConflict:
    """Read `conflict with "MANAGER" [with subresource "NAME"] [using VERSION at TIME]`."""
    message = str(cause.get("message") or "")
    before, _, after = message.partition(' with subresource "')
    manager = before.partition('conflict with "')[2]
    end = manager.rfind('"')
    return FieldConflict(
        manager=manager[:end] if end >= 0 else manager,
        field=str(cause.get("field") or ""),
        subresource=after.partition('"')[0],
    )
