"""What is important gets room from what is less so; only as much as it takes."""

from dataclasses import replace

import pytest

from gitops_karmada.core.capacity import Capacity
from gitops_karmada.core.explain import steps
from gitops_karmada.core.nodes import nodes_of
from gitops_karmada.core.place import placed
from gitops_karmada.core.preempt import displaced, preempt
from gitops_karmada.core.quota import QuotaLedger
from gitops_karmada.core.schedule import SchedulingWorld, Unschedulable, schedule
from gitops_karmada.core.triggers import APPLIED_PLACEMENT
from gitops_karmada.model.bindings import Binding, SchedulePriority
from gitops_karmada.model.decisions import Outcome, Victim
from gitops_karmada.model.frozen import Frozen
from gitops_karmada.model.plan import Why
from tests.core.nouns import AGGREGATED, EARLIER, binding, cluster, placement, shares, world

BY_ROOM = placement(replicaScheduling=AGGREGATED)


def ranked(
    name: str, replicas: int, priority: int, clusters: dict[str, int] | None = None, **fields: object
) -> Binding:
    wish = binding(replicas, BY_ROOM, clusters, name=name, **fields)
    spec = replace(wish.spec, schedule_priority=SchedulePriority(priority=priority, preempts=True))
    claimed = {"propagationpolicy.karmada.io/name": "all", APPLIED_PLACEMENT: ""}
    return replace(wish, spec=spec, metadata=replace(wish.metadata, annotations=Frozen(claimed)))


def victim(name: str, cluster: str, replicas: int) -> Victim:
    return Victim(binding=f"Deployment.apps shop/{name}", cluster=cluster, replicas=replicas)


def full(**free: int) -> SchedulingWorld:
    """Members that have so many pods left."""
    return world(*(cluster(name, pods=pods) for name, pods in free.items()))


def test_only_as_many_replicas_leave_as_it_takes() -> None:
    turn = full(m1=1)
    wish = ranked("vital", 3, 10)
    assert isinstance(schedule(wish, turn), Unschedulable)
    preemption = preempt(wish, [ranked("other", 5, 1, {"m1": 5})], turn, None)
    assert preemption is not None
    assert preemption.victims == (victim("other", "m1", 2),)
    assert shares(preemption.result) == {"m1": 3}


def test_the_least_important_leaves_first_and_the_others_stay() -> None:
    turn = full(m1=0, m2=0)
    lower = [ranked("middle", 4, 5, {"m1": 4}), ranked("least", 2, 1, {"m2": 2})]
    preemption = preempt(ranked("vital", 2, 10), lower, turn, None)
    assert preemption is not None
    assert preemption.victims == (victim("least", "m2", 2),)
    more = preempt(ranked("vital", 4, 10), lower, turn, None)
    assert more is not None
    assert more.victims == (victim("least", "m2", 2), victim("middle", "m1", 2))


def test_nothing_is_displaced_where_it_would_not_help() -> None:
    turn = full(m1=0)
    assert preempt(ranked("vital", 9, 10), [ranked("other", 5, 1, {"m1": 5})], turn, None) is None
    assert turn.capacity.version == 0


def test_what_is_not_divided_by_room_is_never_displaced() -> None:
    duplicated = binding(5, placement(), {"m1": 5}, name="everywhere")
    assert preempt(ranked("vital", 2, 10), [duplicated], full(m1=0), None) is None


def test_the_place_of_a_displaced_pod_is_of_its_size() -> None:
    """Two CPUs that two pods leave on nodes that are not known hold no pod of two."""
    member = cluster("m1", room={"cpu": "2"})
    nodes = nodes_of(
        [{"metadata": {"name": "a"}, "status": {"allocatable": {"cpu": "2", "pods": "110"}}}],
        [
            {
                "metadata": {"name": "p"},
                "spec": {"nodeName": "a", "containers": [{"resources": {"requests": {"cpu": "2"}}}]},
            },
        ],
    )
    turn = world(member, capacity=Capacity([member], {"m1": nodes}))
    other = ranked("other", 2, 1, {"m1": 2}, requests={"cpu": "1"})
    assert preempt(ranked("vital", 1, 10, requests={"cpu": "2"}), [other], turn, None) is None
    assert preempt(ranked("vital", 1, 10, requests={"cpu": "1"}), [other], turn, None) is not None


def test_a_victim_keeps_the_rest() -> None:
    other = ranked("other", 7, 1, {"m1": 5, "m2": 2})
    after = displaced(other, [victim("other", "m1", 5), victim("else", "m2", 2)])
    assert [(it.name, it.replicas) for it in after.spec.clusters] == [("m2", 2)]
    assert displaced(after, []) is after


@pytest.mark.parametrize("room", [5, 0])
def test_in_a_turn_the_victim_moves_on_or_waits(room: int) -> None:
    turn = full(m1=0, m2=room)
    vital = ranked("vital", 3, 10)
    vital = replace(
        vital,
        spec=replace(
            vital.spec, placement=placement(clusterAffinity={"clusterNames": ["m1"]}, replicaScheduling=AGGREGATED)
        ),
    )
    other = ranked("other", 5, 1, {"m1": 5})
    fold = placed([other, vital], turn, QuotaLedger(), EARLIER)
    assert fold.decisions[vital.key].victims == (victim("other", "m1", 3),)
    told = [step.lines for step in steps(Why(key=vital.key, decision=fold.decisions[vital.key]), None, [])]
    assert ("3 replicas of Deployment.apps shop/other had to leave m1",) in told
    assert [(it.name, it.replicas) for it in fold.bindings[vital.key].spec.clusters] == [("m1", 3)]
    moved = {it.name: it.replicas for it in fold.bindings[other.key].spec.clusters}
    outcome = fold.decisions[other.key].outcome
    assert (moved, outcome) == (({"m1": 2, "m2": 3}, Outcome.SUCCESS) if room else ({"m1": 2}, Outcome.UNSCHEDULABLE))


def test_who_may_not_preempt_waits() -> None:
    vital = ranked("vital", 3, 10)
    patient = replace(vital, spec=replace(vital.spec, schedule_priority=SchedulePriority(priority=10)))
    fold = placed([ranked("other", 5, 1, {"m1": 5}), patient], full(m1=0), QuotaLedger(), EARLIER)
    assert fold.decisions[patient.key].outcome is Outcome.UNSCHEDULABLE
    assert fold.decisions[patient.key].victims == ()
