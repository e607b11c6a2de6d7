"""The guard where it counts: on real API servers and on folders, with other hands at work."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from gitops_karmada.model.actions import (
    Applied,
    Conflicting,
    Contested,
    Failed,
    Fault,
    Held,
    Pruned,
    Refused,
    Released,
    Unchanged,
)
from gitops_karmada.model.members import MemberConnection
from gitops_karmada.model.objects import ClusterName, Object
from gitops_karmada.model.settings import MemberMode
from tests.envtest.cluster import Cluster
from tests.members.turns import Turns, only, work
from tests.members.worlds import ClusterHand, FolderHand, Hand, config_map, deployment, push_connection


class Arena:
    """A member with somebody else in it. `open` makes another instance of the product on the same member."""

    def __init__(self, hand: Hand, connection: MemberConnection) -> None:
        self.hand = hand
        self.connection = connection
        self.turns = Turns([connection])

    def find(self, name: str = "cfg", kind: str = "ConfigMap", api_version: str = "v1") -> Any:
        return self.hand.find(api_version, kind, name, "default")

    async def turn(self, *manifests: Object, **changes: Any) -> Any:
        return await self.turns.turn([work(manifest, **changes) for manifest in manifests])


@pytest.fixture(params=["directory", pytest.param("push", marks=pytest.mark.envtest)])
async def arena(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Arena]:
    if request.param == "push":
        cluster: Cluster = request.getfixturevalue("members")[0]
        arena = Arena(ClusterHand(cluster), push_connection(cluster, tmp_path))
    else:
        connection = MemberConnection(
            cluster=ClusterName("member1"), mode=MemberMode.DIRECTORY, directory=str(tmp_path / "member1")
        )
        arena = Arena(FolderHand(tmp_path / "member1"), connection)
    yield arena
    await arena.turns.fleet.close()


def marked(obj: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {**obj, "metadata": {**obj["metadata"], **metadata}}


# Creating and keeping -------------------------------------------------------------------------------------------------


async def test_an_absent_object_is_created_with_our_marks(arena: Arena) -> None:
    outcome = only(await arena.turn(config_map(a="1")))
    assert isinstance(outcome, Applied)
    assert outcome.created
    metadata = arena.find()["metadata"]
    assert metadata["annotations"]["gitops-karmada.io/owner"] == "test:/ConfigMap:default/cfg"
    assert metadata["labels"]["gitops-karmada.io/instance"] == "test"
    assert {entry["manager"] for entry in metadata["managedFields"]} == {"gitops-karmada/test"}


async def test_a_second_turn_writes_nothing(arena: Arena) -> None:
    """Neither the object nor its managed fields change, quantities in another notation included."""
    resources = {"requests": {"cpu": "0.5", "memory": "1024Mi"}, "limits": {"cpu": 2, "memory": "2000M"}}
    wanted = [config_map(a="1"), deployment(resources=resources)]
    await arena.turn(*wanted)
    before = arena.find("web", "Deployment", "apps/v1")["metadata"]
    outcomes = await arena.turn(*wanted)
    assert all(isinstance(outcome, Unchanged) for outcome in outcomes.values())
    assert arena.find("web", "Deployment", "apps/v1")["metadata"] == before


async def test_a_change_in_git_is_applied_and_what_left_git_goes(arena: Arena) -> None:
    await arena.turn(config_map(a="1", b="2"))
    assert isinstance(only(await arena.turn(config_map(a="9"))), Applied)
    assert arena.find()["data"] == {"a": "9"}


async def test_a_lost_receipt_costs_one_apply_that_changes_nothing(arena: Arena) -> None:
    await arena.turn(config_map(a="1"))
    version = arena.find()["metadata"]["resourceVersion"]
    arena.turns.receipts.clear()
    assert isinstance(only(await arena.turn(config_map(a="1"))), Applied)
    assert arena.find()["metadata"]["resourceVersion"] == version


async def test_what_others_add_stays_and_is_no_drift(arena: Arena) -> None:
    await arena.turn(config_map(a="1"))
    live = arena.find()
    arena.hand.put({**live, "data": {"a": "1", "theirs": "2"}}, "kubectl-edit")
    assert isinstance(only(await arena.turn(config_map(a="1"))), Unchanged)
    assert arena.find()["data"] == {"a": "1", "theirs": "2"}


# Drift ----------------------------------------------------------------------------------------------------------------


async def test_a_persons_edit_is_corrected_and_told(arena: Arena) -> None:
    await arena.turn(config_map(a="1"))
    arena.hand.put({**arena.find(), "data": {"a": "edited"}}, "kubectl-edit")
    outcome = only(await arena.turn(config_map(a="1")))
    assert isinstance(outcome, Applied)
    assert [(conflict.manager, conflict.field) for conflict in outcome.drift] == [("kubectl-edit", ".data.a")]
    assert arena.find()["data"] == {"a": "1"}
    assert isinstance(only(await arena.turn(config_map(a="1"))), Unchanged)


async def test_a_field_that_somebody_removed_comes_back(arena: Arena) -> None:
    await arena.turn(config_map(a="1", b="2"))
    arena.hand.put({**arena.find(), "data": {"a": "1"}}, "kubectl-edit")
    outcome = only(await arena.turn(config_map(a="1", b="2")))
    assert isinstance(outcome, Applied)
    assert [conflict.field for conflict in outcome.drift] == [".data.b"]
    assert arena.find()["data"] == {"a": "1", "b": "2"}


async def test_a_deleted_object_is_made_again(arena: Arena) -> None:
    await arena.turn(config_map(a="1"))
    arena.hand.remove("v1", "ConfigMap", "cfg", "default")
    outcome = only(await arena.turn(config_map(a="1")))
    assert isinstance(outcome, Applied)
    assert outcome.created


async def test_another_reconciler_is_never_fought(arena: Arena) -> None:
    """Its value stays, the report names it, and a standing contest changes nothing in the ledger."""
    await arena.turn(config_map(a="1"))
    arena.hand.put({**arena.find(), "data": {"a": "theirs"}}, "some-operator")
    first = only(await arena.turn(config_map(a="1")))
    version = arena.find()["metadata"]["resourceVersion"]
    second = only(await arena.turn(config_map(a="1")))
    assert isinstance(first, Contested)
    assert isinstance(second, Contested)
    assert "some-operator" in first.reason
    assert ".data.a" in first.reason
    assert (first.receipt.contests, second.receipt) == (1, first.receipt)
    assert arena.find()["data"] == {"a": "theirs"}
    assert arena.find()["metadata"]["resourceVersion"] == version


async def test_a_contest_ends_when_the_other_lets_go(arena: Arena) -> None:
    await arena.turn(config_map(a="1", b="2"))
    arena.hand.put({**arena.find(), "data": {"a": "theirs", "b": "2"}}, "some-operator")
    assert isinstance(only(await arena.turn(config_map(a="1", b="2"))), Contested)
    arena.hand.put({**arena.find(), "data": {"b": "2"}}, "some-operator")
    assert isinstance(only(await arena.turn(config_map(a="1", b="2"))), Applied)
    assert arena.find()["data"] == {"a": "1", "b": "2"}
    assert isinstance(only(await arena.turn(config_map(a="1", b="2"))), Unchanged)


async def test_a_new_wish_over_a_foreign_field_is_a_conflict_with_its_name(arena: Arena) -> None:
    await arena.turn(config_map(a="1"))
    arena.hand.put({**arena.find(), "data": {"a": "1", "b": "theirs"}}, "some-operator")
    outcome = only(await arena.turn(config_map(a="1", b="ours")))
    assert isinstance(outcome, Conflicting)
    assert [(conflict.manager, conflict.field) for conflict in outcome.conflicts] == [("some-operator", ".data.b")]
    assert arena.find()["data"] == {"a": "1", "b": "theirs"}


async def test_a_person_who_insists_is_left_alone_for_a_while(arena: Arena) -> None:
    """After a handful of corrections we stop; when time has passed we correct again."""
    await arena.turn(config_map(a="1"))
    outcomes = []
    for _ in range(8):
        arena.turns.now += 1
        arena.hand.put({**arena.find(), "data": {"a": "edited"}}, "kubectl-edit")
        outcomes.append(only(await arena.turn(config_map(a="1"))))
    assert [isinstance(outcome, Applied) for outcome in outcomes] == [True] * 5 + [False] * 3
    assert isinstance(outcomes[-1], Contested)
    assert "kubectl-edit" in outcomes[-1].reason
    arena.turns.now += 3600
    assert isinstance(only(await arena.turn(config_map(a="1"))), Applied)


# Owners ---------------------------------------------------------------------------------------------------------------

OWNERS: dict[str, tuple[dict[str, Any], str, tuple[str, ...]]] = {
    "Helm": (
        {
            "labels": {"app.kubernetes.io/managed-by": "Helm"},
            "annotations": {"meta.helm.sh/release-name": "shop", "meta.helm.sh/release-namespace": "default"},
        },
        "helm",
        ("Helm", "release default/shop"),
    ),
    "Argo CD": (
        {"annotations": {"argocd.argoproj.io/tracking-id": "store:/ConfigMap:default/cfg"}},
        "argocd-controller",
        ("Argo CD", "Application store"),
    ),
    "Flux": (
        {
            "labels": {
                "kustomize.toolkit.fluxcd.io/name": "apps",
                "kustomize.toolkit.fluxcd.io/namespace": "flux-system",
            }
        },
        "kustomize-controller",
        ("Flux", "Kustomization flux-system/apps"),
    ),
    "another instance": (
        {
            "annotations": {"gitops-karmada.io/owner": "other:/ConfigMap:default/cfg"},
            "labels": {"gitops-karmada.io/instance": "other"},
        },
        "gitops-karmada/other",
        ("gitops-karmada", "instance other"),
    ),
    "Karmada": (
        {"labels": {"karmada.io/managed": "true"}, "annotations": {"work.karmada.io/name": "cfg-1"}},
        "karmada-controller-manager",
        ("Karmada", "cfg-1"),
    ),
    "a controller": (
        {
            "ownerReferences": [
                {
                    "apiVersion": "apps/v1",
                    "kind": "Deployment",
                    "name": "parent",
                    "uid": "7bb0f1f5-53a8-4b3a-9b2c-3a8c9e2d1f00",
                    "controller": True,
                }
            ]
        },
        "some-operator",
        ("a controller", "Deployment parent"),
    ),
}


@pytest.mark.parametrize("strategy", ["abort", "overwrite"])
@pytest.mark.parametrize("tool", OWNERS)
async def test_what_another_tool_owns_is_refused_by_name_and_untouched(arena: Arena, tool: str, strategy: str) -> None:
    """Whatever the strategy for conflicts says."""
    metadata, manager, words = OWNERS[tool]
    arena.hand.put(marked(config_map(a="theirs"), **metadata), manager)
    before = arena.find()
    outcome = only(await arena.turn(config_map(a="ours"), conflict_resolution=strategy))
    assert isinstance(outcome, Refused)
    assert outcome.owner is not None
    assert outcome.owner.tool == words[0]
    assert all(word in outcome.reason for word in words)
    assert arena.find() == before


@pytest.mark.parametrize("tool", OWNERS)
async def test_an_owner_that_takes_our_object_over_is_a_contest(arena: Arena, tool: str) -> None:
    """Its read-back mark is the only signal, for such tools force; we stop and say who."""
    await arena.turn(config_map(a="1"))
    metadata, manager, _ = OWNERS[tool]
    live = arena.find()
    merged = {
        name: {**live["metadata"].get(name, {}), **value} if isinstance(value, dict) else value
        for name, value in metadata.items()
    }
    arena.hand.put({**marked(live, **merged), "data": {"a": "theirs"}}, manager)
    outcome = only(await arena.turn(config_map(a="2"), conflict_resolution="overwrite"))
    # Another instance replaces our mark, so its object is no longer ours at all.
    assert isinstance(outcome, Refused if tool == "another instance" else Contested)
    assert arena.find()["data"] == {"a": "theirs"}


async def test_an_object_without_an_owner_is_left_alone_unless_overwriting(arena: Arena) -> None:
    arena.hand.put(config_map(a="theirs"))
    before = arena.find()
    outcome = only(await arena.turn(config_map(a="ours")))
    assert isinstance(outcome, Refused)
    assert "conflictResolution: Overwrite" in outcome.reason
    assert arena.find() == before


async def test_overwriting_adopts_and_leaves_what_git_does_not_say(arena: Arena) -> None:
    arena.hand.put(config_map(a="theirs", extra="x"))
    outcome = only(await arena.turn(config_map(a="ours"), conflict_resolution="overwrite"))
    assert isinstance(outcome, Applied)
    assert outcome.adopted
    assert arena.find()["data"] == {"a": "ours", "extra": "x"}
    assert isinstance(only(await arena.turn(config_map(a="ours"), conflict_resolution="overwrite")), Unchanged)


async def test_adopting_from_kubectl_takes_its_fields_over(arena: Arena) -> None:
    """What a client-side apply set and Git does not say goes; so does the annotation that would bring it back."""
    last = {"kubectl.kubernetes.io/last-applied-configuration": "{}", "note": "kept"}
    arena.hand.put(marked(config_map(keep="1", legacy="2"), annotations=last), "kubectl-client-side-apply")
    live = arena.find()
    arena.hand.put({**live, "data": {**live["data"], "live": "3"}}, "some-controller")
    outcome = only(await arena.turn(config_map(keep="1"), conflict_resolution="overwrite"))
    assert isinstance(outcome, Applied)
    found = arena.find()
    assert found["data"] == {"keep": "1", "live": "3"}
    assert "kubectl.kubernetes.io/last-applied-configuration" not in found["metadata"]["annotations"]


async def test_a_copied_mark_proves_nothing(arena: Arena) -> None:
    """An object that carries the marks of another object is nobody's."""
    copied = marked(
        config_map(a="theirs"),
        annotations={"gitops-karmada.io/owner": "test:/ConfigMap:default/other"},
        labels={"gitops-karmada.io/instance": "test"},
    )
    arena.hand.put(copied)
    assert isinstance(only(await arena.turn(config_map(a="ours"))), Refused)
    assert arena.find()["data"] == {"a": "theirs"}


