"""Failover of applications: it needs dependencies to follow, and times that make sense."""

from collections.abc import Iterator

from gitops_karmada.core.rules import Broken
from gitops_karmada.model.placement import ApplicationFailover, PurgeMode, StatePreservation
from gitops_karmada.model.policies import PropagationPolicy
from gitops_karmada.model.selectors import is_label_key

CODE = "GK2023"


def failovers(policy: PropagationPolicy) -> Iterator[Broken]:
    failover = policy.spec.failover
    if failover is None:
        return
    if failover.application is not None:
        if not policy.spec.propagate_deps:
            yield Broken(
                code=CODE,
                path="spec.propagateDeps",
                message="must be true with failover.application: a workload that moves needs its dependencies there",
                hint="Set propagateDeps: true",
            )
        yield from _application(failover.application, "spec.failover.application")
    if failover.cluster is not None:
        yield from _preservation(failover.cluster.state_preservation, "spec.failover.cluster")
        if failover.cluster.purge_mode is PurgeMode.NEVER:
            yield Broken(code=CODE, path="spec.failover.cluster.purgeMode", message="must be Directly or Gracefully")


def _application(application: ApplicationFailover, place: str) -> Iterator[Broken]:
    tolerated = application.decision_conditions.toleration_seconds
    if tolerated is not None and tolerated < 0:
        yield Broken(
            code=CODE,
            path=f"{place}.decisionConditions.tolerationSeconds",
            message=f"must not be negative, got {tolerated}",
        )
    yield from _grace(application, f"{place}.gracePeriodSeconds")
    yield from _preservation(application.state_preservation, place)


def _grace(application: ApplicationFailover, path: str) -> Iterator[Broken]:
    grace, mode = application.grace_period_seconds, application.purge_mode
    if mode is not PurgeMode.GRACEFULLY:
        if grace is not None:
            yield Broken(code=CODE, path=path, message="counts only with purgeMode: Gracefully")
    elif grace is None:
        yield Broken(code=CODE, path=path, message="is required with purgeMode: Gracefully")
    elif grace <= 0:
        yield Broken(code=CODE, path=path, message=f"must be greater than 0, got {grace}")


def _preservation(preservation: StatePreservation | None, place: str) -> Iterator[Broken]:
    for number, rule in enumerate(preservation.rules if preservation else ()):
        if not is_label_key(rule.alias_label_name):
            yield Broken(
                code=CODE,
                path=f"{place}.statePreservation.rules[{number}].aliasLabelName",
                message=f"{rule.alias_label_name!r} is no key of a label",
            )
