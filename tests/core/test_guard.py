"""Every live object is judged before it is written."""

from typing import Any

import pytest

from gitops_karmada.core.guard import (
    FIGHT,
    Circumstances,
    declared_part,
    deletion_of,
    heat_at,
    judge,
    judge_removal,
    missing_fields,
)
from gitops_karmada.core.writers import Writer, writer_of
from gitops_karmada.model.actions import (
    Adopt,
    Apply,
    Contest,
    Create,
    FieldConflict,
    Forget,
    Keep,
    Prune,
    Receipt,
    Refuse,
    Release,
    Wait,
)
from gitops_karmada.model.managed_fields import Loss, digest, fields_digest
from gitops_karmada.model.marks import marked
from gitops_karmada.model.members import Absent, Present, Unknown
from gitops_karmada.model.objects import ClusterName, Object
from gitops_karmada.model.works import Work

US = Circumstances(instance="east", now=1000.0)
MANAGER = "gitops-karmada/east"


def manifest(replicas: int = 2, **metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop", **metadata},
        "spec": {"replicas": replicas},
    }


def wish(obj: Object | None = None, **changes: Any) -> Work:
    return Work(cluster=ClusterName("one"), manifest=obj or manifest(), **changes)


def entry(manager: str, fields: dict[str, Any], operation: str = "Update", subresource: str = "") -> dict[str, Any]:
    found = {"manager": manager, "operation": operation, "apiVersion": "apps/v1", "fieldsV1": fields}
    return {**found, **({"subresource": subresource} if subresource else {})}


REPLICAS: dict[str, Any] = {"f:spec": {"f:replicas": {}}}


def live(
    obj: Object | None = None, *entries: dict[str, Any], ours: bool = True, uid: str = "u1", **metadata: Any
) -> dict[str, Any]:
    found = marked(obj or manifest(), "east") if ours else (obj or manifest())
    own = {"uid": uid, "resourceVersion": "7", "managedFields": list(entries), **metadata}
    return {**found, "metadata": {**found["metadata"], **own}}


def receipt_of(obj: Object, intent: Object | None = None) -> Receipt:
    sent = marked(intent or manifest(), "east")
    return Receipt(uid="u1", intent=digest(sent), fields=fields_digest(obj, MANAGER))


# Reading --------------------------------------------------------------------------------------------------------------


def test_what_is_unknown_is_waited_for() -> None:
    """Unknown is never read as absent."""
    unknown = Unknown(reason="one is unreachable")
    assert isinstance(judge(wish(), None, unknown, US), Wait)
    assert isinstance(judge_removal(wish(), Receipt(uid="u1"), unknown, US), Wait)


def test_an_absent_object_is_created_with_our_marks() -> None:
    action = judge(wish(), None, Absent(), US)
    assert isinstance(action, Create)
    assert action.manifest["metadata"]["annotations"] == {"gitops-karmada.io/owner": "east:apps/Deployment:shop/web"}
    assert action.manifest["metadata"]["labels"] == {"gitops-karmada.io/instance": "east"}


def test_a_kind_that_is_not_served_yet_may_be_created() -> None:
    """Its definition may come in the same turn, before it."""
    assert isinstance(judge(wish(), None, Unknown(reason="no such kind", no_such_api=True), US), Create)


def test_a_suspended_work_waits_whatever_is_there() -> None:
    for there in (Absent(), Present(object=live())):
        assert isinstance(judge(wish(suspended=True), None, there, US), Wait)


def test_an_object_on_its_way_out_is_waited_for_with_its_finalizers() -> None:
    there = live(deletionTimestamp="2026-01-01T00:00:00Z", finalizers=["a.io/x", "b.io/y"])
    action = judge(wish(), None, Present(object=there), US)
    assert isinstance(action, Wait)
    assert action.reason == "deleting, blocked by finalizers a.io/x, b.io/y"
    assert deletion_of(live()) == ""


# Ours -----------------------------------------------------------------------------------------------------------------


