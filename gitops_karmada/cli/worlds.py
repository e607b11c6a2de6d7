"""The one place that builds worlds: a source, a status branch, members and interpreters, from flags and settings."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from gitops_karmada.cli import places, sources
from gitops_karmada.cli.connections import Reach, connections
from gitops_karmada.cli.feeds import FolderFeed, Lines, SourceFeed
from gitops_karmada.cli.options import Where
from gitops_karmada.core.check_customizations import check_customizations
from gitops_karmada.core.customize import customized
from gitops_karmada.core.interpret import Interpreter, no_kind
from gitops_karmada.core.overriders import YamlText
from gitops_karmada.core.record import ledger_of
from gitops_karmada.core.register import served_kinds
from gitops_karmada.core.webhooks import hooked
from gitops_karmada.members.connect import Connector
from gitops_karmada.members.fleet import BlockingFleet, Fleet
from gitops_karmada.model.actions import Failed, Outcome
from gitops_karmada.model.federation import Federation, Ledger
from gitops_karmada.model.members import (
    LastKnown,
    LiveObject,
    MemberConnection,
    MemberState,
    Observed,
    Unreachable,
)
from gitops_karmada.model.objects import ClusterName, Key
from gitops_karmada.model.problems import Problem, SettingsError, Severity
from gitops_karmada.model.settings import Settings
from gitops_karmada.model.works import Place
from gitops_karmada.reconcile import World
from gitops_karmada.repo.status_branch import StatusBranch
from gitops_karmada.repo.status_values import StatusValues
from gitops_karmada.repo.yaml_reader import read_documents
from gitops_karmada.repo.yaml_writer import to_yaml, write_yaml
from gitops_karmada.scripts.engine import LuaEngine

if TYPE_CHECKING:
    from gitops_karmada.scripts.webhooks import HttpsWebhooks


def clock() -> datetime:
    return datetime.now(UTC)


def yaml_text() -> YamlText:
    return YamlText(read=_one_value, write=to_yaml)


def _one_value(text: str) -> Any:
    found = read_documents(text.encode(), "value")
    if found.problems or len(found.documents) != 1:
        raise ValueError("; ".join(problem.message for problem in found.problems) or "expected one document")
    return found.documents[0].value


def _documents(data: bytes) -> list[Any]:
    """All documents of a file of a directory member, read as everything else is."""
    found = read_documents(data, "file")
    errors = [problem.message for problem in found.problems if problem.severity is Severity.ERROR]
    if errors:
        raise ValueError("; ".join(errors))
    return [document.value for document in found.documents]


class Interpreters:
    """Interpreters for federations. The process that scripts run in starts with the first script."""

    def __init__(self, webhook_hosts: Iterable[str] = ()) -> None:
        self._engine, self._hosts = LuaEngine(), tuple(webhook_hosts)
        self._webhooks: HttpsWebhooks | None = None

    def __call__(self, federation: Federation) -> Interpreter:
        if not federation.customizations and not federation.webhooks:
            return Interpreter()
        return Interpreter(
            customized=customized(federation.customizations, self._engine),
            webhooks=hooked(federation.webhooks, self._asked()) if federation.webhooks else no_kind,
        )

    def check(self, federation: Federation) -> list[Problem]:
        """What is wrong with the customizations as such: scripts that do not compile, and two for one question."""
        return check_customizations(federation.customizations, self._engine) if federation.customizations else []

    def close(self) -> None:
        self._engine.close()
        if self._webhooks is not None:
            self._webhooks.close()

    def _asked(self) -> "HttpsWebhooks":
        # aiohttp takes long to import, which those without webhooks need not wait for.
        from gitops_karmada.scripts.webhooks import HttpsWebhooks

        if self._webhooks is None:
            self._webhooks = HttpsWebhooks(self._hosts)
        return self._webhooks


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A world, and the lines of the tree that its federation was read from last."""

    world: World
    status: StatusValues
    lines: Callable[[], Lines]


