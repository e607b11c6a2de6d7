"""Members side by side: what is seen of each, and that a dead one holds up nobody."""

import time
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from gitops_karmada.core.order import waves
from gitops_karmada.members.fleet import BlockingFleet, Fleet
from gitops_karmada.model.actions import Applied, Create, Failed, Fault, Held, Keep, Unchanged
from gitops_karmada.model.clusters import APIEnablement, APIResource
from gitops_karmada.model.marks import marked
from gitops_karmada.model.members import (
    Absent,
    Deadlines,
    LastKnown,
    MemberConnection,
    Observed,
    Present,
    Unknown,
    Unreachable,
)
from gitops_karmada.model.objects import ClusterName, Key, key_of
from gitops_karmada.model.settings import MemberMode
from gitops_karmada.model.works import Place
from tests.conftest import StartCluster
from tests.envtest.cluster import Cluster
from tests.envtest.nodes import create_node, create_pod
from tests.members.faulty import Faulty, black_hole, faulty_server, json_answer, status_of
from tests.members.turns import Turns, only, work
from tests.members.worlds import QUICK, clock, config_map, push_connection

ONE, TWO, THREE = (ClusterName(name) for name in ("member1", "member2", "member3"))
MAP = Key(group="", kind="ConfigMap", namespace="default", name="cfg")


@pytest.fixture
async def fleet() -> AsyncIterator[Fleet]:
    async with Fleet("test", clock=clock) as fleet:
        yield fleet


def folder(path: Path, name: ClusterName = ONE, **changes: Any) -> MemberConnection:
    path.mkdir(parents=True, exist_ok=True)
    return MemberConnection(cluster=name, mode=MemberMode.DIRECTORY, directory=str(path), **changes)


def creates(cluster: ClusterName, *names: str) -> Any:
    manifests = [marked(config_map(name), "test") for name in names]
    return waves([Create(place=Place(cluster=cluster, key=key_of(obj)), manifest=obj) for obj in manifests])


# Seeing ---------------------------------------------------------------------------------------------------------------


