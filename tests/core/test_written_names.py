"""The files of the status branch have Karmada's field names, so that people and tools of Karmada can read them."""

from datetime import UTC, datetime
from typing import Any

import pytest

from gitops_karmada.core.federate import federate
from gitops_karmada.core.gather import gathered
from gitops_karmada.core.identity import content_of
from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.core.record import files_of, quota_path
from gitops_karmada.model.actions import Receipt
from gitops_karmada.model.bindings import (
    AggregatedStatusItem,
    Binding,
    BindingSpec,
    BindingStatus,
    Health,
    ObjectReference,
    TargetCluster,
)
from gitops_karmada.model.clusters import Condition
from gitops_karmada.model.decode import decode, encode
from gitops_karmada.model.federation import Ledger
from gitops_karmada.model.files import Manifest
from gitops_karmada.model.metadata import ObjectMeta
from gitops_karmada.model.objects import ClusterName, Key, key_of
from gitops_karmada.model.plan import Plan, Question
from gitops_karmada.model.policies import FederatedResourceQuota, WorkloadRebalancer
from gitops_karmada.model.problems import Location
from gitops_karmada.model.settings import FederationSpec, Settings
from gitops_karmada.model.works import ManifestIdentifier, ManifestStatus, Place, Work, WorkStatus
from tests.core.worlds import deployment, propagation

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
MANIFEST = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}, "spec": {}}
KEY = key_of(MANIFEST)
CONDITION = Condition(type="Applied", status="False", reason="AppliedFailed", message="no", last_transition_time=NOW)
WRITTEN = {
    "type": "Applied",
    "status": "False",
    "reason": "AppliedFailed",
    "message": "no",
    "lastTransitionTime": "2026-03-01T12:00:00Z",
}


def written(plan: Plan, path: str) -> dict[str, Any]:
    value = files_of(plan, Ledger())[path]
    assert isinstance(value, dict)
    return value


def a_work() -> Work:
    identifier = ManifestIdentifier(
        ordinal=0, group="apps", version="v1", kind="Deployment", namespace="shop", name="web"
    )
    status = ManifestStatus(identifier=identifier, status={"replicas": 2}, health=Health.HEALTHY)
    return Work(
        cluster=ClusterName("east"),
        manifest=MANIFEST,
        binding=KEY,
        suspended=True,
        preserve=True,
        status=WorkStatus(conditions=(CONDITION,), manifest_statuses=(status,)),
    )


def test_a_work() -> None:
    place = Place(cluster=ClusterName("east"), key=KEY)
    plan = Plan(works={place: a_work()}, receipts={place: Receipt(uid="u-1", resource_version="7")})
    work = written(plan, "works/east/shop/deployment.apps/web.yaml")
    assert (work["apiVersion"], work["kind"]) == ("work.karmada.io/v1alpha1", "Work")
    spec = work["spec"]
    assert spec["workload"]["manifests"] == [MANIFEST]
    assert spec["suspendDispatching"] is True
    assert spec["preserveResourcesOnDeletion"] is True
    assert work["status"]["conditions"] == [WRITTEN]
    (status,) = work["status"]["manifestStatuses"]
    assert status == {
        "identifier": {
            "ordinal": 0,
            "group": "apps",
            "version": "v1",
            "kind": "Deployment",
            "namespace": "shop",
            "name": "web",
        },
        "status": {"replicas": 2},
        "health": "Healthy",
    }


