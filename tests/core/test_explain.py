"""Why an object runs where it runs, in words. The decisions are the scheduler's own."""

import json
from dataclasses import replace
from typing import Any

import pytest

from gitops_karmada.core.divide import divide
from gitops_karmada.core.explain import changed, explain
from gitops_karmada.core.schedule import SchedulingWorld, schedule
from gitops_karmada.model.bindings import (
    Binding,
    BindingSnapshot,
    BindingSpec,
    ObjectReference,
    ReplicaRequirements,
    TargetCluster,
)
from gitops_karmada.model.clusters import (
    APIEnablement,
    APIResource,
    Cluster,
    ClusterSpec,
    ClusterStatus,
    Condition,
    ResourceSummary,
    Taint,
)
from gitops_karmada.model.decisions import Attempt, Decision, Division, Method, Trigger
from gitops_karmada.model.decode import encode
from gitops_karmada.model.federation import Commit
from gitops_karmada.model.frozen import Frozen
from gitops_karmada.model.metadata import ObjectMeta
from gitops_karmada.model.objects import ClusterName, Key
from gitops_karmada.model.placement import (
    ClusterAffinity,
    ClusterPreferences,
    DynamicWeight,
    Placement,
    ReplicaDivisionPreference,
    ReplicaSchedulingStrategy,
    ReplicaSchedulingType,
    Suspension,
)
from gitops_karmada.model.plan import Competitor, Why
from gitops_karmada.model.problems import Location
from gitops_karmada.model.quantity import quantity
from gitops_karmada.model.works import AppliedOverride, FieldChange, Work

WEB = Key(group="apps", kind="Deployment", namespace="shop", name="web")
BY_ROOM = ReplicaSchedulingStrategy(
    replica_scheduling_type=ReplicaSchedulingType.DIVIDED,
    replica_division_preference=ReplicaDivisionPreference.WEIGHTED,
    weight_preference=ClusterPreferences(dynamic_weight=DynamicWeight.AVAILABLE_REPLICAS),
)


def cluster(name: str, cpus: int, **spec: Any) -> Cluster:
    """A ready cluster that serves Deployments, with so many CPUs and memory for 4 Gi each."""
    room = {"cpu": quantity(cpus), "memory": quantity(f"{4 * cpus}Gi"), "pods": quantity(1000)}
    return Cluster(
        metadata=ObjectMeta(name=name),
        spec=ClusterSpec(**spec),
        status=ClusterStatus(
            api_enablements=(
                APIEnablement(group_version="apps/v1", resources=(APIResource(name="deployments", kind="Deployment"),)),
            ),
            conditions=(Condition(type="Ready", status="True"),),
            resource_summary=ResourceSummary(allocatable=Frozen(room)),
        ),
    )


def binding(replicas: int, placement: Placement, **running: int) -> Binding:
    request = Frozen({"cpu": quantity("250m"), "memory": quantity("256Mi")})
    return Binding(
        metadata=ObjectMeta(name="web-deployment", namespace="shop"),
        spec=BindingSpec(
            resource=ObjectReference(api_version="apps/v1", kind="Deployment", namespace="shop", name="web"),
            replicas=replicas,
            replica_requirements=ReplicaRequirements(resource_request=request),
            placement=placement,
            clusters=tuple(TargetCluster(name=name, replicas=count) for name, count in running.items()),
        ),
    )


CLUSTERS = (
    cluster("m1", 3),
    cluster("m2", 5),
    cluster("m3", 9, taints=(Taint(key="maintenance", value="planned", effect="NoSchedule"),)),
    cluster("m4", 3),
    cluster("m5", 9),
)
PLACEMENT = Placement(
    cluster_affinity=ClusterAffinity(exclude=("m5",)), replica_scheduling=BY_ROOM, cluster_tolerations=()
)


def decided(wish: Binding, trigger: Trigger | None = None) -> Decision:
    return schedule(wish, SchedulingWorld(CLUSTERS), trigger).decision