async def test_a_namespace_that_was_there_is_left_as_it_is(arena: Arena) -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "predict", "labels": {"team": "x"}}}
    arena.hand.put(namespace)
    wish = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "predict"}}
    inner = config_map(namespace="predict")
    outcomes = await arena.turn(wish, inner)
    assert sorted(type(outcome).__name__ for outcome in outcomes.values()) == ["Applied", "Unchanged"]
    found = arena.hand.find("v1", "Namespace", "predict", "")
    assert found is not None
    assert "annotations" not in found["metadata"]
    outcomes = await arena.turn()
    assert all(isinstance(outcome, Pruned) for outcome in outcomes.values())
    assert arena.hand.find("v1", "Namespace", "predict", "")
    assert not arena.hand.find("v1", "ConfigMap", "cfg", "predict")


# Autoscalers ----------------------------------------------------------------------------------------------------------


def scaled(live: Any, replicas: int) -> Any:
    return {**live, "spec": {**live["spec"], "replicas": replicas}}


async def test_replicas_that_an_autoscaler_set_are_left_alone(arena: Arena) -> None:
    """Found by the hand that wrote them; a new image still arrives."""
    await arena.turn(deployment(replicas=2))
    arena.hand.put(scaled(arena.find("web", "Deployment", "apps/v1"), 6), "kube-controller-manager")
    for image in ("web:1", "web:2"):
        for _ in range(2):
            outcome = only(await arena.turn(deployment(replicas=2, image=image)))
            assert isinstance(outcome, Applied | Unchanged)
        spec = arena.find("web", "Deployment", "apps/v1")["spec"]
        assert (spec["replicas"], spec["template"]["spec"]["containers"][0]["image"]) == (6, image)
    assert isinstance(outcome, Unchanged)


