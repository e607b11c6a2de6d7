"""The exit code of a turn says who has to look at it."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from gitops_karmada.cli.exits import Exit
from gitops_karmada.cli.failures import exit_of as exit_of_error
from gitops_karmada.cli.output.terminal import plain
from gitops_karmada.cli.output.turns import lines
from gitops_karmada.cli.verdicts import exit_of
from gitops_karmada.model.actions import Applied, Contested, Failed, Fault, Held, Outcome, Receipt, Refused
from gitops_karmada.model.federation import Federation
from gitops_karmada.model.members import MemberState, Observed, Unreachable
from gitops_karmada.model.objects import ClusterName, Key
from gitops_karmada.model.plan import Plan, Question
from gitops_karmada.model.problems import Problem, Severity
from gitops_karmada.model.works import Place
from gitops_karmada.reconcile import LostRaceError, Turn
from gitops_karmada.repo.failures import GitError, Reason

NOW = datetime(2026, 3, 1, tzinfo=UTC)
EAST, WEST = ClusterName("east"), ClusterName("west")


def place(cluster: ClusterName) -> Place:
    return Place(cluster=cluster, key=Key(group="", kind="ConfigMap", namespace="shop", name="a"))


def applied(cluster: ClusterName) -> Outcome:
    return Applied(place=place(cluster), object={}, receipt=Receipt())


def turn(*outcomes: Outcome, lost: tuple[ClusterName, ...] = (), problems: tuple[Problem, ...] = ()) -> Turn:
    members: Mapping[ClusterName, MemberState] = {
        name: Unreachable(cluster=name, reason="silent", observed_at=NOW)
        if name in lost
        else Observed(cluster=name, observed_at=NOW)
        for name in (EAST, WEST)
    }
    question = Question(federation=Federation(), members=members, now=NOW)
    found = {outcome.place: outcome for outcome in outcomes}
    return Turn(question=question, plan=Plan(), outcomes=found, problems=problems)


def failed(cluster: ClusterName, fault: Fault) -> Outcome:
    return Failed(place=place(cluster), reason="no", fault=fault)


def test_what_waits_for_a_member_is_said_once() -> None:
    """An unreachable member with thousands of objects is one line, not thousands."""
    places = [Place(cluster=WEST, key=Key(group="", kind="ConfigMap", namespace="shop", name=str(n))) for n in range(9)]
    waiting = [Held(place=it, reason="west is unreachable: silent") for it in places]
    text = [plain(spans) for spans in lines(turn(applied(EAST), *waiting, lost=(WEST,)))]
    assert text[1] == "Not reached: west: silent; what runs there stays as it is, 9 objects wait"
    assert sum("west" in row for row in text) == 1
    assert sum("east" in row for row in text) == 1


ERROR = Problem(code="GK2011", message="wrong")
WARNING = Problem(code="GK2012", severity=Severity.WARNING, message="odd")


@pytest.mark.parametrize(
    ("done", "code"),
    [
        (turn(applied(EAST), applied(WEST)), Exit.OK),
        (turn(applied(EAST), problems=(WARNING,)), Exit.OK),
        (turn(applied(EAST), problems=(ERROR,)), Exit.NO),
        (turn(applied(EAST), Refused(place=place(WEST), reason="Helm")), Exit.HELD),
        (turn(Contested(place=place(WEST), reason="someone"), problems=(ERROR,)), Exit.HELD),
        (turn(Held(place=place(WEST), reason="not deleted: over the budget")), Exit.HELD),
        (turn(Held(place=place(WEST), reason="dispatching is suspended")), Exit.OK),
        (turn(applied(EAST), failed(WEST, Fault.INVALID)), Exit.PARTIAL),
        (turn(applied(EAST), lost=(WEST,)), Exit.PARTIAL),
        (turn(lost=(EAST, WEST)), Exit.FAILED),
        (turn(failed(EAST, Fault.UNREACHABLE), failed(WEST, Fault.INVALID)), Exit.FAILED),
        (turn(failed(EAST, Fault.FORBIDDEN), failed(WEST, Fault.UNAUTHORIZED)), Exit.UNAUTHORIZED),
    ],
)
def test_the_worst_that_happened_decides(done: Turn, code: Exit) -> None:
    assert exit_of(done) is code


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (GitError(Reason.UNREACHABLE, "x"), Exit.FAILED),
        (GitError(Reason.AUTHENTICATION, "x"), Exit.UNAUTHORIZED),
        (GitError(Reason.TIMEOUT, "x"), Exit.TIMEOUT),
        (GitError(Reason.REF_NOT_FOUND, "x"), Exit.USAGE),
        (GitError(Reason.REFUSED, "x"), Exit.USAGE),
        (LostRaceError("x"), Exit.RACE),
    ],
)
def test_what_git_said_decides(error: GitError, code: Exit) -> None:
    assert exit_of_error(error) is code
