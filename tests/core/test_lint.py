from typing import Any

import pytest

from gitops_karmada.core.federate import federate
from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.core.lint import lint
from gitops_karmada.model.codes import CODES
from gitops_karmada.model.decode import decode
from gitops_karmada.model.files import Manifest
from gitops_karmada.model.objects import Key, Object
from gitops_karmada.model.problems import Location, Problem, Severity
from gitops_karmada.model.settings import FederationSpec, Settings
from tests.core.worlds import POLICY_GROUP, YAML, deployment, selected

WEB = deployment()
BY_NAME: dict[str, Any] = {"resourceSelectors": [selected(name="web")]}


def manifest(number: int, obj: Object) -> Manifest:
    """Each object in a file of its own; a field's line is the number of its path's steps."""
    location = Location(file=f"{number}-{obj['metadata']['name']}.yaml", line=1)
    return Manifest(
        object=obj,
        location=location,
        document=1,
        locate=lambda path: Location(file=location.file, line=1 + len(path)),
    )


def beside_wrong(*objects: Object, broken: Key | None = None, unread: str = "") -> list[str]:
    """The codes found in a repository of which something cannot be used."""
    manifests = [manifest(number, obj) for number, obj in enumerate(objects)]
    broken_keys, files = ([broken] if broken else []), ([unread] if unread else [])
    federation = federate(manifests, Settings(), broken=broken_keys, unread=files)
    return [problem.code for problem in lint(federation, Interpreter())]


def linted(*objects: Object, settings: dict[str, Any] | None = None) -> list[Problem]:
    spec = decode(FederationSpec, settings or {}).unwrap()
    manifests = [manifest(number, obj) for number, obj in enumerate(objects)]
    federation = federate(manifests, Settings(spec=spec))
    assert [problem for problem in federation.problems if problem.severity is Severity.ERROR] == []
    found = list(lint(federation, Interpreter()))
    assert all(problem.code in CODES for problem in found)
    return found


def told(code: str, *objects: Object, settings: dict[str, Any] | None = None) -> list[str]:
    """The findings of one code, with their fields."""
    found = linted(*objects, settings=settings)
    return [f"{one.path}: {one.message}. {one.hint}".rstrip(". ") for one in found if one.code == code]


def policy(name: str = "web", namespace: str = "shop", kind: str = "PropagationPolicy", **spec: Any) -> Object:
    kind = kind if namespace else f"Cluster{kind}"
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {"apiVersion": POLICY_GROUP, "kind": kind, "metadata": metadata, "spec": spec or BY_NAME}


def placed(**placement: Any) -> Object:
    return policy(**BY_NAME, placement=placement)


def cluster(name: str, labels: dict[str, str] | None = None, **spec: Any) -> Object:
    metadata = {"name": name, "labels": labels or {}}
    return {"apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster", "metadata": metadata, "spec": spec}


def overriding(name: str, value: str, **spec: Any) -> Object:
    overrider = {"labelsOverrider": [{"operator": "add", "value": {"site": value}}]}
    return policy(name, kind="OverridePolicy", overrideRules=[{"overriders": overrider}], **spec)


def weighted(*weights: tuple[str, int], **placement: Any) -> Object:
    listed = [{"targetCluster": {"clusterNames": [name]}, "weight": weight} for name, weight in weights]
    scheduling = {"replicaSchedulingType": "Divided", "weightPreference": {"staticWeightList": listed}}
    return placed(replicaScheduling=scheduling, **placement)


M1, M2 = cluster("m1", {"zone": "eu-west"}, region="eu"), cluster("m2", region="us")


def test_a_sound_repository_has_no_findings() -> None:
    assert linted(WEB, placed(clusterAffinity={"clusterNames": ["m1"]}), M1) == []


INGRESS = {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"namespace": "shop", "name": "site"}}


def test_a_selector_that_matches_nothing_is_told_with_what_was_meant() -> None:
    selector = {"apiVersion": "v1", "kind": "Ingress", "name": "site"}
    assert told("GK2001", INGRESS, policy(resourceSelectors=[selector])) == [
        "spec.resourceSelectors[0]: v1 Ingress site in shop matches no object. Did you mean networking.k8s.io/v1?"
    ]
    assert told("GK2002", INGRESS, policy(resourceSelectors=[selector])) == [
        ": no policy selects it and no workload brings it along: it goes nowhere"
    ]