async def test_an_autoscaler_that_is_known_keeps_the_replicas_it_finds(arena: Arena) -> None:
    """We hold the field until it scales: letting go would make the API server set it to one."""
    await arena.turn(deployment(replicas=3))
    place = next(iter(arena.turns.works))
    arena.turns._circumstances["autoscaled"] = frozenset({place})
    await arena.turn(deployment(replicas=5))
    assert arena.find("web", "Deployment", "apps/v1")["spec"]["replicas"] == 3
    arena.hand.put(scaled(arena.find("web", "Deployment", "apps/v1"), 9), "kube-controller-manager")
    await arena.turn(deployment(replicas=5))
    await arena.turn(deployment(replicas=5))
    assert arena.find("web", "Deployment", "apps/v1")["spec"]["replicas"] == 9


async def test_replicas_that_a_person_set_are_corrected(arena: Arena) -> None:
    await arena.turn(deployment(replicas=1))
    arena.hand.put(scaled(arena.find("web", "Deployment", "apps/v1"), 6), "kubectl")
    outcome = only(await arena.turn(deployment(replicas=1)))
    assert isinstance(outcome, Applied)
    assert outcome.drift
    assert arena.find("web", "Deployment", "apps/v1")["spec"]["replicas"] == 1


# Leaving --------------------------------------------------------------------------------------------------------------


