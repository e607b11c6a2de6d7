"""Interpreter webhooks: named, reachable in one way, asked of operations that exist."""

import re
from collections import Counter
from collections.abc import Iterator

from gitops_karmada.core.rules import Broken
from gitops_karmada.model.customizations import (
    InterpreterWebhook,
    ResourceInterpreterWebhookConfiguration,
    WebhookRule,
)

OPERATIONS = frozenset(
    {
        "*",
        "InterpretReplica",
        "InterpretComponent",
        "ReviseReplica",
        "Retain",
        "AggregateStatus",
        "InterpretDependency",
        "InterpretStatus",
        "InterpretHealth",
    }
)
LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
FULL_NAME = re.compile(rf"{LABEL}(\.{LABEL}){{2,}}")
VERSION = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")


def interpreter_webhooks(configuration: ResourceInterpreterWebhookConfiguration) -> Iterator[Broken]:
    times = Counter(webhook.name for webhook in configuration.webhooks)
    for index, webhook in enumerate(configuration.webhooks):
        path = f"webhooks[{index}]"
        if times[webhook.name] > 1:
            yield _broken(f"{path}.name", f"{webhook.name!r} is the name of more than one webhook")
        yield from _webhook(webhook, path)


def _webhook(webhook: InterpreterWebhook, path: str) -> Iterator[Broken]:
    if not FULL_NAME.fullmatch(webhook.name):
        yield _broken(f"{path}.name", f"{webhook.name!r} is no full name such as workloads.interpreter.example.com")
    if not 1 <= webhook.timeout_seconds <= 30:
        yield _broken(f"{path}.timeoutSeconds", f"expected 1 to 30, got {webhook.timeout_seconds}")
    yield from _client_config(webhook, f"{path}.clientConfig")
    yield from _versions(webhook.interpreter_context_versions, f"{path}.interpreterContextVersions")
    for index, rule in enumerate(webhook.rules):
        yield from _rule(rule, f"{path}.rules[{index}]")


def _client_config(webhook: InterpreterWebhook, path: str) -> Iterator[Broken]:
    config = webhook.client_config
    if bool(config.url) == (config.service is not None):
        yield _broken(path, "exactly one of url and service is needed")
    if config.url and not config.url.startswith("https://"):
        yield _broken(f"{path}.url", f"expected an https URL, got {config.url!r}")
    if config.service is not None and not 1 <= config.service.port <= 65535:
        yield _broken(f"{path}.service.port", f"expected 1 to 65535, got {config.service.port}")


def _versions(versions: tuple[str, ...], path: str) -> Iterator[Broken]:
    if "v1alpha1" not in versions:
        yield _broken(path, "must contain v1alpha1")
    for version, times in sorted(Counter(versions).items()):
        if times > 1:
            yield _broken(path, f"{version!r} stands there {times} times")
        if not VERSION.fullmatch(version):
            yield _broken(path, f"{version!r} is no version")


def _rule(rule: WebhookRule, path: str) -> Iterator[Broken]:
    lists = {
        "operations": rule.operations,
        "apiGroups": rule.api_groups,
        "apiVersions": rule.api_versions,
        "kinds": rule.kinds,
    }
    for name, values in lists.items():
        if not values:
            yield _broken(f"{path}.{name}", "at least one is needed")
        if "*" in values and len(values) > 1:
            yield _broken(f"{path}.{name}", "'*' stands for all, and must stand alone")
    for unknown in sorted(set(rule.operations) - OPERATIONS):
        yield _broken(f"{path}.operations", f"{unknown!r} is no operation; there are {', '.join(sorted(OPERATIONS))}")


def _broken(path: str, message: str) -> Broken:
    return Broken(code="GK2032", path=path, message=message)