@pytest.mark.envtest
async def test_a_real_member_is_seen_whole(fleet: Fleet, members: tuple[Cluster, ...], tmp_path: Path) -> None:
    cluster = members[0]
    create_node(cluster.admin, "node-1", cpu="4", memory="16Gi", labels={"zone": "a"})
    create_node(cluster.admin, "node-2", ready=False)
    create_pod(cluster.admin, "pod-1", "default", node="node-1", cpu="1500m", memory="1Gi")
    create_pod(cluster.admin, "pod-2", "default", phase="Pending")
    cluster.admin.create(
        {
            "apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "web", "namespace": "default"},
            "spec": {
                "maxReplicas": 9,
                "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            },
        }
    )
    seen = (await fleet.observe([push_connection(cluster, tmp_path)]))[ONE]
    assert isinstance(seen, Observed)
    assert (seen.complete, seen.healthy, seen.problems) == (True, True, ())
    assert seen.kubernetes_version.startswith("v1.")
    assert seen.identity == cluster.admin.get("v1", "Namespace", "kube-system")["metadata"]["uid"]
    apps = next(group for group in seen.api_enablements if group.group_version == "apps/v1")
    assert APIResource(name="deployments", kind="Deployment") in apps.resources
    assert seen.nodes is not None
    assert seen.pods is not None
    nodes = {node["metadata"]["name"]: node for node in seen.nodes}
    assert set(nodes) == {"node-1", "node-2"}
    assert nodes["node-1"]["status"]["allocatable"]["cpu"] == "4"
    assert nodes["node-1"]["metadata"]["labels"]["zone"] == "a"
    pods = {pod["metadata"]["name"]: pod for pod in seen.pods}
    assert pods["pod-1"]["spec"]["nodeName"] == "node-1"
    assert pods["pod-1"]["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "1500m", "memory": "1Gi"}
    assert "nodeName" not in pods["pod-2"]["spec"]
    assert seen.autoscaled == {Key(group="apps", kind="Deployment", namespace="default", name="web")}


async def test_a_folder_says_nothing_of_room_until_it_holds_nodes(fleet: Fleet, tmp_path: Path) -> None:
    """None is not an empty list: what the Cluster declares counts."""
    connection = folder(tmp_path / "one")
    seen = (await fleet.observe([connection]))[ONE]
    assert isinstance(seen, Observed)
    assert (seen.nodes, seen.pods) == (None, None)
    node = "apiVersion: v1\nkind: NodeList\nitems:\n- {metadata: {name: n1}, status: {allocatable: {cpu: '8'}}}\n"
    (tmp_path / "one" / "nodes.yaml").write_text(node)
    seen = (await fleet.observe([connection]))[ONE]
    assert isinstance(seen, Observed)
    assert seen.nodes is not None
    assert [node["metadata"]["name"] for node in seen.nodes] == ["n1"]
    assert seen.nodes[0]["status"] == {"allocatable": {"cpu": "8"}}
    assert seen.pods == ()


async def test_declared_apis_replace_the_built_in_ones(fleet: Fleet, tmp_path: Path) -> None:
    declared = (
        APIEnablement(group_version="apps/v1", resources=(APIResource(name="deployments", kind="Deployment"),)),
    )
    seen = (await fleet.observe([folder(tmp_path / "one", declared_apis=declared)]))[ONE]
    assert isinstance(seen, Observed)
    assert seen.api_enablements == declared


@pytest.mark.envtest
async def test_without_the_right_to_list_room_is_unknown_and_the_verb_is_named(
    fleet: Fleet, members: tuple[Cluster, ...], tmp_path: Path
) -> None:
    cluster = members[0]
    cluster.grant("limited", [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}])
    seen = (await fleet.observe([push_connection(cluster, tmp_path, "limited")]))[ONE]
    assert isinstance(seen, Observed)
    assert seen.nodes is None
    assert seen.pods == ()
    assert ("list", "nodes") in seen.missing_verbs
    assert any("Grant list on nodes" in problem.hint for problem in seen.problems)


# Not seeing -----------------------------------------------------------------------------------------------------------


@pytest.mark.envtest
async def test_a_black_hole_is_unreachable_after_its_deadline_and_holds_up_nobody(
    members: tuple[Cluster, ...], tmp_path: Path
) -> None:
    """An API server that takes connections and never answers; the others see their objects applied meanwhile."""
    deadlines = Deadlines(connect=1, request=2, round=10)
    connections = [push_connection(cluster, tmp_path, deadlines=deadlines) for cluster in members]
    turns = Turns(connections)
    works = [work(config_map(f"cm-{number}"), cluster.name) for cluster in members for number in range(30)]
    members[1].pause()
    try:
        started = time.monotonic()
        seen = await turns.fleet.observe(connections)
        assert time.monotonic() - started < 6
        assert [type(state) for state in seen.values()] == [Observed, Unreachable, Observed]
        started = time.monotonic()
        outcomes = await turns.turn(works)
        assert time.monotonic() - started < 8
    finally:
        members[1].resume()
    by_cluster = {name: [o for place, o in outcomes.items() if place.cluster == name] for name in (ONE, TWO, THREE)}
    assert all(isinstance(outcome, Applied) for name in (ONE, THREE) for outcome in by_cluster[name])
    assert all(isinstance(outcome, Held) and "unreachable" in outcome.reason for outcome in by_cluster[TWO])
    # When it is back, it gets what it missed.
    outcomes = await turns.turn(works)
    assert {type(outcome) for place, outcome in outcomes.items() if place.cluster == TWO} == {Applied}
    await turns.fleet.close()


@pytest.mark.envtest
async def test_a_member_that_falls_silent_while_it_is_written_costs_one_deadline(
    fleet: Fleet, members: tuple[Cluster, ...], tmp_path: Path
) -> None:
    connection = push_connection(
        members[0], tmp_path, deadlines=Deadlines(connect=1, request=1, round=60), concurrency=4
    )
    await fleet.observe([connection])
    members[0].pause()
    try:
        started = time.monotonic()
        outcomes = await fleet.run({ONE: creates(ONE, *(f"cm-{number}" for number in range(60)))})
        assert time.monotonic() - started < 5
    finally:
        members[0].resume()
    assert len(outcomes) == 60
    assert all(isinstance(o, Failed) and o.fault is Fault.UNREACHABLE and o.transient for o in outcomes.values())


@pytest.mark.envtest
async def test_a_stopped_member_is_unreachable(start_cluster: StartCluster, fleet: Fleet, tmp_path: Path) -> None:
    cluster = start_cluster("member1")
    connection = push_connection(cluster, tmp_path)
    cluster.stop()
    seen = (await fleet.observe([connection]))[ONE]
    assert isinstance(seen, Unreachable)
    assert seen.problems[0].subject == "Cluster member1"
    looked = await fleet.look({ONE: [(MAP, "v1")]})
    assert isinstance(only(looked), Unknown)
    cluster.restart()
    assert isinstance((await fleet.observe([connection]))[ONE], Observed)


async def test_a_port_that_never_speaks_tls_is_unreachable(fleet: Fleet, tmp_path: Path) -> None:
    async with black_hole() as port:
        connection = MemberConnection(
            cluster=ONE,
            mode=MemberMode.PUSH,
            endpoint=f"https://127.0.0.1:{port}",
            deadlines=Deadlines(connect=1, request=1, round=5),
        )
        started = time.monotonic()
        seen = await fleet.observe([connection, folder(tmp_path / "two", TWO)])
        assert time.monotonic() - started < 4
    assert isinstance(seen[ONE], Unreachable)
    assert isinstance(seen[TWO], Observed)


async def test_missing_credentials_are_one_members_trouble(fleet: Fleet, tmp_path: Path) -> None:
    lost = MemberConnection(cluster=ONE, mode=MemberMode.PUSH, kubeconfig=str(tmp_path / "nothing"))
    seen = await fleet.observe([lost, folder(tmp_path / "two", TWO)])
    state = seen[ONE]
    assert isinstance(state, Unreachable)
    assert "nothing" in state.reason
    assert isinstance(seen[TWO], Observed)
    assert isinstance(only(await fleet.run({ONE: creates(ONE, "a")})), Failed)


@pytest.mark.envtest
async def test_a_token_that_is_refused_is_unreachable_not_empty(
    fleet: Fleet, members: tuple[Cluster, ...], tmp_path: Path
) -> None:
    token = tmp_path / "token"
    members[0].write_kubeconfig(tmp_path / "k", token_file=token)
    token.write_text("wrong")
    connection = MemberConnection(cluster=ONE, mode=MemberMode.PUSH, kubeconfig=str(tmp_path / "k"), deadlines=QUICK)
    seen = (await fleet.observe([connection]))[ONE]
    assert isinstance(seen, Unreachable)
    assert "credentials" in seen.reason
    assert seen.problems[0].code == "GK5002"
    assert all(isinstance(live, Unknown) for live in (await fleet.look({ONE: [(MAP, "v1")]})).values())
    token.write_text(members[0].token("hub"))
    assert isinstance((await fleet.observe([connection]))[ONE], Observed)


@pytest.mark.envtest
async def test_another_cluster_behind_the_same_name_is_not_touched(
    fleet: Fleet, members: tuple[Cluster, ...], tmp_path: Path
) -> None:
    """The namespace kube-system tells clusters apart."""
    connection = push_connection(members[0], tmp_path)
    first = (await fleet.observe([connection]))[ONE]
    assert isinstance(first, Observed)
    members[1].write_kubeconfig(Path(connection.kubeconfig))
    known = {ONE: LastKnown(identity=first.identity)}
    second = (await fleet.observe([connection], known))[ONE]
    assert isinstance(second, Unreachable)
    assert "another cluster" in second.reason
    assert second.problems[0].code == "GK5010"
    outcome = only(await fleet.run({ONE: creates(ONE, "a")}))
    assert isinstance(outcome, Failed)
    assert members[1].admin.find("v1", "ConfigMap", "a", "default") is None


# A member that is half broken -----------------------------------------------------------------------------------------


def healthy(server: Faulty) -> None:
    """As much of an API server as an observation asks for."""
    listed: dict[str, Any] = {"metadata": {}, "items": []}
    apps = {
        "metadata": {"name": "apps"},
        "versions": [{"version": "v1", "resources": [resource("deployments", "Deployment")]}],
    }
    core = {
        "metadata": {"name": ""},
        "versions": [{"version": "v1", "resources": [resource("configmaps", "ConfigMap"), resource("pods", "Pod")]}],
    }
    server.text("/readyz", "ok", content_type="text/plain")
    server.json("/version", {"gitVersion": "v1.36.3"})
    server.json("/api", {"kind": "APIGroupDiscoveryList", "items": [core]})
    server.json("/apis", {"kind": "APIGroupDiscoveryList", "items": [apps]})
    server.json(
        "/api/v1/namespaces/kube-system", {"kind": "Namespace", "metadata": {"name": "kube-system", "uid": "k"}}
    )
    server.json("/api/v1/nodes", {"kind": "NodeList", **listed})
    server.json("/api/v1/pods", {"kind": "PodList", **listed})


def resource(plural: str, kind: str) -> dict[str, Any]:
    return {
        "resource": plural,
        "responseKind": {"kind": kind},
        "scope": "Namespaced",
        "verbs": ["get", "list", "patch"],
    }


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Faulty]:
    async with faulty_server(tmp_path / "server") as server:
        healthy(server)
        yield server


