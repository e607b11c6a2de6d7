"""Why the repository could not be read or written, as a value that says what to do next."""

from enum import StrEnum

from gitops_karmada.model.problems import Problem, RepositoryError


class Reason(StrEnum):
    UNREACHABLE = "unreachable"
    AUTHENTICATION = "authentication"
    REF_NOT_FOUND = "ref not found"
    TIMEOUT = "timeout"
    REFUSED = "refused"
    DAMAGED = "damaged"
    PATH_MISSING = "path missing"
    UNWRITABLE = "unwritable"
    LIMIT = "limit"


CODES = {
    Reason.UNREACHABLE: "GK4001",
    Reason.AUTHENTICATION: "GK4003",
    Reason.REFUSED: "GK4004",
    Reason.TIMEOUT: "GK4005",
    Reason.UNWRITABLE: "GK4006",
    Reason.REF_NOT_FOUND: "GK4008",
    Reason.DAMAGED: "GK4009",
    Reason.PATH_MISSING: "GK1027",
    Reason.LIMIT: "GK1025",
}


class GitError(RepositoryError):
    """Git said no. The message names the repository and never holds a credential."""

    def __init__(self, reason: Reason, message: str, hint: str = "") -> None:
        super().__init__(f"{message}. {hint}" if hint else message)
        self.reason = reason
        self.message = message
        self.hint = hint

    @property
    def code(self) -> str:
        return CODES[self.reason]

    def problem(self) -> Problem:
        return Problem(code=self.code, message=self.message, hint=self.hint)