def test_a_scaled_workload_is_explained_step_by_step() -> None:
    """Policies with their rivals, filters a cluster, scores, room, and each seat of the division."""
    wish = binding(9, PLACEMENT, m1=4, m2=2)
    why = Why(
        key=WEB,
        source=Location(file="templates/web.yaml", line=1),
        claim="PropagationPolicy shop/web",
        competitors=(
            Competitor(
                policy="PropagationPolicy shop/web",
                location=Location(file="policies/web.yaml", line=3),
                priority=10,
                implicit_priority=3,
            ),
            Competitor(
                policy="ClusterPropagationPolicy all",
                location=Location(file="policies/all.yaml", line=1),
                implicit_priority=1,
                lost="a policy of the namespace goes first",
            ),
        ),
        decision=decided(wish, Trigger.REPLICAS),
    )
    text = explain(why, wish, (), Commit(id="3f9c2ab0000000000000", author="alice"))
    assert "\n".join(text) == SCALED


SCALED = """\
shop/Deployment web   templates/web.yaml:1   commit 3f9c2ab (alice)
Decision: m1 5 (was 4) · m2 3 (was 2) · m4 1 (new)   9 replicas, asked 9

1 Policy     ✔ PropagationPolicy shop/web   policies/web.yaml:3   priority 10, matched by name
             ✗ ClusterPropagationPolicy all   policies/all.yaml:1   priority 0, matched by kind   \
lost: a policy of the namespace goes first
2 Trigger    the replicas changed; before: m1 4 · m2 2
3 Filters    5 clusters known, 3 fit
             ✗ m3   TaintToleration   cluster(s) had untolerated taint {maintenance=planned:NoSchedule}
             ✗ m5   ClusterAffinity   cluster(s) did not match the placement cluster affinity constraint
             ✔ m1 m2 m4
4 Scores     m2 100  m1 100  m4 0
             already runs on m2 m1
5 Spread     no constraint: all that fit
6 Capacity   m2 20  m1 12  m4 12   replicas of cpu 250m, memory 256Mi
             estimated by summary
7 Division   the new replicas by room, the old ones stay, keep m1 4 · m2 2
             3 replicas by votes: m2 20  m1 12  m4 12
             seat 1 → m2 (20/1)   seat 2 → m1 (12/1)   seat 3 → m4 (12/1)   next would be m2 (20/3)"""


def test_the_seats_told_are_the_seats_divided() -> None:
    """The arithmetic in the text is the division's own, whichever way its ties go."""
    votes = {"a": 5, "b": 5, "c": 3}
    for uid in ("", "odd-uid", "another", "third"):
        division = Division(method=Method.FIRST, seats=7, votes=votes)
        wish = binding(7, PLACEMENT)
        decision = Decision(attempts=(_attempt_with(division),))
        named = _with_uid(wish, uid)
        told = " ".join(explain(Why(key=WEB, claim="x", decision=decision), named))
        won = {name: told.count(f"→ {name} (") for name in votes}
        assert won == divide(7, votes, uid)


def _attempt_with(division: Division) -> Attempt:
    return Attempt(divisions=(division,))


def _with_uid(wish: Binding, uid: str) -> Binding:
    return replace(wish, spec=replace(wish.spec, resource=replace(wish.spec.resource, uid=uid)))


def test_a_decision_from_the_status_branch_reads_the_same() -> None:
    wish = binding(9, PLACEMENT, m1=4, m2=2)
    fresh = Why(key=WEB, claim="PropagationPolicy shop/web", decision=decided(wish))
    stored = Why(key=WEB, claim=fresh.claim, decision=json.loads(json.dumps(encode(fresh.decision))))
    assert explain(stored, wish) == explain(fresh, wish)


def test_no_cluster_fits_names_every_reason() -> None:
    wish = binding(2, Placement(cluster_affinity=ClusterAffinity(cluster_names=("m3", "m9"))))
    text = "\n".join(explain(Why(key=WEB, claim="p", decision=decided(wish)), wish))
    assert "Decision: NoClusterFit" in text
    assert "5 clusters known, none fits" in text
    assert "maintenance" in text


