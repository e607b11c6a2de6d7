"""Which deletes of a turn may go ahead: each needs positive evidence, never absence of data; all stay in a budget."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gitops_karmada.model.actions import Action, Prune, Wait
from gitops_karmada.model.objects import ClusterName
from gitops_karmada.model.works import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionBudget:
    """Per member and turn: `objects`, or `percent` of what we manage there, whichever is more."""

    objects: int = 10
    percent: int = 20

    def limit(self, managed: int) -> int:
        return max(self.objects, managed * self.percent // 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """What a turn knows for and against deleting. Every text is a reason to hold; empty is none.

    `source` speaks against all deletes: the revision was not wholly fetched, verified or read; its scope is empty.
    `places` speaks against single ones: an error in the scope of the object, an unknown member in its decision.
    `writer` is empty while we are the writer; else why we are not.
    `managed` counts the objects that the ledger knows in each member; `unseen` those that are to go and could not be
    looked at: they belong to the same delete, and must not make it look small.
    """

    source: str = ""
    places: Mapping[Place, str] = field(default_factory=dict)
    writer: str = ""
    managed: Mapping[ClusterName, int] = field(default_factory=dict)
    unseen: Mapping[ClusterName, int] = field(default_factory=dict)
    budget: DeletionBudget = DeletionBudget()


def permit_deletions(actions: Iterable[Action], grounds: Grounds) -> tuple[Action, ...]:
    """The same actions in the same order; a `Prune` without grounds becomes a `Wait` that says what would allow it."""
    sound = tuple(_hold(action, _objection(action, grounds)) for action in actions)
    counts = Counter(action.place.cluster for action in sound if isinstance(action, Prune))
    whole = {cluster: count + grounds.unseen.get(cluster, 0) for cluster, count in counts.items()}
    excess = {cluster: text for cluster, count in whole.items() if (text := _over_budget(cluster, count, grounds))}
    return tuple(_hold(action, excess.get(action.place.cluster, "")) for action in sound)


def _hold(action: Action, objection: str) -> Action:
    if isinstance(action, Prune) and objection:
        return Wait(place=action.place, reason=f"not deleted: {objection}")
    return action


def _objection(action: Action, grounds: Grounds) -> str:
    return grounds.source or grounds.writer or grounds.places.get(action.place, "")


def _over_budget(cluster: ClusterName, count: int, grounds: Grounds) -> str:
    managed = grounds.managed.get(cluster, count)
    limit = grounds.budget.limit(managed)
    if count <= limit:
        return ""
    return (
        f"{count} of {managed} objects would be deleted in {cluster}, more than the deletion budget of {limit}. "
        f"If that is meant, commit spec.deletion.maxObjects: {count} in gitops-karmada.yaml, and lower it again after"
    )
