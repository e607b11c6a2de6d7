"""What a plan would do in the members."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gitops_karmada.core.changes import SENSITIVE, Change, ChangeAction, changes, counts, moved_replicas
from gitops_karmada.model.bindings import (
    Binding,
    BindingSnapshot,
    BindingSpec,
    GracefulEvictionTask,
    ObjectReference,
    TargetCluster,
)
from gitops_karmada.model.clusters import Cluster, ClusterSpec, Taint
from gitops_karmada.model.federation import Declared, Federation, Ledger, Template
from gitops_karmada.model.files import FieldPath
from gitops_karmada.model.metadata import ObjectMeta
from gitops_karmada.model.objects import ClusterName, Key, Object
from gitops_karmada.model.placement import ClusterAffinity, Placement
from gitops_karmada.model.plan import Cause, Competitor, Hold, Plan, Why
from gitops_karmada.model.policies import OverridePolicy, OverrideSpec
from gitops_karmada.model.problems import Location
from gitops_karmada.model.works import AppliedOverride, FieldChange, Place, Work

WEB = Key(group="apps", kind="Deployment", namespace="shop", name="web")
ENVIRONMENT = Key(group="", kind="ConfigMap", namespace="shop", name="environment")
TEMPLATE = Location(file="templates/web.yaml", line=1)
POLICY = Location(file="policies/web.yaml", line=3)


def deployment(replicas: int, image: str = "web:1.4") -> Object:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"replicas": replicas, "template": {"spec": {"containers": [{"name": "web", "image": image}]}}},
    }


def config_map(**data: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "environment", "namespace": "shop"},
        "data": data,
    }


def binding(key: Key, clusters: Mapping[str, int], placement: Placement | None = None) -> Binding:
    spec = BindingSpec(
        resource=ObjectReference(
            api_version="apps/v1" if key.group else "v1", kind=key.kind, namespace="shop", name=key.name
        ),
        replicas=sum(clusters.values()),
        clusters=tuple(TargetCluster(name=name, replicas=replicas) for name, replicas in clusters.items()),
        placement=placement,
    )
    return Binding(metadata=ObjectMeta(name=key.name, namespace="shop"), spec=spec)


def place(cluster: str, key: Key = WEB) -> Place:
    return Place(cluster=ClusterName(cluster), key=key)


def works(*made: Work) -> dict[Place, Work]:
    return {work.place: work for work in made}


def work(cluster: str, manifest: Object, **more: Any) -> Work:
    return Work(cluster=ClusterName(cluster), manifest=manifest, **more)


def running(**clusters: int) -> tuple[dict[Key, Binding], dict[Place, Work]]:
    """A binding of web and its works, with so many replicas in each cluster."""
    return {WEB: binding(WEB, clusters)}, works(*(work(name, deployment(count)) for name, count in clusters.items()))


def ledger(**clusters: int) -> Ledger:
    bindings, existing = running(**clusters)
    return Ledger(bindings=bindings, works=existing, sources={WEB: "templates/web.yaml"})


def plan(why: Why | None = None, **clusters: int) -> Plan:
    bindings, wanted = running(**clusters)
    return Plan(bindings=bindings, works=wanted, whys={WEB: why or Why(key=WEB, source=TEMPLATE)})


def told(found: tuple[Change, ...]) -> list[tuple[Any, ...]]:
    return [(c.cluster, str(c.action), c.replicas_before, c.replicas_after) for c in found]


def test_nothing_changes_where_nothing_differs() -> None:
    assert changes(plan(east=4, west=2), ledger(east=4, west=2)) == ()


def test_a_new_template_is_created_in_each_of_its_members() -> None:
    found = changes(plan(east=4, west=2), Ledger())
    assert told(found) == [("east", "create", None, 4), ("west", "create", None, 2)]
    assert {change.where for change in found} == {TEMPLATE}
    assert all(change.arrives and not change.leaves for change in found)


def test_scaling_out_updates_and_creates_but_moves_nothing() -> None:
    found = changes(plan(east=5, north=1, west=3), ledger(east=4, west=2))
    assert told(found) == [("east", "update", 4, 5), ("north", "create", None, 1), ("west", "update", 2, 3)]
    assert moved_replicas(found) == 0
    assert {change.where for change in found} == {TEMPLATE}


def test_replicas_that_go_from_one_member_to_another_are_a_move() -> None:
    why = Why(key=WEB, source=TEMPLATE, trigger="a target cluster is gone or leaving")
    bindings, wanted = running(north=2, west=4)
    east = ledger(east=4, west=2)
    leaving = works(work("east", deployment(4), retiring="evicted"))
    found = changes(Plan(bindings=bindings, works=wanted, retiring=leaving, whys={WEB: why}), east)
    assert told(found) == [("east", "move", 4, 0), ("north", "move", 0, 2), ("west", "move", 2, 4)]
    assert [(change.arrives, change.leaves) for change in found] == [(False, True), (True, False), (False, False)]
    assert moved_replicas(found) == 4
    assert counts(found)[ChangeAction.MOVE] == 1
    assert found[0].reason == "evicted"
    assert found[1].reason == "a target cluster is gone or leaving"


def test_a_template_that_left_git_is_deleted_and_the_file_is_named() -> None:
    gone = Plan(retiring=works(work("east", deployment(4), retiring="its template is gone")))
    (found,) = changes(gone, ledger(east=4))
    assert (found.action, found.replicas_before, found.replicas_after) == (ChangeAction.DELETE, 4, None)
    assert found.reason == "removed from templates/web.yaml"


def test_a_preserved_object_is_released() -> None:
    bindings, _ = running(east=4)
    preserved = works(work("east", deployment(4), preserve=True))
    (found,) = changes(Plan(retiring=preserved), Ledger(bindings=bindings, works=preserved))
    assert found.action is ChangeAction.RELEASE


def test_a_held_delete_says_why() -> None:
    hold = Hold(place=place("east"), key=WEB, reason="a file could not be read", hint="Mend templates/web.yaml")
    retiring = works(work("east", deployment(4)))
    (found,) = changes(Plan(retiring=retiring, holds=(hold,)), ledger(east=4))
    assert found.action is ChangeAction.HOLD
    assert found.reason == "delete held: a file could not be read"
    assert found.hint == "Mend templates/web.yaml"


def test_a_hold_without_a_change_or_a_place_is_told_too() -> None:
    holds = (Hold(place=place("east"), key=WEB, reason="suspended"), Hold(place=None, key=ENVIRONMENT, reason="broken"))
    found = changes(Plan(**{**_fields_of(plan(east=4)), "holds": holds}), ledger(east=4))
    assert [(change.cluster, change.reason) for change in found] == [(None, "broken"), ("east", "suspended")]


def _fields_of(value: Plan) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def test_a_changed_field_is_shown_with_its_pointer() -> None:
    wanted = Plan(bindings=ledger(east=4).bindings, works=works(work("east", deployment(4, image="web:1.5"))))
    (found,) = changes(wanted, ledger(east=4))
    path = "/spec/template/spec/containers/0/image"
    assert found.fields == (FieldChange(path=path, before="web:1.4", after="web:1.5"),)
    assert found.reason == "the template changed"


def test_the_line_of_the_changed_field_is_named() -> None:
    """Not the line where the template begins, where the field's own can be found."""

    def locate(path: FieldPath) -> Location:
        return Location(file="templates/web.yaml", line=100 + len(path))

    template = Template(object=deployment(4), location=TEMPLATE, locate=locate)
    federation = Federation(templates={WEB: template})
    wanted = Plan(bindings=ledger(east=4).bindings, works=works(work("east", deployment(4, image="web:1.5"))))
    (found,) = changes(wanted, ledger(east=4), federation)
    assert str(found.where) == "templates/web.yaml:106"
    (scaled,) = changes(plan(east=5), ledger(east=4), federation)
    assert str(scaled.where) == "templates/web.yaml:102"