def test_nothing_is_written_when_nothing_differs() -> None:
    there = live(None, entry(MANAGER, REPLICAS, "Apply"))
    action = judge(wish(), receipt_of(there), Present(object=there), US)
    assert isinstance(action, Keep)
    assert action.receipt == receipt_of(there)


@pytest.mark.parametrize("status", [{"readyReplicas": 1}, {"readyReplicas": 2}])
def test_a_status_is_no_difference(status: dict[str, Any]) -> None:
    there = live(
        None,
        entry(MANAGER, REPLICAS, "Apply"),
        entry("kube-controller-manager", {"f:status": {}}, subresource="status"),
    )
    judged = judge(wish(), receipt_of(there), Present(object={**there, "status": status}), US)
    assert isinstance(judged, Keep)


def test_a_new_wish_is_applied_to_this_very_object() -> None:
    there = live(None, entry(MANAGER, REPLICAS, "Apply"))
    action = judge(wish(manifest(5)), receipt_of(there), Present(object=there), US)
    assert isinstance(action, Apply)
    assert (action.uid, action.manifest["spec"], action.drift) == ("u1", {"replicas": 5}, ())


def test_a_persons_change_is_forced_for_that_person_only() -> None:
    there = live(manifest(6), entry(MANAGER, {"f:spec": {}}, "Apply"), entry("kubectl-edit", REPLICAS))
    receipt = Receipt(uid="u1", intent=digest(marked(manifest(), "east")), fields="before")
    action = judge(wish(), receipt, Present(object=there), US)
    assert isinstance(action, Apply)
    assert action.force_managers == {"kubectl-edit", "before-first-apply"}
    assert action.drift == (FieldConflict(manager="kubectl-edit", field=".spec.replicas"),)
    assert action.receipt.heat == 1


def test_a_reconcilers_change_is_a_contest_that_is_counted_once() -> None:
    there = live(manifest(6), entry(MANAGER, {"f:spec": {}}, "Apply"), entry("argo-rollouts", REPLICAS))
    receipt = Receipt(uid="u1", intent=digest(marked(manifest(), "east")), fields="before")
    first = judge(wish(), receipt, Present(object=there), US)
    assert isinstance(first, Contest)
    assert "argo-rollouts" in first.reason
    assert first.receipt.contests == 1
    second = judge(wish(), first.receipt, Present(object=there), US)
    assert isinstance(second, Contest)
    assert second.receipt == first.receipt


def test_marks_that_our_own_manifest_carries_are_no_other_owner() -> None:
    """A chart in Git may bring Helm's marks; on our object they are ours."""
    helm: dict[str, Any] = {
        "labels": {"app.kubernetes.io/managed-by": "Helm"},
        "annotations": {"meta.helm.sh/release-name": "shop", "meta.helm.sh/release-namespace": "shop"},
    }
    there = live(manifest(**helm))
    assert isinstance(judge(wish(manifest(**helm)), None, Present(object=there), US), Apply)
    assert isinstance(judge(wish(), None, Present(object=there), US), Contest)
    assert isinstance(
        judge(wish(manifest(**helm)), None, Present(object=live(manifest(**helm), ours=False)), US), Refuse
    )


@pytest.mark.parametrize("by", ["circumstances", "label"])
def test_replicas_of_an_autoscaler_are_declared_as_found_while_we_hold_them(by: str) -> None:
    labels: dict[str, Any] = (
        {"labels": {"resourcetemplate.karmada.io/retain-replicas": "true"}} if by == "label" else {}
    )
    work = wish(manifest(2, **labels))
    scaled = Circumstances(instance="east", autoscaled=frozenset({work.place} if by == "circumstances" else ()))
    held = live(manifest(6, **labels), entry(MANAGER, REPLICAS, "Apply"))
    let_go = live(manifest(6, **labels), entry("kube-controller-manager", REPLICAS, subresource="scale"))
    first, second = (judge(work, None, Present(object=obj), scaled) for obj in (held, let_go))
    assert isinstance(first, Apply)
    assert isinstance(second, Apply)
    assert first.manifest["spec"] == {"replicas": 6}
    assert second.manifest["spec"] == {}
    assert [conflict.field for conflict in second.yielded] == [".spec.replicas"]