def test_a_binding() -> None:
    resource = ObjectReference(
        api_version="apps/v1", kind="Deployment", namespace="shop", name="web", uid="u", resource_version="digest"
    )
    item = AggregatedStatusItem(cluster_name="east", applied=False, applied_message="owned by Helm (release shop)")
    binding = Binding(
        metadata=ObjectMeta(name="web-deployment", namespace="shop"),
        spec=BindingSpec(resource=resource, replicas=3, clusters=(TargetCluster(name="east", replicas=3),)),
        status=BindingStatus(
            scheduler_observed_generation=2,
            scheduler_observed_affinity_name="primary",
            last_scheduled_time=NOW,
            conditions=(CONDITION,),
            aggregated_status=(item,),
        ),
    )
    file = written(Plan(bindings={KEY: binding}), "bindings/shop/deployment.apps/web.yaml")
    assert file["spec"]["resource"]["resourceVersion"] == "digest"
    assert file["spec"]["clusters"] == [{"name": "east", "replicas": 3}]
    assert file["status"] == {
        "schedulerObservedGeneration": 2,
        "schedulerObservingAffinityName": "primary",
        "lastScheduledTime": "2026-03-01T12:00:00Z",
        "conditions": [WRITTEN],
        "aggregatedStatus": [{"clusterName": "east", "appliedMessage": "owned by Helm (release shop)"}],
    }


def test_a_rebalancer_and_a_quota() -> None:
    workload = {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "shop", "name": "web"}
    observed = {"workload": workload, "result": "Failed", "reason": "ReferencedBindingNotFound"}
    status = {"observedWorkloads": [observed], "observedGeneration": 1, "finishTime": "2026-03-01T12:00:00Z"}
    rebalancer = {
        "apiVersion": "apps.karmada.io/v1alpha1",
        "kind": "WorkloadRebalancer",
        "metadata": {"name": "now"},
        "spec": {"workloads": [workload]},
        "status": status,
    }
    quota = {
        "apiVersion": "policy.karmada.io/v1alpha1",
        "kind": "FederatedResourceQuota",
        "metadata": {"name": "shop", "namespace": "shop"},
        "spec": {"overall": {"cpu": "4"}},
        "status": {"overall": {"cpu": "4"}, "overallUsed": {"cpu": "500m"}},
    }
    plan = Plan(
        rebalancers={"now": decode(WorkloadRebalancer, rebalancer).unwrap()},
        quotas={"shop/shop": decode(FederatedResourceQuota, quota).unwrap()},
    )
    assert written(plan, "rebalancers/now.yaml") == rebalancer
    assert written(plan, quota_path("shop/shop")) == quota


@pytest.mark.parametrize(
    ("policy", "preempts"),
    [({}, True), ({"preemptionPolicy": "PreemptLowerPriority"}, True), ({"preemptionPolicy": "Never"}, False)],
    ids=["default", "yes", "no"],
)
def test_which_priority_classes_may_displace_others(policy: dict[str, str], preempts: bool) -> None:
    """Only where the settings allow it at all."""
    vital = {**PRIORITY_CLASS, **policy}
    assert _displaces(vital, allowed=True) is preempts
    assert _displaces(vital, allowed=False) is False


PRIORITY_CLASS = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "vital"},
    "value": 9,
}
CLASS = {"priorityClassSource": "KubePriorityClass", "priorityClassName": "vital"}
HERE = Location(file="all.yaml", line=1)


def _displaces(priority_class: dict[str, Any], *, allowed: bool) -> bool:
    settings = Settings(metadata=ObjectMeta(name="lab"), spec=FederationSpec(preemption=allowed))
    policy = encode(propagation("web", schedulePriority=CLASS))
    manifests = [
        Manifest(object=obj, location=HERE, document=1, locate=lambda _: HERE)
        for obj in (priority_class, policy, deployment())
    ]
    federation = federate(manifests, settings)
    assert federation.problems == ()
    contents = {key: content_of(template.object) for key, template in federation.templates.items()}
    found = gathered(Question(federation=federation, now=NOW), Interpreter(), contents)
    priority = found.bindings[KEY].spec.schedule_priority
    assert priority is not None
    assert priority.priority == 9
    return priority.preempts


def test_a_group_is_part_of_the_name() -> None:
    other = Key(group="apps.example.org", kind="Deployment", namespace="shop", name="web")
    place = Place(cluster=ClusterName("east"), key=other)
    manifest = {**MANIFEST, "apiVersion": "apps.example.org/v1"}
    plan = Plan(works={place: Work(cluster=ClusterName("east"), manifest=manifest, binding=other)})
    assert "works/east/shop/deployment.apps.example.org/web.yaml" in files_of(plan, Ledger())
