"""What people are told of a turn."""

from dataclasses import dataclass
from enum import StrEnum

from gitops_karmada.model.problems import Severity


class NoticeKind(StrEnum):
    PLACED = "placed"
    MOVED = "moved"
    HELD = "held"
    REFUSED = "refused"
    CONTESTED = "contested"
    FAILED = "failed"
    UNREACHABLE = "unreachable"
    FINDING = "finding"
    TURN_FAILED = "turn-failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One thing that happened: to `subject` (an object, a member), told in one sentence without any secret."""

    kind: NoticeKind
    message: str
    severity: Severity = Severity.NOTICE
    subject: str = ""
    cluster: str = ""
    commit: str = ""
