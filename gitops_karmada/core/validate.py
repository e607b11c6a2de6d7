"""Whether an object of Karmada's own kinds may be used: everything that its API server and webhooks refuse."""

import re
from collections.abc import Iterator
from typing import Any, Final

from gitops_karmada.core.rules import Broken, Rule
from gitops_karmada.core.rules.affinities import affinities
from gitops_karmada.core.rules.clusters import (
    cluster_addresses,
    cluster_names,
    cluster_places,
    cluster_taints,
    resource_models,
)
from gitops_karmada.core.rules.failovers import failovers
from gitops_karmada.core.rules.interpreter_webhooks import interpreter_webhooks
from gitops_karmada.core.rules.override_rules import override_forms, override_rules
from gitops_karmada.core.rules.quotas import quotas
from gitops_karmada.core.rules.rebalancers import rebalancers
from gitops_karmada.core.rules.resource_selectors import (
    own_namespace,
    resource_selectors,
    some_selector,
    usable_selectors,
)
from gitops_karmada.core.rules.spread_constraints import spread_constraints, usable_spread
from gitops_karmada.core.rules.suspensions import suspensions
from gitops_karmada.core.rules.taint_policies import taint_policies
from gitops_karmada.core.rules.tolerations import tolerations
from gitops_karmada.core.rules.workload_affinities import workload_affinities
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.customizations import ResourceInterpreterWebhookConfiguration
from gitops_karmada.model.files import FieldPath, Locate
from gitops_karmada.model.objects import Object, key_of
from gitops_karmada.model.policies import (
    ClusterTaintPolicy,
    FederatedResourceQuota,
    OverridePolicy,
    PropagationPolicy,
    WorkloadRebalancer,
)
from gitops_karmada.model.problems import Location, Problem

# The rules of the webhooks, by kind of noun, in the order in which a person reads the object.
PROPAGATION: Final[tuple[Rule, ...]] = (
    affinities,
    tolerations,
    spread_constraints,
    workload_affinities,
    failovers,
    resource_selectors,
    suspensions,
)
OVERRIDE: Final[tuple[Rule, ...]] = (override_forms, override_rules, own_namespace)

RULES: Final[dict[type[Any], tuple[Rule, ...]]] = {
    PropagationPolicy: (*PROPAGATION, some_selector, usable_selectors, usable_spread),
    OverridePolicy: (*OVERRIDE, usable_selectors),
    Cluster: (cluster_names, cluster_addresses, cluster_places, cluster_taints, resource_models),
    ClusterTaintPolicy: (taint_policies,),
    FederatedResourceQuota: (quotas,),
    WorkloadRebalancer: (rebalancers,),
    ResourceInterpreterWebhookConfiguration: (interpreter_webhooks,),
}


def broken_rules(noun: Any) -> Iterator[Broken]:
    """Every rule that the noun breaks."""
    for rule in RULES.get(type(noun), ()):
        yield from rule(noun)


def validate(obj: Object, noun: Any, location: Location, locate: Locate | None = None) -> list[Problem]:
    """The findings about a defaulted object and the noun read from it. `locate` finds the line of a field."""
    return [
        Problem(
            code=broken.code,
            location=locate(field_path(broken.path)) if locate else location,
            subject=str(key_of(obj)),
            path=broken.path,
            message=broken.message,
            hint=broken.hint,
        )
        for broken in broken_rules(noun)
    ]


def field_path(path: str) -> FieldPath:
    """`spec.clusters[0].name` → ("spec", "clusters", 0, "name")"""
    steps = re.findall(r"([^.\[\]]+)|\[(\d+)\]", path)
    return tuple(int(index) if index else name for name, index in steps)
