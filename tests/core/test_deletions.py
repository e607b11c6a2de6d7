"""A delete needs positive evidence and stays within a budget."""

import pytest

from gitops_karmada.core.deletions import DeletionBudget, Grounds, permit_deletions
from gitops_karmada.model.actions import Action, Keep, Prune, Wait
from gitops_karmada.model.objects import ClusterName, Key
from gitops_karmada.model.works import Place

ONE, TWO = ClusterName("one"), ClusterName("two")


def place(number: int, cluster: ClusterName = ONE) -> Place:
    return Place(cluster=cluster, key=Key(group="", kind="ConfigMap", namespace="shop", name=f"cm-{number}"))


def prunes(count: int, cluster: ClusterName = ONE) -> list[Action]:
    return [
        Prune(place=place(number, cluster), api_version="v1", uid=f"u{number}", resource_version="7")
        for number in range(count)
    ]


def counted(actions: tuple[Action, ...]) -> int:
    return sum(isinstance(action, Prune) for action in actions)


def test_one_of_twenty_goes() -> None:
    assert counted(permit_deletions(prunes(1), Grounds(managed={ONE: 20}))) == 1


def test_twenty_of_twenty_are_held_with_the_number_and_the_way_out() -> None:
    actions = permit_deletions(prunes(20), Grounds(managed={ONE: 20}))
    assert counted(actions) == 0
    reason = actions[0].reason if isinstance(actions[0], Wait) else ""
    assert "20 of 20 objects" in reason
    assert "spec.deletion.maxObjects" in reason


@pytest.mark.parametrize(
    ("count", "managed", "goes"),
    [(10, 20, True), (11, 20, False), (11, 55, True), (200, 1000, True), (201, 1000, False)],
)
def test_the_budget_is_a_number_or_a_share_whichever_is_more(count: int, managed: int, goes: bool) -> None:
    actions = permit_deletions(prunes(count), Grounds(managed={ONE: managed}))
    assert counted(actions) == (count if goes else 0)


def test_the_budget_is_the_number_in_the_settings() -> None:
    raised = Grounds(managed={ONE: 40}, budget=DeletionBudget(objects=20))
    assert counted(permit_deletions(prunes(20), raised)) == 20
    assert counted(permit_deletions(prunes(21), raised)) == 0


def test_each_member_has_a_budget_of_its_own() -> None:
    actions = permit_deletions([*prunes(20), *prunes(3, TWO)], Grounds(managed={ONE: 20, TWO: 20}))
    assert {action.place.cluster for action in actions if isinstance(action, Prune)} == {TWO}


@pytest.mark.parametrize(
    "grounds",
    [Grounds(source="apps/web.yaml could not be read"), Grounds(writer="another instance writes the status branch")],
    ids=["source", "writer"],
)
def test_without_a_whole_source_or_the_pen_nothing_goes(grounds: Grounds) -> None:
    actions = permit_deletions(prunes(2), grounds)
    assert counted(actions) == 0
    assert all(isinstance(action, Wait) and action.reason.startswith("not deleted: ") for action in actions)


def test_a_doubt_about_one_place_holds_that_place() -> None:
    doubts = {place(0): "member two is unknown, and it took part in the decision"}
    actions = permit_deletions(prunes(2), Grounds(places=doubts))
    assert [type(action) for action in actions] == [Wait, Prune]


def test_what_is_held_does_not_count_against_the_budget() -> None:
    doubts = {place(number): "its file could not be read" for number in range(5)}
    actions = permit_deletions(prunes(15), Grounds(places=doubts, managed={ONE: 20}))
    assert counted(actions) == 10


def test_other_actions_pass_untouched() -> None:
    keep = Keep(place=place(9))
    assert permit_deletions([keep], Grounds(source="broken")) == (keep,)
