"""The exit code of a turn."""

from gitops_karmada.cli.exits import Exit
from gitops_karmada.model.actions import Conflicting, Contested, Failed, Fault, Held, Refused
from gitops_karmada.model.members import Observed, Unreachable
from gitops_karmada.model.problems import Severity
from gitops_karmada.reconcile import Turn

NOT_DELETED = "not deleted: "
BLOCKED = "deleting, blocked by "


def exit_of(turn: Turn) -> Exit:
    """The worst that happened: members that failed, then what needs a person, then findings in the repository."""
    failed = [outcome for outcome in turn.outcomes.values() if isinstance(outcome, Failed)]
    if failed or any(isinstance(state, Unreachable) for state in turn.question.members.values()):
        return _failed(turn, failed)
    if any(_needs_somebody(outcome) for outcome in turn.outcomes.values()):
        return Exit.HELD
    if any(problem.severity is Severity.ERROR for problem in turn.problems):
        return Exit.NO
    return Exit.OK


def _failed(turn: Turn, failed: list[Failed]) -> Exit:
    """Partly, when anything was done or any member answered in whom nothing failed."""
    troubled = {outcome.place.cluster for outcome in failed}
    fine = [
        name for name, state in turn.question.members.items() if isinstance(state, Observed) and name not in troubled
    ]
    done = any(not isinstance(outcome, Failed) for outcome in turn.outcomes.values())
    if fine or done:
        return Exit.PARTIAL
    unauthorized = [outcome for outcome in failed if outcome.fault in (Fault.UNAUTHORIZED, Fault.FORBIDDEN)]
    return Exit.UNAUTHORIZED if failed and len(unauthorized) == len(failed) else Exit.FAILED


def _needs_somebody(outcome: object) -> bool:
    if isinstance(outcome, Held):
        return outcome.reason.startswith((NOT_DELETED, BLOCKED))
    return isinstance(outcome, Refused | Conflicting | Contested)
