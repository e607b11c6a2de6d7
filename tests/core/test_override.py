from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from gitops_karmada.core.override import Overridden, OverrideFailed, OverrideIndex, override
from gitops_karmada.core.overriders import YamlText
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.decode import decode
from gitops_karmada.model.objects import Object
from gitops_karmada.model.policies import OverridePolicy

YAML = YamlText(read=yaml.safe_load, write=lambda value: yaml.safe_dump(value, default_flow_style=False))
EAST = decode(Cluster, {"metadata": {"name": "east", "labels": {"site": "a"}}}).unwrap()
WEST = decode(Cluster, {"metadata": {"name": "west"}}).unwrap()


def deployment(*images: str, kind: str = "Deployment", **spec: Any) -> Object:
    containers = [{"name": f"c{number}", "image": name} for number, name in enumerate(images or ("web:1",))]
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"namespace": "shop", "name": "api", "labels": {"app": "api"}},
        "spec": {"replicas": 2, "template": {"spec": {"containers": containers}}, **spec},
    }


def policy(overriders: Mapping[str, Any], *, name: str = "all", namespace: str = "shop", **spec: Any) -> OverridePolicy:
    rules = [{"overriders": overriders}]
    return decode(
        OverridePolicy,
        {
            "kind": "OverridePolicy" if namespace else "ClusterOverridePolicy",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"overrideRules": rules, **spec},
        },
    ).unwrap()


def result(obj: Object, *policies: OverridePolicy, cluster: Cluster = EAST) -> Overridden:
    overridden = override(obj, cluster, OverrideIndex(policies), YAML)
    assert isinstance(overridden, Overridden), str(overridden)
    return overridden


def images(obj: Object) -> list[str]:
    return [container["image"] for container in obj["spec"]["template"]["spec"]["containers"]]


def image_rule(component: str, operator: str, value: str = "", path: str = "") -> dict[str, Any]:
    predicate = {"predicate": {"path": path}} if path else {}
    return {"imageOverrider": [{"component": component, "operator": operator, "value": value, **predicate}]}


BASE = "fictional.registry.example/imagename:v1.0.0"
DIGEST = "sha256:50d858e0985ecc7f60418aaf0cc5ab587f42c2570a884095a9e8ccacd0f6545c"


@pytest.mark.parametrize(
    ("component", "operator", "value", "expected"),
    [
        ("Registry", "add", ".test", "fictional.registry.example.test/imagename:v1.0.0"),
        ("Registry", "replace", "fictional.registry.us", "fictional.registry.us/imagename:v1.0.0"),
        ("Registry", "remove", "", "imagename:v1.0.0"),
        ("Repository", "add", "/nginx", "fictional.registry.example/imagename/nginx:v1.0.0"),
        ("Repository", "replace", "nginx", "fictional.registry.example/nginx:v1.0.0"),
        ("Repository", "remove", "", "fictional.registry.example/:v1.0.0"),
        ("Tag", "add", DIGEST, BASE),
        ("Tag", "replace", DIGEST, f"fictional.registry.example/imagename@{DIGEST}"),
        ("Tag", "remove", "", "fictional.registry.example/imagename"),
        ("Tag", "replace", "v1.0.1", "fictional.registry.example/imagename:v1.0.1"),
    ],
)
def test_image_components(component: str, operator: str, value: str, expected: str) -> None:
    changed = result(deployment(BASE), policy(image_rule(component, operator, value)))
    assert images(changed.object) == [expected]


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("remove", ["ubuntu/nginx", "nginx:1.25", "x", f"team/app@{DIGEST}"]),
        (
            "replace",
            [
                "mirror.corp/ubuntu/nginx",
                "mirror.corp/nginx:1.25",
                "mirror.corp/x",
                f"mirror.corp/team/app@{DIGEST}",
            ],
        ),
    ],
)
def test_short_names_have_no_registry(operator: str, expected: list[str]) -> None:
    obj = deployment("ubuntu/nginx", "nginx:1.25", "localhost/x", f"reg.local:5000/team/app@{DIGEST}")
    assert images(result(obj, policy(image_rule("Registry", operator, "mirror.corp"))).object) == expected


