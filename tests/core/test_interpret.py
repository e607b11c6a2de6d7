"""What kinds mean: the entry point, its precedence, and the native kinds."""

import contextlib
import copy
from collections.abc import Mapping
from typing import Any

import pytest

from gitops_karmada.core.interpret import NATIVE, THIRDPARTY, By, Interpreter, Operation
from gitops_karmada.core.interpreters import Interpretation, InterpretError
from gitops_karmada.model.bindings import Health

INTERPRETER = Interpreter()
GENERATION = "resourcetemplate.karmada.io/generation"


def deployment(spec: Mapping[str, Any] | None = None, status: Any = None, **metadata: Any) -> dict[str, Any]:
    obj = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop", **metadata},
        "spec": {"replicas": 2, "template": {"spec": {"containers": [{"name": "web"}]}}, **(spec or {})},
    }
    return obj if status is None else {**obj, "status": status}


def of(api_version: str, kind: str, **fields: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x", "namespace": "shop"}, **fields}


def item(cluster: str, status: Any) -> dict[str, Any]:
    return {"clusterName": cluster, "applied": True, **({"status": status} if status is not None else {})}


def pod_spec(**fields: Any) -> dict[str, Any]:
    return {"template": {"spec": {"containers": [{"name": "web"}], **fields}}}


# Who answers.


def test_customization_goes_before_webhook_thirdparty_and_native() -> None:
    """The first layer that has the operation answers, and the others are not asked."""

    def answering(number: int) -> Any:
        return lambda _kind: Interpretation(replicas=lambda _obj: (number, None))

    layered = Interpreter(customized=answering(1), webhooks=answering(2), thirdparty=answering(3))
    assert layered.replicas(deployment()) == (1, None)
    assert layered.by(Operation.REPLICAS, deployment()) is By.CUSTOMIZED
    assert Interpreter(webhooks=answering(2), thirdparty=answering(3)).replicas(deployment()) == (2, None)
    assert Interpreter(thirdparty=answering(3)).by(Operation.REPLICAS, deployment()) is By.THIRDPARTY


def test_precedence_is_by_operation() -> None:
    """A customization of health leaves the replicas of a Deployment native."""
    layered = Interpreter(customized=lambda _kind: Interpretation(health=lambda _obj: True))
    assert layered.by(Operation.HEALTH, deployment()) is By.CUSTOMIZED
    assert layered.by(Operation.REPLICAS, deployment()) is By.NATIVE
    assert layered.replicas(deployment()) == (2, None)


def test_error_of_a_layer_is_final() -> None:
    """A customization that fails is not replaced by what the native rule would say."""

    def fail(_obj: Any) -> Any:
        raise InterpretError("boom")

    with pytest.raises(InterpretError, match="boom"):
        Interpreter(customized=lambda _kind: Interpretation(replicas=fail)).replicas(deployment())


def test_no_rule_is_not_an_empty_answer() -> None:
    """A kind without a rule answers None, and says that nobody answered."""
    config = of("v1", "ConfigMap", data={"a": "b"})
    assert INTERPRETER.replicas(config) is None
    assert INTERPRETER.dependencies(config) is None
    assert INTERPRETER.health(config) is None
    assert INTERPRETER.by(Operation.HEALTH, config) is None
    assert INTERPRETER.dependencies(deployment()) == ()


def test_version_counts() -> None:
    """A rule for apps/v1 does not serve apps/v1beta1."""
    assert INTERPRETER.replicas({**deployment(), "apiVersion": "apps/v1beta1"}) is None


def test_status_of_any_kind_is_collected() -> None:
    """A kind that nobody knows keeps its whole status."""
    widget = of("example.io/v1", "Widget", status={"phase": "Ready"})
    assert INTERPRETER.reflect(widget) == {"phase": "Ready"}
    assert INTERPRETER.by(Operation.REFLECT, widget) is By.NATIVE
    assert INTERPRETER.reflect(of("example.io/v1", "Widget")) is None
    with pytest.raises(InterpretError, match="status: expected a map"):
        INTERPRETER.reflect(of("example.io/v1", "Widget", status="fine"))


@pytest.mark.parametrize(
    "broken",
    [
        deployment({"replicas": "2"}),
        deployment({"replicas": True}),
        deployment({"template": ["a"]}),
        deployment(pod_spec(containers=[{"name": "c", "resources": {"requests": {"cpu": "a lot"}}}])),
    ],
    ids=["text", "boolean", "list", "quantity"],
)
def test_malformed_object_is_an_error_of_that_object(broken: dict[str, Any]) -> None:
    """Objects come from people undecoded; what cannot be read is said, and nothing else breaks."""
    with pytest.raises(InterpretError, match=r"spec\."):
        INTERPRETER.replicas(broken)


@pytest.mark.parametrize("kind", sorted({**NATIVE, **THIRDPARTY}), ids=lambda kind: f"{kind[1]}.{kind[0]}")
def test_every_rule_survives_objects_without_anything(kind: tuple[str, str]) -> None:
    """An empty object, or one of nonsense, gives an answer or an InterpretError: never another exception."""
    api_version, name = kind
    items = [item("m1", {}), item("m2", None)]
    for rest in (
        {},
        {"spec": [], "status": 3},
        {"spec": {"template": 1}, "status": {"conditions": "x"}},
        {"metadata": 1},
    ):
        obj = {"apiVersion": api_version, "kind": name, **rest}
        before = copy.deepcopy(obj)
        for ask in (
            lambda obj: INTERPRETER.replicas(obj),
            lambda obj: INTERPRETER.components(obj),
            lambda obj: INTERPRETER.revise(obj, 3),
            lambda obj: INTERPRETER.retain(obj, obj),
            lambda obj: INTERPRETER.health(obj),
            lambda obj: INTERPRETER.reflect(obj),
            lambda obj: INTERPRETER.aggregate(obj, items),
            lambda obj: INTERPRETER.dependencies(obj),
        ):
            with contextlib.suppress(InterpretError):
                ask(obj)
        assert obj == before


# Replicas.


def test_requirements_are_the_sum_of_containers_and_no_less_than_each_init_container() -> None:
    """Requests fall back to limits; overhead comes on top; what is zero is left out."""
    containers = [
        {"name": "a", "resources": {"requests": {"cpu": "100m", "memory": "1Gi", "example.com/gpu": "0"}}},
        {"name": "b", "resources": {"limits": {"cpu": "200m"}}},
    ]
    init = [{"name": "i", "resources": {"requests": {"cpu": "500m"}}}]
    spec = pod_spec(containers=containers, initContainers=init, overhead={"cpu": "50m"})
    assert INTERPRETER.replicas(deployment(spec)) == (2, {"resourceRequest": {"cpu": "550m", "memory": "1Gi"}})


def test_node_claim_is_what_the_pod_says_of_nodes() -> None:
    tolerations = [{"key": "bar", "operator": "Exists"}]
    spec = pod_spec(nodeSelector={"foo": "foo1"}, tolerations=tolerations)
    claim = {"nodeSelector": {"foo": "foo1"}, "tolerations": tolerations}
    assert INTERPRETER.replicas(deployment(spec)) == (2, {"nodeClaim": claim})


@pytest.mark.parametrize(
    ("spec", "expected"),
    [({"parallelism": 3, "completions": 2}, 2), ({"parallelism": 3}, 3), ({"completions": 2}, 0)],
    ids=["fewer completions", "no completions", "no parallelism"],
)
def test_job_runs_as_many_pods_as_it_may(spec: dict[str, Any], expected: int) -> None:
    assert INTERPRETER.replicas(of("batch/v1", "Job", spec=spec)) == (expected, None)


def test_pod_is_one_replica() -> None:
    assert INTERPRETER.replicas(of("v1", "Pod", spec={"containers": [{"name": "c"}]})) == (1, None)


# Revise.


def test_revised_object_shares_all_but_the_way_to_the_number() -> None:
    """Revising 40,000 objects copies three small maps each, and never the object that was given."""
    template = deployment({"replicas": 1})
    revised = INTERPRETER.revise(template, 3)
    assert revised is not None
    assert revised["spec"]["replicas"] == 3
    assert template["spec"]["replicas"] == 1
    assert revised["spec"]["template"] is template["spec"]["template"]


def test_number_is_written_only_where_there_is_one() -> None:
    without = deployment()
    del without["spec"]["replicas"]
    assert INTERPRETER.revise(without, 3) == without
    with pytest.raises(InterpretError, match=r"spec\.replicas: expected an integer"):
        INTERPRETER.revise(deployment({"replicas": "1"}), 3)


def test_job_is_revised_in_its_parallelism() -> None:
    job = of("batch/v1", "Job", spec={"parallelism": 1, "completions": 4})
    assert INTERPRETER.revise(job, 5) == {**job, "spec": {"parallelism": 5, "completions": 4}}


# Retain.


def test_replicas_are_left_to_the_member_where_the_template_says_so() -> None:
    label = {"resourcetemplate.karmada.io/retain-replicas": "true"}
    desired, observed = deployment(labels=label), deployment({"replicas": 4})
    retained = INTERPRETER.retain(desired, observed)
    assert retained is not None
    assert retained["spec"]["replicas"] == 4
    assert INTERPRETER.retain(deployment(), observed) == deployment()
    with pytest.raises(InterpretError, match="nothing observed"):
        INTERPRETER.retain(desired, {"metadata": {}, "spec": {}})


@pytest.mark.parametrize(
    ("api_version", "kind", "desired", "observed", "expected"),
    [
        (
            "v1",
            "Service",
            {"spec": {}},
            {"spec": {"clusterIP": "1.2.3.4", "healthCheckNodePort": 0}},
            {"spec": {"clusterIP": "1.2.3.4"}},
        ),
        ("v1", "PersistentVolumeClaim", {"spec": {}}, {"spec": {"volumeName": "v"}}, {"spec": {"volumeName": "v"}}),
        (
            "v1",
            "PersistentVolume",
            {"spec": {}},
            {"spec": {"claimRef": {"name": "c"}}},
            {"spec": {"claimRef": {"name": "c"}}},
        ),
        (
            "v1",
            "Secret",
            {"type": "kubernetes.io/service-account-token"},
            {"data": {"token": "dA=="}},
            {"type": "kubernetes.io/service-account-token", "data": {"token": "dA=="}},
        ),
        ("v1", "Secret", {"type": "kubernetes.io/tls"}, {"data": {"token": "dA=="}}, {"type": "kubernetes.io/tls"}),
        (
            "v1",
            "ServiceAccount",
            {"secrets": [{"name": "a"}]},
            {"secrets": [{"name": "a"}, {"name": "a-token-1"}]},
            {"secrets": [{"name": "a"}, {"name": "a-token-1"}]},
        ),
        (
            "batch/v1",
            "Job",
            {"spec": {}},
            {"spec": {"selector": {"matchLabels": {"controller-uid": "u"}}}},
            {"spec": {"selector": {"matchLabels": {"controller-uid": "u"}}}},
        ),
    ],
    ids=["cluster address", "bound volume", "claim", "issued token", "own secret", "added secrets", "selector"],
)
def test_what_a_member_gave_out_is_kept(
    api_version: str, kind: str, desired: Any, observed: Any, expected: Any
) -> None:
    wanted = of(api_version, kind, **desired)
    assert INTERPRETER.retain(wanted, of(api_version, kind, **observed)) == of(api_version, kind, **expected)


def test_pod_keeps_node_account_and_mounts() -> None:
    desired = of("v1", "Pod", spec={"containers": [{"name": "c"}, {"name": "new"}]})
    mounts = [{"name": "kube-api-access", "mountPath": "/var/run"}]
    spec = {"nodeName": "n", "serviceAccountName": "s", "containers": [{"name": "c", "volumeMounts": mounts}]}
    retained = INTERPRETER.retain(desired, of("v1", "Pod", spec=spec))
    containers = [{"name": "c", "volumeMounts": mounts}, {"name": "new"}]
    assert retained == of("v1", "Pod", spec={"containers": containers, "nodeName": "n", "serviceAccountName": "s"})


# Health.

FULL = {"observedGeneration": 1, "updatedReplicas": 3, "availableReplicas": 3}


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (FULL, Health.HEALTHY),
        ({**FULL, "observedGeneration": 2}, Health.UNHEALTHY),
        ({**FULL, "updatedReplicas": 1}, Health.UNHEALTHY),
        ({**FULL, "availableReplicas": 0}, Health.UNHEALTHY),
        ({}, Health.UNHEALTHY),
    ],
    ids=["settled", "not observed", "not updated", "not available", "silent"],
)
def test_deployment_is_healthy_when_its_newest_pods_run(status: dict[str, Any], expected: Health) -> None:
    assert INTERPRETER.health(deployment({"replicas": 3}, status, generation=1)) is expected