def test_a_changed_policy_is_the_cause_with_its_line() -> None:
    why = Why(
        key=WEB,
        source=TEMPLATE,
        claim="PropagationPolicy shop/web",
        competitors=(Competitor(policy="PropagationPolicy shop/web", location=POLICY),),
    )
    placed = Placement(cluster_affinity=ClusterAffinity(cluster_names=("north",)))
    wanted = Plan(
        bindings={WEB: binding(WEB, {"north": 4}, placed)}, works=works(work("north", deployment(4))), whys={WEB: why}
    )
    (found,) = changes(wanted, Ledger(bindings=ledger(east=4).bindings))
    assert (found.reason, found.where) == ("placement of PropagationPolicy shop/web", POLICY)


def test_a_changed_override_is_the_cause_with_its_line() -> None:
    path = "/spec/template/spec/containers/0/image"
    override = AppliedOverride(
        policy="OverridePolicy/shop/registry",
        changes=(FieldChange(path=path, before="web:1.4", after="mirror.example/web:1.4"),),
    )
    after = work("east", deployment(4, image="mirror.example/web:1.4"), overrides=(override,))
    line = Location(file="policies/registry.yaml", line=9)
    policy = OverridePolicy(metadata=ObjectMeta(name="registry", namespace="shop"), spec=OverrideSpec())
    federation = Federation(override_policies=(Declared(value=policy, manifest={}, location=line),))
    wanted = Plan(bindings=ledger(east=4).bindings, works=works(after), whys={WEB: Why(key=WEB, source=TEMPLATE)})
    (found,) = changes(wanted, ledger(east=4), federation)
    assert (found.reason, found.where) == ("OverridePolicy/shop/registry changed", line)


