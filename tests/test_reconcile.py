"""Whole turns over members in memory: what is written, in which order, and what is never written."""

from collections.abc import Iterator
from typing import Any

import pytest

from gitops_karmada.model.actions import Failed, Fault, Refused, Unchanged
from gitops_karmada.model.objects import Key, Object, metadata_of
from gitops_karmada.model.plan import Cause
from gitops_karmada.model.problems import RepositoryError
from gitops_karmada.reconcile import ATTEMPTS, LostRaceError, Remembered, turn
from gitops_karmada.repo.failures import Reason
from gitops_karmada.repo.messages import Message
from gitops_karmada.repo.status_branch import LostRace
from gitops_karmada.repo.status_branch import Refused as PushRefused
from tests.conformance.story_worlds import Stage
from tests.core.questions import SHOP, WEB, deployment, policy, without

STEPS = ("decided", "intent published", "judged", "applied", "report published")
BUDGET = {"deletion": {"maxObjects": 100, "maxPercent": 100}}


class EndedError(Exception):
    """The process ended here."""


@pytest.fixture
def stage() -> Iterator[Stage]:
    with Stage(BUDGET, ["east", "west"]) as one:
        one.commit(SHOP)
        yield one


def replicas(stage: Stage) -> dict[str, int]:
    found = {name: stage.live(name, "apps/v1", "Deployment", "shop", "web") for name in ("east", "west")}
    return {name: live["spec"]["replicas"] for name, live in found.items() if live is not None}


def versions(stage: Stage) -> dict[tuple[str, Key], str]:
    return {
        (name, key): str(metadata_of(obj)["resourceVersion"])
        for name, door in stage.doors.items()
        for key, obj in door.shelf.objects.items()
    }


def causes(stage: Stage) -> list[str]:
    return [str(message.cause) for message in stage.status.commits]


def when(stage: Stage, step: str, deed: Any) -> None:
    """Do something once, when the turn comes to a step."""
    left = [deed]

    def observe(name: str) -> None:
        if name == step and left:
            left.pop()()

    object.__setattr__(stage.world, "observe", observe)


def forget(stage: Stage) -> None:
    """What a restart does: only the branch remembers."""
    object.__setattr__(stage.world, "remembered", Remembered())


def test_a_turn_publishes_what_it_means_to_do_before_it_does_it(stage: Stage) -> None:
    seen: list[tuple[str, int, int]] = []
    object.__setattr__(
        stage.world, "observe", lambda step: seen.append((step, len(stage.status.commits), len(replicas(stage))))
    )
    turn(stage.world)
    assert [step for step, _, _ in seen] == list(STEPS)
    commits = {step: (commits, objects) for step, commits, objects in seen}
    assert commits["decided"] == (0, 0)
    assert commits["intent published"] == (1, 0)
    assert commits["applied"] == (1, 2)
    assert commits["report published"] == (2, 2)
    assert causes(stage) == ["manifest", "status"]


def test_a_second_turn_writes_nothing_anywhere(stage: Stage) -> None:
    stage.settle()
    before, commits = versions(stage), stage.status.tip
    again = turn(stage.world)
    assert again.published == ()
    assert again.changes == ()
    assert {type(outcome) for outcome in again.outcomes.values()} == {Unchanged}
    assert versions(stage) == before
    assert stage.status.tip == commits


def test_a_restart_writes_nothing_either(stage: Stage) -> None:
    stage.settle()
    before = versions(stage)
    forget(stage)
    assert turn(stage.world).published == ()
    assert versions(stage) == before


@pytest.mark.parametrize("step", STEPS)
def test_a_process_that_ends_at_any_step_is_followed_by_the_same_end(stage: Stage, step: str) -> None:
    def end() -> None:
        raise EndedError

    when(stage, step, end)
    with pytest.raises(EndedError):
        turn(stage.world)
    forget(stage)
    stage.settle()
    assert replicas(stage) == {"east": 4, "west": 2}
    with Stage(BUDGET, ["east", "west"]) as undisturbed:
        undisturbed.commit(SHOP)
        undisturbed.settle()
        one, other = stage.status.ledger(), undisturbed.status.ledger()
    assert {place: work.manifest for place, work in one.works.items()} == {
        place: work.manifest for place, work in other.works.items()
    }
    assert one.bindings[WEB].spec == other.bindings[WEB].spec


def test_who_loses_a_race_reads_again_and_decides_again(stage: Stage) -> None:
    """Somebody publishes between our reading and our writing: no update of theirs is lost."""
    theirs = {"bindings/shop/deployment.apps/theirs.yaml": _binding("theirs")}

    def write() -> None:
        message = Message(subject="somebody else", cause=Cause.MANUAL, trailers={})
        stage.status.publish(stage.status.tip, theirs, message, stage.clock())

    when(stage, "decided", write)
    done = turn(stage.world)
    assert len(done.published) == 2
    # Their binding had no template, so the second decision let it go: it was read.
    assert "bindings/shop/deployment.apps/theirs.yaml" not in stage.status.files
    assert done.question.ledger.bindings.keys() == {
        Key(group="apps", kind="Deployment", namespace="shop", name="theirs")
    }
    assert replicas(stage) == {"east": 4, "west": 2}


def _binding(name: str) -> Object:
    resource = {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "shop", "name": name}
    metadata = {"name": f"{name}-deployment", "namespace": "shop"}
    return {
        "apiVersion": "work.karmada.io/v1alpha2",
        "kind": "ResourceBinding",
        "metadata": metadata,
        "spec": {"resource": resource},
    }