@pytest.mark.parametrize(
    ("api_version", "kind", "fields", "expected"),
    [
        ("v1", "Service", {"spec": {"type": "NodePort"}}, Health.HEALTHY),
        ("v1", "Service", {"spec": {"type": "LoadBalancer"}}, Health.UNHEALTHY),
        (
            "v1",
            "Service",
            {"spec": {"type": "LoadBalancer"}, "status": {"loadBalancer": {"ingress": [{"ip": "1.1.1.1"}]}}},
            Health.HEALTHY,
        ),
        ("networking.k8s.io/v1", "Ingress", {"status": {"loadBalancer": {}}}, Health.UNHEALTHY),
        ("v1", "PersistentVolumeClaim", {"status": {"phase": "Pending"}}, Health.UNHEALTHY),
        ("policy/v1", "PodDisruptionBudget", {"status": {"currentHealthy": 1, "desiredHealthy": 2}}, Health.UNHEALTHY),
        ("policy/v1", "PodDisruptionBudget", {"status": {"currentHealthy": 2, "desiredHealthy": 2}}, Health.HEALTHY),
        (
            "v1",
            "Pod",
            {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}]}},
            Health.UNHEALTHY,
        ),
        ("v1", "Pod", {"status": {"phase": "Succeeded"}}, Health.HEALTHY),
        ("v1", "Pod", {}, Health.UNHEALTHY),
        ("batch/v1", "Job", {"status": {"failed": 3}}, None),
    ],
)
def test_health(api_version: str, kind: str, fields: Any, expected: Health | None) -> None:
    assert INTERPRETER.health(of(api_version, kind, **fields)) is expected