def faulty_connection(server: Faulty) -> MemberConnection:
    return MemberConnection(
        cluster=ONE, mode=MemberMode.PUSH, endpoint=server.server, ca_file=str(server.authority), deadlines=QUICK
    )


async def test_what_is_half_broken_is_whole_first(fleet: Fleet, server: Faulty) -> None:
    seen = (await fleet.observe([faulty_connection(server)]))[ONE]
    assert isinstance(seen, Observed)
    assert (seen.complete, seen.nodes, seen.pods, seen.identity) == (True, (), (), "k")


WIDGETS = APIEnablement(group_version="demo.io/v1", resources=(APIResource(name="widgets", kind="Widget"),))


async def test_discovery_that_fails_leaves_the_last_known_apis(fleet: Fleet, server: Faulty) -> None:
    """What is placed there stays placed; nothing is called absent."""
    server.json("/apis", status_of(500, "InternalError", "etcd"), 500)
    last = LastKnown(api_enablements=(WIDGETS,), observed_at=clock() - timedelta(minutes=3))
    seen = (await fleet.observe([faulty_connection(server)], {ONE: last}))[ONE]
    assert isinstance(seen, Observed)
    assert not seen.complete
    assert WIDGETS in seen.api_enablements
    assert "discovery incomplete" in seen.problems[0].message
    assert "using last known APIs (as of 2026-01-02T03:01:05" in seen.problems[0].message
    looked = await fleet.look({ONE: [(Key(group="demo.io", kind="Widget", namespace="x", name="w"), "demo.io/v1")]})
    (live,) = looked.values()
    assert isinstance(live, Unknown)
    assert not live.no_such_api


