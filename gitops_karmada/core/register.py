"""The clusters as decisions see them: what Git registers, with the status that was observed and the taints it earns."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final, assert_never

from gitops_karmada.core.conditions import condition_of
from gitops_karmada.core.doubt import clusters_in_doubt
from gitops_karmada.core.summarize import node_summary, resource_summary
from gitops_karmada.core.taint import policy_taints
from gitops_karmada.model.clusters import (
    APIEnablement,
    APIResource,
    Cluster,
    ClusterStatus,
    Condition,
    ResourceSummary,
    Taint,
)
from gitops_karmada.model.decode import decode, encode
from gitops_karmada.model.federation import Template
from gitops_karmada.model.frozen import Frozen
from gitops_karmada.model.members import MemberState, Observed, Unreachable
from gitops_karmada.model.objects import ClusterName, gvk_of
from gitops_karmada.model.plan import Question
from gitops_karmada.model.quantity import Quantity
from gitops_karmada.model.settings import MemberMode, Settings

READY: Final = "Ready"
COMPLETE: Final = "CompleteAPIEnablements"
NOT_READY: Final = "cluster.karmada.io/not-ready"
UNREACHABLE: Final = "cluster.karmada.io/unreachable"
NO_SCHEDULE: Final = "NoSchedule"

# In the turn's memory: cluster → the readiness seen last and since when, for the thresholds.
SEEN: Final = "readiness"
# In the turn's memory: cluster → the taints that ClusterTaintPolicies put on it.
EARNED: Final = "taints"


def registered(question: Question) -> tuple[dict[ClusterName, Cluster], Mapping[str, Any]]:
    """Every declared cluster with status and health taints, and the memory of what was seen."""
    clusters: dict[ClusterName, Cluster] = {}
    seen: dict[str, Any] = {}
    earned: dict[str, Any] = {}
    for declared in (*(it.value for it in question.federation.clusters), *_in_doubt(question)):
        name = ClusterName(declared.name)
        cluster, seen[name] = _registered(declared, question)
        taints = _earned(cluster, question)
        clusters[name] = _with_taints(cluster, taints)
        if taints:
            earned[name] = [encode(taint) for taint in taints]
    memory: dict[str, Any] = {SEEN: Frozen(seen)}
    if earned:
        memory[EARNED] = Frozen(earned)
    return clusters, Frozen(memory)


def _in_doubt(question: Question) -> Iterator[Cluster]:
    """Clusters that cannot be read now, as they were registered last: what runs there is not moved for that."""
    for cluster in clusters_in_doubt(question.ledger, question.federation):
        earned = question.ledger.memory.get(EARNED, {}).get(cluster.name, ())
        held = {(taint.key, taint.effect) for item in earned if (taint := decode(Taint, item).value) is not None}
        taints = tuple(taint for taint in cluster.spec.taints if (taint.key, taint.effect) not in held)
        yield replace(cluster, spec=replace(cluster.spec, taints=taints))


def _earned(cluster: Cluster, question: Question) -> tuple[Taint, ...]:
    """What ClusterTaintPolicies put on it, in this turn or before. They work while failover is on, as in Karmada."""
    if not question.federation.settings.spec.failover.enabled:
        return ()
    recorded = question.ledger.memory.get(EARNED, {}).get(cluster.name, ())
    held = [taint for item in recorded if (taint := decode(Taint, item).value) is not None]
    policies = (declared.value for declared in question.federation.taint_policies)
    return policy_taints(cluster, held, policies, question.now)


def _with_taints(cluster: Cluster, taints: tuple[Taint, ...]) -> Cluster:
    if not taints:
        return cluster
    return replace(cluster, spec=replace(cluster.spec, taints=(*cluster.spec.taints, *taints)))


def _registered(cluster: Cluster, question: Question) -> tuple[Cluster, Mapping[str, Any]]:
    name = ClusterName(cluster.name)
    last, state = question.ledger.clusters.get(name), _state(name, question)
    status = last.status if last is not None else cluster.status
    observed = _readiness(state)
    sight = _sight(question.ledger.memory.get(SEEN, {}).get(name), observed.status, question.now)
    ready = _damped(condition_of(status.conditions, READY), observed, sight, question)
    conditions = [ready]
    if isinstance(state, Observed) and ready.status == "True":
        status = _collected(cluster, status, state, question)
        conditions.append(_completeness(state, status))
    else:
        conditions.extend(condition for condition in status.conditions if condition.type == COMPLETE)
    status = replace(status, conditions=_dated(conditions, last, question.now))
    taints = _with_health_taints(cluster.spec.taints, ready.status, last, question.now)
    spec = replace(cluster.spec, taints=taints, id=_identity(cluster, state, last))
    return replace(cluster, spec=spec, status=status), sight


def _state(name: ClusterName, question: Question) -> MemberState | None:
    """A member that another tool applies to need not be reached by us: it counts as it is declared."""
    state = question.members.get(name)
    if state is None and mode_of(name, question.federation.settings) is MemberMode.RENDER_ONLY:
        return Observed(cluster=name, observed_at=question.now)
    return state


def _identity(cluster: Cluster, state: MemberState | None, last: Cluster | None) -> str:
    """The UID of the member's kube-system: what Git says, else what was seen first, which the next turn insists on."""
    before = last.spec.id if last is not None else ""
    seen = state.identity if isinstance(state, Observed) else ""
    return cluster.spec.id or before or seen


