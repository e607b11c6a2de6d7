"""Kinds as interpreter webhooks explain them: what is asked, and what of the answer is believed."""

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import jsonpatch

from gitops_karmada.core.answers import components_in, object_in, references_in, requirements_in, verified
from gitops_karmada.core.interpret import Layer
from gitops_karmada.core.interpreters import Interpretation, InterpretError, Items, Replicas
from gitops_karmada.model.customizations import (
    InterpreterWebhook,
    ResourceInterpreterWebhookConfiguration,
    WebhookError,
    WebhookRule,
    Webhooks,
)
from gitops_karmada.model.federation import Declared
from gitops_karmada.model.objects import Object, gvk_of, metadata_of
from gitops_karmada.model.problems import Location

Ask: TypeAlias = Callable[..., Object]

API_VERSION = "config.karmada.io/v1alpha1"
KIND = "ResourceInterpreterContext"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hook:
    configuration: str
    webhook: InterpreterWebhook
    location: Location

    @property
    def name(self) -> str:
        return f"{self.configuration}/{self.webhook.name}"

    def serves(self, kind: tuple[str, str], operation: str) -> bool:
        return any(_matches(rule, kind, operation) for rule in self.webhook.rules)

    def error(self, reason: str) -> InterpretError:
        return InterpretError(f"interpreter webhook {self.name}: {reason}", self.location)


def hooked(declared: Iterable[Declared[ResourceInterpreterWebhookConfiguration]], webhooks: Webhooks) -> Layer:
    """What all webhooks say. Of several for one kind and operation the first by name is asked."""
    hooks = sorted(
        (
            Hook(
                configuration=one.value.metadata.name,
                webhook=webhook,
                location=one.locate(("webhooks", index)) if one.locate else one.location,
            )
            for one in declared
            for index, webhook in enumerate(one.value.webhooks)
        ),
        key=lambda hook: hook.name,
    )
    known: dict[tuple[str, str], Interpretation] = {}

    def layer(kind: tuple[str, str]) -> Interpretation | None:
        if kind not in known:
            known[kind] = _interpretation(kind, hooks, webhooks)
        return known[kind]

    return layer


def _matches(rule: WebhookRule, kind: tuple[str, str], operation: str) -> bool:
    group, _, version = kind[0].rpartition("/")
    wanted = (
        (rule.operations, operation),
        (rule.api_groups, group),
        (rule.api_versions, version),
        (rule.kinds, kind[1]),
    )
    return all("*" in allowed or value in allowed for allowed, value in wanted)


def _interpretation(kind: tuple[str, str], hooks: Sequence[Hook], webhooks: Webhooks) -> Interpretation:
    def rule(operation: str, make: Callable[[Hook, Ask], Any]) -> Any:
        hook = next((hook for hook in hooks if hook.serves(kind, operation)), None)
        return None if hook is None else make(hook, _asking(hook, webhooks, operation))

    return Interpretation(
        replicas=rule("InterpretReplica", _replicas),
        components=rule("InterpretComponent", _components),
        revise=rule("ReviseReplica", _revise),
        retain=rule("Retain", _retain),
        health=rule("InterpretHealth", _health),
        reflect=rule("InterpretStatus", _reflect),
        aggregate=rule("AggregateStatus", _aggregate),
        dependencies=rule("InterpretDependency", _dependencies),
    )


def _asking(hook: Hook, webhooks: Webhooks, operation: str) -> Ask:
    def ask(obj: Object, **more: Any) -> Object:
        try:
            response = webhooks.ask(hook.webhook, _request(obj, operation, more))
        except WebhookError as error:
            raise hook.error(str(error)) from error
        return _successful(hook, response)

    return ask


