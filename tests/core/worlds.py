"""Small templates, policies and bindings for tests of the core."""

from dataclasses import replace
from typing import Any

import yaml

from gitops_karmada.core.bind import BindSettings, Unbound, Wish, bind
from gitops_karmada.core.claim import Claimed, Policies, claim, policies_of
from gitops_karmada.core.identity import content_of
from gitops_karmada.core.overriders import YamlText
from gitops_karmada.core.policy_defaults import with_policy_defaults
from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.decode import decode
from gitops_karmada.model.objects import Object
from gitops_karmada.model.policies import OverridePolicy, PropagationPolicy

YAML = YamlText(read=yaml.safe_load, write=lambda value: yaml.safe_dump(value, default_flow_style=False))
SETTINGS = BindSettings(instance="lab", priorities={"high": 1000})
POLICY_GROUP = "policy.karmada.io/v1alpha1"


def deployment(
    name: str = "web", *, labels: dict[str, str] | None = None, namespace: str = "shop", **spec: Any
) -> Object:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"namespace": namespace, "name": name, "labels": labels or {"app": name}},
        "spec": {"replicas": 3, **spec},
    }


def selected(kind: str = "Deployment", **fields: Any) -> dict[str, Any]:
    api_version = "apps/v1" if kind == "Deployment" else "v1"
    return {"apiVersion": api_version, "kind": kind, **fields}


def propagation(policy_name: str = "web", namespace: str = "shop", **spec: Any) -> PropagationPolicy:
    """Defaulted as in a running federation."""
    kind = "PropagationPolicy" if namespace else "ClusterPropagationPolicy"
    spec = {"resourceSelectors": [selected()], **spec}
    metadata = {"name": policy_name, "namespace": namespace}
    manifest = {"apiVersion": POLICY_GROUP, "kind": kind, "metadata": metadata, "spec": spec}
    return decode(PropagationPolicy, with_policy_defaults(manifest)).unwrap()


def overriding(policy_name: str, namespace: str = "shop", **spec: Any) -> OverridePolicy:
    kind = "OverridePolicy" if namespace else "ClusterOverridePolicy"
    metadata = {"name": policy_name, "namespace": namespace}
    manifest = {"apiVersion": POLICY_GROUP, "kind": kind, "metadata": metadata, "spec": spec}
    return decode(OverridePolicy, with_policy_defaults(manifest)).unwrap()


def bound(
    obj: Object,
    policy: PropagationPolicy,
    previous: Binding | None = None,
    *,
    wish: Wish | None = None,
    clusters: Any = (),
) -> Binding:
    policies = policies_of([policy])
    binding = bind(
        obj,
        policy,
        wish or Wish(replicas=3),
        SETTINGS,
        content=content_of(obj),
        applied=policies.propagation.content(policy),
        previous=previous,
    )
    assert not isinstance(binding, Unbound), binding
    return with_clusters(binding, clusters) if clusters else binding


def with_clusters(binding: Binding, clusters: Any) -> Binding:
    spec = decode(Binding, {"spec": {"resource": RESOURCE, "clusters": clusters}}).unwrap().spec
    return replace(binding, spec=replace(binding.spec, clusters=spec.clusters))


RESOURCE = {"apiVersion": "v1", "kind": "X", "name": "x"}


def claimed_by(
    obj: Object, policies: Policies, previous: Binding | None = None, last_content: str | None = None
) -> str:
    """The policy that the template goes to now."""
    found = claim(obj, policies, previous=previous, content=content_of(obj), last_content=last_content)
    return found.policy.metadata.name if isinstance(found, Claimed) else type(found).__name__