# The way back.


def test_reflected_status_says_how_far_the_member_is() -> None:
    status = {"replicas": 3, "readyReplicas": 0, "observedGeneration": 1, "conditions": [{"type": "Available"}]}
    obj = deployment(status=status, generation=1, annotations={GENERATION: "7"})
    expected = {"replicas": 3, "observedGeneration": 1, "generation": 1, "resourceTemplateGeneration": 7}
    assert INTERPRETER.reflect(obj) == expected


@pytest.mark.parametrize("annotations", [{}, {GENERATION: "abc"}], ids=["missing", "no number"])
def test_status_without_the_template_it_belongs_to_is_an_error(annotations: dict[str, str]) -> None:
    with pytest.raises(InterpretError, match="generation"):
        INTERPRETER.reflect(deployment(status={"replicas": 1}, annotations=annotations))


def test_counters_are_summed_and_generation_follows_when_all_have_seen_it() -> None:
    seen = {
        "replicas": 1,
        "readyReplicas": 1,
        "observedGeneration": 4,
        "generation": 4,
        "resourceTemplateGeneration": 2,
    }
    obj = deployment(status={"observedGeneration": 1}, generation=2)
    aggregated = INTERPRETER.aggregate(obj, [item("m1", seen), item("m2", seen)])
    assert aggregated is not None
    assert aggregated["status"] == {"replicas": 2, "readyReplicas": 2, "observedGeneration": 2}
    waiting = INTERPRETER.aggregate(obj, [item("m1", seen), item("m2", None)])
    assert waiting is not None
    assert waiting["status"] == {"replicas": 1, "readyReplicas": 1, "observedGeneration": 1}


