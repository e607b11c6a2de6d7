"""Server-side apply as values, held to its laws and to a real API server."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitops_karmada.members.server_side_apply import (
    ApplyConflict,
    DuplicateItemsError,
    Managed,
    applied,
    fields_of,
    replaced,
    updated,
)
from gitops_karmada.model.objects import Object
from tests.envtest.client import ApiError
from tests.envtest.cluster import Cluster

EMPTY = Managed(object={"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "default"}})

VALUES = st.dictionaries(st.sampled_from("abcd"), st.sampled_from("123"), max_size=4)


def config(data: dict[str, str]) -> Object:
    return {**EMPTY.object, **({"data": data} if data else {})}


def holders(managed: Managed, key: str) -> set[str]:
    return {entry.manager for entry in managed.entries if f"f:{key}" in entry.fields.get("f:data", {})}


# Laws -----------------------------------------------------------------------------------------------------------------


@given(VALUES, VALUES)
def test_what_is_applied_is_there_and_applying_it_again_changes_nothing(first: Any, second: Any) -> None:
    start = applied(EMPTY, config(first), "them")
    once = applied(start, config(second), "us", force=True)
    assert second.items() <= once.object.get("data", {}).items()
    assert applied(once, config(second), "us") == once


@given(VALUES, VALUES)
def test_only_what_nobody_else_holds_goes(first: Any, second: Any) -> None:
    """What we drop stays as long as others hold it."""
    theirs = applied(EMPTY, config(first), "them")
    ours = applied(theirs, config(second), "us", force=True)
    left = applied(ours, config({}), "us")
    for key in second:
        assert (key in left.object.get("data", {})) == ("them" in holders(ours, key))


@given(VALUES, VALUES)
def test_a_conflict_is_a_different_value_of_a_held_field_and_nothing_else(first: Any, second: Any) -> None:
    theirs = applied(EMPTY, config(first), "them")
    expected = {f".data.{key}" for key in second if key in first and first[key] != second[key]}
    if not expected:
        applied(theirs, config(second), "us")
        return
    with pytest.raises(ApplyConflict) as refused:
        applied(theirs, config(second), "us")
    found = {(item.manager, item.field) for item in refused.value.conflicts}
    assert found == {("them", field) for field in expected}


@given(VALUES, VALUES)
def test_whoever_changes_a_field_holds_it_alone(first: Any, second: Any) -> None:
    ours = applied(EMPTY, config(first), "us")
    edited = updated(ours, config(second), "person")
    for key in {**first, **second}:
        changed = first.get(key) != second.get(key)
        expected = ({"person"} if key in second else set()) if changed else {"us"}
        assert holders(edited, key) == expected


def test_two_ports_of_one_number_are_one_item_each_and_twice_the_same_is_refused() -> None:
    def service(*ports: dict[str, Any]) -> Object:
        return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "x"}, "spec": {"ports": list(ports)}}

    tcp, udp = {"port": 53, "name": "dns"}, {"port": 53, "protocol": "UDP", "name": "dns-udp"}
    both = applied(Managed(object=service()), service(tcp, udp), "us")
    assert len(both.object["spec"]["ports"]) == 2
    assert applied(both, service(tcp), "us").object["spec"]["ports"] == [tcp]
    with pytest.raises(DuplicateItemsError):
        fields_of(service(tcp, {"port": 53, "protocol": "TCP"}))


def test_lists_of_kinds_that_are_not_built_in_are_wholes() -> None:
    widget: Object = {"apiVersion": "demo.io/v1", "kind": "Widget", "spec": {"env": [{"name": "a"}]}, "metadata": {}}
    assert fields_of(widget) == {"f:spec": {"f:env": {}}}
    job: Object = {**widget, "apiVersion": "batch/v1", "kind": "Job"}
    assert list(fields_of(job)["f:spec"]["f:env"]) == ['k:{"name":"a"}']


# A real API server ----------------------------------------------------------------------------------------------------

STEPS = st.lists(st.tuples(st.sampled_from(["us", "them", "person"]), VALUES, st.booleans()), min_size=1, max_size=6)


@pytest.mark.envtest
def test_the_same_steps_leave_the_same_object_as_on_a_real_api_server(members: tuple[Cluster, ...]) -> None:
    """`us` and `them` apply, with and without force; `person` replaces."""
    admin = members[0].admin
    names = iter(range(10_000))

    @settings(max_examples=60, deadline=None)
    @given(STEPS)
    def compare(steps: list[tuple[str, dict[str, str], bool]]) -> None:
        name = f"same-{next(names)}"
        managed = applied(EMPTY, config({}), "us")
        admin.apply(_named(config({}), name), "us")
        for who, data, force in steps:
            managed = _step(managed, admin, name, who, data, force)
        live = admin.get("v1", "ConfigMap", name, "default")
        assert live.get("data", {}) == managed.object.get("data", {})
        for key in "abcd":
            assert _real_holders(live, key) == holders(managed, key)

    compare()


def _named(obj: Object, name: str) -> Object:
    return {**obj, "metadata": {"name": name, "namespace": "default"}}


def _step(managed: Managed, admin: Any, name: str, who: str, data: dict[str, str], force: bool) -> Managed:
    """Do one step on both sides; they agree on whether it is a conflict."""
    if who == "person":
        live = admin.get("v1", "ConfigMap", name, "default")
        metadata = live["metadata"]
        admin.request(
            "PUT",
            f"/api/v1/namespaces/default/configmaps/{name}?fieldManager=person",
            {**live, "metadata": metadata, "data": data},
        )
        return replaced(managed, config(data), "person")
    refused = _code(lambda: admin.apply(_named(config(data), name), who, force))
    try:
        after = applied(managed, config(data), who, force=force)
    except ApplyConflict:
        assert refused == 409
        return managed
    assert refused is None
    return after


def _code(request: Callable[[], object]) -> int | None:
    try:
        request()
    except ApiError as error:
        return error.code
    return None


def _real_holders(live: Any, key: str) -> set[str]:
    entries = live["metadata"].get("managedFields") or []
    return {entry["manager"] for entry in entries if f"f:{key}" in entry["fieldsV1"].get("f:data", {})}
