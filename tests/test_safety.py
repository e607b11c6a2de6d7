"""What must never happen: an object lost without positive evidence, a workload moved by a typing error."""

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from gitops_karmada.cli.feeds import Lines
from gitops_karmada.core.federate import federate
from gitops_karmada.members.refusals import RefusalError
from gitops_karmada.model.decode import decode
from gitops_karmada.model.federation import Commit, Federation
from gitops_karmada.model.members import MemberConnection
from gitops_karmada.model.objects import ClusterName, Key, Object, annotations_of, key_of, labels_of
from gitops_karmada.model.problems import Location, Problem, RepositoryError, Severity
from gitops_karmada.model.settings import MemberMode, Settings
from gitops_karmada.reconcile import Remembered, Turn, turn
from gitops_karmada.repo.folder import FolderTree
from tests.conformance.story_worlds import Stage, manifest, path_of
from tests.core.questions import CLUSTERS, POLICY, SHOP, cluster, config_map, deployment, divided, override, policy

DEPLOYMENT = ("apps/v1", "Deployment", "shop")
MEMBERS = ("east", "west", "north")


class Field(Stage):
    """A stage whose files may be in doubt: `unread` paths, and `broken` objects whose manifest is there but wrong."""

    def __init__(self, spec: Mapping[str, Any] | None = None) -> None:
        super().__init__(spec or {}, MEMBERS)
        self.broken: set[Key] = set()
        # A folder that is a Helm chart.
        self.hidden = ""

    def __enter__(self) -> "Field":
        return self

    def federation(self) -> Federation:
        commit = Commit(id=f"{self.commits:040x}", ref="refs/heads/main", committed_at=self.committed_at)
        readable = [manifest(path, obj) for path, obj in self.files.items() if path not in self.unread]
        sound = [it for it in readable if key_of(it.object) not in self.broken]
        where = Location(file=f"{self.hidden}Chart.yaml")
        chart = Problem(code="GK1015", severity=Severity.NOTICE, location=where, message="a Helm chart, skipped")
        if self.hidden:
            sound = [it for it in sound if not it.location.file.startswith(self.hidden)]
        problems = [chart] if self.hidden else []
        return federate(sound, self.settings, commit=commit, problems=problems, unread=self.unread, broken=self.broken)

    def _connections(self, federation: Federation) -> tuple[MemberConnection, ...]:
        """As the program does: members that are set up are reached, whether or not their Cluster is there."""
        names = {declared.value.name for declared in federation.clusters}
        names |= {member.name for member in self.settings.spec.members}
        return tuple(MemberConnection(cluster=ClusterName(name), mode=MemberMode.PUSH) for name in sorted(names))

    def configure(self, **spec: Any) -> None:
        name = self.settings.instance
        self.settings = decode(Settings, {"metadata": {"name": name}, "spec": spec}).unwrap()

    def doubt(self, obj: Object, how: str) -> None:
        """A commit that spoils one manifest: as YAML (`unread`) or as an object (`broken`)."""
        self.commit()
        if how == "unread":
            self.unread = frozenset({path_of(obj)})
        else:
            self.broken = {key_of(obj)}

    def mend(self) -> None:
        self.commit()
        self.unread, self.broken = frozenset(), set()

    def names(self, member: str, kind: str = "Deployment") -> set[str]:
        return {key.name for key in self.doors[member].shelf.objects if key.kind == kind}

    def replicas(self, name: str = "web") -> dict[str, int]:
        found = {member: self.live(member, *DEPLOYMENT, name) for member in self.doors}
        return {member: live["spec"]["replicas"] for member, live in found.items() if live is not None}

    def image(self, member: str, name: str = "web") -> str:
        live = self.live(member, *DEPLOYMENT, name)
        return str(live["spec"]["template"]["spec"]["containers"][0]["image"]) if live else ""

    def turns(self, number: int = 3) -> list[Turn]:
        done = []
        for _ in range(number):
            self.clock.advance(60)
            done.append(turn(self.world))
            self.start()
        return done

    def restart(self) -> None:
        object.__setattr__(self.world, "remembered", Remembered())

    def lose(self) -> None:
        """Somebody deletes the status branch."""
        self.status.files.clear()
        self.status.commits.clear()
        self.restart()


Fresh: TypeAlias = Callable[[Iterable[Object]], Field]