def test_init_containers_change_only_by_predicate() -> None:
    obj = deployment("web:1")
    obj = {
        **obj,
        "spec": {"template": {"spec": {**obj["spec"]["template"]["spec"], "initContainers": [{"image": "setup:1"}]}}},
    }
    mirror = image_rule("Registry", "add", "mirror.corp")
    assert result(obj, policy(mirror)).object["spec"]["template"]["spec"]["initContainers"] == [{"image": "setup:1"}]
    path = "/spec/template/spec/initContainers/{}/image"
    changed = result(obj, policy(image_rule("Registry", "add", "mirror.corp", path.format(0))))
    assert changed.object["spec"]["template"]["spec"]["initContainers"] == [{"image": "mirror.corp/setup:1"}]
    assert images(changed.object) == ["web:1"]
    failed = override(obj, EAST, OverrideIndex([policy(image_rule("Registry", "add", "m", path.format(3)))]), YAML)
    assert isinstance(failed, OverrideFailed)
    assert "out of range" in failed.reason


def test_an_overrider_that_meets_no_image_is_told() -> None:
    cronjob = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"namespace": "shop", "name": "nightly"}}
    found = result(cronjob, policy(image_rule("Tag", "replace", "v2")))
    assert found.object == cronjob
    assert found.idle == ("OverridePolicy/shop/all: spec.overrideRules[0].overriders.imageOverrider[0]",)


@pytest.mark.parametrize(
    ("field", "current", "operator", "value", "expected"),
    [
        ("command", ["/bin/sh"], "add", ["&& echo hello"], ["/bin/sh", "&& echo hello"]),
        ("args", ["a", "b", "c"], "remove", ["b"], ["a", "c"]),
        ("command", None, "add", ["x"], ["x"]),
        ("command", None, "remove", ["x"], []),
    ],
)
def test_words_of_the_command_line(
    field: str, current: Any, operator: str, value: list[str], expected: list[str]
) -> None:
    container = {"name": "main", "image": "web:1", **({field: current} if current else {})}
    obj = deployment(template={"spec": {"containers": [container, {"name": "side", "image": "side:1"}]}})
    rule = {f"{field}Overrider": [{"containerName": "main", "operator": operator, "value": value}]}
    changed = result(obj, policy(rule)).object["spec"]["template"]["spec"]["containers"]
    assert changed == [{**container, field: expected}, {"name": "side", "image": "side:1"}]


def test_a_container_that_is_not_there_changes_nothing() -> None:
    rule = {"argsOverrider": [{"containerName": "nobody", "operator": "add", "value": ["x"]}]}
    found = result(deployment(), policy(rule))
    assert found.object == deployment()
    assert found.idle


@pytest.mark.parametrize(
    ("operator", "value", "expected"),
    [
        ("add", {"test": "test"}, {"foo": "foo", "test": "test"}),
        ("replace", {"foo": "exist"}, {"foo": "exist"}),
        ("replace", {"bar": "x"}, {"foo": "foo"}),
        ("remove", {"foo": "any"}, {}),
    ],
)
def test_labels(operator: str, value: dict[str, str], expected: dict[str, str]) -> None:
    obj = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"namespace": "shop", "name": "x", "labels": {"foo": "foo"}},
    }
    rule = {"labelsOverrider": [{"operator": operator, "value": value}]}
    assert result(obj, policy(rule)).object["metadata"]["labels"] == expected


def test_annotations_make_their_map_and_keep_slashes() -> None:
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "shop", "name": "x"}}
    rule = {"annotationsOverrider": [{"operator": "add", "value": {"example.org/scrape": "on"}}]}
    assert result(obj, policy(rule)).object["metadata"]["annotations"] == {"example.org/scrape": "on"}


def test_add_on_an_existing_map_replaces_it_and_is_reported() -> None:
    obj = deployment(template={"metadata": {"annotations": {"a": "1", "c": "2"}}})
    operation = {"path": "/spec/template/metadata/annotations", "operator": "add", "value": {"zone": "z1"}}
    found = result(obj, policy({"plaintext": [operation]}))
    assert found.object["spec"]["template"]["metadata"]["annotations"] == {"zone": "z1"}
    paths = [(change.path.rpartition("/")[2], change.before, change.after) for change in found.applied[0].changes]
    assert paths == [("a", "1", None), ("c", "2", None), ("zone", None, "z1")]


CONFIG = {"app.yaml": "key:\n  key1: value\n", "app.json": '{"key":{"key1":"value"},"html":"<b>","float":1.50}'}


def test_structured_text_in_a_field() -> None:
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "shop", "name": "x"}, "data": CONFIG}
    operation = {"subPath": "/key/key1", "operator": "replace", "value": "new"}
    rule = {
        "fieldOverrider": [
            {"fieldPath": "/data/app.yaml", "yaml": [operation]},
            {"fieldPath": "/data/app.json", "json": [operation]},
        ]
    }
    assert result(obj, policy(rule)).object["data"] == {
        "app.yaml": "key:\n  key1: new\n",
        "app.json": '{"key":{"key1":"new"},"html":"\\u003cb\\u003e","float":1.50}',
    }


