"""The reasons of one decision: as it is on the status branch, or as a plan would have it."""

from collections.abc import Mapping
from dataclasses import dataclass

from gitops_karmada.cli.kinds import Wanted, only
from gitops_karmada.cli.ledgers import decided_state
from gitops_karmada.cli.options import Where
from gitops_karmada.cli.previews import Asked, decided_for
from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.federation import Commit, Template
from gitops_karmada.model.objects import Key
from gitops_karmada.model.plan import Why
from gitops_karmada.model.problems import Location
from gitops_karmada.model.works import Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasons:
    """What explains one object. `commit` is the commit of the source that was decided on."""

    key: Key
    why: Why
    binding: Binding | None
    works: tuple[Work, ...]
    commit: Commit
    pushed: bool


def _line(templates: Mapping[Key, Template], key: Key) -> Location | None:
    template = templates.get(key)
    return template.location if template else None


def decided(asked: Wanted, where: Where) -> Reasons:
    state = decided_state(where)
    ledger = state.ledger
    key = only(asked, {*ledger.whys, *ledger.bindings, *state.federation.templates})
    return Reasons(
        key=key,
        why=ledger.whys.get(key) or Why(key=key, source=_line(state.federation.templates, key)),
        binding=ledger.bindings.get(key),
        works=tuple(work for work in ledger.works.values() if work.key == key and not work.retiring),
        commit=Commit(id=ledger.source_commit),
        pushed=True,
    )


def previewed(asked: Wanted, where: Where) -> Reasons:
    """The same of a plan for files or a commit that the status branch does not know yet."""
    found = decided_for(Asked(where=where))
    plan, templates = found.plan, found.question.federation.templates
    key = only(asked, {*plan.whys, *plan.bindings, *templates})
    return Reasons(
        key=key,
        why=plan.whys.get(key) or Why(key=key, source=_line(templates, key)),
        binding=plan.bindings.get(key),
        works=tuple(work for work in plan.works.values() if work.key == key),
        commit=plan.commit,
        pushed=False,
    )