async def test_one_broken_aggregated_api_costs_only_its_own_kinds(fleet: Fleet, server: Faulty) -> None:
    stale = {"metadata": {"name": "demo.io"}, "versions": [{"version": "v1", "resources": [], "freshness": "Stale"}]}
    apps = {
        "metadata": {"name": "apps"},
        "versions": [{"version": "v1", "resources": [resource("deployments", "Deployment")]}],
    }
    server.json("/apis", {"kind": "APIGroupDiscoveryList", "items": [apps, stale]})
    server.json("/api/v1/namespaces/default/configmaps/cfg", status_of(404, "NotFound", "gone", name="cfg"), 404)
    seen = (await fleet.observe([faulty_connection(server)], {ONE: LastKnown(api_enablements=(WIDGETS,))}))[ONE]
    assert isinstance(seen, Observed)
    assert (seen.complete, WIDGETS in seen.api_enablements) == (False, True)
    widget = Key(group="demo.io", kind="Widget", namespace="x", name="w")
    gadget = Key(group="other.io", kind="Gadget", namespace="x", name="w")
    looked = await fleet.look({ONE: [(widget, "demo.io/v1"), (gadget, "other.io/v1"), (MAP, "v1")]})
    lives = {place.key: live for place, live in looked.items()}
    assert lives[widget] == Unknown(reason="whether member1 serves demo.io/v1 Widget is not known now")
    absent_kind = lives[gadget]
    assert isinstance(absent_kind, Unknown)
    assert absent_kind.no_such_api
    assert isinstance(lives[MAP], Absent)