def test_an_autoscaler_that_is_not_known_is_recognised_by_its_hand() -> None:
    there = live(manifest(6), entry("kube-controller-manager", REPLICAS, subresource="scale"))
    action = judge(wish(), None, Present(object=there), US)
    assert isinstance(action, Apply)
    assert action.manifest["spec"] == {}
    assert [conflict.manager for conflict in action.yielded] == ["kube-controller-manager"]


def test_what_is_retained_is_declared_only_where_git_declares_it() -> None:
    """A cluster IP that the member gave stays there by itself; declaring it would change the object once more."""
    service = {**manifest(), "kind": "Service", "spec": {"ports": [{"name": "http", "port": 80}], "type": "ClusterIP"}}
    observed = {"clusterIP": "10.0.0.7", "ports": [{"name": "http", "port": 80, "nodePort": 3}], "type": "NodePort"}

    def retain(desired: Object, live: Object) -> Object:
        return {**desired, "spec": observed}

    circumstances = Circumstances(instance="east", retain=retain)
    action = judge(wish(service), None, Present(object=live(service)), circumstances)
    assert isinstance(action, Apply)
    assert action.manifest["spec"] == {"ports": [{"name": "http", "port": 80}], "type": "NodePort"}


def test_a_list_that_grew_in_the_member_is_declared_as_git_has_it() -> None:
    assert declared_part(["a", "b", "c"], ["a", "c"]) == ["a", "c"]
    assert declared_part(["a", "x"], ["a", "c"]) == ["a", "x"]
    assert declared_part({"a": 1, "b": 2}, {"a": 0, "c": 3}) == {"a": 1}


@pytest.mark.parametrize(("kind", "may"), [("Deployment", True), ("Job", True), ("PersistentVolumeClaim", False)])
def test_only_what_holds_nothing_may_be_made_anew_and_only_when_asked(kind: str, may: bool) -> None:
    asked = {**manifest(annotations={"gitops-karmada.io/recreate": "true"}), "kind": kind}
    action = judge(wish(asked), None, Present(object=live(asked)), US)
    assert isinstance(action, Apply)
    assert action.recreate is may
    plain = judge(wish(), None, Present(object=live()), US)
    assert isinstance(plain, Apply)
    assert not plain.recreate


def test_corrections_cool_down_with_time() -> None:
    hot = Receipt(heat=4.0, heated_at=1000.0)
    assert heat_at(hot, 1000.0) == 4.0
    assert heat_at(hot, 1600.0) == 2.0
    # A clock that went back cools nothing and heats nothing.
    assert heat_at(hot, 500.0) == 4.0
    assert heat_at(Receipt(heat=FIGHT), 100000.0) < 0.001


# Nobody's -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("strategy", "adopts"), [("abort", False), ("overwrite", True), ("Overwrite", True), ("", False)]
)
def test_an_object_without_an_owner_is_adopted_only_when_overwriting(strategy: str, adopts: bool) -> None:
    there = Present(object=live(ours=False))
    action = judge(wish(conflict_resolution=strategy), None, there, US)
    assert isinstance(action, Adopt if adopts else Refuse)


def test_a_likely_owner_keeps_its_object_from_being_adopted() -> None:
    there = live(None, entry("terraform-provider-kubernetes", REPLICAS), ours=False)
    action = judge(wish(conflict_resolution="overwrite"), None, Present(object=there), US)
    assert isinstance(action, Refuse)
    assert action.owner is not None
    assert action.owner.tool == "Terraform"
    assert "terraform-provider-kubernetes" in action.reason