@pytest.mark.parametrize("path", ["/data/missing", "/data", "/metadata/name/x"])
def test_structured_text_that_is_not_there_fails(path: str) -> None:
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "shop", "name": "x"}, "data": CONFIG}
    rule = {"fieldOverrider": [{"fieldPath": path, "json": [{"subPath": "/a", "operator": "remove"}]}]}
    assert isinstance(override(obj, EAST, OverrideIndex([policy(rule)]), YAML), OverrideFailed)


def test_one_wrong_operation_and_nothing_is_applied() -> None:
    """The failure names policy, rule, operation and path."""
    rule = {
        "plaintext": [
            {"path": "/spec/replicas", "operator": "replace", "value": 9},
            {"path": "/data/mode", "operator": "replace", "value": "x"},
        ]
    }
    failed = override(deployment(), EAST, OverrideIndex([policy(rule)]), YAML)
    assert str(failed) == (
        "OverridePolicy/shop/all: spec.overrideRules[0].overriders.plaintext[1]: "
        "replace /data/mode: missing path: there is no 'data'"
    )


def label_rule(value: str) -> dict[str, Any]:
    return {"labelsOverrider": [{"operator": "add", "value": {"x": value}}]}


def test_the_closest_policy_is_applied_last() -> None:
    named = [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "api"}]
    policies = [policy(label_rule("a"), name="a", resourceSelectors=named), policy(label_rule("b"), name="b")]
    found = result(deployment(), *policies)
    assert found.object["metadata"]["labels"]["x"] == "a"
    assert [one.policy for one in found.applied] == ["OverridePolicy/shop/b", "OverridePolicy/shop/a"]


def test_equal_policies_apply_by_name() -> None:
    found = result(deployment(), policy(label_rule("2"), name="op2"), policy(label_rule("1"), name="op1"))
    assert found.object["metadata"]["labels"]["x"] == "2"


def test_cluster_policies_go_first_and_can_choose_namespaced_ones() -> None:
    """A label that a ClusterOverridePolicy adds is seen by the selectors of OverridePolicies."""
    selected = [{"apiVersion": "apps/v1", "kind": "Deployment", "labelSelector": {"matchLabels": {"x": "cluster"}}}]
    policies = [
        policy(image_rule("Tag", "replace", "v2"), resourceSelectors=selected),
        policy(label_rule("cluster"), name="zz", namespace=""),
    ]
    assert images(result(deployment(), *policies).object) == ["web:v2"]


def test_namespaced_policies_never_touch_cluster_scoped_objects() -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    assert result(namespace, policy(label_rule("a"))).object == namespace


def test_all_matching_rules_apply_in_their_order() -> None:
    rules = [
        {"targetCluster": {"clusterNames": ["west"]}, "overriders": label_rule("west")},
        {"overriders": {"annotationsOverrider": [{"operator": "add", "value": {"y": "all"}}]}},
    ]
    both = decode(
        OverridePolicy,
        {"kind": "OverridePolicy", "metadata": {"name": "r", "namespace": "shop"}, "spec": {"overrideRules": rules}},
    ).unwrap()
    assert result(deployment(), both).object["metadata"]["labels"] == {"app": "api"}
    assert len(result(deployment(), both, cluster=EAST).applied) == 1
    assert len(result(deployment(), both, cluster=WEST).applied) == 2


def test_plaintext_goes_after_all_other_overriders_of_its_rule() -> None:
    place = "/spec/template/spec/containers/0/image"
    rule = {
        **image_rule("Tag", "replace", "v2"),
        "plaintext": [{"path": place, "operator": "replace", "value": "final:1"}],
    }
    assert images(result(deployment(), policy(rule)).object) == ["final:1"]


def test_values_of_secrets_are_not_recorded() -> None:
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"namespace": "shop", "name": "s"},
        "data": {"key": "b2xk"},
    }
    rule = {"plaintext": [{"path": "/data/key", "operator": "replace", "value": "bmV3"}]}
    found = result(secret, policy(rule))
    assert found.object["data"] == {"key": "bmV3"}
    assert "bmV3" not in repr(found.applied)
    assert "b2xk" not in repr(found.applied)
    assert [change.path for change in found.applied[0].changes] == ["/data/key"]