def test_a_cluster_that_is_left_is_the_cause_with_the_line_of_its_taints() -> None:
    def locate(path: FieldPath) -> Location:
        return Location(file="clusters/east.yaml", line=12 if path == ("spec", "taints") else 1)

    spec = ClusterSpec(taints=(Taint(key="maintenance", effect="NoExecute"),))
    cluster = Cluster(metadata=ObjectMeta(name="east"), spec=spec)
    declared = Declared(value=cluster, manifest={}, location=locate(()), locate=locate)
    wanted = Plan(**{**_fields_of(plan(west=6)), "cause": Cause.FAILOVER, "retiring": ledger(east=4).works})
    found = changes(wanted, ledger(east=4, west=2), Federation(clusters=(declared,)))
    assert [(change.cluster, change.reason, str(change.where)) for change in found] == [
        ("east", "failover from east", "clusters/east.yaml:12"),
        ("west", "failover from east", "clusters/east.yaml:12"),
    ]


def test_a_removed_cluster_is_the_cause_for_those_that_take_over() -> None:
    wanted = Plan(**{**_fields_of(plan(west=6)), "retiring": ledger(east=4).works})
    found = {change.cluster: change for change in changes(wanted, ledger(east=4, west=2), Federation())}
    assert found[ClusterName("west")].reason == "east was removed"


def test_an_object_that_waits_for_its_replacement_is_said_to() -> None:
    """It stays in its member for now, though its replicas count elsewhere."""
    evicting = replace(
        binding(WEB, {"west": 6}).spec, graceful_eviction_tasks=(GracefulEvictionTask(from_cluster="east"),)
    )
    moved = replace(plan(west=6).bindings[WEB], spec=evicting)
    wanted = Plan(bindings={WEB: moved}, works={**ledger(east=4).works, **plan(west=6).works}, cause=Cause.FAILOVER)
    east, west = changes(wanted, ledger(east=4, west=2))
    assert (east.action, east.replicas_before, east.replicas_after, east.evicted) == (ChangeAction.MOVE, 4, 0, True)
    assert (west.replicas_after, west.evicted) == (6, False)


