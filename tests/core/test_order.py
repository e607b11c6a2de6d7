"""What others stand on goes first and leaves last."""

from gitops_karmada.core.order import rank, waves
from gitops_karmada.model.actions import Create, Keep, Prune
from gitops_karmada.model.objects import ClusterName, Key
from gitops_karmada.model.works import Place


def place(kind: str, name: str = "x", group: str = "") -> Place:
    return Place(cluster=ClusterName("one"), key=Key(group=group, kind=kind, name=name))


def create(kind: str, name: str = "x") -> Create:
    return Create(place=place(kind, name), manifest={})


def prune(kind: str) -> Prune:
    return Prune(place=place(kind), api_version="v1", uid="u", resource_version="2")


def test_a_definition_and_its_namespace_go_before_what_needs_them() -> None:
    kinds = ["ValidatingWebhookConfiguration", "Widget", "CustomResourceDefinition", "Deployment", "Namespace"]
    ordered = [wave[0].place.key.kind for wave in waves([create(kind) for kind in kinds])]
    assert ordered == [
        "Namespace",
        "CustomResourceDefinition",
        "Deployment",
        "Widget",
        "ValidatingWebhookConfiguration",
    ]


def test_deletes_come_last_and_backwards() -> None:
    kinds = ["Namespace", "CustomResourceDefinition", "ConfigMap", "Widget"]
    done = waves([*(prune(kind) for kind in kinds), create("Deployment")])
    assert [wave[0].place.key.kind for wave in done] == [
        "Deployment",
        "Widget",
        "ConfigMap",
        "CustomResourceDefinition",
        "Namespace",
    ]


def test_actions_of_one_rank_are_one_wave_in_a_settled_order() -> None:
    first = waves([create("Service", "b"), create("Service", "a"), Keep(place=place("Service", "c"))])
    second = waves([Keep(place=place("Service", "c")), create("Service", "a"), create("Service", "b")])
    assert first == second
    assert [action.place.key.name for action in first[0]] == ["a", "b", "c"]


def test_what_workloads_mount_goes_before_them() -> None:
    ranks = [
        rank(Key(group="", kind=kind, name="x")) for kind in ("ServiceAccount", "Secret", "Service", "Job", "Ingress")
    ]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == len(ranks)
