"""Kinds that webhooks explain: what is asked, and what of the answer is believed."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from gitops_karmada.core.interpret import By, Interpreter, Operation
from gitops_karmada.core.interpreters import InterpretError
from gitops_karmada.core.rules.interpreter_webhooks import interpreter_webhooks
from gitops_karmada.core.webhooks import hooked
from gitops_karmada.model.bindings import Health
from gitops_karmada.model.customizations import InterpreterWebhook, WebhookError
from tests.core.customizations import configuration, webhook, widget


class Answering:
    """Webhooks that answer by themselves, and remember who was asked what."""

    def __init__(self, **response: Any) -> None:
        self.response: Any = {"successful": True, **response}
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def ask(self, webhook: InterpreterWebhook, request: dict[str, Any]) -> Any:
        self.asked.append((webhook.name, request))
        if isinstance(self.response, Exception):
            raise self.response
        return self.response


def interpreter(answering: Answering, *declared: Any) -> Interpreter:
    return Interpreter(webhooks=hooked(declared or [configuration(webhook())], answering))


def patch(*operations: dict[str, Any]) -> dict[str, str]:
    return {"patch": base64.b64encode(json.dumps(operations).encode()).decode(), "patchType": "JSONPatch"}


def test_replicas_and_requirements() -> None:
    needs = {"resourceRequest": {"cpu": "1000m"}}
    answering = Answering(replicas=3, replicaRequirements=needs)
    asked = interpreter(answering)
    assert asked.replicas(widget()) == (3, {"resourceRequest": {"cpu": "1"}})
    assert asked.by(Operation.REPLICAS, widget()) is By.WEBHOOK
    ((name, request),) = answering.asked
    assert name == "widgets.example.com"
    assert request == {
        "kind": {"group": "example.io", "version": "v1", "kind": "Widget"},
        "name": "w",
        "namespace": "lab",
        "operation": "InterpretReplica",
        "object": widget(),
    }


def test_other_operations() -> None:
    reference = {"apiVersion": "v1", "kind": "Secret", "namespace": "lab", "name": "s"}
    answering = Answering(
        healthy=False,
        rawStatus={"a": 1},
        dependencies=[reference],
        components=[{"name": "a", "replicas": 2}],
        **patch({"op": "add", "path": "/spec", "value": {"size": 4}}),
    )
    asked = interpreter(answering)
    assert asked.health(widget()) is Health.UNHEALTHY
    assert asked.reflect(widget()) == {"a": 1}
    assert asked.dependencies(widget()) == (reference,)
    assert asked.components(widget()) == ({"name": "a", "replicas": 2},)
    assert asked.revise(widget(), 4) == widget(spec={"size": 4})
    assert asked.retain(widget(), widget(status={})) == widget(spec={"size": 4})
    assert asked.aggregate(widget(), [{"clusterName": "m"}]) == widget(spec={"size": 4})
    sent = {request["operation"]: request for _, request in answering.asked}
    assert sent["ReviseReplica"]["replicas"] == 4
    assert sent["Retain"]["observedObject"] == widget(status={})
    assert sent["AggregateStatus"]["aggregatedStatus"] == [{"clusterName": "m"}]
    assert "replicas" not in sent["Retain"]


def test_no_patch_changes_nothing() -> None:
    given = widget()
    assert interpreter(Answering()).revise(given, 4) is given


def test_given_object_is_not_patched_in_place() -> None:
    given = widget(spec={"size": 1})
    interpreter(Answering(**patch({"op": "replace", "path": "/spec/size", "value": 2}))).revise(given, 2)
    assert given == widget(spec={"size": 1})


def test_first_matching_webhook_by_name_is_asked() -> None:
    declared = [
        configuration(webhook("b.example.com.io"), name="z"),
        configuration(webhook("z.example.com.io"), name="a"),
    ]
    answering = Answering(healthy=True)
    interpreter(answering, *declared).health(widget())
    assert [name for name, _ in answering.asked] == ["z.example.com.io"]


@pytest.mark.parametrize(
    ("rule", "serves"),
    [
        ({}, True),
        ({"operations": ["InterpretHealth", "Retain"]}, True),
        ({"operations": ["Retain"]}, False),
        ({"apiGroups": ["*"], "apiVersions": ["*"], "kinds": ["*"]}, True),
        ({"apiVersions": ["v2"]}, False),
        ({"kinds": ["Gadget"]}, False),
        ({"apiGroups": [""]}, False),
    ],
)
def test_rules_say_what_a_webhook_is_asked(rule: dict[str, Any], serves: bool) -> None:
    base = {"operations": ["*"], "apiGroups": ["example.io"], "apiVersions": ["v1"], "kinds": ["Widget"]}
    asked = interpreter(Answering(healthy=True), configuration(webhook(rules=[{**base, **rule}])))
    assert asked.by(Operation.HEALTH, widget()) is (By.WEBHOOK if serves else None)


@pytest.mark.parametrize(
    ("response", "ask", "reason"),
    [
        (None, lambda i: i.health(widget()), "without a response"),
        ({"successful": False, "status": {"message": "no"}}, lambda i: i.health(widget()), "refused: no"),
        ({"successful": False}, lambda i: i.health(widget()), "refused without a reason"),
        ({"successful": True}, lambda i: i.health(widget()), "without healthy"),
        ({"successful": True}, lambda i: i.replicas(widget()), "without replicas"),
        ({"successful": True, "replicas": True}, lambda i: i.replicas(widget()), "without replicas"),
        ({"successful": True}, lambda i: i.reflect(widget()), "without rawStatus"),
        ({"successful": True, "dependencies": [{"kind": "A"}]}, lambda i: i.dependencies(widget()), "apiVersion"),
        ({"successful": True, "components": [{}]}, lambda i: i.components(widget()), "name: is required"),
        ({"successful": True, "patch": "W10="}, lambda i: i.revise(widget(), 1), "both patch and patchType"),
        ({"successful": True, "patch": "%", "patchType": "JSONPatch"}, lambda i: i.revise(widget(), 1), "not apply"),
        (
            {"successful": True, **patch({"op": "remove", "path": "/nowhere"})},
            lambda i: i.revise(widget(), 1),
            "not apply",
        ),
        ({"successful": True, **patch({"op": "remove", "path": "/kind"})}, lambda i: i.revise(widget(), 1), "a kind"),
        (WebhookError("did not answer within 10 s"), lambda i: i.health(widget()), "did not answer within 10 s"),
    ],
)
def test_answer_that_cannot_be_believed(response: Any, ask: Callable[[Interpreter], Any], reason: str) -> None:
    answering = Answering()
    answering.response = response
    with pytest.raises(InterpretError, match=reason) as raised:
        ask(interpreter(answering))
    assert str(raised.value).startswith("interpreter webhook hooks/widgets.example.com: ")
    assert raised.value.location is not None
    assert raised.value.location.file == "hooks.yaml"


RULE = {"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "kinds": ["*"]}


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({}, None),
        ({"name": "short"}, "webhooks[0].name"),
        ({"timeoutSeconds": 31}, "webhooks[0].timeoutSeconds"),
        ({"clientConfig": {}}, "webhooks[0].clientConfig"),
        ({"clientConfig": {"url": "http://a.example.com"}}, "webhooks[0].clientConfig.url"),
        ({"interpreterContextVersions": ["v2"]}, "webhooks[0].interpreterContextVersions"),
        ({"interpreterContextVersions": ["v1alpha1", "v1alpha1"]}, "webhooks[0].interpreterContextVersions"),
        ({"rules": [{**RULE, "operations": ["*", "Retain"]}]}, "webhooks[0].rules[0].operations"),
        ({"rules": [{**RULE, "operations": ["Prune"]}]}, "webhooks[0].rules[0].operations"),
        ({"rules": [{**RULE, "kinds": []}]}, "webhooks[0].rules[0].kinds"),
    ],
)
def test_configuration_that_could_not_work_is_found(fields: dict[str, Any], path: str | None) -> None:
    broken = list(interpreter_webhooks(configuration(webhook(**fields)).value))
    assert [rule.path for rule in broken] == ([path] if path else [])
    assert all(rule.code == "GK2032" for rule in broken)


def test_names_of_webhooks_are_their_own() -> None:
    broken = list(interpreter_webhooks(configuration(webhook(), webhook()).value))
    assert [rule.path for rule in broken] == ["webhooks[0].name", "webhooks[1].name"]
