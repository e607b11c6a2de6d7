"""The answers of Karmada's policy matcher, override manager and validators: None where ours is the same."""

from collections.abc import Callable, Iterable
from typing import Any

from gitops_karmada.cli.worlds import yaml_text
from gitops_karmada.core.match import PolicyIndex
from gitops_karmada.core.override import OverrideFailed, OverrideIndex, override
from gitops_karmada.core.policy_defaults import propagation_defaults
from gitops_karmada.core.rules import Rule
from gitops_karmada.core.validate import OVERRIDE, PROPAGATION
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.decode import Decoded, decode, encode
from gitops_karmada.model.policies import OverridePolicy, PropagationPolicy, PropagationSpec

Case = dict[str, Any]

YAML = yaml_text()


def match(case: Case) -> str | None:
    named = [*(case.get("propagationPolicies") or ()), *(case.get("clusterPropagationPolicies") or ())]
    index = PolicyIndex(decode(PropagationPolicy, policy).unwrap() for policy in named)
    namespaced, cluster = index.best_namespaced(case["object"]), index.best_cluster(case["object"])
    ours = {
        "propagationPolicy": f"{namespaced.metadata.namespace}/{namespaced.metadata.name}" if namespaced else None,
        "clusterPropagationPolicy": cluster.metadata.name if cluster else None,
    }
    wanted = {name: case["expect"].get(name) for name in ours}
    return None if ours == wanted else f"expected {wanted}, got {ours}"


def override_object(case: Case) -> str | None:
    policies = [*(case.get("clusterOverridePolicies") or ()), *(case.get("overridePolicies") or ())]
    index = OverrideIndex(decode(OverridePolicy, policy).unwrap() for policy in policies)
    clusters = [decode(Cluster, cluster).unwrap() for cluster in case["clusters"]]
    target = next(cluster for cluster in clusters if cluster.name == case["cluster"])
    result = override(case["object"], target, index, YAML)
    wanted = case["expect"]
    if isinstance(result, OverrideFailed) or "error" in wanted:
        return None if isinstance(result, OverrideFailed) and "error" in wanted else f"expected {wanted}, got {result}"
    if result.object != wanted["object"]:
        return f"expected object {wanted['object']}, got {result.object}"
    applied = [entry.policy for entry in result.applied]
    ours = {
        "clusterOverridePolicies": [name.split("/")[1] for name in applied if name.startswith("Cluster")],
        "overridePolicies": [name.split("/")[2] for name in applied if not name.startswith("Cluster")],
    }
    return next(
        (f"{name}: expected {wanted[name]}, got {got}" for name, got in ours.items() if got != wanted[name]), None
    )


def validate_propagation(case: Case) -> str | None:
    spec = propagation_defaults(case["spec"])
    wanted = case["expect"]
    if encoded(spec) != encoded(wanted["defaulted"]):
        return f"defaulted: expected {wanted['defaulted']}, got {spec}"
    metadata = {"name": "policy", "namespace": case["namespace"]}
    policy = decode(PropagationPolicy, {"metadata": metadata, "spec": spec})
    return compared_paths(policy, PROPAGATION, wanted["errors"])


def validate_override(case: Case) -> str | None:
    metadata = {"name": "policy", "namespace": case["namespace"]}
    policy = decode(OverridePolicy, {"metadata": metadata, "spec": case["spec"]})
    return compared_paths(policy, OVERRIDE, case["expect"]["errors"])


def encoded(spec: Any) -> Any:
    return encode(decode(PropagationSpec, spec).unwrap())


def compared_paths(policy: Decoded[Any], rules: Iterable[Rule], errors: list[str]) -> str | None:
    ours = sorted(broken.path for rule in rules for broken in rule(policy.unwrap()))
    # Karmada's path doubles this one word; a person looks for the field.
    theirs = sorted(error.partition(": ")[0].replace("suspension.suspension", "suspension") for error in errors)
    return None if ours == theirs else f"expected {theirs}, got {ours}"


OPS: dict[str, Callable[[Case], str | None]] = {
    "match": match,
    "override": override_object,
    "validateOverride": validate_override,
    "validatePropagation": validate_propagation,
}