def test_who_loses_every_race_applies_nothing(stage: Stage) -> None:
    stage.status.refusals = [LostRace(message="moved")] * ATTEMPTS
    with pytest.raises(LostRaceError, match="Nothing was applied"):
        turn(stage.world)
    assert replicas(stage) == {}


def test_a_push_that_is_refused_applies_nothing(stage: Stage) -> None:
    stage.status.refusals = [PushRefused(message="protected branch", reason=Reason.UNWRITABLE)]
    with pytest.raises(RepositoryError, match=r"protected branch\. Nothing was applied"):
        turn(stage.world)
    assert replicas(stage) == {}


@pytest.mark.parametrize(
    "refusal", [LostRace(message="moved"), PushRefused(message="protected")], ids=["lost", "refused"]
)
def test_a_report_that_cannot_be_published_is_said_and_made_up_for(stage: Stage, refusal: Any) -> None:
    when(stage, "applied", lambda: stage.status.refusals.append(refusal))
    done = turn(stage.world)
    assert len(done.published) == 1
    assert any(refusal.message in problem.message for problem in done.problems)
    stage.settle()
    (applied,) = {
        it.status for it in stage.status.ledger().bindings[WEB].status.conditions if it.type == "FullyApplied"
    }
    assert applied == "True"


def test_another_instances_branch_is_left_alone(stage: Stage) -> None:
    stage.settle()
    with Stage(BUDGET, ["east", "west"], name="other") as other:
        other.commit(SHOP)
        other.world.status.files = stage.status.files  # type: ignore[attr-defined]
        other.world.status.commits = stage.status.commits  # type: ignore[attr-defined]
        with pytest.raises(RepositoryError, match="belongs to instance 'story'"):
            turn(other.world)
        assert replicas(other) == {}


def test_a_member_that_is_down_holds_up_nobody_and_catches_up(stage: Stage) -> None:
    stage.settle()
    stage.doors["west"].is_shut = True
    stage.commit([deployment(image="web:2")])
    done = turn(stage.world)
    images = {}
    for name in ("east", "west"):
        live = stage.live(name, "apps/v1", "Deployment", "shop", "web") if name == "east" else None
        images[name] = live["spec"]["template"]["spec"]["containers"][0]["image"] if live else None
    assert images["east"] == "web:2"
    assert not any(isinstance(it, Failed) and it.fault is not Fault.UNREACHABLE for it in done.outcomes.values())
    stage.doors["west"].is_shut = False
    stage.settle()
    live = stage.live("west", "apps/v1", "Deployment", "shop", "web")
    assert live is not None
    assert live["spec"]["template"]["spec"]["containers"][0]["image"] == "web:2"


def test_somebody_elses_object_is_untouched_and_its_owner_named(stage: Stage) -> None:
    theirs = deployment(replicas=1)
    labels = {"app.kubernetes.io/managed-by": "Helm"}
    marks = {"meta.helm.sh/release-name": "shop", "meta.helm.sh/release-namespace": "shop"}
    theirs = {**theirs, "metadata": {**theirs["metadata"], "labels": labels, "annotations": marks}}
    stage.store("west").replace(theirs, "helm")
    before = stage.live("west", "apps/v1", "Deployment", "shop", "web")
    done = turn(stage.world)
    (refused,) = (it for it in done.outcomes.values() if isinstance(it, Refused))
    assert "Helm" in refused.reason
    assert stage.live("west", "apps/v1", "Deployment", "shop", "web") == before
    assert replicas(stage)["east"] == 4


def test_a_template_that_goes_is_deleted_and_nothing_else(stage: Stage) -> None:
    stage.store("east").replace(deployment("theirs"), "somebody")
    stage.settle()
    stage.commit(delete=[deployment()])
    stage.settle()
    assert replicas(stage) == {}
    assert stage.live("east", "apps/v1", "Deployment", "shop", "theirs") is not None
    assert stage.live("east", "v1", "ConfigMap", "shop", "settings") is not None
    assert not any(place.key == WEB for place in stage.status.ledger().works)


def test_a_file_that_cannot_be_read_deletes_nothing(stage: Stage) -> None:
    stage.settle()
    stage.unread = frozenset(path for path in stage.files if "Deployment" in path)
    before = versions(stage)
    done = turn(stage.world)
    assert versions(stage) == before
    assert replicas(stage) == {"east": 4, "west": 2}
    assert any("could not be read" in hold.reason for hold in done.plan.holds)


def test_deletes_beyond_the_budget_wait() -> None:
    with Stage({"deletion": {"maxObjects": 1, "maxPercent": 1}}, ["east"]) as stage:
        webs = [deployment(f"web-{number}", 1) for number in range(5)]
        stage.commit((*without(SHOP, "west"), *webs))
        stage.settle()
        stage.commit(delete=webs)
        turn(stage.world)
        left = [name for name in range(5) if stage.live("east", "apps/v1", "Deployment", "shop", f"web-{name}")]
        assert len(left) >= 4


def test_a_policy_that_moves_things_moves_them(stage: Stage) -> None:
    stage.settle()
    stage.commit([policy(weights={"west": 1})])
    stage.settle()
    assert replicas(stage) == {"west": 6}
    assert "policy" in causes(stage)