@pytest.fixture
def stage() -> Iterator[Field]:
    with Field({"members": [{"name": name} for name in MEMBERS[:2]]}) as one:
        one.commit(SHOP)
        one.turns()
        assert one.replicas() == {"east": 4, "west": 2}
        yield one


@pytest.fixture
def fresh() -> Iterator[Fresh]:
    """A stage that begins with given files."""
    with Field() as one:

        def begin(files: Iterable[Object]) -> Field:
            one.commit(files)
            one.turns()
            return one

        yield begin


DOUBTS = pytest.mark.parametrize("how", ["unread", "broken"])


def needing(name: str = "web", **more: Any) -> Object:
    """A Deployment that mounts the ConfigMap `settings`."""
    obj = deployment(name, **more)
    obj["spec"]["template"]["spec"]["volumes"] = [{"name": "v", "configMap": {"name": "settings"}}]
    return obj


def deployments(name: str = "all", **more: Any) -> Object:
    made = policy(name, **more)
    made["spec"]["resourceSelectors"] = [{"apiVersion": "apps/v1", "kind": "Deployment"}]
    return made


def reasons(done: Turn) -> str:
    held = [hold.reason for hold in done.plan.holds]
    return "; ".join([*held, *(str(getattr(it, "reason", "")) for it in done.outcomes.values())])


# Input in doubt -------------------------------------------------------------------------------------------------------


@DOUBTS
def test_what_a_workload_in_doubt_needs_stays(fresh: Fresh, how: str) -> None:
    stage = fresh([*CLUSTERS, deployments(propagateDeps=True), needing(), config_map()])
    assert stage.names("east", "ConfigMap") == {"settings"}
    stage.doubt(needing(), how)
    stage.turns()
    assert stage.names("east", "ConfigMap") == {"settings"}
    stage.mend()
    stage.turns()
    assert stage.names("east", "ConfigMap") == {"settings"}


@DOUBTS
def test_a_dependency_in_doubt_stays(fresh: Fresh, how: str) -> None:
    stage = fresh([*CLUSTERS, deployments(propagateDeps=True), needing(), config_map()])
    stage.doubt(config_map(), how)
    stage.turns()
    assert stage.names("east", "ConfigMap") == {"settings"}
    stage.mend()
    stage.turns()
    assert stage.names("east", "ConfigMap") == {"settings"}


@DOUBTS
def test_a_cluster_in_doubt_moves_nothing(stage: Field, how: str) -> None:
    stage.doubt(cluster("west"), how)
    stage.turns()
    assert stage.replicas() == {"east": 4, "west": 2}
    stage.mend()
    stage.turns()
    assert stage.replicas() == {"east": 4, "west": 2}


@DOUBTS
def test_a_cluster_in_doubt_that_is_not_set_up_moves_nothing(how: str) -> None:
    with Field() as stage:
        stage.commit(SHOP)
        stage.turns()
        stage.doubt(cluster("west"), how)
        stage.turns()
        stage.mend()
        stage.turns()
        assert stage.replicas() == {"east": 4, "west": 2}


@DOUBTS
def test_a_policy_in_doubt_keeps_its_claims(stage: Field, how: str) -> None:
    catch_all = policy("catch-all", weights={"north": 1})
    stage.commit([cluster("north"), catch_all])
    stage.turns()
    assert stage.replicas() == {"east": 4, "west": 2}
    stage.doubt(policy("all"), how)
    stage.turns()
    assert stage.replicas() == {"east": 4, "west": 2}


@DOUBTS
def test_an_override_in_doubt_changes_nothing(stage: Field, how: str) -> None:
    rule = {"overriders": {"imageOverrider": [{"component": "Tag", "operator": "replace", "value": "9"}]}}
    selector = [{"apiVersion": "apps/v1", "kind": "Deployment"}]
    tagged = override("tag", rule, resourceSelectors=selector)
    stage.commit([tagged])
    stage.turns()
    assert stage.image("east") == "web:9"
    stage.doubt(tagged, how)
    stage.turns()
    assert stage.image("east") == "web:9"
    # A later change of the template waits too: it would go out without what the override says.
    stage.commit([deployment(image="other:1", replicas=9)])
    stage.turns()
    assert stage.image("east") == "web:9"
    stage.mend()
    stage.turns()
    assert stage.image("east") == "other:9"
    stage.commit(delete=[tagged])
    stage.turns()
    assert stage.image("east") == "other:1"


