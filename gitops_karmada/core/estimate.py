"""How much room each candidate has for a binding: the smallest answer of all estimators."""

from collections.abc import Mapping, Sequence

from gitops_karmada.core.amounts import MAX_INT32
from gitops_karmada.core.capacity import Capacity, Demand, Replicas, Sets
from gitops_karmada.core.estimators import Estimator
from gitops_karmada.core.estimators.nodes import room_on_nodes
from gitops_karmada.core.estimators.summary import room_by_summary
from gitops_karmada.core.strategy import counts_sets
from gitops_karmada.model.bindings import BindingSpec
from gitops_karmada.model.decisions import UNKNOWN_ROOM
from gitops_karmada.model.settings import FeatureSettings

# The summary takes part also where nodes are known: Karmada takes the smallest of all answers.
ESTIMATORS: Mapping[str, Estimator] = {"summary": room_by_summary, "nodes": room_on_nodes}


def demand_of(spec: BindingSpec, features: FeatureSettings) -> Demand | None:
    """What room is asked for; None where there is nothing to run, or nothing yet, so that room plays no role."""
    if spec.replicas == 0 and not spec.components:
        return None
    if counts_sets(spec, features):
        return Sets(components=spec.components)
    return Replicas(requirements=spec.replica_requirements)


class Estimates:
    """The room of some clusters for one demand, kept up to date while a turn hands room out.

    `least` is the smallest answer by cluster (MAX_INT32: nobody could tell), `answers` what each estimator said.
    """

    __slots__ = ("_capacity", "_demand", "_index", "_seen", "answers", "least", "names")

    def __init__(self, names: Sequence[str], demand: Demand | None, capacity: Capacity) -> None:
        self.names = tuple(names)
        self.answers = {estimator: [UNKNOWN_ROOM] * len(names) for estimator in ESTIMATORS} if demand else {}
        self.least = [MAX_INT32] * len(names)
        self._index = {name: index for index, name in enumerate(names)}
        self._demand, self._capacity, self._seen = demand, capacity, len(capacity.taken)
        for name in names:
            self._ask(name)

    def refresh(self) -> None:
        """Ask again where room was taken since the last time."""
        taken = self._capacity.taken
        for name in {name for name in taken[self._seen :] if name in self._index}:
            self._ask(name)
        self._seen = len(taken)

    def _ask(self, name: str) -> None:
        if self._demand is None:
            return
        index, room = self._index[name], self._capacity.rooms[name]
        least = MAX_INT32
        for estimator, plugin in ESTIMATORS.items():
            answer = plugin(room, self._demand)
            self.answers[estimator][index] = UNKNOWN_ROOM if answer is None else answer
            if answer is not None:
                least = min(least, answer)
        self.least[index] = least
