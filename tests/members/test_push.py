"""What only a broken API server does: it must never be read as an answer, least of all as an empty one."""

import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from gitops_karmada.members.connect import Connector
from gitops_karmada.members.refusals import RefusalError, SilentError, UnreachedError
from gitops_karmada.members.resources import Resource
from gitops_karmada.members.transports import Transport
from gitops_karmada.model.members import Deadlines, MemberConnection
from gitops_karmada.model.objects import ClusterName
from gitops_karmada.model.problems import SettingsError
from gitops_karmada.model.settings import MemberMode
from tests.members.faulty import Faulty, black_hole, faulty_server, json_answer, status_of
from tests.members.worlds import clock, config_map

MAPS = Resource(group="", version="v1", kind="ConfigMap", plural="configmaps", namespaced=True)
LIST = "/api/v1/configmaps"
ONE = "/api/v1/namespaces/default/configmaps/cfg"
QUICK = Deadlines(connect=1, request=1, round=10)


def transport(server: Faulty, tmp_path: Path, **changes: Any) -> Transport:
    token = tmp_path / "token"
    if not token.exists():
        token.write_text("first\n")
    settings: dict[str, Any] = {
        "ca_file": str(server.authority),
        "token_file": str(token),
        "deadlines": QUICK,
        **changes,
    }
    connection = MemberConnection(cluster=ClusterName("one"), mode=MemberMode.PUSH, endpoint=server.server, **settings)
    return Connector(clock=clock)(connection)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Faulty]:
    async with faulty_server(tmp_path / "server") as server:
        yield server


@pytest.fixture
async def member(server: Faulty, tmp_path: Path) -> AsyncIterator[Transport]:
    opened = transport(server, tmp_path)
    yield opened
    await opened.close()


def page(names: list[str], following: str = "") -> dict[str, Any]:
    items = [{"metadata": {"name": name, "namespace": "default"}} for name in names]
    return {"kind": "ConfigMapList", "apiVersion": "v1", "metadata": {"continue": following}, "items": items}


NO_LISTS: dict[str, Any] = {
    "an HTML login page": "<html><body>Please log in</body></html>",
    "nothing": "",
    "an empty object": "{}",
    "null items": '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":null}',
    "no items": '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{}}',
    "another kind": '{"kind":"ConfigMap","apiVersion":"v1","metadata":{},"items":[]}',
    "half a list": '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"na',
    "a JSON list": "[]",
}


@pytest.mark.parametrize("body", NO_LISTS.values(), ids=NO_LISTS)
async def test_a_success_that_is_no_list_is_no_empty_list(server: Faulty, member: Transport, body: str) -> None:
    server.text(LIST, body)
    with pytest.raises(UnreachedError):
        await member.list(MAPS)


@pytest.mark.parametrize("body", ["<html>Please log in</html>", "", "{}", "[]", '{"kind":"ConfigMap"}'])
async def test_a_success_that_is_no_object_is_no_absent_object(server: Faulty, member: Transport, body: str) -> None:
    server.text(ONE, body)
    with pytest.raises(UnreachedError):
        await member.get(MAPS, "default", "cfg")
    with pytest.raises(UnreachedError):
        await member.apply(MAPS, config_map(), manager="us")


async def test_an_answer_is_never_repeated_in_an_error(server: Faulty, member: Transport) -> None:
    """It may hold secrets."""
    server.text(ONE, "<html>password hunter2</html>")
    with pytest.raises(UnreachedError) as unreached:
        await member.get(MAPS, "default", "cfg")
    assert "hunter2" not in str(unreached.value)


async def test_a_redirect_is_not_followed(server: Faulty, member: Transport) -> None:
    """The token goes to nobody else."""
    server.answers[ONE] = lambda _: web.Response(status=302, headers={"Location": f"{server.server}/login"})
    with pytest.raises(UnreachedError, match="302"):
        await member.get(MAPS, "default", "cfg")
    assert server.asked("/login") == []


async def test_a_list_goes_on_to_its_last_page(server: Faulty, member: Transport) -> None:
    def answer(request: web.Request) -> web.StreamResponse:
        pages = {"": page(["a", "b"], "2"), "2": page(["c"], "3"), "3": page(["d"])}
        return json_answer(pages[request.query.get("continue", "")])

    server.answers[LIST] = answer
    found = await member.list(MAPS, selector="x=y")
    assert [obj["metadata"]["name"] for obj in found] == ["a", "b", "c", "d"]
    assert all(obj["kind"] == "ConfigMap" for obj in found)
    assert {request.query["limit"] for request in server.asked(LIST)} == {"500"}
    assert {request.query["labelSelector"] for request in server.asked(LIST)} == {"x=y"}


async def test_a_list_whose_continuation_is_too_old_begins_anew(server: Faulty, member: Transport) -> None:
    """Half a list is never used as a whole one."""
    tries = iter(range(100))

    def answer(request: web.Request) -> web.StreamResponse:
        if "continue" not in request.query:
            return json_answer(page(["a", "b"], "2"))
        if next(tries) == 0:
            return json_answer(status_of(410, "Expired", "too old"), 410)
        return json_answer(page(["c"]))

    server.answers[LIST] = answer
    assert [obj["metadata"]["name"] for obj in await member.list(MAPS)] == ["a", "b", "c"]
    assert len(server.asked(LIST)) == 4


