"""The front page of the status branch: workloads by members, and what needs attention, for people."""

from collections.abc import Iterable, Iterator
from typing import Final

from gitops_karmada.core.aggregate import APPLIED
from gitops_karmada.core.conditions import condition_of
from gitops_karmada.core.place import SCHEDULED
from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.plan import Plan

README: Final = "README.md"
ATTRIBUTES: Final = ".gitattributes"
ATTRIBUTES_TEXT: Final = "members/** linguist-generated=true\nworks/** linguist-generated=true\n"

# A page for people: a federation of thousands of workloads is looked up with `get bindings`, not read here.
MOST_ROWS: Final = 500


def readme(plan: Plan, instance: str) -> str:
    """Markdown. The same plan gives the same text."""
    return "\n".join([*_head(instance), *_clusters(plan), *_workloads(plan), *_attention(plan)]) + "\n"


def _head(instance: str) -> Iterator[str]:
    yield f"# Federation {instance}"
    yield ""
    yield "Written by gitops-karmada. Do not edit: what is decided here follows from the source branch."
    yield "`git log` of a file below `bindings/` is the history of a placement; `decisions/` says why."
    yield ""


def _clusters(plan: Plan) -> Iterator[str]:
    yield "## Clusters"
    yield ""
    yield "| cluster | ready | Kubernetes | taints |"
    yield "|---|---|---|---|"
    for name, cluster in sorted(plan.clusters.items()):
        taints = ", ".join(f"{taint.key}:{taint.effect}" for taint in cluster.spec.taints)
        yield f"| {name} | {_ready(cluster)} | {cluster.status.kubernetes_version or '–'} | {taints or '–'} |"
    yield ""


def _ready(cluster: Cluster) -> str:
    condition = condition_of(cluster.status.conditions, "Ready")
    if condition is None:
        return "unknown"
    return "yes" if condition.status == "True" else f"no ({condition.reason})"


def _workloads(plan: Plan) -> Iterator[str]:
    names = sorted(plan.clusters)
    workloads = [binding for _, binding in sorted(plan.bindings.items()) if binding.spec.is_workload]
    yield "## Workloads"
    yield ""
    if not workloads:
        yield "None."
        yield ""
        return
    yield "| workload | " + " | ".join([*names, "wished"]) + " |"
    yield "|---" * (len(names) + 2) + "|"
    for binding in workloads[:MOST_ROWS]:
        yield f"| {binding.key} | " + " | ".join([*_shares(binding, names), str(binding.spec.replicas)]) + " |"
    if len(workloads) > MOST_ROWS:
        yield ""
        yield f"And {len(workloads) - MOST_ROWS} more."
    yield ""


def _shares(binding: Binding, names: Iterable[str]) -> Iterator[str]:
    shares = {target.name: target.replicas for target in binding.spec.clusters}
    for name in names:
        yield str(shares[name]) if name in shares else ""


def _attention(plan: Plan) -> Iterator[str]:
    yield "## Needs attention"
    yield ""
    found = [*_unscheduled(plan), *_unapplied(plan), *_held(plan)]
    yield from found[:MOST_ROWS] or ["Nothing."]
    if len(found) > MOST_ROWS:
        yield f"- and {len(found) - MOST_ROWS} more"


def _unscheduled(plan: Plan) -> Iterator[str]:
    for key, binding in sorted(plan.bindings.items()):
        condition = condition_of(binding.status.conditions, SCHEDULED)
        if condition is not None and condition.status == "False":
            yield f"- {key}: {condition.reason}: {condition.message}"


def _unapplied(plan: Plan) -> Iterator[str]:
    for place, work in sorted(plan.works.items()):
        condition = condition_of(work.status.conditions, APPLIED)
        if condition is not None and condition.status == "False":
            yield f"- {place}: {condition.message}"


def _held(plan: Plan) -> Iterator[str]:
    for place, work in sorted(plan.retiring.items()):
        yield f"- {place}: to be deleted: {work.retiring}"
    for hold in sorted(plan.holds, key=lambda hold: (hold.key, str(hold.place))):
        yield f"- {hold.place or hold.key}: held: {hold.reason}"