def _request(obj: Object, operation: str, more: dict[str, Any]) -> dict[str, Any]:
    kind, metadata = gvk_of(obj), metadata_of(obj)
    return {
        "kind": {"group": kind.group, "version": kind.version, "kind": kind.kind},
        "name": metadata.get("name") or "",
        "namespace": metadata.get("namespace") or "",
        "operation": operation,
        "object": obj,
        **{name: value for name, value in more.items() if value is not None},
    }


def _successful(hook: Hook, response: Any) -> Object:
    if not isinstance(response, dict):
        raise hook.error("answered without a response")
    if response.get("successful") is not True:
        status = response.get("status")
        message = status.get("message") if isinstance(status, dict) else None
        raise hook.error(f"refused: {message}" if message else "refused without a reason")
    return response


def _believed(hook: Hook, check: Callable[[], Any]) -> Any:
    try:
        return check()
    except ValueError as wrong:
        raise hook.error(f"answered {wrong}") from wrong


def _replicas(hook: Hook, ask: Ask) -> Callable[[Object], Replicas]:
    def replicas(obj: Object) -> Replicas:
        response = ask(obj)
        number, needs = response.get("replicas"), response.get("replicaRequirements")
        if not isinstance(number, int) or isinstance(number, bool):
            raise hook.error("answered without replicas")
        return number, None if needs is None else _believed(hook, lambda: requirements_in(needs))

    return replicas


def _components(hook: Hook, ask: Ask) -> Callable[[Object], list[Object]]:
    def components(obj: Object) -> list[Object]:
        listed = ask(obj).get("components") or []
        found: list[Object] = _believed(hook, lambda: components_in(_listed(listed)))
        return found

    return components


def _dependencies(hook: Hook, ask: Ask) -> Callable[[Object], list[Object]]:
    def dependencies(obj: Object) -> list[Object]:
        listed = ask(obj).get("dependencies") or []
        found: list[Object] = _believed(hook, lambda: verified(references_in(_listed(listed))))
        return found

    return dependencies


def _health(hook: Hook, ask: Ask) -> Callable[[Object], bool]:
    def is_healthy(obj: Object) -> bool:
        healthy = ask(obj).get("healthy")
        if not isinstance(healthy, bool):
            raise hook.error("answered without healthy")
        return healthy

    return is_healthy


def _reflect(hook: Hook, ask: Ask) -> Callable[[Object], Object]:
    def reflect(obj: Object) -> Object:
        status = ask(obj).get("rawStatus")
        if not isinstance(status, dict):
            raise hook.error("answered without rawStatus")
        return status

    return reflect


def _revise(hook: Hook, ask: Ask) -> Callable[[Object, int], Object]:
    return lambda obj, number: _patched(hook, obj, ask(obj, replicas=number))


def _retain(hook: Hook, ask: Ask) -> Callable[[Object, Object], Object]:
    return lambda desired, observed: _patched(hook, desired, ask(desired, observedObject=observed))


def _aggregate(hook: Hook, ask: Ask) -> Callable[[Object, Items], Object]:
    return lambda obj, items: _patched(hook, obj, ask(obj, aggregatedStatus=None if items is None else list(items)))


def _patched(hook: Hook, obj: Object, response: Object) -> Object:
    """The object with the JSON patch of the response; without a patch nothing changes."""
    patch, kind = response.get("patch"), response.get("patchType")
    if not patch and kind is None:
        return obj
    if not patch or kind != "JSONPatch":
        raise hook.error("must answer with both patch and patchType JSONPatch, or with neither")
    found: Object = _believed(hook, lambda: object_in(_apply(patch, obj)))
    return found


def _apply(patch: Any, obj: Object) -> Any:
    try:
        operations = json.loads(base64.b64decode(patch, validate=True))
        return jsonpatch.JsonPatch(operations).apply(obj)
    except (
        binascii.Error,
        TypeError,
        jsonpatch.JsonPatchException,
        jsonpatch.JsonPointerException,
    ) as error:
        raise ValueError(f"a patch that does not apply: {error}") from error


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("something that is no list")
    return value
