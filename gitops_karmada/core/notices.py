"""What people should hear of a turn: what moved, what failed, what needs somebody."""

from collections.abc import Iterable, Iterator, Mapping

from gitops_karmada.core.changes import Change, ChangeAction
from gitops_karmada.model.actions import Conflicting, Contested, Failed, Outcome, Refused
from gitops_karmada.model.members import MemberState, Unreachable
from gitops_karmada.model.notices import Notice, NoticeKind
from gitops_karmada.model.objects import ClusterName, Key
from gitops_karmada.model.problems import Problem, Severity
from gitops_karmada.model.works import Place


def notices(
    commit: str,
    changes: Iterable[Change],
    outcomes: Mapping[Place, Outcome],
    members: Mapping[ClusterName, MemberState],
    problems: Iterable[Problem],
) -> tuple[Notice, ...]:
    """Everything worth telling, the same each time as long as it is so: who tells it again decides what is new."""
    found = tuple(changes)
    return (
        *_moves(commit, found),
        *_holds(commit, found),
        *_outcomes(commit, outcomes),
        *_unreachable(members),
        *_findings(problems),
    )


def new_among(now: Iterable[Notice], told: frozenset[Notice]) -> tuple[Notice, ...]:
    return tuple(notice for notice in now if notice not in told)


def _moves(commit: str, changes: Iterable[Change]) -> Iterator[Notice]:
    steps: dict[Key, list[str]] = {}
    for change in changes:
        if change.action is ChangeAction.MOVE:
            step = f"{change.cluster} {change.replicas_before} → {change.replicas_after}"
            steps.setdefault(change.key, []).append(step)
    for key, told in steps.items():
        yield Notice(kind=NoticeKind.MOVED, subject=str(key), message=" · ".join(told), commit=commit)


def _holds(commit: str, changes: Iterable[Change]) -> Iterator[Notice]:
    for change in changes:
        if change.action is ChangeAction.HOLD:
            yield Notice(
                kind=NoticeKind.HELD,
                severity=Severity.WARNING,
                subject=str(change.key),
                cluster=change.cluster or "",
                message=change.reason,
                commit=commit,
            )


def _outcomes(commit: str, outcomes: Mapping[Place, Outcome]) -> Iterator[Notice]:
    for place, outcome in sorted(outcomes.items(), key=lambda item: item[0]):
        match outcome:
            case Refused(reason=reason) | Conflicting(reason=reason):
                kind = NoticeKind.REFUSED
            case Contested(reason=reason):
                kind = NoticeKind.CONTESTED
            case Failed(reason=reason):
                kind = NoticeKind.FAILED
            case _:
                continue
        yield Notice(
            kind=kind,
            severity=Severity.ERROR,
            subject=str(place.key),
            cluster=place.cluster,
            message=reason,
            commit=commit,
        )


def _unreachable(members: Mapping[ClusterName, MemberState]) -> Iterator[Notice]:
    for name, state in sorted(members.items()):
        if isinstance(state, Unreachable):
            yield Notice(
                kind=NoticeKind.UNREACHABLE,
                severity=Severity.ERROR,
                subject=f"Cluster {name}",
                cluster=name,
                message=state.reason,
            )


def _findings(problems: Iterable[Problem]) -> Iterator[Notice]:
    for problem in problems:
        if problem.severity is Severity.ERROR:
            yield Notice(
                kind=NoticeKind.FINDING, severity=Severity.ERROR, subject=problem.subject, message=str(problem)
            )