@pytest.mark.parametrize(
    ("selector", "advice"),
    [
        (selected(name="wob"), "Did you mean web?"),
        (selected(kind="Deploymnt", name="web"), "Did you mean kind Deployment?"),
        (selected(labelSelector={"matchLabels": {"app": "nobody"}}), ""),
    ],
)
def test_the_closest_thing_is_named(selector: dict[str, Any], advice: str) -> None:
    (found,) = [one for one in linted(WEB, policy(resourceSelectors=[selector])) if one.code == "GK2001"]
    assert found.hint == advice
    assert found.location == Location(file="1-web.yaml", line=4)


def test_a_name_in_another_namespace_is_named() -> None:
    (found,) = told("GK2001", deployment(namespace="pay"), policy())
    assert found.endswith("There is one in namespace pay")


def test_what_cannot_be_used_has_no_second_finding() -> None:
    """A selector may mean the object that is wrong, a template may belong to the policy that is wrong."""
    secret = Key(group="", kind="Secret", namespace="shop", name="s")
    by_secret = policy(resourceSelectors=[{"apiVersion": "v1", "kind": "Secret", "name": "s"}])
    assert beside_wrong(by_secret) == ["GK2001"]
    assert beside_wrong(by_secret, broken=secret) == []
    assert beside_wrong(by_secret, unread="a.yaml") == []
    group = "policy.karmada.io"
    assert beside_wrong(WEB) == ["GK2002"]
    assert beside_wrong(WEB, broken=Key(group=group, kind="PropagationPolicy", namespace="shop", name="p")) == []
    assert beside_wrong(WEB, broken=Key(group=group, kind="PropagationPolicy", namespace="pay", name="p")) == ["GK2002"]
    assert beside_wrong(WEB, broken=Key(group=group, kind="ClusterPropagationPolicy", name="p")) == []
    assert beside_wrong(WEB, unread="a.yaml") == []


def test_an_override_that_cannot_be_applied_is_told_once() -> None:
    """In the clusters that the policy may choose, at the line of the overrider; a plan tells it by itself."""
    patch = {"plaintext": [{"path": "/spec/nope/x", "operator": "replace", "value": 1}]}
    wrong = policy("site", kind="OverridePolicy", overrideRules=[{"overriders": patch}], **BY_NAME)
    chosen = placed(clusterAffinity={"exclude": ["m3"]})
    other = overriding("other", "x", resourceSelectors=[selected(name="web")])
    other["spec"]["overrideRules"][0]["targetCluster"] = {"clusterNames": ["m1"]}
    objects = (WEB, chosen, wrong, other, M1, M2, cluster("m3"))
    manifests = [manifest(number, obj) for number, obj in enumerate(objects)]
    federation = federate(manifests, Settings())
    assert [one.code for one in lint(federation, Interpreter())] == []
    (found,) = lint(federation, Interpreter(), YAML)
    assert (found.code, found.severity) == ("GK2006", Severity.ERROR)
    assert found.path == "spec.overrideRules[0].overriders.plaintext[0]"
    assert found.message.startswith("cannot be applied to Deployment.apps shop/web: ")
    assert found.message.endswith("(clusters m1, m2)")


def test_a_policy_cannot_suspend_scheduling() -> None:
    (found,) = told("GK2008", WEB, policy(**BY_NAME, suspension={"scheduling": True}))
    assert found == "spec.suspension.scheduling: has no effect: policies suspend dispatching alone"


def test_overrides_that_match_nothing_are_told() -> None:
    selectors = [{"apiVersion": "v1", "kind": "Deployment", "name": "web"}]
    assert told("GK2001", WEB, policy(), overriding("a", "x", resourceSelectors=selectors)) == [
        "spec.resourceSelectors[0]: v1 Deployment web in shop matches no object. Did you mean apps/v1?"
    ]
    elsewhere = policy("a", "pay", "OverridePolicy", overrideRules=[{"overriders": {}}])
    assert told("GK2001", WEB, policy(), elsewhere) == ["metadata.namespace: there is no object in namespace pay"]