async def test_a_list_that_breaks_off_between_pages_is_raised(server: Faulty, member: Transport) -> None:
    def answer(request: web.Request) -> web.StreamResponse:
        if "continue" in request.query:
            return json_answer(status_of(403, "Forbidden", "no more"), 403)
        return json_answer(page(["a"], "2"))

    server.answers[LIST] = answer
    with pytest.raises(RefusalError):
        await member.list(MAPS)


async def test_a_throttled_request_waits_as_long_as_it_is_told(server: Faulty, member: Transport) -> None:
    """Writes too: the server says that it did not act."""
    tries = iter(range(100))

    def answer(_: web.Request) -> web.StreamResponse:
        if next(tries) == 0:
            return json_answer(status_of(429, "TooManyRequests", "slow down"), 429, **{"Retry-After": "1"})
        return json_answer(config_map())

    server.answers[ONE] = answer
    started = time.monotonic()
    await member.apply(MAPS, config_map(), manager="us")
    assert time.monotonic() - started >= 1
    assert len(server.asked(ONE)) == 2


async def test_who_wants_too_much_patience_is_asked_in_the_next_turn(server: Faulty, member: Transport) -> None:
    server.json(ONE, status_of(429, "TooManyRequests", "slow down"), 429, **{"Retry-After": "600"})
    with pytest.raises(RefusalError) as refused:
        await member.apply(MAPS, config_map(), manager="us")
    assert (refused.value.status, refused.value.retry_after) == (429, 600)
    assert len(server.asked(ONE)) == 1


@pytest.mark.parametrize(("method", "requests"), [("get", 4), ("apply", 1)])
async def test_only_reads_are_asked_again_after_an_error(
    server: Faulty, member: Transport, method: str, requests: int
) -> None:
    server.json(ONE, status_of(500, "InternalError", "broken"), 500)
    asked = member.get(MAPS, "default", "cfg") if method == "get" else member.apply(MAPS, config_map(), manager="us")
    with pytest.raises(RefusalError):
        await asked
    assert len(server.asked(ONE)) == requests


async def test_a_token_that_rotated_is_read_again_after_a_401(
    server: Faulty, member: Transport, tmp_path: Path
) -> None:
    def answer(request: web.Request) -> web.StreamResponse:
        if request.headers["Authorization"] == "Bearer second":
            return json_answer(config_map())
        return json_answer(status_of(401, "Unauthorized", "Unauthorized"), 401)

    server.answers[ONE] = answer
    with pytest.raises(RefusalError):
        await member.get(MAPS, "default", "cfg")
    # Nothing new to show: it is not asked a second time.
    assert len(server.asked(ONE)) == 1
    (tmp_path / "token").write_text("second\n")
    assert await member.get(MAPS, "default", "cfg")


async def test_impersonation_is_in_the_headers(server: Faulty, tmp_path: Path) -> None:
    server.json(ONE, config_map())
    member = transport(server, tmp_path, impersonate_user="team-a", impersonate_groups=("devs", "ops"))
    await member.get(MAPS, "default", "cfg")
    await member.close()
    headers = server.asked(ONE)[0].headers
    assert headers["Impersonate-User"] == "team-a"
    assert headers.getall("Impersonate-Group") == ["devs", "ops"]
    assert headers["User-Agent"] == "gitops-karmada"


async def test_a_name_with_odd_signs_stays_one_name(server: Faulty, member: Transport) -> None:
    roles = Resource(
        group="rbac.authorization.k8s.io", version="v1", kind="ClusterRole", plural="clusterroles", namespaced=False
    )
    server.default = lambda request: json_answer({"kind": "ClusterRole", "metadata": {"name": "x"}})
    await member.get(roles, "", "system:a?b/..%2F")
    assert server.requests[0].raw_path == "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aa%3Fb%2F..%252F"


async def test_silence_ends_at_its_deadline_and_is_not_asked_twice(tmp_path: Path) -> None:
    async with black_hole() as port, faulty_server(tmp_path / "server") as server:
        server.server = f"https://127.0.0.1:{port}"
        member = transport(server, tmp_path)
        started = time.monotonic()
        with pytest.raises(SilentError, match="no answer"):
            await member.get(MAPS, "default", "cfg")
        assert time.monotonic() - started < 2
        await member.close()


async def test_a_certificate_of_another_authority_is_not_trusted(server: Faulty, tmp_path: Path) -> None:
    from tests.envtest.certificates import write_certificates

    (tmp_path / "other").mkdir()
    other = write_certificates(tmp_path / "other", "other")
    member = transport(server, tmp_path, ca_file=str(other.authority))
    with pytest.raises(UnreachedError, match="not trusted"):
        await member.get(MAPS, "default", "cfg")
    await member.close()
    assert server.requests == []


def test_plain_http_is_refused() -> None:
    connection = MemberConnection(cluster=ClusterName("one"), mode=MemberMode.PUSH, endpoint="http://10.0.0.1:8080")
    with pytest.raises(SettingsError, match="https"):
        Connector(clock=clock)(connection)
