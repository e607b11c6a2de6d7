"""Turns without the planner: works in, outcomes out, with the ledger that a real one keeps."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from gitops_karmada.core.deletions import Grounds, permit_deletions
from gitops_karmada.core.guard import Circumstances, judge, judge_removal
from gitops_karmada.core.order import waves
from gitops_karmada.members.fleet import Fleet
from gitops_karmada.model.actions import Action, Applied, Contested, Outcome, Pruned, Receipt, Released, Unchanged
from gitops_karmada.model.members import MemberConnection
from gitops_karmada.model.objects import ClusterName, Key, Object
from gitops_karmada.model.works import Place, Work
from tests.members.worlds import clock


class Turns:
    """One instance that applies whatever works it is given, and removes what it is given no more."""

    def __init__(self, connections: Iterable[MemberConnection], instance: str = "test", **circumstances: Any) -> None:
        self.instance = instance
        self.now = 1000.0
        self.connections = tuple(connections)
        self.fleet = Fleet(instance, clock=clock)
        self.works: dict[Place, Work] = {}
        self.receipts: dict[Place, Receipt] = {}
        self.actions: dict[Place, Action] = {}
        self._circumstances = circumstances

    async def turn(self, works: Iterable[Work], grounds: Grounds | None = None) -> Mapping[Place, Outcome]:
        await self.fleet.use(self.connections)
        wanted = {work.place: work for work in works}
        leaving = {place: work for place, work in self.works.items() if place not in wanted}
        live = await self.fleet.look(_places([*wanted.values(), *leaving.values()]))
        circumstances = Circumstances(instance=self.instance, now=self.now, **self._circumstances)
        judged = [judge(work, self.receipts.get(place), live[place], circumstances) for place, work in wanted.items()]
        removals = [
            judge_removal(work, self.receipts.get(place), live[place], circumstances) for place, work in leaving.items()
        ]
        actions = permit_deletions([*judged, *removals], grounds or Grounds())
        self.actions = {action.place: action for action in actions}
        outcomes = await self.fleet.run(_waves(actions))
        self.works.update(wanted)
        for outcome in outcomes.values():
            self._keep(outcome)
        return outcomes

    def _keep(self, outcome: Outcome) -> None:
        match outcome:
            case Applied() | Contested():
                self.receipts[outcome.place] = outcome.receipt
            case Unchanged() if outcome.receipt:
                self.receipts[outcome.place] = outcome.receipt
            case Pruned() | Released():
                self.works.pop(outcome.place, None)
                self.receipts.pop(outcome.place, None)
            case _:
                pass


def _places(works: Iterable[Work]) -> Mapping[ClusterName, list[tuple[Key, str]]]:
    places: dict[ClusterName, list[tuple[Key, str]]] = defaultdict(list)
    for work in works:
        places[work.cluster].append((work.key, str(work.manifest["apiVersion"])))
    return places


def _waves(actions: Iterable[Action]) -> Mapping[ClusterName, Any]:
    by_cluster: dict[ClusterName, list[Action]] = defaultdict(list)
    for action in actions:
        by_cluster[action.place.cluster].append(action)
    return {cluster: waves(part) for cluster, part in by_cluster.items()}


def work(manifest: Object, cluster: str = "member1", **changes: Any) -> Work:
    return Work(cluster=ClusterName(cluster), manifest=manifest, **changes)


T = TypeVar("T")


def only(outcomes: Mapping[Place, T]) -> T:
    (outcome,) = outcomes.values()
    return outcome