def test_a_rebalancer_of_nothing_is_told() -> None:
    workload = {**selected(name="api"), "namespace": "shop"}
    rebalancer = {
        "apiVersion": "apps.karmada.io/v1alpha1",
        "kind": "WorkloadRebalancer",
        "metadata": {"name": "now"},
        "spec": {"workloads": [workload, {**workload, "name": "web"}]},
    }
    assert told("GK2001", WEB, policy(), rebalancer) == [
        "spec.workloads[0]: there is no Deployment shop/api in the repository"
    ]


CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "shop", "name": "cfg"}}


def test_a_dependency_goes_with_its_workload_and_needs_no_policy() -> None:
    pod = {"volumes": [{"name": "v", "configMap": {"name": "cfg"}}]}
    needing = deployment(template={"spec": pod})
    assert told("GK2002", needing, CONFIG, policy(**BY_NAME, propagateDeps=True)) == []
    assert len(told("GK2002", needing, CONFIG, policy())) == 1


def test_equal_policies_are_told_once_with_both_places() -> None:
    others = [deployment(name) for name in ("api", "db")]
    every: dict[str, Any] = {"resourceSelectors": [selected()]}
    (found,) = told("GK2040", WEB, *others, policy("b", **every), policy("a", **every))
    assert found == (
        "spec.priority: selects Deployment.apps shop/api and 2 more just as PropagationPolicy shop/a (4-a.yaml:1) "
        "does, with the same priority 0: the smaller name wins. Give one of them a higher priority"
    )
    assert told("GK2040", WEB, policy("b", **every), policy("a", **every, priority=1)) == []
    assert told("GK2040", WEB, policy("b", **every), policy("a")) == []


def test_a_policy_that_never_wins_is_told() -> None:
    every: dict[str, Any] = {"resourceSelectors": [selected()]}
    assert told("GK2003", WEB, policy("all", **every), policy("web")) == [
        (
            "spec.resourceSelectors: gets nothing: for Deployment.apps shop/web PropagationPolicy shop/web wins: it "
            "selects by name, this one all of the kind"
        )
    ]
    assert told("GK2003", WEB, deployment("api"), policy("all", **every), policy("web")) == []


def test_clusters_that_do_not_exist_are_told() -> None:
    assert told("GK2004", WEB, placed(clusterAffinity={"clusterNames": ["m1", "m22"]}), M1, M2) == [
        "spec.placement.clusterAffinity.clusterNames[1]: there is no cluster 'm22'. Did you mean m2?"
    ]
    assert told("GK2004", WEB, placed(clusterAffinity={"clusterNames": ["m4"]})) == []


def test_labels_that_no_cluster_has_are_told() -> None:
    affinity = {"labelSelector": {"matchLabels": {"zone": "eu-wset"}}}
    assert told("GK2004", WEB, placed(clusterAffinity=affinity), M1, M2) == [
        "spec.placement.clusterAffinity: matches no registered cluster. Clusters carry zone: eu-west (m1)"
    ]


def test_clusters_of_overrides_and_quotas_are_looked_for_too() -> None:
    rules = [{"targetCluster": {"clusterNames": ["nowhere"]}, "overriders": {}}]
    override = policy("a", kind="OverridePolicy", overrideRules=rules)
    assignment = {"clusterName": "nowhere", "hard": {"cpu": "1"}}
    quota = policy("q", kind="FederatedResourceQuota", overall={"cpu": "1"}, staticAssignments=[assignment])
    assert told("GK2004", WEB, policy(), override, quota, M1) == [
        "spec.overrideRules[0].targetCluster.clusterNames[0]: there is no cluster 'nowhere'. Registered are m1",
        "spec.staticAssignments[0].clusterName: there is no cluster 'nowhere'. Registered are m1",
    ]


