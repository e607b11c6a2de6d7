"""What is wrong, where it stands, and whose it is to mend."""

from dataclasses import dataclass
from enum import StrEnum


class GitopsKarmadaError(Exception):
    """The base of every error that the shell raises on purpose."""


class ManifestError(GitopsKarmadaError):
    """The author's: something in the repository."""


class SettingsError(GitopsKarmadaError):
    """The operator's: settings, flags, environment."""


class RepositoryError(GitopsKarmadaError):
    """The world's: Git could not be read or written."""


class MemberError(GitopsKarmadaError):
    """The world's: a member cluster could not be read or written."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Location:
    """A place in a file of the repository. Lines and columns count from 1; 0 is unknown."""

    file: str
    line: int = 0
    column: int = 0
    document: int = 0

    def __str__(self) -> str:
        place = self.file
        if self.line:
            place += f":{self.line}"
        if self.line and self.column:
            place += f":{self.column}"
        return place


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One finding for a person: a stable code, the place, the object, the field path, the reason and the next step."""

    code: str
    severity: Severity = Severity.ERROR
    location: Location | None = None
    subject: str = ""
    path: str = ""
    message: str
    hint: str = ""

    def __str__(self) -> str:
        parts = [str(self.location) if self.location else "", self.subject, self.path, self.message]
        text = ": ".join(part for part in parts if part)
        return f"{text}. {self.hint}" if self.hint else text
