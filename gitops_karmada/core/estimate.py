"""How much room each candidate has for a binding: the smallest answer of all estimators."""

from collections.abc import Mapping, Sequence

from gitops_karmada.core.amounts import MAX_INT32
from gitops_karmada.core.capacity import Capacity, Demand, replicas_of, sets_of
from gitops_karmada.core.estimators import Estimator
from gitops_karmada.core.estimators.nodes import room_on_nodes
from gitops_karmada.core.estimators.quotas import room_by_quotas
from gitops_karmada.core.estimators.summary import room_by_summary
from gitops_karmada.core.strategy import counts_sets
from gitops_karmada.model.bindings import BindingSpec
from gitops_karmada.model.decisions import UNKNOWN_ROOM
from gitops_karmada.model.settings import FeatureSettings

# The summary takes part also where nodes are known: Karmada takes the smallest of all answers.
ESTIMATORS: Mapping[str, Estimator] = {"summary": room_by_summary, "nodes": room_on_nodes, "quotas": room_by_quotas}


def demand_of(spec: BindingSpec, features: FeatureSettings) -> Demand | None:
    """What room is asked for; None where nothing runs, so that room plays no role."""
    if is_idle(spec):
        return None
    return (
        sets_of(spec.components, spec.resource.namespace)
        if counts_sets(spec, features)
        else replicas_of(spec.replica_requirements)
    )


def is_idle(spec: BindingSpec) -> bool:
    """No replicas, or none yet: every cluster has room without end."""
    return spec.replicas == 0 and not spec.components


class Estimates:
    """The room of some clusters for one demand, kept up to date while a turn hands room out.

    `least` is the smallest answer by cluster (MAX_INT32: nobody could tell), `answers` what each estimator said.
    """

    __slots__ = ("_capacity", "_demand", "_seen", "answers", "index", "least")

    def __init__(self, names: Sequence[str], demand: Demand | None, capacity: Capacity) -> None:
        capacity.settle()
        self.index = {name: index for index, name in enumerate(names)}
        self.answers = {estimator: [UNKNOWN_ROOM] * len(names) for estimator in ESTIMATORS} if demand else {}
        self.least = [MAX_INT32] * len(names)
        self._demand, self._capacity, self._seen = demand, capacity, len(capacity.changes)
        for index, name in enumerate(names):
            self._ask(index, name)

    def refresh(self) -> list[int]:
        """Ask again where room was taken since the last time; the places whose answer is another now."""
        if self._demand is None:
            return []
        self._capacity.settle()
        changes = self._capacity.changes
        if self._seen == len(changes):
            return []
        touched = sorted({name for name in changes[self._seen :] if name in self.index})
        self._seen = len(changes)
        places = [self.index[name] for name in touched]
        before = [self.least[index] for index in places]
        for index, name in zip(places, touched, strict=True):
            self._ask(index, name)
        return [index for index, room in zip(places, before, strict=True) if self.least[index] != room]

    def _ask(self, index: int, name: str) -> None:
        if self._demand is None:
            return
        room, least = self._capacity.rooms[name], MAX_INT32
        for estimator, plugin in ESTIMATORS.items():
            answer = plugin(room, self._demand)
            self.answers[estimator][index] = UNKNOWN_ROOM if answer is None else answer
            if answer is not None and answer < least:
                least = answer
        self.least[index] = least
