"""What people teach us about a kind: scripts and webhooks (config.karmada.io)."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from gitops_karmada.model.metadata import ObjectMeta
from gitops_karmada.model.problems import ManifestError

REQUIRED = {"required": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class LuaScript:
    lua_script: str = field(default="", metadata=REQUIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomizationTarget:
    api_version: str = field(default="", metadata=REQUIRED)
    kind: str = field(default="", metadata=REQUIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomizationRules:
    replica_resource: LuaScript | None = None
    component_resource: LuaScript | None = None
    replica_revision: LuaScript | None = None
    retention: LuaScript | None = None
    health_interpretation: LuaScript | None = None
    status_reflection: LuaScript | None = None
    status_aggregation: LuaScript | None = None
    dependency_interpretation: LuaScript | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomizationSpec:
    target: CustomizationTarget = field(default=CustomizationTarget(), metadata=REQUIRED)
    customizations: CustomizationRules = field(default=CustomizationRules(), metadata=REQUIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceInterpreterCustomization:
    api_version: str = "config.karmada.io/v1alpha1"
    kind: str = "ResourceInterpreterCustomization"
    metadata: ObjectMeta = ObjectMeta()
    spec: CustomizationSpec = field(default=CustomizationSpec(), metadata=REQUIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceReference:
    namespace: str = field(default="", metadata=REQUIRED)
    name: str = field(default="", metadata=REQUIRED)
    path: str = ""
    port: int = 443


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookClientConfig:
    """Where a webhook listens; `ca_bundle` is base64 of PEM."""

    url: str = ""
    service: ServiceReference | None = None
    ca_bundle: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookRule:
    """A `*` stands for all, and stands alone."""

    operations: tuple[str, ...] = field(default=(), metadata=REQUIRED)
    api_groups: tuple[str, ...] = field(default=(), metadata=REQUIRED)
    api_versions: tuple[str, ...] = field(default=(), metadata=REQUIRED)
    kinds: tuple[str, ...] = field(default=(), metadata=REQUIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class InterpreterWebhook:
    name: str = field(default="", metadata=REQUIRED)
    client_config: WebhookClientConfig = field(default=WebhookClientConfig(), metadata=REQUIRED)
    rules: tuple[WebhookRule, ...] = ()
    timeout_seconds: int = 10
    interpreter_context_versions: tuple[str, ...] = field(default=(), metadata=REQUIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceInterpreterWebhookConfiguration:
    api_version: str = "config.karmada.io/v1alpha1"
    kind: str = "ResourceInterpreterWebhookConfiguration"
    metadata: ObjectMeta = ObjectMeta()
    webhooks: tuple[InterpreterWebhook, ...] = field(default=(), metadata=REQUIRED)


class ScriptError(ManifestError):
    """A script that failed. `line` counts within the script, from 1; 0 is unknown."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


class WebhookError(ManifestError):
    """A webhook that did not answer, or not as it should."""


class Scripts(Protocol):
    """Who runs scripts. JSON values in, JSON values out; an empty Lua table comes back as an empty list."""

    def check(self, script: str) -> None:
        """Raise ScriptError where the script does not compile."""

    def call(self, script: str, function: str, arguments: tuple[Any, ...], results: int) -> list[Any]:
        """Run the script, then its function. Raises ScriptError."""


class Webhooks(Protocol):
    """Who asks webhooks."""

    def ask(self, webhook: InterpreterWebhook, request: dict[str, Any]) -> Any:
        """Post a ResourceInterpreterContext and return the one that comes back. Raises WebhookError."""