# Readiness ------------------------------------------------------------------------------------------------------------


def _readiness(state: MemberState | None) -> Condition:
    match state:
        case Observed(healthy=True):
            return Condition(
                type=READY,
                status="True",
                reason="ClusterReady",
                message="cluster is healthy and ready to accept workloads",
            )
        case Observed():
            return Condition(
                type=READY,
                status="False",
                reason="ClusterNotReady",
                message="cluster is reachable but health endpoint responded without ok",
            )
        case Unreachable(reason=reason):
            message = f"cluster is not reachable: {reason}" if reason else "cluster is not reachable"
            return Condition(type=READY, status="False", reason="ClusterNotReachable", message=message)
        case None:
            return Condition(
                type=READY,
                status="Unknown",
                reason="ClusterStatusUnknown",
                message="Cluster status controller stopped posting cluster status.",
            )
        case _:
            assert_never(state)


def _sight(before: Mapping[str, Any] | None, status: str, now: datetime) -> Mapping[str, Any]:
    """What was seen, and since when it has been seen without a break."""
    if before is not None and before.get("status") == status:
        return before
    return Frozen({"status": status, "since": now.strftime("%Y-%m-%dT%H:%M:%SZ")})


def _damped(current: Condition | None, observed: Condition, sight: Mapping[str, Any], question: Question) -> Condition:
    """A change of readiness counts once it has lasted for the threshold; the first observation counts at once.

    Source: karmada pkg/controllers/status/cluster_condition_cache.go; scheduling reference 1.3.
    """
    if current is None or current.status == observed.status:
        return observed
    failover = question.federation.settings.spec.failover
    if observed.status == "True":
        threshold = failover.cluster_success_threshold_seconds
    elif current.status == "True":
        threshold = failover.cluster_failure_threshold_seconds
    else:
        return observed
    lasted = question.now - datetime.fromisoformat(str(sight["since"]))
    return observed if lasted >= timedelta(seconds=threshold) else current


def _dated(conditions: Iterable[Condition], last: Cluster | None, now: datetime) -> tuple[Condition, ...]:
    before = {condition.type: condition for condition in last.status.conditions} if last is not None else {}
    dated = []
    for condition in conditions:
        old = before.get(condition.type)
        since = old.last_transition_time if old is not None and old.status == condition.status else None
        dated.append(replace(condition, last_transition_time=since or now))
    return tuple(dated)


def with_usable_room(cluster: Cluster, state: MemberState | None) -> Cluster:
    """The cluster without its room while it is not ready: what runs there stays, and nothing new is counted on it."""
    ready = condition_of(cluster.status.conditions, READY)
    if ready is not None and ready.status == "True" and isinstance(state, Observed):
        return cluster
    return replace(cluster, status=replace(cluster.status, resource_summary=None))


# What a ready member says of itself -----------------------------------------------------------------------------------