async def test_an_older_server_is_asked_group_by_group(fleet: Fleet, server: Faulty) -> None:
    """A group that does not answer is named; the others are told."""
    server.json("/api", {"kind": "APIVersions", "versions": ["v1"]})
    server.json(
        "/api/v1", {"kind": "APIResourceList", "resources": [{"name": "pods", "kind": "Pod", "namespaced": True}]}
    )
    groups = [
        {"name": "apps", "versions": [{"groupVersion": "apps/v1"}]},
        {"versions": [{"groupVersion": "demo.io/v1"}]},
    ]
    server.json("/apis", {"kind": "APIGroupList", "groups": groups})
    deployments = [
        {"name": "deployments", "kind": "Deployment", "namespaced": True},
        {"name": "deployments/scale", "kind": "Scale"},
    ]
    server.json("/apis/apps/v1", {"kind": "APIResourceList", "resources": deployments})
    server.json("/apis/demo.io/v1", status_of(503, "ServiceUnavailable", "no"), 503)
    seen = (await fleet.observe([faulty_connection(server)]))[ONE]
    assert isinstance(seen, Observed)
    assert [(group.group_version, [item.kind for item in group.resources]) for group in seen.api_enablements] == [
        ("apps/v1", ["Deployment"]),
        ("v1", ["Pod"]),
    ]
    assert not seen.complete


@pytest.mark.parametrize("path", ["/api/v1/nodes", "/api/v1/pods"])
async def test_a_login_page_in_place_of_a_list_is_unreachable(fleet: Fleet, server: Faulty, path: str) -> None:
    server.text(path, "<html>Please log in</html>")
    assert isinstance((await fleet.observe([faulty_connection(server)]))[ONE], Unreachable)


async def test_a_server_that_says_it_is_not_ready_is_unreachable(fleet: Fleet, server: Faulty) -> None:
    server.text("/readyz", "[-]etcd failed", 500, "text/plain")
    seen = (await fleet.observe([faulty_connection(server)]))[ONE]
    assert isinstance(seen, Unreachable)
    assert "HTTP 500" in seen.reason


async def test_an_old_server_without_readyz_is_asked_for_healthz(fleet: Fleet, server: Faulty) -> None:
    del server.answers["/readyz"]
    server.text("/healthz", "ok", content_type="text/plain")
    assert isinstance((await fleet.observe([faulty_connection(server)]))[ONE], Observed)


async def test_nodes_that_fail_to_list_are_unknown(fleet: Fleet, server: Faulty) -> None:
    server.json("/api/v1/nodes", status_of(500, "InternalError", "etcd"), 500)
    seen = (await fleet.observe([faulty_connection(server)]))[ONE]
    assert isinstance(seen, Observed)
    assert (seen.nodes, seen.pods) == (None, ())
    assert "nodes cannot be listed" in seen.problems[0].message


async def test_a_create_whose_answer_was_lost_is_known_as_ours(fleet: Fleet, server: Faulty) -> None:
    """The request is sent again, is refused because the object is there, and the object turns out to be ours."""
    made: dict[str, Any] = {}

    def answer(request: web.Request) -> web.StreamResponse:
        if request.method == "GET":
            return json_answer(made)
        if not made:
            obj = marked(config_map(), "test")
            made.update({**obj, "metadata": {**obj["metadata"], "uid": "u", "resourceVersion": "5"}})
            assert request.transport is not None
            request.transport.abort()
            return json_answer({})
        return json_answer(status_of(409, "Conflict", "the object has been modified", name="cfg"), 409)

    server.answers["/api/v1/namespaces/default/configmaps/cfg"] = answer
    await fleet.observe([faulty_connection(server)])
    outcome = only(await fleet.run({ONE: creates(ONE, "cfg")}))
    assert isinstance(outcome, Applied)
    assert (outcome.created, outcome.receipt.uid) == (True, "u")