def test_an_aggregated_division_says_why_others_get_nothing() -> None:
    scheduling = replace(
        BY_ROOM, replica_division_preference=ReplicaDivisionPreference.AGGREGATED, weight_preference=None
    )
    wish = binding(9, replace(PLACEMENT, replica_scheduling=scheduling))
    text = "\n".join(explain(Why(key=WEB, claim="p", decision=decided(wish)), wish))
    assert "Division   the fewest clusters that hold them, by room\n" in text


def test_too_little_room_says_what_there_is() -> None:
    wish = binding(500, PLACEMENT, m1=4)
    text = "\n".join(explain(Why(key=WEB, claim="p", decision=decided(wish)), wish))
    assert "Decision: Unschedulable" in text
    assert "it stays on m1 4" in text
    assert "m2 20" in text


def test_an_object_that_no_policy_wants_says_so() -> None:
    text = explain(Why(key=WEB))
    assert "Decision: no policy wants it" in text
    assert text[-1].endswith("no policy selects it")


def test_a_dependency_names_what_needs_it() -> None:
    key = Key(group="", kind="ConfigMap", namespace="shop", name="environment")
    spec = BindingSpec(required_by=(BindingSnapshot(name="web", clusters=(TargetCluster(name="m1", replicas=4),)),))
    text = explain(Why(key=key, required_by=("Deployment.apps shop/web",)), Binding(spec=spec))
    assert text[1] == "Decision: m1"
    assert text[-1].endswith("✔ follows Deployment.apps shop/web, which needs it")


NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}


def test_a_namespace_goes_along_with_what_lies_in_it() -> None:
    works = [Work(cluster=ClusterName(name), manifest=NAMESPACE) for name in ("m2", "m1")]
    text = explain(Why(key=Key(group="", kind="Namespace", name="shop")), None, works)
    assert text[1] == "Decision: m1 · m2"
    assert text[-1].endswith("✔ no policy selects it; it goes along with what lies in it")


def test_what_is_suspended_is_said() -> None:
    """A placement that is not carried out would otherwise look as if it were."""
    works = [Work(cluster=ClusterName(name), manifest=NAMESPACE, suspended=name == "m2") for name in ("m2", "m1")]
    text = explain(Why(key=WEB, claim="p"), Binding(spec=BindingSpec(suspension=Suspension(scheduling=True))), works)
    assert text[-2:] == (
        "2 Suspended  scheduling: it stays as it was placed last, whatever changes",
        "             dispatching: nothing is written to m2, what is there stays as it is",
    )


def test_overrides_are_told_once_for_the_clusters_that_share_them() -> None:
    path = "/spec/template/spec/containers/0/image"
    override = AppliedOverride(
        policy="OverridePolicy/shop/registry", changes=(FieldChange(path=path, before="web:1", after="eu/web:1"),)
    )
    manifest = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}}
    works = [Work(cluster=ClusterName(name), manifest=manifest, overrides=(override,)) for name in ("m2", "m1")]
    text = explain(Why(key=WEB, claim="p"), None, works)
    assert text[-2:] == (
        "2 Overrides  m1 m2: OverridePolicy/shop/registry",
        f"               {path}  web:1 → eu/web:1",
    )


def test_the_override_of_a_secret_shows_no_value() -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "shop"}}
    override = AppliedOverride(
        policy="ClusterOverridePolicy/all", changes=(FieldChange(path="/data/key", before="b2xk", after="bmV3"),)
    )
    works = [Work(cluster=ClusterName("m1"), manifest=secret, overrides=(override,))]
    text = "\n".join(explain(Why(key=WEB, claim="p"), None, works))
    assert "b2xk" not in text
    assert "bmV3" not in text
    assert "/data/key  (sensitive value) → (sensitive value)" in text


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (FieldChange(path="/a", before=1, after=2), "/a  1 → 2"),
        (FieldChange(path="/a", before=None, after={"b": [True]}), "/a  added {b: [true]}"),
        (FieldChange(path="/a", before="x", after=None), "/a  removed x"),
    ],
    ids=["changed", "added", "removed"],
)
def test_a_changed_field_in_one_line(change: FieldChange, text: str) -> None:
    assert changed(change) == text