@contextmanager
def opened(where: Where, *, as_it_is: bool = False, offline: bool = False) -> Iterator[Opened]:
    """The world that the flags mean. `offline`: members are not asked, the status branch says what is known of them."""
    feed: FolderFeed | SourceFeed = sources.feed_as_it_is(where) if as_it_is else sources.feed(where)
    first = feed()
    settings = first.federation.settings
    last = [first]

    def federation() -> Federation:
        last[0] = feed()
        if _identity(last[0].federation.settings) != _identity(settings):
            raise SettingsChangedError("the instance or its status branch was renamed in the settings")
        return last[0].federation

    with ExitStack() as stack:
        interpreters = Interpreters(where.webhook_hosts)
        stack.callback(interpreters.close)
        connect = Connector(clock=clock, read=_documents, write=write_yaml)
        fleet = stack.enter_context(BlockingFleet(Fleet(settings.instance, clock=clock, connect=connect)))
        status = status_of(where, settings)
        reach = Reach(
            credentials=places.credentials(where),
            members_dir=places.members_dir(where),
            allow_exec=frozenset(where.allow_exec),
        )
        world = World(
            federation=federation,
            status=status,
            members=Unasked(status, lambda: last[0].federation) if offline else fleet,
            connections=lambda it: connections(it, reach),
            interpreter=interpreters,
            yaml=yaml_text(),
            clock=clock,
            descends=feed.descends,
        )
        yield Opened(world=world, status=status, lines=lambda: last[0].lines)


class SettingsChangedError(SettingsError):
    """The world was opened for another instance or status branch: open it anew."""


def _identity(settings: Settings) -> tuple[str, str]:
    return settings.instance, settings.spec.status.branch


def status_of(where: Where, settings: Settings) -> StatusValues:
    """The status branch of the repository that is meant."""
    branch = StatusBranch(
        places.repository(where),
        settings.spec.status.branch,
        cache=places.cache(where),
        author=settings.spec.status.author,
        credentials=sources.credentials(where),
        passed=sources.passed(),
    )
    return StatusValues(branch, places.cache(where) / "status")


class Unasked:
    """Members that are not asked: what the last turn knew of them counts, and nothing is written."""

    def __init__(self, status: StatusValues, federation: Callable[[], Federation]) -> None:
        self._status, self._federation = status, federation

    def observe(
        self, connections: Iterable[MemberConnection], last_known: Mapping[ClusterName, LastKnown] | None = None
    ) -> Mapping[ClusterName, MemberState]:
        tip, files = self._status.read()
        return unasked(self._federation(), ledger_of(files, tip), clock())

    def look(self, places: Mapping[ClusterName, Iterable[tuple[Key, str]]]) -> Mapping[Place, LiveObject]:
        return {}

    def run(self, waves: Mapping[ClusterName, Any]) -> Mapping[Place, Outcome]:
        return {}

    def rehearse(self, actions: Mapping[ClusterName, Any]) -> Mapping[Place, Failed]:
        return {}


def unasked(federation: Federation, ledger: Ledger, now: datetime) -> dict[ClusterName, MemberState]:
    """Each member as it was known last. One that was not ready then is not ready now; one never seen is as declared."""
    return {
        ClusterName(declared.value.name): _unasked(ClusterName(declared.value.name), ledger, federation, now)
        for declared in federation.clusters
    }


def _unasked(name: ClusterName, ledger: Ledger, federation: Federation, now: datetime) -> MemberState:
    """One never seen is taken to serve what the repository holds: unknown is not nothing."""
    last = ledger.clusters.get(name)
    ready = [it.status for it in last.status.conditions if it.type == "Ready"] if last else []
    if last is not None and ready and ready[0] != "True":
        return Unreachable(cluster=name, reason="not ready when it was last seen", observed_at=now)
    if last is None:
        kinds = served_kinds(federation.templates.values())
        return Observed(cluster=name, observed_at=now, api_enablements=kinds)
    return Observed(
        cluster=name,
        observed_at=now,
        kubernetes_version=last.status.kubernetes_version,
        api_enablements=last.status.api_enablements,
    )
