"""Fields that nobody reads where they stand, and fields with a newer name."""

from collections.abc import Iterator
from typing import Final

from gitops_karmada.core.lints import Repository, about
from gitops_karmada.core.policy_defaults import DEFAULT_SCHEDULER
from gitops_karmada.core.strategy import is_divided, is_weighted
from gitops_karmada.model.federation import Declared
from gitops_karmada.model.objects import dig
from gitops_karmada.model.placement import Toleration
from gitops_karmada.model.policies import Preemption, PropagationPolicy
from gitops_karmada.model.problems import Problem
from gitops_karmada.model.selectors import is_label_key, is_label_value

NO_EFFECT: Final = "GK2008"
DEPRECATED: Final = "GK2010"
SCHEDULING: Final = "spec.placement.replicaScheduling"


def ineffective_division(repository: Repository) -> Iterator[Problem]:
    for declared in repository.federation.propagation_policies:
        scheduling = declared.value.spec.placement.replica_scheduling
        if scheduling is None:
            continue
        preference = scheduling.weight_preference
        if not is_divided(scheduling) and scheduling.replica_division_preference is not None:
            yield _unread(declared, f"{SCHEDULING}.replicaDivisionPreference", "replicas are duplicated, not divided")
        if preference is not None and not is_weighted(scheduling):
            how = "aggregated" if is_divided(scheduling) else "duplicated"
            yield _unread(declared, f"{SCHEDULING}.weightPreference", f"replicas are {how}: weights play no part")
        elif preference is not None and preference.dynamic_weight and preference.static_weight_list:
            path = f"{SCHEDULING}.weightPreference.staticWeightList"
            yield _unread(declared, path, "dynamicWeight decides")


def ineffective_suspension(repository: Repository) -> Iterator[Problem]:
    for declared in repository.federation.propagation_policies:
        suspension = declared.value.spec.suspension
        if suspension is not None and suspension.scheduling:
            yield _unread(declared, "spec.suspension.scheduling", "policies suspend dispatching alone")


def ineffective_selectors(repository: Repository) -> Iterator[Problem]:
    for declared in repository.selecting:
        for number, selector in enumerate(declared.value.spec.resource_selectors):
            if selector.name and selector.label_selector is not None:
                path = f"spec.resourceSelectors[{number}].labelSelector"
                yield about(declared, NO_EFFECT, path, "is ignored, because the selector has a name")


def ineffective_tolerations(repository: Repository) -> Iterator[Problem]:
    for declared in repository.federation.propagation_policies:
        for number, toleration in enumerate(declared.value.spec.placement.cluster_tolerations):
            reason = _why_idle(toleration)
            if reason:
                yield _unread(declared, f"spec.placement.clusterTolerations[{number}]", reason)


def _why_idle(toleration: Toleration) -> str:
    if toleration.effect not in ("", "NoSchedule", "NoExecute"):
        return f"clusters are never tainted with the effect {toleration.effect!r}"
    if toleration.key and not is_label_key(toleration.key):
        return f"{toleration.key!r} is no key of a taint"
    if toleration.operator != "Exists" and not is_label_value(toleration.value):
        return f"{toleration.value!r} is no value of a taint"
    if toleration.operator != "Exists" and not toleration.key:
        return "without a key only the operator Exists tolerates anything"
    if toleration.toleration_seconds is not None and toleration.effect == "NoSchedule":
        return "tolerationSeconds counts only for NoExecute"
    return ""


def switched_off(repository: Repository) -> Iterator[Problem]:
    """Policies that ask for what the settings leave off."""
    settings = repository.federation.settings.spec
    for declared in repository.federation.propagation_policies:
        spec = declared.value.spec
        if spec.failover is not None and not settings.failover.enabled:
            yield _unread(declared, "spec.failover", "failover is off in the settings (failover.enabled)")
        if spec.preemption is Preemption.ALWAYS and not settings.features.propagation_policy_preemption:
            yield _unread(declared, "spec.preemption", "preemption is off in the settings (features)")
        if spec.scheduler_name not in ("", DEFAULT_SCHEDULER):
            reason = f"there is no scheduler {spec.scheduler_name!r}, so nothing is placed"
            yield about(declared, NO_EFFECT, "spec.schedulerName", reason, f"Use {DEFAULT_SCHEDULER}")
    for taints in repository.federation.taint_policies:
        evicts = settings.failover.enabled and settings.failover.no_execute_taint_eviction
        for number, taint in enumerate(taints.value.spec.taints):
            if taint.effect == "NoExecute" and not evicts:
                path = f"spec.taints[{number}].effect"
                reason = "nothing is evicted: failover.noExecuteTaintEviction is off in the settings"
                yield about(taints, NO_EFFECT, path, reason)


def deprecated_fields(repository: Repository) -> Iterator[Problem]:
    federation = repository.federation
    for policy in federation.propagation_policies:
        if policy.value.spec.association:
            yield about(policy, DEPRECATED, "spec.association", "is ignored", "Use propagateDeps")
    for override in federation.override_policies:
        for field in ("targetCluster", "overriders"):
            if dig(override.manifest, "spec", field) and not override.value.spec.override_rules:
                yield about(
                    override, DEPRECATED, f"spec.{field}", "is deprecated", "Write it as a rule of overrideRules"
                )
    for cluster in federation.clusters:
        if dig(cluster.manifest, "spec", "zone"):
            yield about(cluster, DEPRECATED, "spec.zone", "is deprecated", "Write it as a list: zones")


def _unread(declared: Declared[PropagationPolicy], path: str, reason: str) -> Problem:
    return about(declared, NO_EFFECT, path, f"has no effect: {reason}")