@pytest.mark.parametrize(
    ("code", "reason", "message", "causes", "fault"),
    [
        (403, "Forbidden", 'configmaps is forbidden: User "x" cannot patch', [], Fault.FORBIDDEN),
        (403, "Forbidden", "exceeded quota: q, requested: pods=1", [], Fault.QUOTA),
        (403, "Forbidden", "being terminated", [{"reason": "NamespaceTerminating"}], Fault.NAMESPACE_TERMINATING),
        (400, "BadRequest", 'admission webhook "x.y.io" denied the request: no', [], Fault.DENIED),
        (500, "InternalError", 'failed calling webhook "x.y.io": connection refused', [], Fault.DENIED),
        (422, "Invalid", "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no", [], Fault.DENIED),
        (422, "Invalid", "spec.x: Invalid value", [{"field": "spec.x", "reason": "FieldValueInvalid"}], Fault.INVALID),
        (422, "Invalid", "spec.selector: field is immutable", [{"field": "spec.selector"}], Fault.IMMUTABLE),
        (413, "RequestEntityTooLarge", "too large", [], Fault.TOO_LARGE),
        (401, "Unauthorized", "Unauthorized", [], Fault.UNAUTHORIZED),
    ],
)
async def test_every_refusal_has_its_own_name(
    fleet: Fleet, server: Faulty, code: int, reason: str, message: str, causes: list[Any], fault: Fault
) -> None:
    await fleet.observe([faulty_connection(server)])
    body = status_of(code, reason, message, name="cfg", causes=causes)
    server.json("/api/v1/namespaces/default/configmaps/cfg", body, code)
    outcome = only(await fleet.run({ONE: creates(ONE, "cfg")}))
    assert isinstance(outcome, Failed)
    assert outcome.fault is fault
    assert message in outcome.reason
    assert outcome.fields == tuple(cause["field"] for cause in causes if "field" in cause)


# Looking --------------------------------------------------------------------------------------------------------------


@pytest.mark.envtest
async def test_looking_costs_one_list_for_what_is_ours(
    fleet: Fleet, members: tuple[Cluster, ...], tmp_path: Path
) -> None:
    """And a glance at the names where many are not: never one request for each of many absent objects."""
    cluster = members[0]
    await fleet.observe([push_connection(cluster, tmp_path)])
    names = [f"cm-{number}" for number in range(60)]
    await fleet.run({ONE: creates(ONE, *names[:30])})
    cluster.admin.create(config_map("cm-40"))
    keys = [Key(group="", kind="ConfigMap", namespace="default", name=name) for name in names]
    mark = cluster.audit.mark()
    looked = await fleet.look({ONE: [(key, "v1") for key in keys]})
    asked = [
        event for event in cluster.audit.events(since=mark) if event.resource == "configmaps" and event.user == "hub"
    ]
    lives = [looked[Place(cluster=ONE, key=key)] for key in keys]
    assert [type(live) for live in lives] == [Present] * 30 + [Absent] * 10 + [Present] + [Absent] * 19
    assert len(asked) <= 3


@pytest.mark.envtest
async def test_a_turn_without_change_writes_nothing_to_a_real_member(
    members: tuple[Cluster, ...], tmp_path: Path
) -> None:
    """The audit log is the witness."""
    turns = Turns([push_connection(cluster, tmp_path) for cluster in members])
    works = [work(config_map(f"cm-{number}"), cluster.name) for cluster in members for number in range(25)]
    first = await turns.turn(works)
    assert all(isinstance(outcome, Applied) for outcome in first.values())
    marks = [cluster.audit.mark() for cluster in members]
    for _ in range(3):
        outcomes = await turns.turn(works)
        assert all(isinstance(outcome, Unchanged) for outcome in outcomes.values())
    for cluster, mark in zip(members, marks, strict=True):
        assert cluster.audit.writes(since=mark, user="hub") == ()
    await turns.fleet.close()


# Doing ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [MemberMode.OBSERVE, MemberMode.RENDER_ONLY, MemberMode.PULL])
async def test_a_member_that_is_only_watched_is_never_written(fleet: Fleet, tmp_path: Path, mode: MemberMode) -> None:
    connection = replace(folder(tmp_path / "one"), mode=mode)
    await fleet.observe([connection])
    outcome = only(await fleet.run({ONE: creates(ONE, "a")}))
    assert isinstance(outcome, Held)
    assert str(mode) in outcome.reason
    assert not list((tmp_path / "one").rglob("*.yaml"))


async def test_a_member_that_nobody_named_is_unknown_and_never_written(fleet: Fleet) -> None:
    assert all(isinstance(live, Unknown) for live in (await fleet.look({ONE: [(MAP, "v1")]})).values())
    assert isinstance(only(await fleet.run({ONE: creates(ONE, "a")})), Failed)


async def test_what_needs_no_writing_is_told_even_where_nobody_answers(fleet: Fleet) -> None:
    keep = Keep(place=Place(cluster=ONE, key=MAP), reason="as it was")
    assert isinstance(only(await fleet.run({ONE: [[keep]]})), Failed | Unchanged)