def test_no_secret_value_is_shown_but_that_it_changed_is() -> None:
    key = Key(group="", kind="Secret", namespace="shop", name="password")
    old = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "password", "namespace": "shop"},
        "data": {"p": "b2xk"},
    }
    new = {**old, "data": {"p": "bmV3", "q": "bW9yZQ=="}, "type": "Opaque"}
    wanted = Plan(bindings={key: binding(key, {"east": 0})}, works=works(work("east", new)))
    (found,) = changes(wanted, Ledger(bindings=wanted.bindings, works=works(work("east", old))))
    assert found.fields == (
        FieldChange(path="/data/p", before=SENSITIVE, after=SENSITIVE),
        FieldChange(path="/data/q", before=None, after=SENSITIVE),
        FieldChange(path="/type", before=None, after="Opaque"),
    )


def test_an_object_without_replicas_is_created_and_deleted_not_moved() -> None:
    old, new = {ENVIRONMENT: binding(ENVIRONMENT, {"east": 0})}, {ENVIRONMENT: binding(ENVIRONMENT, {"west": 0})}
    leaving = works(work("east", config_map(a="1")))
    wanted = Plan(bindings=new, works=works(work("west", config_map(a="1"))), retiring=leaving)
    found = changes(wanted, Ledger(bindings=old, works=leaving))
    assert told(found) == [("east", "delete", None, None), ("west", "create", None, None)]


def test_an_object_that_was_leaving_and_is_wanted_again_is_created() -> None:
    leaving = works(work("east", deployment(4), retiring="the policy changed"))
    found = changes(plan(east=4), Ledger(bindings=ledger(east=4).bindings, works=leaving))
    assert [change.action for change in found] == [ChangeAction.CREATE]


def test_a_template_that_nobody_wants_any_more_is_not_called_removed() -> None:
    gone = Plan(retiring=works(work("east", deployment(4), retiring="nobody wants it")))
    federation = Federation(templates={WEB: Template(object=deployment(4), location=TEMPLATE)})
    (found,) = changes(gone, ledger(east=4), federation)
    assert (found.reason, found.where) == ("nobody wants it", TEMPLATE)


def test_a_dependency_that_leaves_follows_its_workload() -> None:
    """With the line of its own template; of the cluster, where that is what both leave."""
    bindings, wanted = running(west=4)
    web = bindings[WEB]
    follows = replace(binding(ENVIRONMENT, {}).spec, required_by=(BindingSnapshot(namespace="shop", name="web"),))
    bindings[ENVIRONMENT] = Binding(metadata=ObjectMeta(name="environment", namespace="shop"), spec=follows)
    assert web.metadata.name == "web"
    brought = work("east", config_map(a="1"), binding=ENVIRONMENT)
    before = Ledger(bindings=bindings, works={**wanted, **works(brought)})
    line = Location(file="templates/environment.yaml", line=1)
    whys = {ENVIRONMENT: Why(key=ENVIRONMENT, source=line)}
    leaving = Plan(bindings=bindings, works=wanted, retiring=works(brought), whys=whys)
    (found,) = changes(leaving, before)
    assert (found.reason, found.where) == ("follows Deployment shop/web", line)
    east = Location(file="clusters/east.yaml", line=3)
    cluster = Declared(value=Cluster(metadata=ObjectMeta(name="east"), spec=ClusterSpec()), manifest={}, location=east)
    (found,) = changes(replace(leaving, cause=Cause.FAILOVER), before, Federation(clusters=(cluster,)))
    assert (found.reason, found.where) == ("follows Deployment shop/web", east)


def test_a_namespace_is_needed_by_what_goes_into_it() -> None:
    key = Key(group="", kind="Namespace", name="shop")
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    line = Location(file="templates/namespace.yaml", line=1)
    federation = Federation(templates={key: Template(object=namespace, location=line)})
    (found,) = changes(Plan(works=works(work("east", namespace))), Ledger(), federation)
    assert (found.action, found.reason, found.where) == (ChangeAction.CREATE, "needed by what goes into it", line)
