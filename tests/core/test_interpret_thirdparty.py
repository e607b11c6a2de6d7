"""Kinds of Kruise, Argo, Volcano, Flink, Flux, Kubeflow, Kyverno, Ray and Spark, beyond what was recorded."""

from typing import Any

import pytest

from gitops_karmada.core.interpret import THIRDPARTY, By, Interpreter, Operation
from gitops_karmada.core.interpreters import InterpretError
from gitops_karmada.model.bindings import Health

INTERPRETER = Interpreter()
GENERATION = {"resourcetemplate.karmada.io/generation": "2"}
TEMPLATE = {
    "metadata": {"labels": {"app": "x"}},
    "spec": {
        "serviceAccountName": "runner",
        "containers": [{"name": "c", "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}}}],
    },
}
NEEDS = {"resourceRequest": {"cpu": "500m", "memory": "1Gi"}}
RUNNER = {"apiVersion": "v1", "kind": "ServiceAccount", "namespace": "lab", "name": "runner"}


def of(kind: str, spec: Any = None, status: Any = None) -> dict[str, Any]:
    """An object of the only third-party kind of this name."""
    (api_version,) = (version for version, name in THIRDPARTY if name == kind)
    metadata = {"name": "x", "namespace": "lab", "generation": 2, "annotations": GENERATION}
    found: dict[str, Any] = {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec or {}}
    return found if status is None else {**found, "status": status}


def items(*statuses: Any) -> list[dict[str, Any]]:
    return [{"clusterName": f"m{i}", "applied": True, "status": status} for i, status in enumerate(statuses, start=1)]


def status_of(obj: Any) -> Any:
    assert obj is not None
    return obj["status"]


def condition(kind: str, status: str = "True", **more: str) -> dict[str, str]:
    return {"type": kind, "status": status, **more}


def test_there_are_as_many_kinds_as_karmada_knows() -> None:
    assert len(THIRDPARTY) == 27
    assert INTERPRETER.by(Operation.REPLICAS, of("CloneSet")) is By.THIRDPARTY


@pytest.mark.parametrize("kind", ["CloneSet", "UnitedDeployment", "StatefulSet"])
def test_kruise_workloads(kind: str) -> None:
    workload = of(kind, {"replicas": 3, "template": TEMPLATE})
    assert INTERPRETER.replicas(workload) == (3, NEEDS)
    revised = INTERPRETER.revise(workload, 5)
    assert revised is not None
    assert revised["spec"] == {"replicas": 5, "template": TEMPLATE}
    assert INTERPRETER.dependencies(workload) == (RUNNER,)
    full = {"observedGeneration": 2, "updatedReplicas": 3, "availableReplicas": 3}
    assert INTERPRETER.health(of(kind, {"replicas": 3}, full)) is Health.HEALTHY
    assert INTERPRETER.health(of(kind, {"replicas": 4}, full)) is Health.UNHEALTHY
    with pytest.raises(InterpretError, match=r"spec\.replicas: missing"):
        INTERPRETER.replicas(of(kind, {"template": TEMPLATE}))


def test_generation_follows_when_every_member_has_worked_off_exactly_this_one() -> None:
    """Equality here, where the native kinds ask for this generation or a later one."""
    settled = {"replicas": 1, "generation": 5, "observedGeneration": 5, "resourceTemplateGeneration": 2}
    ahead = {**settled, "resourceTemplateGeneration": 3}
    clone = of("CloneSet", status={"observedGeneration": 1})
    assert status_of(INTERPRETER.aggregate(clone, items(settled, settled)))["observedGeneration"] == 2
    assert status_of(INTERPRETER.aggregate(clone, items(settled, ahead)))["observedGeneration"] == 1


def test_kruise_daemonset() -> None:
    status = {"observedGeneration": 2, "updatedNumberScheduled": 2, "desiredNumberScheduled": 2, "numberAvailable": 2}
    assert INTERPRETER.health(of("DaemonSet", status=status)) is Health.HEALTHY
    assert INTERPRETER.health(of("DaemonSet", status={**status, "numberAvailable": 1})) is Health.UNHEALTHY
    aggregated = status_of(INTERPRETER.aggregate(of("DaemonSet"), items({"numberReady": 1}, {"numberReady": 2})))
    assert aggregated["numberReady"] == 3
    with pytest.raises(InterpretError, match="nothing reported"):
        INTERPRETER.health(of("DaemonSet"))


def test_broadcastjob() -> None:
    assert INTERPRETER.replicas(of("BroadcastJob", {"template": TEMPLATE})) == (1, NEEDS)
    running = {"desired": 2, "failed": 0, "active": 1, "succeeded": 0}
    assert INTERPRETER.health(of("BroadcastJob", status=running)) is Health.HEALTHY
    assert INTERPRETER.health(of("BroadcastJob", status={"desired": 2, "active": 1})) is Health.UNHEALTHY
    done, failed = {"conditions": [condition("Complete")]}, {"conditions": [condition("Failed")]}
    (finished,) = status_of(INTERPRETER.aggregate(of("BroadcastJob"), items(done, done)))["conditions"]
    assert finished["type"] == "Completed"
    (broken,) = status_of(INTERPRETER.aggregate(of("BroadcastJob"), items(failed, {"active": 1})))["conditions"]
    assert broken["message"] == "Job executed failed in member clusters: m1"
    desired = of("BroadcastJob", {"template": {"metadata": {"labels": {}}}})
    retained = INTERPRETER.retain(desired, of("BroadcastJob", {"template": TEMPLATE}))
    assert retained is not None
    assert retained["spec"]["template"]["metadata"]["labels"] == {"app": "x"}


def test_advanced_cronjob() -> None:
    cron = of("AdvancedCronJob", {"template": {"broadcastJobTemplate": {"spec": {"template": TEMPLATE}}}})
    assert INTERPRETER.dependencies(cron) == (RUNNER,)
    first, second = {"active": [{"name": "a"}], "type": "Job"}, {"active": [{"name": "b"}], "lastScheduleTime": "t"}
    expected = {"active": [{"name": "a"}, {"name": "b"}], "type": "Job", "lastScheduleTime": "t"}
    assert status_of(INTERPRETER.aggregate(cron, items(first, second))) == expected


def test_sidecarset() -> None:
    containers = [{"name": "c", "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]}]
    sidecars = of("SidecarSet", {"containers": containers})
    assert INTERPRETER.replicas(sidecars) == (0, None)
    assert INTERPRETER.dependencies(sidecars) == (
        {"apiVersion": "v1", "kind": "Secret", "namespace": "lab", "name": "s"},
    )
    assert INTERPRETER.health(of("SidecarSet", status={})) is Health.HEALTHY
    assert INTERPRETER.health(of("SidecarSet", status={"matchedPods": 2, "updatedPods": 1})) is Health.UNHEALTHY
    aggregated = INTERPRETER.aggregate(sidecars, items({"matchedPods": 2}, {"matchedPods": 3, "readyPods": 1}))
    assert status_of(aggregated) == {"matchedPods": 5, "updatedPods": 0, "readyPods": 1}


def test_workflow_is_left_to_the_member_where_it_is_suspended() -> None:
    retained = INTERPRETER.retain(of("Workflow", {"suspend": False}), of("Workflow", {"suspend": True}, {"phase": "x"}))
    assert retained == of("Workflow", {"suspend": True}, {"phase": "x"})


@pytest.mark.parametrize(
    ("kind", "spec", "names"),
    [
        ("GitRepository", {"secretRef": {"name": "a"}, "verify": {"secretRef": {"name": "b"}}}, ["a", "b"]),
        ("Bucket", {"secretRef": {"name": "a"}, "verify": {"secretRef": {"name": "b"}}}, ["a"]),
        ("HelmRepository", {"secretRef": {"name": ""}}, []),
        ("HelmChart", {"secretRef": {"name": "a"}, "verify": {"secretRef": {"name": "b"}}}, ["b"]),
        ("OCIRepository", {"certSecretRef": {"name": "c"}, "serviceAccountName": "sa"}, ["c", "sa"]),
        ("OCIRepository", {}, []),
        ("Kustomization", {"decryption": {"secretRef": {"name": "d"}}, "serviceAccountName": "sa"}, ["d", "sa"]),
        (
            "HelmRelease",
            {"valuesFrom": [{"kind": "ConfigMap", "name": "v"}, {"kind": "Secret", "name": "w"}]},
            ["v", "w"],
        ),
    ],
)
def test_flux_needs_what_it_reads(kind: str, spec: Any, names: list[str]) -> None:
    found = INTERPRETER.dependencies(of(kind, spec))
    assert found is not None
    assert [reference["name"] for reference in found] == names


@pytest.mark.parametrize("kind", ["GitRepository", "Bucket", "HelmRepository", "HelmChart", "OCIRepository"])
def test_flux_source_is_healthy_when_it_succeeded(kind: str) -> None:
    assert (
        INTERPRETER.health(of(kind, status={"conditions": [condition("Ready", reason="Succeeded")]})) is Health.HEALTHY
    )
    assert INTERPRETER.health(of(kind, status={"conditions": [condition("Ready", reason="Other")]})) is Health.UNHEALTHY
    pulled = of(kind, status={"conditions": [condition("Ready", reason="ChartPullSucceeded")]})
    assert INTERPRETER.health(pulled) is (Health.HEALTHY if kind == "HelmChart" else Health.UNHEALTHY)
    assert INTERPRETER.retain(of(kind), of(kind, {"suspend": True})) == of(kind, {"suspend": True})


def test_conditions_of_members_are_quoted_together() -> None:
    ready = {"conditions": [condition("Ready", reason="Succeeded", message="stored")]}
    failed = {"conditions": [condition("Ready", "False", reason="Failed", message="gone")], "url": "u"}
    status = status_of(INTERPRETER.aggregate(of("Bucket"), items(ready, ready, failed)))
    assert [c["message"] for c in status["conditions"]] == ["m1=stored, m2=stored", "m3=gone"]
    assert status["url"] == "u"


def test_failures_of_a_release_are_counted_once() -> None:
    """Aggregating again what has not changed changes nothing."""
    release = of("HelmRelease", status={"failures": 3})
    once = INTERPRETER.aggregate(release, items({"failures": 1}, {"failures": 2}))
    assert status_of(once)["failures"] == 3
    assert once is not None
    assert INTERPRETER.aggregate(once, items({"failures": 1}, {"failures": 2})) == once


def test_helm_chart_reflects_how_far_it_is() -> None:
    reflected = INTERPRETER.reflect(of("HelmChart", status={"observedGeneration": 2, "url": "u", "artifact": {}}))
    assert reflected == {"observedGeneration": 2, "url": "u", "generation": 2, "resourceTemplateGeneration": 2}


def test_namespaced_kyverno_policy() -> None:
    assert INTERPRETER.health(of("Policy", status={"ready": True})) is Health.HEALTHY
    rules = {"validate": 1, "generate": 0, "mutate": 2, "verifyimages": 0}
    status = status_of(INTERPRETER.aggregate(of("Policy"), items({"rulecount": rules}, {"rulecount": rules})))
    assert status["rulecount"] == {"validate": 2, "generate": 0, "mutate": 4, "verifyimages": 0}


@pytest.mark.parametrize(
    ("spec", "driver", "executor"),
    [
        ({"type": "Java"}, "1408Mi", "1408Mi"),
        ({"type": "Python", "driver": {"memory": "2g"}}, "3006477107200m", "1503238553600m"),
        ({"type": "Scala", "executor": {"memory": "4g", "memoryOverhead": "1g"}}, "1408Mi", "5Gi"),
        ({"type": "Java", "memoryOverheadFactor": "0.5", "driver": {"memory": "1g"}}, "1536Mi", "1536Mi"),
    ],
    ids=["at least 384m", "forty percent", "as written", "factor"],
)
def test_spark_adds_the_overhead_that_spark_adds(spec: dict[str, Any], driver: str, executor: str) -> None:
    first, second = INTERPRETER.components(of("SparkApplication", spec)) or ()
    assert first["replicaRequirements"]["resourceRequest"] == {"cpu": "1", "memory": driver}
    assert second["replicaRequirements"]["resourceRequest"]["memory"] == executor


def test_spark_starts_with_as_many_executors_as_it_may() -> None:
    dynamic = {"enabled": True, "initialExecutors": 2, "minExecutors": 4}
    spec = {"type": "R", "executor": {"instances": 3, "gpu": {"name": "nvidia.com/gpu", "quantity": 2}}}
    _, executor = INTERPRETER.components(of("SparkApplication", {**spec, "dynamicAllocation": dynamic})) or ()
    assert executor["replicas"] == 4
    assert executor["replicaRequirements"]["resourceRequest"]["nvidia.com/gpu"] == "2"


@pytest.mark.parametrize(
    ("replicas", "shares"),
    [(1, [0, 0, 0]), (11, [3, 3, 4]), (6, [2, 2, 1]), (0, [0, 0, 0])],
)
def test_workers_of_a_ray_service_are_shared_in_proportion(replicas: int, shares: list[int]) -> None:
    """One is the head; each group is rounded half up, and the last takes the rest."""
    groups = [{"groupName": name, "replicas": 1, "template": TEMPLATE} for name in ("a", "b", "c")]
    service = of(
        "RayService", {"rayClusterConfig": {"headGroupSpec": {"template": TEMPLATE}, "workerGroupSpecs": groups}}
    )
    assert INTERPRETER.replicas(service) == (4, NEEDS)
    revised = INTERPRETER.revise(service, replicas)
    assert revised is not None
    workers = revised["spec"]["rayClusterConfig"]["workerGroupSpecs"]
    assert [group["replicas"] for group in workers] == shares
    assert INTERPRETER.dependencies(service) == (RUNNER,)


def test_aggregation_that_knows_no_time_writes_none() -> None:
    """What has not changed must look the same tomorrow: where Karmada notes when it looked, we note nothing."""
    failed = {"conditions": [condition("Failed")]}
    (told,) = status_of(INTERPRETER.aggregate(of("TFJob"), items(failed, {})))["conditions"]
    assert told == {
        "type": "Failed",
        "status": "True",
        "reason": "TFJobFailed",
        "message": "TFJob executed failed in member clusters: m1",
    }
    lost = {"containerState": {"waiting": {"reason": "CrashLoopBackOff"}}}
    notebook = status_of(INTERPRETER.aggregate(of("Notebook"), items(lost, lost)))
    assert notebook["containerState"] == lost["containerState"]
    assert "lastTransitionTime" not in notebook["conditions"][0]
