"""Plans without consequences: what is decided on is read, or replayed, and only compared."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from gitops_karmada.cli import snapshots, sources, worlds
from gitops_karmada.cli.feeds import Lines, Read
from gitops_karmada.cli.options import Where
from gitops_karmada.cli.output.plans import Preview
from gitops_karmada.core.changes import ChangeAction, changes
from gitops_karmada.core.enforce import actions_of, places_of
from gitops_karmada.core.lint import lint
from gitops_karmada.core.record import ledger_after
from gitops_karmada.model.actions import Action, Apply, Contest, Failed, Fault, Refuse, Wait
from gitops_karmada.model.federation import Commit, Ledger
from gitops_karmada.model.members import Unreachable
from gitops_karmada.model.objects import ClusterName
from gitops_karmada.model.plan import Hold, Plan, Question
from gitops_karmada.model.problems import Problem, Severity
from gitops_karmada.model.works import Place
from gitops_karmada.reconcile import World, decide, read


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is to be planned, and against what."""

    where: Where
    base: str = ""
    offline: bool = False
    snapshot: str = ""
    save_snapshot: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A question and its plan, with the lines of its files."""

    question: Question
    plan: Plan
    lines: Lines
    warnings: tuple[Problem, ...] = ()


def preview(asked: Asked) -> tuple[Preview, Lines]:
    decided = decided_for(asked)
    question, plan = decided.question, decided.plan
    reported = [problem for state in question.members.values() for problem in state.problems]
    found = Preview(
        changes=changes(plan, question.ledger, question.federation),
        commit=question.federation.commit,
        uncommitted=sources.is_uncommitted(asked.where, decided.lines),
        base=asked.base,
        status_commit=question.ledger.commit or "",
        members=tuple(sorted(declared.value.name for declared in question.federation.clusters)),
        unreachable=tuple(sorted(n for n, state in question.members.items() if isinstance(state, Unreachable))),
        offline=asked.offline,
        cause=plan.cause,
        problems=tuple(sources.in_order([*plan.problems, *reported, *decided.warnings])),
    )
    return found, decided.lines


def changes_members(where: Where, commit: Commit) -> bool:
    """Whether the commit would change anything, as far as can be told without asking members."""
    found, _ = preview(Asked(where=replace(where, rev=commit.id), offline=True))
    return any(change.action is not ChangeAction.HOLD for change in found.changes)


def decided_for(asked: Asked) -> Decided:
    """Read and decide, without writing anything."""
    with worlds.opened(asked.where, as_it_is=sources.as_it_is(asked.where), offline=asked.offline) as opened:
        question = _question(opened, asked)
        if asked.base:
            question = replace(question, ledger=_after(opened.world, question, asked))
        plan = decide(opened.world, question)
        if not (asked.offline or asked.snapshot):
            plan = _guarded(opened.world, question, plan)
        found = lint(question.federation, opened.world.interpreter(question.federation))
        warnings = tuple(problem for problem in found if problem.severity is Severity.WARNING)
        return Decided(question=question, plan=plan, lines=opened.lines(), warnings=warnings)


def _guarded(world: World, question: Question, plan: Plan) -> Plan:
    """The plan with what guard and members would not let happen, as they are now. Nothing is written."""
    live = world.members.look(places_of(plan, question.federation.settings))
    actions = actions_of(plan, live, question, world.interpreter(question.federation))
    applies = {name: [it for it in part if isinstance(it, Apply)] for name, part in actions.items()}
    failures = [it for it in world.members.rehearse(applies).values() if it.fault is not Fault.UNREACHABLE]
    problems = sorted((_refused(it, question) for it in failures), key=lambda problem: problem.subject)
    held = [*_kept_back(actions, question), *(_hold(it.place, f"would be refused: {it.reason}") for it in failures)]
    known = {hold.place for hold in plan.holds}
    return replace(
        plan,
        holds=(*plan.holds, *(hold for hold in held if hold.place not in known)),
        problems=(*plan.problems, *problems),
    )


def _kept_back(actions: Mapping[ClusterName, Iterable[Action]], question: Question) -> Iterator[Hold]:
    for action in (action for part in actions.values() for action in part):
        seen = not isinstance(question.members.get(action.place.cluster), Unreachable)
        if isinstance(action, Refuse | Contest | Wait) and seen:
            yield _hold(action.place, action.reason)


def _hold(place: Place, reason: str) -> Hold:
    return Hold(place=place, key=place.key, reason=reason)


def _refused(failure: Failed, question: Question) -> Problem:
    template = question.federation.templates.get(failure.place.key)
    return Problem(
        code="GK5014",
        location=template.location if template else None,
        subject=str(failure.place.key),
        path=", ".join(failure.fields),
        message=f"{failure.place.cluster} would refuse it: {failure.reason}",
        hint="See: gitops-karmada explain GK5014",
    )


def _question(opened: worlds.Opened, asked: Asked) -> Question:
    if asked.snapshot:
        return snapshots.read(Path(asked.snapshot), opened.world.federation())
    question = read(opened.world)
    if asked.save_snapshot:
        _, status = opened.status.read()
        snapshots.write(Path(asked.save_snapshot), question, status)
    return question


def _after(world: World, question: Question, asked: Asked) -> Ledger:
    """The ledger as it would be once the base was in force: what differs then is this commit's doing alone."""
    base: Read = sources.feed(asked.where, asked.base)()
    decided = decide(world, replace(question, federation=base.federation))
    return ledger_after(question.ledger, decided)
