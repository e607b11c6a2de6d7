"""What people hear of a turn, and that they hear it once."""

from datetime import UTC, datetime

from gitops_karmada.core.changes import Change, ChangeAction
from gitops_karmada.core.notices import new_among, notices
from gitops_karmada.model.actions import Contested, Failed, Outcome, Pruned, Refused
from gitops_karmada.model.members import MemberState, Observed, Unreachable
from gitops_karmada.model.notices import Notice, NoticeKind
from gitops_karmada.model.objects import ClusterName, Key
from gitops_karmada.model.problems import Location, Problem, Severity
from gitops_karmada.model.works import Place

WEB = Key(group="apps", kind="Deployment", namespace="shop", name="web")
NOW = datetime(2026, 3, 1, tzinfo=UTC)
EAST, WEST = (Place(cluster=ClusterName(name), key=WEB) for name in ("east", "west"))


def moved(place: Place, before: int, after: int) -> Change:
    return Change(
        place=place, key=WEB, action=ChangeAction.MOVE, replicas_before=before, replicas_after=after, reason="failover"
    )


def test_a_move_is_one_notice_for_all_its_members() -> None:
    (notice,) = notices("3f9c2ab", [moved(EAST, 4, 0), moved(WEST, 2, 6)], {}, {}, [])
    assert notice == Notice(
        kind=NoticeKind.MOVED,
        subject="Deployment.apps shop/web",
        message="east 4 → 0 · west 2 → 6",
        commit="3f9c2ab",
    )


def test_what_needs_somebody_is_told_with_its_member() -> None:
    outcomes: dict[Place, Outcome] = {
        EAST: Refused(place=EAST, reason="owned by Helm (release shop)"),
        WEST: Contested(place=WEST, reason="somebody writes it too"),
    }
    told = [(notice.kind, notice.cluster, notice.message) for notice in notices("", [], outcomes, {}, [])]
    assert told == [
        (NoticeKind.REFUSED, "east", "owned by Helm (release shop)"),
        (NoticeKind.CONTESTED, "west", "somebody writes it too"),
    ]


def test_silent_members_failures_and_errors_are_told_and_good_news_is_not() -> None:
    members: dict[ClusterName, MemberState] = {
        ClusterName("east"): Observed(cluster=ClusterName("east"), observed_at=NOW),
        ClusterName("west"): Unreachable(cluster=ClusterName("west"), reason="timed out", observed_at=NOW),
    }
    outcomes: dict[Place, Outcome] = {EAST: Pruned(place=EAST), WEST: Failed(place=WEST, reason="timed out")}
    problems = [
        Problem(code="GK2011", location=Location(file="a.yaml", line=3), message="wrong"),
        Problem(code="GK2012", severity=Severity.WARNING, message="odd"),
    ]
    kinds = [notice.kind for notice in notices("", [], outcomes, members, problems)]
    assert kinds == [NoticeKind.FAILED, NoticeKind.UNREACHABLE, NoticeKind.FINDING]


def test_what_was_told_is_not_told_again() -> None:
    now = notices("", [], {EAST: Refused(place=EAST, reason="owned by Helm")}, {}, [])
    assert new_among(now, frozenset()) == now
    assert new_among(now, frozenset(now)) == ()