@pytest.mark.envtest
async def test_two_instances_that_create_the_same_object_leave_one_owner(
    members: tuple[Cluster, ...], tmp_path: Path
) -> None:
    """Whoever comes second wrote nothing: no field, no mark."""
    first, second = (
        Turns([push_connection(members[0], tmp_path, user)], instance)
        for user, instance in (("hub", "a"), ("other-hub", "b"))
    )
    obj = config_map(a="1")
    for turns, instance in ((first, "a"), (second, "b")):
        await turns.fleet.use(turns.connections)
        action = Create(place=Place(cluster=ONE, key=MAP), manifest=marked({**obj, "data": {instance: "1"}}, instance))
        outcome = only(await turns.fleet.run({ONE: [[action]]}))
        assert isinstance(outcome, Applied if instance == "a" else Failed)
        await turns.fleet.close()
    live = members[0].admin.get("v1", "ConfigMap", "cfg", "default")
    assert live["data"] == {"a": "1"}
    assert {entry["manager"] for entry in live["metadata"]["managedFields"]} == {"gitops-karmada/a"}


IMMUTABLE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "fixed", "namespace": "default"},
    "immutable": True,
    "data": {"a": "1"},
}


@pytest.mark.envtest
async def test_a_field_that_cannot_be_changed_is_named_and_the_object_stays(
    members: tuple[Cluster, ...], tmp_path: Path
) -> None:
    """With its author's word it is made anew, once."""
    turns = Turns([push_connection(members[0], tmp_path)])
    await turns.turn([work(IMMUTABLE)])
    uid = members[0].admin.get("v1", "ConfigMap", "fixed", "default")["metadata"]["uid"]
    changed = {**IMMUTABLE, "data": {"a": "2"}}
    outcomes = await turns.turn([work(changed), work(config_map())])
    failed = outcomes[work(changed).place]
    assert isinstance(failed, Failed)
    assert (failed.fault, failed.fields) == (Fault.IMMUTABLE, ("data",))
    assert isinstance(outcomes[work(config_map()).place], Applied)
    assert members[0].admin.get("v1", "ConfigMap", "fixed", "default")["metadata"]["uid"] == uid
    allowed = {**changed, "metadata": {**changed["metadata"], "annotations": {"gitops-karmada.io/recreate": "true"}}}
    both = [work(allowed), work(config_map())]
    again = await turns.turn(both)
    assert isinstance(again[work(allowed).place], Applied)
    live = members[0].admin.get("v1", "ConfigMap", "fixed", "default")
    assert live["data"] == {"a": "2"}
    assert live["metadata"]["uid"] != uid
    assert all(isinstance(outcome, Unchanged) for outcome in (await turns.turn(both)).values())
    await turns.fleet.close()


@pytest.mark.envtest
async def test_a_namespace_goes_only_when_nothing_is_left_in_it(members: tuple[Cluster, ...], tmp_path: Path) -> None:
    admin = members[0].admin
    turns = Turns([push_connection(members[0], tmp_path)])
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    await turns.turn([work(namespace), work(config_map(namespace="shop"))])
    admin.create(config_map("theirs", "shop"))
    outcomes = await turns.turn([])
    held = outcomes[work(namespace).place]
    assert isinstance(held, Held)
    assert "ConfigMap theirs" in held.reason
    assert "deletionTimestamp" not in admin.get("v1", "Namespace", "shop")["metadata"]
    admin.delete("v1", "ConfigMap", "theirs", "shop")
    await turns.turn([])
    assert "deletionTimestamp" in admin.get("v1", "Namespace", "shop")["metadata"]
    await turns.fleet.close()


def test_a_fleet_can_be_used_without_an_event_loop(tmp_path: Path) -> None:
    with BlockingFleet(Fleet("test", clock=clock)) as fleet:
        seen = fleet.observe([folder(tmp_path / "one")])
        assert isinstance(seen[ONE], Observed)
        assert isinstance(only(fleet.run({ONE: creates(ONE, "a")})), Applied)
        looked = fleet.look({ONE: [(Key(group="", kind="ConfigMap", namespace="default", name="a"), "v1")]})
        assert all(isinstance(live, Present) for live in looked.values())
