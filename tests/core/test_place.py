"""The fold: who is scheduled, in which order, and what a pass leaves in the binding."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gitops_karmada.core.place import Placed, placed
from gitops_karmada.core.quota import QuotaLedger
from gitops_karmada.core.schedule import SchedulingWorld
from gitops_karmada.model.bindings import Binding, BindingStatus, SchedulePriority
from gitops_karmada.model.decode import decode
from gitops_karmada.model.frozen import NOTHING, Frozen
from gitops_karmada.model.placement import Suspension
from gitops_karmada.model.policies import FederatedResourceQuota
from tests.core import nouns
from tests.core.questions import CLUSTERS, NOW, WEB, decided, deployment, policy, question, then

AGGREGATED = {"replicaScheduling": {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Aggregated"}}


def bindings(*names: str, replicas: int = 6, **spec: Any) -> list[Binding]:
    """Claimed bindings that no pass has seen."""
    templates = [deployment(name, replicas) for name in names]
    answer = decided(question((*CLUSTERS, policy(**spec), *templates), members={}))
    return [_unscheduled(binding) for binding in answer.bindings.values()]


def _unscheduled(binding: Binding) -> Binding:
    annotations = {k: v for k, v in binding.metadata.annotations.items() if k != "policy.karmada.io/applied-placement"}
    return replace(
        binding,
        metadata=replace(binding.metadata, annotations=Frozen(annotations)),
        spec=replace(binding.spec, clusters=()),
        status=BindingStatus(),
    )


def fold(given_: list[Binding], *, east: int = 100, west: int = 100, quotas: QuotaLedger | None = None) -> Placed:
    room = {"cpu": "1000"}
    clusters = [nouns.cluster("east", east, room=room), nouns.cluster("west", west, room=room)]
    return placed(given_, SchedulingWorld(clusters, bindings=given_), quotas or QuotaLedger(), NOW)


def shares(answer: Placed, name: str) -> dict[str, int]:
    (binding,) = (it for key, it in answer.bindings.items() if key.name == name)
    return {target.name: target.replicas for target in binding.spec.clusters}


def scheduled(binding: Binding) -> tuple[str, str]:
    (condition,) = (it for it in binding.status.conditions if it.type == "Scheduled")
    return condition.status, condition.reason


def test_a_pass_leaves_its_result_its_placement_and_its_time() -> None:
    answer = fold(bindings("web"))
    binding = answer.bindings[WEB]
    assert shares(answer, "web") == {"east": 6, "west": 6}
    assert scheduled(binding) == ("True", "Success")
    assert binding.status.last_scheduled_time == NOW
    assert binding.status.scheduler_observed_generation == binding.metadata.generation
    assert "applied-placement" in str(binding.metadata.annotations)
    assert answer.decisions[WEB].clusters == binding.spec.clusters


def test_an_idle_pass_changes_nothing() -> None:
    """Whatever is duplicated is looked at in every turn; the branch must not grow by that."""
    first = fold(bindings("web")).bindings[WEB]
    world = SchedulingWorld([nouns.cluster("east"), nouns.cluster("west")])
    second = placed([first], world, QuotaLedger(), NOW + timedelta(hours=1)).bindings[WEB]
    assert second == first


def test_the_more_important_is_placed_first() -> None:
    """Ten pods have room in all: what comes later finds less."""
    low, high = bindings("a-low", "z-high", replicas=8, placement=AGGREGATED)
    high = replace(high, spec=replace(high.spec, schedule_priority=SchedulePriority(priority=10)))
    answer = fold([low, high], east=8, west=2)
    assert shares(answer, "z-high") == {"east": 8}
    assert scheduled(answer.bindings[low.key]) == ("False", "Unschedulable")


@given(order=st.permutations(range(4)))
def test_the_order_that_bindings_are_given_in_does_not_matter(order: list[int]) -> None:
    given_ = bindings("a", "b", "c", "d", replicas=3, placement=AGGREGATED)
    assert fold([given_[index] for index in order], east=7, west=2) == fold(given_, east=7, west=2)


def test_no_room_keeps_what_runs() -> None:
    first = fold(bindings("web", placement=AGGREGATED)).bindings[WEB]
    grown = replace(first, spec=replace(first.spec, replicas=50))
    answer = fold([grown], east=10, west=10)
    assert answer.bindings[WEB].spec.clusters == first.spec.clusters
    assert scheduled(answer.bindings[WEB]) == ("False", "Unschedulable")
    assert answer.bindings[WEB].status.last_scheduled_time == NOW


def test_no_fitting_cluster_takes_what_runs_away() -> None:
    elsewhere = policy(placement={"clusterAffinity": {"clusterNames": ["nowhere"]}})
    moved = decided(then(decided(question()), (*CLUSTERS, elsewhere, deployment())))
    assert moved.bindings[WEB].spec.clusters == ()
    assert scheduled(moved.bindings[WEB]) == ("False", "NoClusterFit")


def test_a_quota_refuses_before_anything_is_written() -> None:
    declared = decode(
        FederatedResourceQuota,
        {"metadata": {"namespace": "shop", "name": "q"}, "spec": {"overall": {"cpu": "10"}}},
    ).unwrap()
    given_ = bindings("web")
    answer = fold(given_, quotas=QuotaLedger([declared], given_))
    assert answer.bindings[WEB].spec.clusters == ()
    assert scheduled(answer.bindings[WEB]) == ("False", "QuotaExceeded")
    assert answer.decisions[WEB].clusters == ()


def test_what_is_suspended_or_nobodys_is_left_alone() -> None:
    (binding,) = bindings("web")
    suspended = replace(binding, spec=replace(binding.spec, suspension=Suspension(scheduling=True)))
    free = replace(binding, metadata=replace(binding.metadata, annotations=NOTHING))
    other = replace(binding, spec=replace(binding.spec, scheduler_name="somebody"))
    dependency = replace(binding, spec=replace(binding.spec, placement=None))
    for one in (suspended, free, other, dependency):
        answer = fold([one])
        assert answer.bindings[WEB] == one
        assert answer.decisions == {}


def test_a_changed_template_whose_division_adds_up_is_observed_without_a_pass() -> None:
    first = fold(bindings("web", placement=AGGREGATED)).bindings[WEB]
    changed = replace(first, metadata=replace(first.metadata, generation=first.metadata.generation + 1))
    answer = fold([changed])
    assert answer.decisions == {}
    assert answer.bindings[WEB].status.scheduler_observed_generation == changed.metadata.generation


def test_a_wish_that_is_taken_back_is_no_complaint_any_more() -> None:
    """Too much was asked for; what runs adds up to the old wish again, and the binding says that it is scheduled."""
    (wish,) = bindings("web", placement=AGGREGATED)
    first = fold([wish], east=6, west=0).bindings[WEB]
    asked = replace(first, spec=replace(first.spec, replicas=9))
    denied = fold([asked], east=0, west=0).bindings[WEB]
    assert scheduled(denied) == ("False", "Unschedulable")
    back = fold([replace(denied, spec=first.spec)], east=0, west=0)
    assert scheduled(back.bindings[WEB]) == ("True", "Success")
    assert back.bindings[WEB].spec.clusters == first.spec.clusters


def test_what_adds_up_to_nothing_and_fits_nowhere_stays_unscheduled() -> None:
    (wish,) = bindings("web", replicas=0, placement={**AGGREGATED, "clusterAffinity": {"clusterNames": ["nowhere"]}})
    first = fold([wish]).bindings[WEB]
    assert scheduled(first) == ("False", "NoClusterFit")
    assert fold([first]).bindings[WEB] == first


def test_a_rebalance_is_asked_for_once() -> None:
    """A trigger in the future, by a clock that goes ahead, is answered by the pass that it caused."""
    first = fold(bindings("web", placement=AGGREGATED)).bindings[WEB]
    asked = replace(first, spec=replace(first.spec, reschedule_triggered_at=NOW + timedelta(minutes=5)))
    answer = fold([asked])
    assert WEB in answer.decisions
    again = fold([answer.bindings[WEB]])
    assert again.decisions == {}
