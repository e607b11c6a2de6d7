"""One turn: read, decide, publish the intent, apply it, publish what became of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Protocol, assert_never

from gitops_karmada.core.aggregate import settled
from gitops_karmada.core.causes import cause_of
from gitops_karmada.core.changes import Change, changes
from gitops_karmada.core.enforce import actions_of, places_of
from gitops_karmada.core.hydrate import manifest_files
from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.core.order import Wave, waves
from gitops_karmada.core.overriders import YamlText
from gitops_karmada.core.plan import REWRITTEN, plan
from gitops_karmada.core.readme import ATTRIBUTES, ATTRIBUTES_TEXT, README, readme
from gitops_karmada.core.record import (
    FEDERATION,
    FORMAT_VERSION,
    MEMORY,
    federation_file,
    files_of,
    format_of,
    ledger_after,
    ledger_of,
)
from gitops_karmada.model.actions import Apply, Failed, Outcome
from gitops_karmada.model.federation import Federation, Ledger
from gitops_karmada.model.members import LastKnown, LiveObject, MemberConnection, MemberState
from gitops_karmada.model.objects import ClusterName, Key
from gitops_karmada.model.plan import Cause, Plan, Question
from gitops_karmada.model.problems import Problem, RepositoryError, Severity
from gitops_karmada.model.works import Place
from gitops_karmada.repo.messages import Message
from gitops_karmada.repo.status_branch import LostRace, Publication, Published, Refused, Unchanged

# How often a turn decides again because another instance was faster.
ATTEMPTS: Final = 5
SHORTEST_ID: Final = 7


class Status(Protocol):
    """The status branch, as values by path."""

    def read(self) -> tuple[str | None, Mapping[str, Any]]:
        """The tip and its files. Raise RepositoryError where it cannot be read: unknown is never empty."""

    def publish(self, base: str | None, files: Mapping[str, Any], message: Message, when: datetime) -> Publication: ...


class Members(Protocol):
    def observe(
        self, connections: Iterable[MemberConnection], last_known: Mapping[ClusterName, LastKnown] | None = None
    ) -> Mapping[ClusterName, MemberState]: ...

    def look(self, places: Mapping[ClusterName, Iterable[tuple[Key, str]]]) -> Mapping[Place, LiveObject]: ...

    def run(self, waves: Mapping[ClusterName, tuple[Wave, ...]]) -> Mapping[Place, Outcome]: ...

    def rehearse(self, actions: Mapping[ClusterName, Sequence[Apply]]) -> Mapping[Place, Failed]: ...


class Remembered:
    """The ledger that this process left on the status branch: while nobody else writes there, it is not read again."""

    def __init__(self) -> None:
        self._ledger: Ledger | None = None

    def at(self, commit: str | None) -> Ledger | None:
        ledger = self._ledger
        return ledger if ledger is not None and commit is not None and ledger.commit == commit else None

    def keep(self, ledger: Ledger) -> None:
        """As it would be read: the values of Secrets are not on the branch."""
        works = {place: replace(work, sealed=None) if work.sealed else work for place, work in ledger.works.items()}
        self._ledger = replace(ledger, works=works)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What a turn reaches. `federation` reads the source's newest commit; `connections` are the members of it."""

    federation: Callable[[], Federation]
    status: Status
    members: Members
    connections: Callable[[Federation], Iterable[MemberConnection]]
    interpreter: Callable[[Federation], Interpreter]
    yaml: YamlText
    clock: Callable[[], datetime]
    # Whether the second commit of the source has the first in its history.
    descends: Callable[[str, str], bool] = field(default=lambda older, newer: True)
    # Told before each write of a turn; tests end the process there.
    observe: Callable[[str], None] = field(default=lambda step: None)
    remembered: Remembered = field(default_factory=Remembered)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What one turn found, decided and did. `published` are the commits that it made on the status branch."""

    question: Question
    plan: Plan
    changes: tuple[Change, ...] = ()
    outcomes: Mapping[Place, Outcome] = field(default_factory=dict)
    published: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def read(world: World) -> Question:
    """Read the source, the status branch and the members. Nothing is written."""
    federation = world.federation()
    ledger = ledger_of_branch(world.status, federation, world.remembered)
    federation = _with_history(federation, ledger, world)
    connections = tuple(pinned(connection, ledger) for connection in world.connections(federation))
    members = world.members.observe(connections, last_known(ledger))
    return Question(federation=federation, ledger=ledger, members=members, now=now(world))


def _with_history(federation: Federation, ledger: Ledger, world: World) -> Federation:
    """The federation, with a word about a commit that the source has lost since the last turn that wrote something.

    Where the settings hold what only that took away, with the commit itself too.
    """
    last = str(ledger.memory.get(REWRITTEN) or ledger.source_commit)
    now, deletion = federation.commit.id, federation.settings.spec.deletion
    accepted = len(deletion.accept_rewritten) >= SHORTEST_ID and last.startswith(deletion.accept_rewritten)
    if not last or not now or last == now or accepted or world.descends(last, now):
        return federation
    told = replace(federation, problems=(*federation.problems, _rewritten(last, now)))
    return replace(told, rewritten_from=last) if deletion.hold_rewritten else told


def _rewritten(last: str, now: str) -> Problem:
    return Problem(
        code="GK4002",
        severity=Severity.WARNING,
        subject=f"commit {now[:7]}",
        message=f"does not descend from {last[:7]}, which was followed before: somebody force-pushed",
        hint="The new tip is followed. Protect the branch against force-pushes, or set spec.deletion.holdRewritten",
    )


def decide(world: World, question: Question) -> Plan:
    """The plan of a question: pure, but for scripts and webhooks that the repository itself declares."""
    return plan(question, world.interpreter(question.federation), world.yaml)


def turn(world: World) -> Turn:
    """One whole turn. What cannot be read or published raises RepositoryError, and nothing is applied then."""
    question, decided, intent = _published_intent(world)
    world.observe("intent published")
    interpreter, instance = world.interpreter(question.federation), question.federation.settings.instance
    live = world.members.look(places_of(decided, question.federation.settings))
    overtaken = _overtaken(world, intent) if decided.retiring else ""
    actions = actions_of(decided, live, question, interpreter, overtaken=overtaken)
    world.observe("judged")
    outcomes = world.members.run({cluster: waves(part) for cluster, part in actions.items()})
    world.observe("applied")
    after = settled(decided, outcomes, question.federation.templates, interpreter, question.now)
    ledger = _ledger_after(question.ledger, decided, intent, instance)
    report = publish(world, replace(after, cause=cause_of(after, ledger)), ledger, question)
    if isinstance(report, Published | Unchanged):
        world.remembered.keep(_ledger_after(ledger, after, report, instance))
    world.observe("report published")
    return Turn(
        question=question,
        plan=after,
        changes=changes(decided, question.ledger, question.federation),
        outcomes=outcomes,
        published=tuple(done.commit for done in (intent, report) if isinstance(done, Published)),
        problems=_problems(after, question, report),
    )


def _published_intent(world: World) -> tuple[Question, Plan, Publication]:
    """Decide until the intent is on the branch: who lost a race reads again and decides again."""
    for _ in range(ATTEMPTS):
        question = read(world)
        decided = decide(world, question)
        world.observe("decided")
        published = publish(world, decided, question.ledger, question)
        match published:
            case Published() | Unchanged():
                return question, decided, published
            case Refused(message=message):
                raise RepositoryError(f"{message}. Nothing was applied")
            case LostRace():
                continue
            case _:
                assert_never(published)
    raise LostRaceError(f"another instance was faster {ATTEMPTS} times in a row. Nothing was applied; run again")


def _overtaken(world: World, intent: Publication) -> str:
    """Why what was decided to be deleted may be wanted again: somebody has decided since. Empty while we were last."""
    try:
        tip, _ = world.status.read()
    except RepositoryError as error:
        return f"whether another instance has decided meanwhile is not known: {error}"
    last = intent.commit if isinstance(intent, Published | Unchanged) else None
    return "" if tip == last else "another instance has decided meanwhile; the next turn decides again"


class LostRaceError(RepositoryError):
    """Somebody else writes the status branch all the time."""

    code = "GK4007"


# The status branch ----------------------------------------------------------------------------------------------------


def ledger_of_branch(status: Status, federation: Federation, remembered: Remembered | None = None) -> Ledger:
    tip, files = status.read()
    for name in (FEDERATION, MEMORY):
        if not isinstance(files.get(name, {}), Mapping):
            raise RepositoryError(f"{name} on the status branch is no map. Revert the commit that changed it by hand")
    if (version := format_of(files)) > FORMAT_VERSION:
        raise RepositoryError(
            f"the status branch has format {version}, which is newer than this program knows ({FORMAT_VERSION}). "
            "Run the newer gitops-karmada, or give this one a status branch of its own"
        )
    ledger = (remembered.at(tip) if remembered is not None else None) or ledger_of(files, tip)
    instance = federation.settings.instance
    if ledger.instance and ledger.instance != instance:
        raise RepositoryError(
            f"the status branch belongs to instance {ledger.instance!r}, and the settings name {instance!r}. "
            "Give this instance a status branch of its own, or correct metadata.name in gitops-karmada.yaml"
        )
    return ledger


def publish(world: World, decided: Plan, ledger: Ledger, question: Question) -> Publication:
    """One commit with what changed, or none."""
    files = files_of(decided, ledger)
    if not files:
        return Unchanged(commit=ledger.commit)
    instance = question.federation.settings.instance
    files |= manifest_files(decided, ledger, question.federation)
    files[FEDERATION] = federation_file(decided.commit, instance)
    files[README] = readme(decided, instance)
    files[ATTRIBUTES] = ATTRIBUTES_TEXT
    return world.status.publish(ledger.commit, files, _message(decided, ledger, instance), question.now)


def _message(decided: Plan, ledger: Ledger, instance: str) -> Message:
    moved = sum(
        binding.spec.clusters != ledger.bindings[key].spec.clusters if key in ledger.bindings else True
        for key, binding in decided.bindings.items()
    )
    source = decided.commit.id
    trailers = {
        "Instance": instance,
        "Source-Commit": source,
        "Source-Ref": decided.commit.ref,
        "Previous": ledger.commit or "",
    }
    return Message(
        subject=f"federation: {_subject(decided, moved)} ({source[:7] or 'no commit'})",
        cause=decided.cause,
        trailers={name: value for name, value in trailers.items() if value},
    )


def _subject(decided: Plan, moved: int) -> str:
    if decided.cause is Cause.STATUS:
        return "what members report"
    return f"{moved} placed or moved" if moved else f"{decided.cause} changed, nothing moved"


def _ledger_after(before: Ledger, decided: Plan, published: Publication, instance: str) -> Ledger:
    """The ledger as it is on the branch once the plan is there."""
    if not isinstance(published, Published):
        return before
    return replace(ledger_after(before, decided), commit=published.commit, instance=instance)


def _problems(decided: Plan, question: Question, report: Publication) -> tuple[Problem, ...]:
    found = [*decided.problems]
    for state in question.members.values():
        found.extend(state.problems)
    match report:
        case LostRace(message=message):
            found.append(_unrecorded(message, Severity.WARNING, "The next turn records it"))
        case Refused(message=message):
            found.append(_unrecorded(message, Severity.ERROR, "Give the bot the right to push to the status branch"))
    return tuple(found)


def _unrecorded(message: str, severity: Severity, hint: str) -> Problem:
    text = f"what became of the turn could not be recorded: {message}"
    return Problem(code="GK4006", severity=severity, message=text, hint=hint)


def last_known(ledger: Ledger) -> dict[ClusterName, LastKnown]:
    return {
        name: LastKnown(api_enablements=cluster.status.api_enablements, identity=cluster.spec.id)
        for name, cluster in ledger.clusters.items()
    }


def pinned(connection: MemberConnection, ledger: Ledger) -> MemberConnection:
    """The connection with the identity that the member had before: another cluster in its place is not the member."""
    known = ledger.clusters.get(connection.cluster)
    if connection.identity or connection.directory or known is None:
        return connection
    return replace(connection, identity=known.spec.id)


def now(world: World) -> datetime:
    """The time of the turn, in whole seconds as the status branch keeps it."""
    return world.clock().replace(microsecond=0)
