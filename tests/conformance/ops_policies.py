"""The answers of Karmada's policy matcher, override manager and validators: None where ours is the same."""

from collections.abc import Callable
from typing import Any

import yaml

from gitops_karmada.core.match import PolicyIndex
from gitops_karmada.core.override import OverrideFailed, OverrideIndex, override
from gitops_karmada.core.overriders import YamlText
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.decode import decode
from gitops_karmada.model.policies import OverridePolicy, PropagationPolicy

Case = dict[str, Any]

# The YAML in these vectors is plain: what a general reader makes of it is what kubectl's does.
YAML = YamlText(read=yaml.safe_load, write=lambda value: yaml.safe_dump(value, default_flow_style=False))


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


OPS: dict[str, Callable[[Case], str | None]] = {
    "match": match,
    "override": override_object,
}