@pytest.mark.parametrize(
    ("constraints", "expected"),
    [
        ([{"spreadByField": "cluster", "minGroups": 2}], []),
        (
            [{"spreadByField": "cluster", "minGroups": 3}],
            ["spec.placement.spreadConstraints[0].minGroups: asks for 3 by cluster, there are 2"],
        ),
        ([{"spreadByField": "cluster"}, {"spreadByField": "region", "minGroups": 2}], []),
        (
            [{"spreadByField": "cluster"}, {"spreadByField": "zone", "minGroups": 1}],
            ["spec.placement.spreadConstraints[1].minGroups: asks for 1 by zone, there are 0"],
        ),
    ],
)
def test_more_groups_than_there_are(constraints: list[dict[str, Any]], expected: list[str]) -> None:
    assert told("GK2005", WEB, placed(spreadConstraints=constraints), M1, M2) == expected


def test_weights_of_clusters_that_are_never_chosen() -> None:
    place = "spec.placement.replicaScheduling.weightPreference.staticWeightList"
    affinity = {"clusterNames": ["m1"]}
    assert told("GK2009", WEB, weighted(("m1", 2), ("m2", 1), ("m3", 1), clusterAffinity=affinity), M1, M2) == [
        (
            f"{place}[1].targetCluster: weight 1: the affinity never chooses m2. "
            "Add it to the affinity, or remove the weight"
        ),
        f"{place}[2].targetCluster: weight 1: m3 is no registered cluster",
    ]
    assert told("GK2009", WEB, weighted(("m1", 2), ("m2", 1)), M1, M2) == []


def test_static_weights_beside_spread_constraints_name_both_fields() -> None:
    (found,) = told("GK2041", WEB, weighted(("m1", 2), spreadConstraints=[{"maxGroups": 1, "minGroups": 1}]), M1)
    assert found.startswith("spec.placement.spreadConstraints: is ignored")
    assert "staticWeightList" in found


SCHEDULING = "spec.placement.replicaScheduling"
DYNAMIC = {"dynamicWeight": "AvailableReplicas"}
STATIC = [{"targetCluster": {"clusterNames": ["m1"]}, "weight": 1}]


@pytest.mark.parametrize(
    ("placement", "expected"),
    [
        (
            {"replicaScheduling": {"replicaSchedulingType": "Duplicated", "weightPreference": DYNAMIC}},
            [f"{SCHEDULING}.weightPreference: has no effect: replicas are duplicated: weights play no part"],
        ),
        (
            {"replicaScheduling": {"replicaSchedulingType": "Duplicated", "replicaDivisionPreference": "Aggregated"}},
            [f"{SCHEDULING}.replicaDivisionPreference: has no effect: replicas are duplicated, not divided"],
        ),
        (
            {"replicaScheduling": {"replicaDivisionPreference": "Aggregated", "weightPreference": DYNAMIC}},
            [f"{SCHEDULING}.weightPreference: has no effect: replicas are aggregated: weights play no part"],
        ),
        (
            {"replicaScheduling": {"weightPreference": {**DYNAMIC, "staticWeightList": STATIC}}},
            [f"{SCHEDULING}.weightPreference.staticWeightList: has no effect: dynamicWeight decides"],
        ),
        ({"replicaScheduling": {"weightPreference": DYNAMIC}}, []),
        (
            {"clusterTolerations": [{"key": "a", "effect": "PreferNoSchedule"}]},
            [
                (
                    "spec.placement.clusterTolerations[0]: has no effect: clusters are never tainted with the effect "
                    "'PreferNoSchedule'"
                )
            ],
        ),
    ],
)
def test_fields_that_nobody_reads(placement: dict[str, Any], expected: list[str]) -> None:
    assert told("GK2008", WEB, placed(**placement)) == expected


def test_a_label_selector_beside_a_name_is_ignored() -> None:
    selector = selected(name="web", labelSelector={"matchLabels": {"app": "other"}})
    assert told("GK2008", WEB, policy(resourceSelectors=[selector])) == [
        "spec.resourceSelectors[0].labelSelector: is ignored, because the selector has a name"
    ]


FAILOVER: dict[str, Any] = {**BY_NAME, "failover": {"cluster": {}}}