def test_unchanged_status_is_the_same_object() -> None:
    """What did not change costs nothing and makes no commit."""
    seen = {"replicas": 1, "resourceTemplateGeneration": 2}
    obj = deployment(status={"replicas": 1, "observedGeneration": 2}, generation=2)
    assert INTERPRETER.aggregate(obj, [item("m1", seen)]) is obj


@pytest.mark.parametrize(
    ("reports", "expected"),
    [
        (["Running", "Failed"], "Failed"),
        (["Running", "Succeeded"], "Running"),
        (["Running", None], "Pending"),
        (["Succeeded", "Succeeded"], "Succeeded"),
    ],
)
def test_worst_pod_speaks_for_all(reports: list[str | None], expected: str) -> None:
    items = [item(f"m{i}", phase and {"phase": phase}) for i, phase in enumerate(reports)]
    aggregated = INTERPRETER.aggregate(of("v1", "Pod"), items)
    assert aggregated is not None
    assert aggregated["status"] == {"phase": expected}


def test_job_fails_where_one_member_fails() -> None:
    complete = {"succeeded": 1, "conditions": [{"type": "Complete", "status": "True"}]}
    failed = {"failed": 1, "conditions": [{"type": "Failed", "status": "True"}]}
    job = of("batch/v1", "Job")
    done = INTERPRETER.aggregate(job, [item("m1", complete), item("m2", complete)])
    assert done is not None
    assert done["status"]["succeeded"] == 2
    assert [c["type"] for c in done["status"]["conditions"]] == ["Complete"]
    broken = INTERPRETER.aggregate(job, [item("m1", complete), item("m2", failed)])
    assert broken is not None
    (condition,) = broken["status"]["conditions"]
    assert condition["message"] == "Job executed failed in member clusters m2"
    assert INTERPRETER.aggregate(broken, [item("m1", complete)]) is broken


