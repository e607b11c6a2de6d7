"""ClusterTaintPolicy: which taints a cluster earns by its conditions."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from gitops_karmada.core.affinity import matches_cluster
from gitops_karmada.model.clusters import Cluster, Condition, Taint
from gitops_karmada.model.policies import ClusterTaintPolicy, MatchCondition, TaintPolicyTaint


def policy_taints(
    cluster: Cluster, held: Sequence[Taint], policies: Iterable[ClusterTaintPolicy], now: datetime
) -> tuple[Taint, ...]:
    """The taints that policies put on a cluster, beside those that its file declares.

    `held` are those of earlier turns: they stay until a policy removes them, also when their policy is gone.
    Policies work in the order of their age, then by name; where two disagree the later one wins.
    """
    taints = list(held)
    for policy in sorted(policies, key=_age):
        targets = policy.spec.target_clusters
        if targets is not None and not matches_cluster(targets, cluster):
            continue
        if holds(policy.spec.add_on_conditions, cluster.status.conditions):
            taints += _new(policy.spec.taints, (*cluster.spec.taints, *taints), now)
        if holds(policy.spec.remove_on_conditions, cluster.status.conditions):
            removed = {(taint.key, taint.effect) for taint in policy.spec.taints}
            taints = [taint for taint in taints if (taint.key, taint.effect) not in removed]
    return tuple(taints)


def _age(policy: ClusterTaintPolicy) -> tuple[float, str]:
    created = policy.metadata.creation_timestamp
    return (created.timestamp() if created else 0.0, policy.metadata.name)


def _new(wanted: Iterable[TaintPolicyTaint], there: Iterable[Taint], now: datetime) -> list[Taint]:
    """A taint of the same key and effect is the same taint, whatever its value."""
    known = {(taint.key, taint.effect) for taint in there}
    return [
        Taint(key=taint.key, value=taint.value, effect=taint.effect, time_added=now)
        for taint in wanted
        if (taint.key, taint.effect) not in known
    ]


def holds(wanted: Sequence[MatchCondition], conditions: Iterable[Condition]) -> bool:
    """Whether all are met. None wanted is not met, and neither is one whose type the cluster lacks."""
    statuses = {condition.type: condition.status for condition in conditions}
    return bool(wanted) and all(_is_met(wish, statuses.get(wish.condition_type)) for wish in wanted)


def _is_met(wish: MatchCondition, status: str | None) -> bool:
    match wish.operator:
        case "In":
            return status is not None and status in wish.status_values
        case "NotIn":
            return status is not None and status not in wish.status_values
        case _:
            return False