def test_what_the_settings_leave_off_is_told() -> None:
    assert told("GK2008", WEB, policy(**FAILOVER)) == [
        "spec.failover: has no effect: failover is off in the settings (failover.enabled)"
    ]
    assert told("GK2008", WEB, policy(**FAILOVER), settings={"failover": {"enabled": True}}) == []
    taints = policy("t", "", "TaintPolicy", taints=[{"key": "a", "effect": "NoExecute"}])
    assert len(told("GK2008", WEB, policy(), taints)) == 1
    on = {"failover": {"enabled": True, "noExecuteTaintEviction": True}}
    assert told("GK2008", WEB, policy(), taints, settings=on) == []


def test_deprecated_fields_are_told_with_their_new_names() -> None:
    old = policy("a", kind="OverridePolicy", overriders={"labelsOverrider": [{"operator": "add", "value": {"a": "b"}}]})
    assert told("GK2010", WEB, policy(**BY_NAME, association=True), old, cluster("m1", zone="a")) == [
        "spec.association: is ignored. Use propagateDeps",
        "spec.overriders: is deprecated. Write it as a rule of overrideRules",
        "spec.zone: is deprecated. Write it as a list: zones",
    ]


def definition(version: dict[str, Any]) -> Object:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "gizmos.toys.example"},
        "spec": {
            "group": "toys.example",
            "names": {"kind": "Gizmo", "plural": "gizmos"},
            "scope": "Namespaced",
            "versions": [{"name": "v1", **version}],
        },
    }


GIZMO = {
    "apiVersion": "toys.example/v1",
    "kind": "Gizmo",
    "metadata": {"namespace": "shop", "name": "x"},
    "spec": {"replicas": 3},
}


def test_custom_kinds_with_replicas_need_an_interpreter() -> None:
    """Once a kind, at its definition where it is there."""
    scaled = {"subresources": {"scale": {"specReplicasPath": ".spec.replicas"}}}
    assert len(told("GK2042", definition(scaled), GIZMO)) == 1
    (found,) = [one for one in linted(GIZMO) if one.code == "GK2042"]
    assert found.path == "spec.replicas"
    assert told("GK2042", definition({})) == []
    assert told("GK2042", WEB) == []


def test_an_unknown_conflict_resolution_is_told() -> None:
    annotated = {
        **WEB,
        "metadata": {**WEB["metadata"], "annotations": {"work.karmada.io/conflict-resolution": "bogus"}},
    }
    (found,) = told("GK2043", annotated, policy())
    assert "'bogus' is neither overwrite nor abort" in found


def test_selectors_of_what_is_never_propagated() -> None:
    lease = [{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease"}]
    assert told("GK2048", WEB, policy(), policy("b", resourceSelectors=lease)) == [
        "spec.resourceSelectors[0]: coordination.k8s.io/v1 Lease is never propagated"
    ]


def test_names_that_policies_wait_for() -> None:
    waiting = policy(**BY_NAME, dependentOverrides=["site"])
    assert told("GK2047", WEB, waiting) == [
        "spec.dependentOverrides[0]: there is no OverridePolicy shop/site: the policy waits for it"
    ]
    assert told("GK2047", WEB, waiting, overriding("site", "x")) == []
    priority = {"priorityClassSource": "KubePriorityClass", "priorityClassName": "high"}
    assert len(told("GK2049", WEB, policy(**BY_NAME, schedulePriority=priority))) == 1


def test_overrides_of_equal_rank_that_write_the_same_field() -> None:
    assert told("GK2007", WEB, policy(), overriding("a", "1"), overriding("b", "2"), M1) == [
        (
            "spec: writes metadata.labels[site] of Deployment.apps shop/web, as OverridePolicy/shop/a (2-a.yaml:1) "
            "does: OverridePolicy/shop/b wins by its name"
        )
    ]
    closer = overriding("b", "2", resourceSelectors=[selected(name="web")])
    assert told("GK2007", WEB, policy(), overriding("a", "1"), closer, M1) == []


def test_findings_do_not_depend_on_the_order_of_files() -> None:
    objects = [WEB, policy("b"), policy("a"), overriding("x", "1"), M1]
    same = {(one.code, one.message.replace("-", "")) for one in linted(*objects) if one.code != "GK2040"}
    assert same == {
        (one.code, one.message.replace("-", "")) for one in linted(*reversed(objects)) if one.code != "GK2040"
    }