async def test_what_left_git_is_deleted(arena: Arena) -> None:
    await arena.turn(config_map(a="1"))
    assert isinstance(only(await arena.turn()), Pruned)
    assert arena.find() is None


async def test_a_preserved_object_loses_our_marks_and_nothing_else(arena: Arena) -> None:
    await arena.turn(config_map(a="1"), preserve=True)
    assert isinstance(only(await arena.turn()), Released)
    found = arena.find()
    assert found["data"] == {"a": "1"}
    assert not found["metadata"].get("annotations")
    assert not found["metadata"].get("labels")
    assert "gitops-karmada/test" not in {entry["manager"] for entry in found["metadata"].get("managedFields", [])}


async def test_an_adopted_object_is_released_not_deleted(arena: Arena) -> None:
    arena.hand.put(config_map(a="theirs"))
    await arena.turn(config_map(a="ours"), conflict_resolution="overwrite")
    assert isinstance(only(await arena.turn()), Released)
    assert arena.find()["data"] == {"a": "ours"}


async def test_an_object_that_somebody_made_anew_is_not_deleted(arena: Arena) -> None:
    """Even if it carries our marks: its UID is not the one we know."""
    await arena.turn(config_map(a="1"))
    live = arena.find()
    arena.hand.remove("v1", "ConfigMap", "cfg", "default")
    metadata = {
        name: value
        for name, value in live["metadata"].items()
        if name in ("name", "namespace", "annotations", "labels")
    }
    arena.hand.put({**live, "metadata": metadata})
    outcome = only(await arena.turn())
    assert isinstance(outcome, Held)
    assert "not deleted" in outcome.reason
    assert arena.find()["data"] == {"a": "1"}