def _collected(cluster: Cluster, status: ClusterStatus, state: Observed, question: Question) -> ClusterStatus:
    apis = state.api_enablements or _declared_apis(cluster, question)
    if state.nodes is None or state.pods is None:
        # Not listed is not empty: what Git declares, else what was known before.
        summary = cluster.status.resource_summary or status.resource_summary
        nodes = cluster.status.node_summary or status.node_summary
    else:
        nodes = node_summary(state.nodes)
        summary = resource_summary(state.nodes, state.pods, cluster.spec.resource_models)
    return replace(
        status,
        kubernetes_version=state.kubernetes_version or status.kubernetes_version,
        api_enablements=apis,
        node_summary=nodes,
        resource_summary=summary,
    )


def _declared_apis(cluster: Cluster, question: Question) -> tuple[APIEnablement, ...]:
    """Who cannot be asked serves every kind that Git holds, unless its Cluster says which it serves."""
    unasked = mode_of(cluster.name, question.federation.settings) in (MemberMode.DIRECTORY, MemberMode.RENDER_ONLY)
    if cluster.status.api_enablements or not unasked:
        return cluster.status.api_enablements
    return served_kinds(question.federation.templates.values())


def served_kinds(templates: Iterable[Template]) -> tuple[APIEnablement, ...]:
    kinds: dict[str, set[str]] = {}
    for template in templates:
        gvk = gvk_of(template.object)
        kinds.setdefault(gvk.api_version, set()).add(gvk.kind)
    return tuple(
        APIEnablement(group_version=version, resources=tuple(APIResource(kind=kind) for kind in sorted(found)))
        for version, found in sorted(kinds.items())
    )


def mode_of(name: str, settings: Settings) -> MemberMode | None:
    return next((member.mode for member in settings.spec.members if member.name == name), None)


def _completeness(state: Observed, status: ClusterStatus) -> Condition:
    count = len(status.api_enablements)
    if not count:
        message = "collected empty APIEnablements from the cluster"
        return Condition(type=COMPLETE, status="False", reason="Empty", message=message)
    if not state.complete:
        message = f"might collect partial APIEnablements({count}) from the cluster"
        return Condition(type=COMPLETE, status="False", reason="Partial", message=message)
    message = "collected complete APIEnablements from the cluster"
    return Condition(type=COMPLETE, status="True", reason="Complete", message=message)


# Taints ---------------------------------------------------------------------------------------------------------------


def _with_health_taints(
    declared: tuple[Taint, ...], ready: str, last: Cluster | None, now: datetime
) -> tuple[Taint, ...]:
    """NoSchedule only, as Karmada: a cluster that is not ready gets nothing new and keeps what it has."""
    wanted = {"True": "", "Unknown": UNREACHABLE}.get(ready, NOT_READY)
    kept = tuple(_since(taint, last, now) for taint in declared if taint.key not in (NOT_READY, UNREACHABLE))
    if not wanted:
        return kept
    return (*kept, _since(Taint(key=wanted, effect=NO_SCHEDULE), last, now))


def _since(taint: Taint, last: Cluster | None, now: datetime) -> Taint:
    """The taint with the time when it came: NoExecute tolerations count from there."""
    if taint.time_added is not None:
        return taint
    before = last.spec.taints if last is not None else ()
    same = (old for old in before if (old.key, old.effect) == (taint.key, taint.effect))
    return replace(taint, time_added=next((old.time_added for old in same if old.time_added), now))


# What the status branch keeps -----------------------------------------------------------------------------------------

# In percent: room that changed by less is not worth a commit.
TOLERANCE: Final = 5


def steady(cluster: Cluster, last: Cluster | None) -> Cluster:
    """The cluster, or its last record where only a little room came or went."""
    if last is None or cluster == last:
        return cluster
    new, old = cluster.status.resource_summary, last.status.resource_summary
    if new is None or old is None or not _is_close(new, old):
        return cluster
    if replace(cluster, status=replace(cluster.status, resource_summary=old)) != last:
        return cluster
    return last


def _is_close(new: ResourceSummary, old: ResourceSummary) -> bool:
    if new.allocatable_modelings != old.allocatable_modelings or new.allocatable.keys() != old.allocatable.keys():
        return False
    return all(
        abs(_free(new, name) - _free(old, name)) * 100 <= TOLERANCE * amount.nano
        for name, amount in old.allocatable.items()
    )


def _free(summary: ResourceSummary, name: str) -> int:
    nothing = Quantity()
    used = summary.allocated.get(name, nothing) + summary.allocating.get(name, nothing)
    return (summary.allocatable[name] - used).nano
