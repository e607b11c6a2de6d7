"""What the status branch says, for the verbs that only read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gitops_karmada.cli import sources
from gitops_karmada.cli.feeds import Read
from gitops_karmada.cli.options import Where
from gitops_karmada.cli.worlds import status_of
from gitops_karmada.core.record import ledger_of
from gitops_karmada.model.federation import Federation, Ledger
from gitops_karmada.model.problems import SettingsError


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The status branch as a ledger and as its files, beside what the newest commit asks for.

    `is_pending`: the newest commit would change something in a member. A commit that changes nothing leaves no trace
    on the status branch.
    """

    read: Read
    ledger: Ledger
    files: Mapping[str, Any]
    is_pending: bool = False

    @property
    def federation(self) -> Federation:
        return self.read.federation

    @property
    def is_older(self) -> bool:
        """Whether what is recorded was decided for another commit than the newest."""
        return self.ledger.commit is not None and self.ledger.source_commit != self.federation.commit.id


def state(where: Where) -> State:
    read = sources.feed(where)()
    tip, files = status_of(where, read.federation.settings).read()
    return State(read=read, ledger=ledger_of(files, tip), files=files)


def decided_state(where: Where) -> State:
    """The state, when something was decided already."""
    found = state(where)
    if found.ledger.commit is None:
        branch = found.federation.settings.spec.status.branch
        hint = "Run gitops-karmada sync; what it would do: gitops-karmada plan"
        raise SettingsError(f"nothing was decided yet: there is no branch {branch}\n{hint}")
    return found