async def test_an_object_that_another_tool_took_over_is_left(arena: Arena) -> None:
    await arena.turn(config_map(a="1"))
    metadata, manager, _ = OWNERS["Argo CD"]
    arena.hand.put(marked(config_map(a="theirs"), **metadata), manager)
    assert isinstance(only(await arena.turn()), Pruned)
    assert arena.find()["data"] == {"a": "theirs"}


@pytest.mark.parametrize(
    "metadata",
    [
        {"labels": {"resourcetemplate.karmada.io/deletion-protected": "Always"}},
        {"annotations": {"gitops-karmada.io/prune": "disabled"}},
    ],
    ids=["karmada's label", "our annotation"],
)
async def test_a_protected_object_is_not_deleted(arena: Arena, metadata: dict[str, Any]) -> None:
    await arena.turn(marked(config_map(a="1"), **metadata))
    outcome = only(await arena.turn())
    assert isinstance(outcome, Held)
    assert "protected" in outcome.reason
    assert arena.find()


async def test_a_finalizer_holds_one_delete_and_nothing_else(arena: Arena) -> None:
    """The others go, a change goes on, the finalizer is told and stays."""
    names = ("one", "two", "three")
    await arena.turn(*(config_map(name) for name in names), deployment(image="web:1"))
    live = arena.find("two")
    arena.hand.put(marked(live, finalizers=["demo.io/hold"]))
    outcomes = await arena.turn(deployment(image="web:2"))
    by_name = {place.key.name: outcome for place, outcome in outcomes.items()}
    assert isinstance(by_name["web"], Applied)
    assert [type(by_name[name]) for name in names] == [Pruned, Held, Pruned]
    assert by_name["two"].reason == "deleting, blocked by finalizer demo.io/hold"
    again = await arena.turn(deployment(image="web:2"))
    held = next(outcome for outcome in again.values() if isinstance(outcome, Held))
    assert "demo.io/hold" in held.reason
    assert arena.find("two")["metadata"]["finalizers"] == ["demo.io/hold"]