@DOUBTS
def test_a_namespace_in_doubt_keeps_its_labels(stage: Field, how: str) -> None:
    shop = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"team": "shop"}}}
    stage.commit([shop])
    stage.turns()
    live = stage.live("east", "v1", "Namespace", "", "shop")
    assert live is not None
    assert labels_of(live)["team"] == "shop"
    stage.doubt(shop, how)
    stage.turns()
    live = stage.live("east", "v1", "Namespace", "", "shop")
    assert live is not None
    assert labels_of(live)["team"] == "shop"


@DOUBTS
def test_a_quota_in_doubt_stays(stage: Field, how: str) -> None:
    quota = {
        "apiVersion": POLICY,
        "kind": "FederatedResourceQuota",
        "metadata": {"name": "shop", "namespace": "shop"},
        "spec": {
            "overall": {"cpu": "100"},
            "staticAssignments": [{"clusterName": "east", "hard": {"cpu": "50"}}],
        },
    }
    stage.commit([quota])
    stage.turns()
    assert stage.names("east", "ResourceQuota") == {"shop"}
    stage.doubt(quota, how)
    stage.turns()
    assert stage.names("east", "ResourceQuota") == {"shop"}


def widgets() -> tuple[Object, Object, Object]:
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.io"},
        "spec": {
            "group": "example.io",
            "scope": "Namespaced",
            "names": {"kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList"},
            "versions": [{"name": "v1", "served": True, "storage": True}],
        },
    }
    widget = {"apiVersion": "example.io/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"size": 3}}
    selectors = [
        {"apiVersion": "example.io/v1", "kind": "Widget"},
        {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"},
    ]
    made = {
        "apiVersion": POLICY,
        "kind": "ClusterPropagationPolicy",
        "metadata": {"name": "widgets"},
        "spec": {"resourceSelectors": selectors, "placement": {"clusterAffinity": {"clusterNames": ["east"]}}},
    }
    return definition, widget, made


@DOUBTS
def test_a_definition_in_doubt_costs_no_object(stage: Field, how: str) -> None:
    """Without the definition nobody says that the kind has namespaces: the object would be called otherwise."""
    definition, widget, made = widgets()
    stage.commit([definition, widget, made])
    stage.turns()
    assert stage.live("east", "example.io/v1", "Widget", "default", "w") is not None
    stage.doubt(definition, how)
    stage.turns()
    assert stage.live("east", "example.io/v1", "Widget", "default", "w") is not None


def test_a_definition_that_leaves_the_repository_costs_no_object(stage: Field) -> None:
    definition, widget, made = widgets()
    stage.commit([definition, widget, made])
    stage.turns()
    stage.commit(delete=[definition])
    stage.turns()
    assert stage.live("east", "example.io/v1", "Widget", "default", "w") is not None


def test_a_definition_with_objects_of_others_stays(stage: Field) -> None:
    definition, widget, made = widgets()
    stage.commit([definition, widget, made])
    stage.turns()
    stage.write("east", {**widget, "metadata": {"name": "theirs", "namespace": "default"}})
    stage.commit(delete=[definition, widget])
    stage.turns()
    assert stage.names("east", "Widget") == {"theirs"}
    assert stage.names("east", "CustomResourceDefinition") == {"widgets.example.io"}


@DOUBTS
def test_a_rule_for_replicas_in_doubt_gives_no_member_all_of_them(stage: Field, how: str) -> None:
    definition, widget, made = widgets()
    widget = {**widget, "spec": {"replicas": 3}}
    made["spec"]["placement"] = {
        "clusterAffinity": {"clusterNames": ["east", "west"]},
        "replicaScheduling": divided({"east": 2, "west": 1}),
    }
    rule = {
        "apiVersion": "config.karmada.io/v1alpha1",
        "kind": "ResourceInterpreterCustomization",
        "metadata": {"name": "widgets"},
        "spec": {
            "target": {"apiVersion": "example.io/v1", "kind": "Widget"},
            "customizations": {
                "replicaResource": {"luaScript": "function GetReplicas(o) return o.spec.replicas, nil end"},
                "replicaRevision": {
                    "luaScript": "function ReviseReplica(o, n) o.spec.replicas = n return o end",
                },
            },
        },
    }
    stage.commit([definition, widget, made, rule])
    stage.turns(4)

    def sizes() -> list[Any]:
        found = [stage.live(name, "example.io/v1", "Widget", "default", "w") for name in ("east", "west")]
        return [live["spec"]["replicas"] if live else None for live in found]

    assert sizes() == [2, 1]
    stage.doubt(rule, how)
    stage.turns()
    assert sizes() == [2, 1]
    stage.commit([{**widget, "spec": {"replicas": 6}}])
    stage.turns()
    assert sizes() == [2, 1]
    stage.mend()
    stage.turns()
    assert sizes() == [4, 2]


def test_a_template_that_came_back_broken_is_not_deleted(stage: Field) -> None:
    """Removed and held back by the budget, then committed again with a mistake."""
    stage.configure(deletion={"maxObjects": 0, "maxPercent": 0}, members=[{"name": "east"}, {"name": "west"}])
    stage.commit(delete=[deployment()])
    stage.turns()
    assert stage.replicas() == {"east": 4, "west": 2}
    stage.commit([deployment()])
    stage.doubt(deployment(), "broken")
    stage.configure(deletion={"maxObjects": 50})
    stage.turns()
    assert stage.replicas() == {"east": 4, "west": 2}


def test_a_namespace_that_is_skipped_from_now_on_keeps_what_it_has(stage: Field) -> None:
    stage.configure(skippedPropagatingNamespaces=[".*"])
    stage.commit()
    stage.turns()
    assert stage.replicas() == {"east": 4, "west": 2}


# Adopted objects ------------------------------------------------------------------------------------------------------


def adopting(stage: Field) -> None:
    """`settings` was there before us, and a policy takes it over."""
    stage.files.clear()
    stage.write("east", config_map("old", a="theirs"))
    stage.commit([cluster("east"), policy(weights={"east": 1}, conflictResolution="Overwrite"), config_map("old")])


def leave(stage: Field) -> None:
    stage.commit(delete=[config_map("old")])
    stage.turns()
    assert stage.names("east", "ConfigMap") == {"old"}, "it was there before us, and is deleted"
    live = stage.live("east", "v1", "ConfigMap", "shop", "old")
    assert live is not None
    assert not [name for name in (*annotations_of(live), *labels_of(live)) if "gitops-karmada" in name]


def test_what_was_adopted_is_released(stage: Field) -> None:
    adopting(stage)
    stage.turns()
    leave(stage)


def test_what_was_adopted_is_released_after_the_status_branch_was_lost(stage: Field) -> None:
    adopting(stage)
    stage.turns()
    stage.lose()
    stage.turns()
    leave(stage)


def test_what_was_adopted_is_released_after_a_crash_before_the_report(stage: Field) -> None:
    adopting(stage)

    def crash(step: str) -> None:
        if step == "applied":
            raise KeyboardInterrupt

    object.__setattr__(stage.world, "observe", crash)
    with pytest.raises(KeyboardInterrupt):
        stage.turns(1)
    object.__setattr__(stage.world, "observe", lambda step: None)
    stage.restart()
    stage.turns()
    leave(stage)


# Members that somebody else applies to -----------------------------------------------------------------------------


def rendered(stage: Field) -> set[str]:
    return {path for path in stage.status.files if path.startswith("members/east/")}


@pytest.fixture
def others(fresh: Fresh) -> Field:
    """Argo CD applies in east: what leaves the branch is deleted there."""
    stage = fresh(())
    stage.configure(members=[{"name": "east", "mode": "render-only"}, {"name": "west"}])
    stage.commit(SHOP)
    stage.turns()
    assert "members/east/manifests/shop/deployment.apps/web.yaml" in rendered(stage)
    return stage


@DOUBTS
def test_manifests_stay_while_the_cluster_is_in_doubt(others: Field, how: str) -> None:
    before = rendered(others)
    others.doubt(cluster("east"), how)
    others.turns()
    assert rendered(others) == before
    others.mend()
    others.turns()
    assert rendered(others) == before


@pytest.mark.parametrize("cluster_too", [True, False])
def test_manifests_stay_when_the_member_leaves_the_settings(others: Field, cluster_too: bool) -> None:
    before = rendered(others)
    others.configure(members=[{"name": "west"}])
    others.commit(delete=[cluster("east")] if cluster_too else [])
    others.turns()
    assert rendered(others) == before


def test_many_manifests_stay_when_the_cluster_leaves(others: Field) -> None:
    others.commit([deployment(f"d{number}", replicas=3) for number in range(15)])
    others.turns()
    before = rendered(others)
    others.commit(delete=[cluster("east")])
    others.turns()
    assert rendered(others) == before
    others.configure(members=[{"name": "east", "mode": "render-only"}, {"name": "west"}], deletion={"maxObjects": 50})
    others.turns()
    assert not [path for path in rendered(others) if "deployment" in path]


# The budget -----------------------------------------------------------------------------------------------------------


def test_a_mass_delete_does_not_trickle_out_while_some_of_it_is_unknown(stage: Field) -> None:
    """16 leave, 8 of them cannot be seen for a turn: the other 8 are still part of 16."""
    maps, loads = [config_map(f"c{n}") for n in range(8)], [deployment(f"d{n}", replicas=2) for n in range(8)]
    stage.commit([*maps, *loads, policy(weights={"east": 1})])
    stage.turns()
    before = len(stage.doors["east"].shelf.objects)
    stage.commit(delete=[*maps, *loads])
    member = stage.doors["east"].member
    for hidden in ("ConfigMap", "Deployment", "ConfigMap"):
        _hide(member, hidden)
        stage.turns(1)
        del member.list, member.get, member.names
    stage.turns()
    assert len(stage.doors["east"].shelf.objects) == before


def _hide(member: Any, kind: str) -> None:
    """The member does not let us see a kind."""
    for name in ("list", "get", "names"):
        whole = getattr(member, name)

        async def refuse(resource: Any, *args: Any, _whole: Any = whole, **more: Any) -> Any:
            if resource.kind == kind:
                raise RefusalError(403, "Forbidden", "no")
            return await _whole(resource, *args, **more)

        setattr(member, name, refuse)


# Clusters -------------------------------------------------------------------------------------------------------------


def test_one_cluster_under_two_names_loses_nothing(stage: Field) -> None:
    """A cluster is renamed, and both names lead to it for a while."""
    stage.write("east", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": "one"}})
    stage.doors["north"] = stage.doors["east"]
    stage.configure(members=[{"name": "east"}, {"name": "west"}, {"name": "north"}])
    stage.turns()
    stage.commit([cluster("north"), policy(weights={"north": 2, "west": 1})], delete=[cluster("east")])
    stage.turns(1)
    assert stage.names("east") == {"web"}
    stage.turns(3)
    assert stage.names("east") == {"web"}


def test_a_copy_stays_until_its_new_place_answers(stage: Field) -> None:
    stage.commit([cluster("north")])
    stage.turns()
    stage.doors["north"].is_shut = True
    stage.commit([policy(weights={"north": 1})])
    stage.turns(1)
    assert stage.replicas()["east"] == 4


# Another writer -------------------------------------------------------------------------------------------------------


def test_who_was_overtaken_deletes_nothing(stage: Field) -> None:
    """The template goes; while this process sleeps before it deletes, another brings the template back."""
    stage.commit(delete=[deployment()])
    with Field({"members": [{"name": "east"}, {"name": "west"}]}) as other:
        other.files = {**stage.files, path_of(deployment()): deployment()}
        other.status, other.doors, other.clock = stage.status, stage.doors, stage.clock
        object.__setattr__(other.world, "status", stage.status)
        object.__setattr__(other.world, "clock", stage.clock)
        left = [other]

        def sleep(step: str) -> None:
            if step == "intent published" and left:
                left.pop().turns(1)

        object.__setattr__(stage.world, "observe", sleep)
        stage.clock.advance(60)
        turn(stage.world)
    assert stage.replicas() == {"east": 4, "west": 2}


# Secrets --------------------------------------------------------------------------------------------------------------


# Objects that are the same, and objects that are not ------------------------------------------------------------------


def test_an_object_that_is_served_under_two_groups_is_not_deleted_under_one(stage: Field) -> None:
    """As Ingresses were in extensions and networking.k8s.io: one object, and the file says the other group now."""
    definition, widget, made = widgets()
    second = {**definition, "metadata": {"name": "widgets.new.io"}, "spec": {**definition["spec"], "group": "new.io"}}
    old = {**widget, "metadata": {"name": "w", "namespace": "shop"}}
    new = {**old, "apiVersion": "new.io/v1"}
    made["spec"]["resourceSelectors"].append({"apiVersion": "new.io/v1", "kind": "Widget"})
    stage.commit([definition, second, made, old])
    stage.turns()
    shelf = stage.doors["east"].shelf
    key = key_of(old)
    shelf.objects[key_of(new)] = {**shelf.objects[key], "apiVersion": new["apiVersion"]}
    stage.commit([new], delete=[old])
    stage.turns()
    assert key in shelf.objects


def test_what_is_to_be_preserved_from_now_on_is_preserved(stage: Field) -> None:
    """One commit says that objects are to be preserved, and takes the template away."""
    stage.commit([policy(weights={"east": 2, "west": 1}, preserveResourcesOnDeletion=True)], delete=[deployment()])
    stage.turns()
    assert stage.replicas() == {"east": 4, "west": 2}


def test_what_an_interpreter_cannot_retain_is_not_applied(stage: Field) -> None:
    definition, widget, made = widgets()
    script = "function Retain(d, o) if o.spec.note ~= nil then error('down') end d.spec.size = o.spec.size return d end"
    rule = {
        "apiVersion": "config.karmada.io/v1alpha1",
        "kind": "ResourceInterpreterCustomization",
        "metadata": {"name": "widgets"},
        "spec": {
            "target": {"apiVersion": "example.io/v1", "kind": "Widget"},
            "customizations": {"retention": {"luaScript": script}},
        },
    }
    stage.commit([definition, widget, made, rule])
    stage.turns(4)
    stage.write("east", {**widget, "metadata": {"name": "w", "namespace": "default"}, "spec": {"size": 9}})
    stage.turns()
    live = stage.live("east", "example.io/v1", "Widget", "default", "w")
    assert live is not None
    assert live["spec"]["size"] == 9
    stage.write("east", {**widget, "metadata": {"name": "w", "namespace": "default"}, "spec": {"size": 9, "note": "x"}})
    stage.commit([{**widget, "spec": {"size": 4}}])
    assert "what to retain cannot be told" in reasons(stage.turns()[-1])
    live = stage.live("east", "example.io/v1", "Widget", "default", "w")
    assert live is not None
    assert live["spec"]["size"] == 9


# History --------------------------------------------------------------------------------------------------------------


def test_a_rewound_source_deletes_nothing_until_that_is_accepted_where_that_is_held(stage: Field) -> None:
    stage.configure(members=[{"name": "east"}, {"name": "west"}], deletion={"holdRewritten": True})
    stage.commit([deployment("late", replicas=2)])
    stage.turns()
    late = f"{stage.commits:040x}"
    object.__setattr__(stage.world, "descends", lambda older, newer: older <= newer)
    stage.commit(delete=[deployment("late")])
    stage.commits -= 2
    stage.turns()
    assert "late" in stage.names("east")
    # A further commit on top of the older one, and a restart, change nothing about it.
    object.__setattr__(stage.world, "descends", lambda older, newer: older != late)
    stage.commits = 8
    stage.commit([config_map("more")])
    stage.restart()
    stage.turns()
    assert "late" in stage.names("east")
    stage.configure(
        members=[{"name": "east"}, {"name": "west"}], deletion={"holdRewritten": True, "acceptRewritten": late}
    )
    stage.commit()
    stage.turns()
    assert "late" not in stage.names("east")
    assert "web" in stage.names("east")


def test_a_newer_format_of_the_status_branch_is_left_alone(stage: Field) -> None:
    text = stage.status.files["federation.json"].replace(b'"formatVersion": 1', b'"formatVersion": 2')
    assert text != stage.status.files["federation.json"]
    stage.status.files["federation.json"] = text
    stage.restart()
    with pytest.raises(RepositoryError, match="newer"):
        stage.turns(1)


# Secrets --------------------------------------------------------------------------------------------------------------


def test_what_a_member_says_of_a_secret_is_told_without_its_values(fresh: Fresh) -> None:
    """API servers and webhooks repeat what they refuse."""
    stage = fresh(())
    stage.configure(secrets="Redact", members=[{"name": "east"}, {"name": "west"}])
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "key", "namespace": "shop"},
        "data": {"a": b64encode(b"canary-one").decode()},
        "stringData": {"b": "canary-two"},
    }
    made = policy(weights={"east": 1})
    made["spec"]["resourceSelectors"] = [{"apiVersion": "v1", "kind": "Secret"}]
    member = stage.doors["east"].member
    whole = member.apply

    async def refuse(resource: Any, body: Object, **more: Any) -> Any:
        if resource.kind == "Secret":
            raise RefusalError(400, "BadRequest", f"no: {body['data']} canary-one canary-two")
        return await whole(resource, body, **more)

    member.apply = refuse  # type: ignore[method-assign]
    stage.commit([*CLUSTERS, made, secret])
    done = stage.turns()
    told = repr([done[-1].outcomes, done[-1].problems, stage.status.files])
    assert "repeats a value of the Secret" in told
    for value in ("canary-one", "canary-two", *(b64encode(it).decode() for it in (b"canary-one", b"canary-two"))):
        assert value not in told


@pytest.mark.parametrize(
    "text",
    [
        "kind: Secret\nstringData:\n  b: canary\n  b: canary\n",
        "a: b\n---\nkind: Secret\nstringData: {b: canary}\n",
        "stringData:\n  b: |\n    canary\n    canary: x\nkind: 'Secret'\n",
        '{"kind": "Secret",\n "data": {"b": "canary"}}\n',
        "kind: List\nitems:\n- kind: Secret\n  stringData:\n    'b c': canary\n",
        "kind: Secret\nstringData:\n  b: 'one\n    canary'\n",
    ],
)
def test_findings_show_no_line_of_a_secret_with_its_value(tmp_path: Path, text: str) -> None:
    (tmp_path / "s.yaml").write_text(text)
    lines = Lines(FolderTree(tmp_path))
    shown = [lines(Location(file="s.yaml", line=number + 1)) for number in range(len(text.splitlines()))]
    assert "canary" not in str(shown).replace("canary: (hidden)", "")
    assert "(hidden)" in str(shown)


def test_findings_show_other_lines_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text("kind: ConfigMap\ndata: {a: b}\n---\nkind: Secret\n")
    assert Lines(FolderTree(tmp_path))(Location(file="s.yaml", line=2)) == "data: {a: b}"


# Nothing at all, and what looks like it -------------------------------------------------------------------------------


def test_an_empty_source_deletes_nothing_however_often_it_is_read(stage: Field) -> None:
    stage.commit(delete=[*SHOP])
    stage.turns(5)
    assert stage.replicas() == {"east": 4, "west": 2}


def test_a_folder_that_becomes_a_chart_costs_nothing(stage: Field) -> None:
    """The files of a Helm chart are not read, and a Chart.yaml may come into any folder."""
    stage.hidden = "apps/"
    stage.commit()
    stage.turns(5)
    assert stage.replicas() == {"east": 4, "west": 2}
    stage.hidden = "nothing/"
    stage.commit(delete=[deployment()])
    stage.turns()
    assert stage.replicas() == {}


@pytest.mark.parametrize("name", ["federation.json", "memory.json"])
def test_a_spoilt_record_of_the_branch_stops_the_turn(stage: Field, name: str) -> None:
    stage.status.files[name] = b"[]"
    stage.restart()
    with pytest.raises(RepositoryError, match="Revert"):
        stage.turns(1)


@DOUBTS
def test_what_a_rule_in_doubt_says_is_needed_stays(fresh: Fresh, how: str) -> None:
    definition, widget, made = widgets()
    widget = {**widget, "metadata": {"name": "w", "namespace": "shop"}}
    made["spec"]["propagateDeps"] = True
    script = (
        "function GetDependencies(o) return "
        "{{apiVersion = 'v1', kind = 'ConfigMap', namespace = 'shop', name = 'settings'}} end"
    )
    rule = {
        "apiVersion": "config.karmada.io/v1alpha1",
        "kind": "ResourceInterpreterCustomization",
        "metadata": {"name": "widgets"},
        "spec": {
            "target": {"apiVersion": "example.io/v1", "kind": "Widget"},
            "customizations": {"dependencyInterpretation": {"luaScript": script}},
        },
    }
    stage = fresh([*CLUSTERS, definition, widget, made, rule, config_map()])
    stage.turns()
    assert stage.names("east", "ConfigMap") == {"settings"}
    stage.doubt(rule, how)
    stage.turns()
    assert stage.names("east", "ConfigMap") == {"settings"}
    stage.mend()
    stage.commit(delete=[rule])
    stage.turns()
    assert stage.names("east", "ConfigMap") == set()