def test_addresses_of_all_members_are_told_once() -> None:
    service = of("v1", "Service", spec={"type": "LoadBalancer"})
    first = {"loadBalancer": {"ingress": [{"ip": "8.8.8.8", "ports": [{"port": 443, "protocol": "TCP"}]}]}}
    second = {"loadBalancer": {"ingress": [{"ip": "8.8.8.8", "ports": [{"port": 80}]}, {"hostname": "lb.example.com"}]}}
    aggregated = INTERPRETER.aggregate(service, [item("m1", first), item("m2", second)])
    assert aggregated is not None
    ports = [{"port": 80}, {"port": 443, "protocol": "TCP"}]
    ingress = [{"hostname": "lb.example.com"}, {"ip": "8.8.8.8", "ports": ports}]
    assert aggregated["status"] == {"loadBalancer": {"ingress": ingress}}


# Dependencies.


def reference(kind: str, name: str) -> dict[str, str]:
    return {"apiVersion": "v1", "kind": kind, "namespace": "shop", "name": name}


def test_workload_needs_what_its_pods_read_and_mount() -> None:
    container = {
        "name": "c",
        "env": [
            {"name": "A", "valueFrom": {"configMapKeyRef": {"name": "foo", "key": "a", "optional": True}}},
            {"name": "B", "valueFrom": {"secretKeyRef": {"name": "bar", "key": "b"}}},
        ],
        "envFrom": [{"configMapRef": {"name": "foo"}}, {"secretRef": {"name": ""}}],
    }
    volumes = [
        {"name": "v", "csi": {"driver": "d", "nodePublishSecretRef": {"name": "csi"}}},
        {"name": "w", "persistentVolumeClaim": {"claimName": "data"}},
    ]
    spec = pod_spec(initContainers=[container], volumes=volumes, serviceAccountName="runner")
    assert INTERPRETER.dependencies(deployment(spec)) == (
        reference("ConfigMap", "foo"),
        reference("Secret", "bar"),
        reference("Secret", "csi"),
        reference("ServiceAccount", "runner"),
        reference("PersistentVolumeClaim", "data"),
    )


def test_statefulset_does_not_need_the_claims_it_makes() -> None:
    volumes = [{"name": n, "persistentVolumeClaim": {"claimName": n}} for n in ("www", "other")]
    spec = {**pod_spec(volumes=volumes), "volumeClaimTemplates": [{"metadata": {"name": "www"}}]}
    assert INTERPRETER.dependencies(of("apps/v1", "StatefulSet", spec=spec)) == (
        reference("PersistentVolumeClaim", "other"),
    )


def test_ingress_needs_its_certificates() -> None:
    spec = {"tls": [{"secretName": "b"}, {"secretName": "a"}, {"secretName": "a"}]}
    ingress = of("networking.k8s.io/v1", "Ingress", spec=spec)
    assert INTERPRETER.dependencies(ingress) == (reference("Secret", "a"), reference("Secret", "b"))
    with pytest.raises(InterpretError, match="names no secretName"):
        INTERPRETER.dependencies(of("networking.k8s.io/v1", "Ingress", spec={"tls": [{"hosts": ["a"]}]}))


def test_service_import_needs_the_derived_service_and_its_endpoints() -> None:
    service, endpoints = INTERPRETER.dependencies(of("multicluster.x-k8s.io/v1alpha1", "ServiceImport")) or ()
    assert service == reference("Service", "derived-x")
    assert endpoints["labelSelector"] == {"matchLabels": {"kubernetes.io/service-name": "derived-x"}}