# Failing --------------------------------------------------------------------------------------------------------------


async def test_a_kind_that_is_not_served_fails_alone(arena: Arena) -> None:
    widget = {"apiVersion": "demo.io/v1", "kind": "Widget", "metadata": {"name": "w", "namespace": "default"}}
    outcomes = await arena.turn(widget, config_map(a="1"))
    faults = {place.key.kind: outcome for place, outcome in outcomes.items()}
    assert isinstance(faults["ConfigMap"], Applied)
    assert isinstance(faults["Widget"], Failed)
    assert faults["Widget"].fault is Fault.NO_SUCH_API


async def test_a_missing_namespace_fails_alone_and_by_name(arena: Arena) -> None:
    outcomes = await arena.turn(config_map("lost", "nowhere"), config_map(a="1"))
    lost = next(outcome for outcome in outcomes.values() if isinstance(outcome, Failed))
    assert lost.fault is Fault.NAMESPACE_MISSING
    assert '"nowhere"' in lost.reason


async def test_a_definition_its_objects_and_their_namespace_go_out_in_one_turn(arena: Arena) -> None:
    """Whatever their order; and leave in one, the other way round."""
    from tests.members.test_transports import WIDGETS

    widget = {"apiVersion": "demo.io/v1", "kind": "Widget", "metadata": {"name": "w", "namespace": "shop"}}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    outcomes = await arena.turn(widget, WIDGETS, namespace)
    assert [outcome for outcome in outcomes.values() if not isinstance(outcome, Applied)] == []
    again = await arena.turn(widget, WIDGETS, namespace)
    assert all(isinstance(outcome, Unchanged) for outcome in again.values())
    gone = await arena.turn()
    kinds = {place.key.kind: outcome for place, outcome in gone.items()}
    assert isinstance(kinds["Widget"], Pruned)
    # A real namespace needs its controller to end; a definition lets go of its objects first.
    assert isinstance(kinds["Namespace"], Pruned | Held)
    assert isinstance(kinds["CustomResourceDefinition"], Pruned | Held)


async def test_a_suspended_work_changes_nothing(arena: Arena) -> None:
    assert isinstance(only(await arena.turn(config_map(a="1"), suspended=True)), Held)
    assert arena.find() is None
