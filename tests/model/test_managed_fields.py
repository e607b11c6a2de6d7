"""Who holds which field."""

from typing import Any

from gitops_karmada.model.managed_fields import (
    declared_paths,
    dotted,
    fields_digest,
    held_apart,
    losses,
    value_at,
    without,
)

PORT = 'k:{"containerPort":80,"protocol":"TCP"}'
MAIN = 'k:{"name":"main"}'
FIELDS: dict[str, Any] = {
    "f:spec": {
        "f:selector": {},
        "f:template": {
            "f:spec": {
                "f:containers": {MAIN: {".": {}, "f:image": {}, "f:ports": {PORT: {".": {}, "f:containerPort": {}}}}}
            }
        },
    },
    "f:metadata": {"f:finalizers": {'v:"demo.io/hold"': {}}},
}
DECLARED: dict[str, Any] = {
    "metadata": {"finalizers": ["demo.io/hold"]},
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"spec": {"containers": [{"name": "main", "image": "web:1", "ports": [{"containerPort": 80}]}]}},
    },
}


def test_paths_are_found_through_keyed_lists_sets_and_whole_maps() -> None:
    """A port without a protocol is the one that the API server keys by TCP."""
    assert [dotted(path) for path in declared_paths(DECLARED, FIELDS)] == [
        '.metadata.finalizers[="demo.io/hold"]',
        ".spec.selector",
        '.spec.template.spec.containers[name="main"].image',
        '.spec.template.spec.containers[name="main"].ports[containerPort=80,protocol="TCP"].containerPort',
    ]


def test_what_is_not_declared_is_not_found() -> None:
    assert list(declared_paths({"spec": {"replicas": 1}}, FIELDS)) == []


def test_values_are_found_and_taken_out_by_path() -> None:
    path = ("f:spec", "f:template", "f:spec", "f:containers", MAIN, "f:image")
    assert value_at(DECLARED, path) == (True, "web:1")
    left = without(DECLARED, [path])
    assert left["spec"]["template"]["spec"]["containers"] == [{"name": "main", "ports": [{"containerPort": 80}]}]
    assert DECLARED["spec"]["template"]["spec"]["containers"][0]["image"] == "web:1"
    assert value_at(left, path) == (False, None)


def live(*entries: tuple[str, str, dict[str, Any]], **content: Any) -> dict[str, Any]:
    managed = [
        {"manager": manager, "operation": operation, "fieldsV1": fields} for manager, operation, fields in entries
    ]
    return {"metadata": {"managedFields": managed}, **content}


DATA: dict[str, Any] = {"f:data": {"f:a": {}}}


def test_only_a_different_value_that_others_alone_hold_is_lost() -> None:
    declared = {"data": {"a": "1"}}
    theirs = live(("us", "Apply", {"f:data": {}}), ("them", "Update", DATA), data={"a": "2"})
    assert [(loss.conflict.manager, loss.conflict.field) for loss in losses(declared, theirs, "us")] == [
        ("them", ".data.a")
    ]
    equal = live(("them", "Update", DATA), data={"a": "1"})
    shared = live(("us", "Apply", DATA), ("them", "Update", DATA), data={"a": "2"})
    assert losses(declared, equal, "us") == losses(declared, shared, "us") == ()


def test_a_status_writer_takes_nothing() -> None:
    entry = {"manager": "them", "operation": "Update", "subresource": "status", "fieldsV1": DATA}
    assert losses({"data": {"a": "1"}}, {"metadata": {"managedFields": [entry]}, "data": {"a": "2"}}, "us") == ()


def test_a_writer_without_a_name_is_unknown_not_nobody() -> None:
    entry = {"operation": "Update", "fieldsV1": DATA}
    (loss,) = losses({"data": {"a": "1"}}, {"metadata": {"managedFields": [entry]}, "data": {"a": "2"}}, "us")
    assert loss.conflict.manager == "unknown"


def test_the_digest_depends_on_what_is_held_and_not_on_when() -> None:
    def held(fields: dict[str, Any], time: str) -> dict[str, Any]:
        entry = {"manager": "us", "operation": "Apply", "apiVersion": "v1", "time": time, "fieldsV1": fields}
        return {"metadata": {"managedFields": [entry]}}

    assert fields_digest(held(DATA, "1"), "us") == fields_digest(held(DATA, "2"), "us") != ""
    assert fields_digest(held(DATA, "1"), "us") != fields_digest(held({}, "1"), "us")
    assert fields_digest(held(DATA, "1"), "them") == ""


def test_a_path_is_held_when_the_manager_holds_just_that() -> None:
    obj = live(("us", "Apply", DATA))
    assert held_apart(obj, "us", ("f:data", "f:a"))
    assert not held_apart(obj, "us", ("f:data", "f:b"))
    assert not held_apart(obj, "them", ("f:data", "f:a"))
