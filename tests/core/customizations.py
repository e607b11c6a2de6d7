"""Customizations and webhook configurations as the repository declares them, for tests."""

from typing import Any

from gitops_karmada.model.customizations import (
    ResourceInterpreterCustomization,
    ResourceInterpreterWebhookConfiguration,
)
from gitops_karmada.model.decode import decode
from gitops_karmada.model.federation import Declared
from gitops_karmada.model.files import FieldPath
from gitops_karmada.model.problems import Location

KIND = ("example.io/v1", "Widget")


def customization(name: str = "widgets", **scripts: str) -> Declared[ResourceInterpreterCustomization]:
    """Scripts of the operations, by their names in the API; each stands at line 10 of the file."""
    manifest: dict[str, Any] = {
        "apiVersion": "config.karmada.io/v1alpha1",
        "kind": "ResourceInterpreterCustomization",
        "metadata": {"name": name},
        "spec": {
            "target": {"apiVersion": KIND[0], "kind": KIND[1]},
            "customizations": {operation: {"luaScript": script} for operation, script in scripts.items()},
        },
    }

    def locate(path: FieldPath) -> Location:
        return Location(file=f"{name}.yaml", line=10 if path[-1] == "luaScript" else 1)

    value = decode(ResourceInterpreterCustomization, manifest).unwrap()
    return Declared(value=value, manifest=manifest, location=Location(file=f"{name}.yaml", line=1), locate=locate)


def configuration(*webhooks: dict[str, Any], name: str = "hooks") -> Declared[ResourceInterpreterWebhookConfiguration]:
    manifest: dict[str, Any] = {
        "apiVersion": "config.karmada.io/v1alpha1",
        "kind": "ResourceInterpreterWebhookConfiguration",
        "metadata": {"name": name},
        "webhooks": list(webhooks),
    }
    value = decode(ResourceInterpreterWebhookConfiguration, manifest).unwrap()
    return Declared(value=value, manifest=manifest, location=Location(file=f"{name}.yaml", line=1))


def webhook(name: str = "widgets.example.com", **fields: Any) -> dict[str, Any]:
    rule = {"operations": ["*"], "apiGroups": ["example.io"], "apiVersions": ["v1"], "kinds": ["Widget"]}
    return {
        "name": name,
        "clientConfig": {"url": "https://127.0.0.1:1/"},
        "rules": [rule],
        "interpreterContextVersions": ["v1alpha1"],
        **fields,
    }


def widget(**fields: Any) -> dict[str, Any]:
    return {"apiVersion": KIND[0], "kind": KIND[1], "metadata": {"name": "w", "namespace": "lab"}, **fields}