def test_a_mark_that_was_taken_off_is_told() -> None:
    action = judge(wish(), Receipt(uid="u1"), Present(object=live(ours=False)), US)
    assert isinstance(action, Refuse)
    assert "our mark was taken off" in action.reason


# Leaving --------------------------------------------------------------------------------------------------------------


def test_a_delete_names_the_object_that_we_know() -> None:
    action = judge_removal(wish(), Receipt(uid="u1"), Present(object=live()), US)
    assert action == Prune(place=wish().place, api_version="apps/v1", uid="u1", resource_version="7")


@pytest.mark.parametrize(
    ("there", "receipt", "changes", "action"),
    [
        (Absent(), Receipt(), {}, Forget),
        (Present(object=live(ours=False)), Receipt(uid="u1"), {}, Forget),
        (Present(object=live(uid="u2")), Receipt(uid="u1"), {}, Wait),
        (Present(object=live()), Receipt(uid="u1", adopted=True), {}, Release),
        (Present(object=live()), Receipt(uid="u1"), {"preserve": True}, Release),
    ],
    ids=["gone", "not ours", "another object", "was there before us", "preserved"],
)
def test_what_is_not_deleted(there: Any, receipt: Receipt, changes: dict[str, Any], action: type) -> None:
    assert isinstance(judge_removal(wish(**changes), receipt, there, US), action)


@pytest.mark.parametrize("namespace", ["kube-system", "kube-public"])
def test_protected_namespaces_and_what_stands_in_them_stay(namespace: str) -> None:
    inner = {**manifest(), "metadata": {"name": "web", "namespace": namespace}}
    itself = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    for obj in (inner, itself):
        assert isinstance(judge_removal(wish(obj), Receipt(uid="u1"), Present(object=live(obj)), US), Wait)


def test_in_the_default_namespace_only_the_namespace_is_protected() -> None:
    inner = {**manifest(), "metadata": {"name": "web", "namespace": "default"}}
    itself = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}
    assert isinstance(judge_removal(wish(inner), Receipt(uid="u1"), Present(object=live(inner)), US), Prune)
    assert isinstance(judge_removal(wish(itself), Receipt(uid="u1"), Present(object=live(itself)), US), Wait)


# Parts ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("manager", "field", "operation", "writer"),
    [
        ("kubectl-edit", ".spec.replicas", "Update", Writer.PEOPLE),
        ("kubectl-client-side-apply", ".spec.replicas", "Update", Writer.PEOPLE),
        ("kubectl", ".spec.replicas", "Apply", Writer.PEOPLE),
        ("unknown", ".spec.replicas", "Update", Writer.PEOPLE),
        ("Mozilla", ".spec.template", "Update", Writer.PEOPLE),
        ("curl", ".spec.template", "Apply", Writer.RECONCILER),
        ("kube-controller-manager", ".spec.replicas", "Update", Writer.AUTOSCALER),
        ("keda-operator", ".spec.replicas", "Update", Writer.AUTOSCALER),
        ("vpa-updater", '.spec.template.spec.containers[name="m"].resources.requests.cpu', "Update", Writer.AUTOSCALER),
        ("kube-controller-manager", ".metadata.labels.x", "Update", Writer.RECONCILER),
        ("argocd-controller", ".spec.replicas", "Apply", Writer.RECONCILER),
        ("kubectlish", ".spec.replicas", "Update", Writer.RECONCILER),
    ],
)
def test_a_hand_is_known_by_its_name_and_by_what_it_writes(
    manager: str, field: str, operation: str, writer: Writer
) -> None:
    loss = Loss(conflict=FieldConflict(manager=manager, field=field), operation=operation, path=())
    assert writer_of(loss) is writer


def test_missing_fields_are_named_and_empty_ones_are_not_missed() -> None:
    declared = {"data": {"a": "1", "b": "2"}, "spec": {"empty": {}, "none": None, "list": [1]}}
    assert list(missing_fields(declared, {"data": {"a": "1"}, "spec": {}})) == [".data.b", ".spec.list"]
