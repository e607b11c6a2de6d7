"""Webhooks, asked over real HTTPS."""

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from gitops_karmada.model.customizations import InterpreterWebhook, WebhookError
from gitops_karmada.model.decode import decode
from gitops_karmada.scripts.webhooks import HttpsWebhooks, url_of
from tests.core.customizations import webhook
from tests.scripts.https_server import Answer, https_server


def of(url: str, ca_bundle: str = "", **fields: Any) -> InterpreterWebhook:
    config = {"url": url, "caBundle": ca_bundle}
    return decode(InterpreterWebhook, webhook(clientConfig=config, **fields)).unwrap()


def respond(**fields: Any) -> Answer:
    return lambda asked: {"response": {"uid": asked["request"]["uid"], "successful": True, **fields}}


def test_request_is_a_context_and_its_response_comes_back(tmp_path: Path) -> None:
    with https_server(tmp_path, respond(healthy=True)) as server, HttpsWebhooks(["127.0.0.1"]) as webhooks:
        asked = of(server.url, server.ca_bundle)
        assert webhooks.ask(asked, {"operation": "InterpretHealth", "name": "a"})["healthy"] is True
        assert webhooks.ask(asked, {"operation": "InterpretHealth", "name": "b"})["healthy"] is True
    first, second = server.requests
    assert (first["apiVersion"], first["kind"]) == ("config.karmada.io/v1alpha1", "ResourceInterpreterContext")
    assert [context["request"]["name"] for context in (first, second)] == ["a", "b"]
    assert first["request"]["uid"] != second["request"]["uid"]


def test_asking_from_inside_a_running_loop_works(tmp_path: Path) -> None:
    async def ask(asked: InterpreterWebhook, webhooks: HttpsWebhooks) -> Any:
        return webhooks.ask(asked, {"operation": "InterpretHealth"})

    with https_server(tmp_path, respond(healthy=False)) as server, HttpsWebhooks(["127.0.0.1"]) as webhooks:
        assert asyncio.run(ask(of(server.url, server.ca_bundle), webhooks))["healthy"] is False


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda _asked: {"response": {"uid": "another", "successful": True}}, "another question"),
        (lambda _asked: (503, {}), "status 503"),
        (lambda _asked: (302, {}), "status 302"),
        (lambda _asked: b"<html>", "no JSON"),
        (lambda _asked: b'"' + b"x" * (9 << 20) + b'"', "more than 8 MiB"),
    ],
    ids=["uid", "status", "redirect", "html", "flood"],
)
def test_wrong_answer_is_refused(tmp_path: Path, answer: Answer, reason: str) -> None:
    with (
        https_server(tmp_path, answer) as server,
        HttpsWebhooks(["127.0.0.1"]) as webhooks,
        pytest.raises(WebhookError, match=reason),
    ):
        webhooks.ask(of(server.url, server.ca_bundle), {})


def test_answer_without_response_is_none(tmp_path: Path) -> None:
    with https_server(tmp_path, lambda _asked: {}) as server, HttpsWebhooks(["127.0.0.1"]) as webhooks:
        assert webhooks.ask(of(server.url, server.ca_bundle), {}) is None


def test_webhook_that_does_not_answer_is_given_up_after_its_deadline(tmp_path: Path) -> None:
    awake = threading.Event()

    def sleep(_asked: dict[str, Any]) -> Any:
        awake.wait(10)
        return {}

    with https_server(tmp_path, sleep) as server, HttpsWebhooks(["127.0.0.1"]) as webhooks:
        began = time.monotonic()
        with pytest.raises(WebhookError, match="did not answer within 1 s"):
            webhooks.ask(of(server.url, server.ca_bundle, timeoutSeconds=1), {})
        assert time.monotonic() - began < 5
        awake.set()


def test_certificate_must_be_of_the_bundle(tmp_path: Path) -> None:
    """A webhook that anybody could pose as is not asked."""
    with https_server(tmp_path, respond()) as server, HttpsWebhooks(["127.0.0.1"]) as webhooks:
        with pytest.raises(WebhookError, match="certificate"):
            webhooks.ask(of(server.url), {})
        with pytest.raises(WebhookError, match="caBundle"):
            webhooks.ask(of(server.url, "bm90IGEgY2VydGlmaWNhdGU="), {})
    assert server.requests == []


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://127.0.0.1/", "not an https URL"),
        ("file:///etc/passwd", "not an https URL"),
        ("https://user:secret@127.0.0.1/", "not an https URL"),
        ("https://example.com/", "not among those that may be asked"),
        ("https://127.0.0.1.example.com/", "not among those that may be asked"),
    ],
)
def test_only_hosts_that_the_operator_named_are_asked(url: str, reason: str) -> None:
    """A repository cannot make us talk to whomever it likes."""
    with HttpsWebhooks(["127.0.0.1"]) as webhooks, pytest.raises(WebhookError, match=reason) as raised:
        webhooks.ask(of(url), {})
    assert raised.type is WebhookError


def test_host_may_be_named_with_its_port(tmp_path: Path) -> None:
    with https_server(tmp_path, respond(healthy=True)) as server:
        with HttpsWebhooks([f"127.0.0.1:{server.port}"]) as webhooks:
            assert webhooks.ask(of(server.url, server.ca_bundle), {})["healthy"] is True
        with HttpsWebhooks(["127.0.0.1:1"]) as webhooks, pytest.raises(WebhookError, match="not among"):
            webhooks.ask(of(server.url, server.ca_bundle), {})


def test_nobody_listening_is_said(tmp_path: Path) -> None:
    with HttpsWebhooks(["127.0.0.1"]) as webhooks, pytest.raises(WebhookError, match="cannot be reached"):
        webhooks.ask(of("https://127.0.0.1:1/"), {})


def test_service_is_asked_inside_its_cluster() -> None:
    service = {"namespace": "karmada-system", "name": "hook", "path": "/interpret"}
    asked = decode(InterpreterWebhook, webhook(clientConfig={"service": service})).unwrap()
    assert url_of(asked) == "https://hook.karmada-system.svc:443/interpret"
