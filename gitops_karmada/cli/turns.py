"""Turns for the daemon: the world is opened when first needed and kept, until the settings ask for another."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from gitops_karmada.cli import places
from gitops_karmada.cli.connections import is_file_name
from gitops_karmada.cli.log import Log
from gitops_karmada.cli.options import Where
from gitops_karmada.cli.output.problems import sentence
from gitops_karmada.cli.output.turns import summary, unreachable
from gitops_karmada.cli.worlds import Opened, SettingsChangedError, opened
from gitops_karmada.core.notices import new_among, notices
from gitops_karmada.model.notices import Notice
from gitops_karmada.model.problems import Problem, Severity
from gitops_karmada.model.settings import NotificationSink, Settings
from gitops_karmada.notify.deliver import deliver
from gitops_karmada.notify.sinks import Sink
from gitops_karmada.notify.sinks.log import to_log
from gitops_karmada.notify.sinks.webhook import to_webhook
from gitops_karmada.reconcile import Turn, turn


class Turns:
    """Called for each turn. What was told once is not told again as long as it stays so."""

    def __init__(self, where: Where, log: Log) -> None:
        self._where, self._log = where, log
        self._stack = ExitStack()
        self._opened: Opened | None = None
        self._told: frozenset[Notice] = frozenset()
        self._found: frozenset[Problem] = frozenset()

    def __call__(self) -> Turn:
        try:
            done = turn(self._world().world)
        except SettingsChangedError:
            self.close()
            done = turn(self._world().world)
        self._tell(done)
        return done

    def close(self) -> None:
        self._stack.close()
        self._opened = None

    def _world(self) -> Opened:
        if self._opened is None:
            self._opened = self._stack.enter_context(opened(self._where))
        return self._opened

    def _tell(self, done: Turn) -> None:
        commit = done.plan.commit.id
        level = "info" if done.published or unreachable(done) else "debug"
        tip = done.published[-1][:12] if done.published else ""
        self._log(level, f"turn: {summary(done)}", commit=commit[:12], status=tip)
        now = notices(commit, done.changes, done.outcomes, done.question.members, done.problems)
        fresh = new_among(now, self._told)
        self._told = frozenset(now)
        for problem in done.problems:
            if problem not in self._found:
                self._log(_level(problem), sentence(problem), **_facts(problem))
        self._found = frozenset(done.problems)
        settings = done.question.federation.settings
        for problem in deliver(settings.instance, fresh, sinks(settings, places.credentials(self._where), self._log)):
            self._log("warning", problem.message, code=problem.code)


def _facts(problem: Problem) -> dict[str, str]:
    return {"code": problem.code, "at": str(problem.location or ""), "subject": problem.subject, "hint": problem.hint}


def _level(problem: Problem) -> str:
    return {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTICE: "debug"}[problem.severity]


def sinks(settings: Settings, credentials: Path, log: Log) -> Mapping[str, Sink]:
    """The sinks that the settings name; what a webhook's address is, the operator's folder says."""
    found: dict[str, Sink] = {}
    for index, told in enumerate(settings.spec.notifications):
        name = f"{told.sink}-{index}"
        if told.sink is NotificationSink.LOG:
            found[name] = to_log(log.stream)
        elif is_file_name(told.credentials):
            found[name] = to_webhook(credentials / told.credentials)
    return found
