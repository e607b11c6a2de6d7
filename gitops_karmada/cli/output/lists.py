"""Lists of bindings, works, clusters and policies: rows for people, whole objects for programs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from gitops_karmada.cli.ledgers import State
from gitops_karmada.cli.output.tables import Cell
from gitops_karmada.cli.output.terminal import Span, Tone
from gitops_karmada.core.aggregate import APPLIED
from gitops_karmada.core.conditions import condition_of
from gitops_karmada.core.place import SCHEDULED
from gitops_karmada.core.record import binding_path, cluster_path, work_path
from gitops_karmada.core.render import staying
from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.clusters import Cluster, Condition
from gitops_karmada.model.decode import encode
from gitops_karmada.model.federation import Declared
from gitops_karmada.model.objects import ClusterName, Key, key_of, labels_of
from gitops_karmada.model.policies import OverridePolicy, PropagationPolicy
from gitops_karmada.model.works import Place, Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing of a list. `more` are the cells that only a wide list shows."""

    name: str
    namespace: str
    value: Any
    cells: tuple[Cell, ...]
    more: tuple[Cell, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    clusters: frozenset[str] = frozenset()
    full_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A kind of list: its columns, and where its items come from."""

    header: tuple[str, ...]
    wide: tuple[str, ...]
    items: tuple[Item, ...]


def bindings(state: State, kinds: frozenset[str]) -> Listing:
    found = [(key, binding) for key, binding in sorted(state.ledger.bindings.items()) if binding.kind in kinds]
    return Listing(
        header=("NAMESPACE", "KIND", "NAME", "REPLICAS", "CLUSTERS", "SCHEDULED", "APPLIED"),
        wide=("POLICY", "SOURCE"),
        items=tuple(_binding(key, binding, state) for key, binding in found),
    )


def full_name(key: Key) -> str:
    """`shop/deployment.apps/web`, as `why` takes it and as files of the status branch are called."""
    kind = f"{key.kind}.{key.group}" if key.group else key.kind
    return "/".join(part for part in (key.namespace, kind.lower(), key.name) if part)


def _binding(key: Key, binding: Binding, state: State) -> Item:
    why = state.ledger.whys.get(key)
    shares = {target.name: target.replicas for target in binding.spec.clusters}
    targets = sorted(staying(binding.spec))
    runs = " ".join(_share(name, shares.get(name, 0)) for name in targets)
    replicas = str(binding.spec.replicas) if binding.spec.is_workload else "–"
    template = state.federation.templates.get(key)
    return Item(
        name=key.name,
        namespace=key.namespace,
        value=state.files.get(binding_path(key), {}),
        cells=(
            key.namespace or "–",
            key.kind,
            key.name,
            replicas,
            runs or "none",
            _scheduled(binding),
            _applied(binding, len(targets)),
        ),
        more=((why.claim if why else "") or "–", state.ledger.sources.get(key, "–")),
        labels=labels_of(template.object) if template else {},
        clusters=frozenset(targets),
        full_name=full_name(key),
    )


def _share(name: str, replicas: int) -> str:
    return f"{name}:{replicas}" if replicas else name


def _scheduled(binding: Binding) -> Span:
    return _condition(condition_of(binding.status.conditions, SCHEDULED))


def _condition(condition: Condition | None) -> Span:
    """`yes`, or the reason why not."""
    if condition is None:
        return Span("–")
    if condition.status == "True":
        return Span("yes", Tone.GOOD)
    return Span(condition.reason or "no", Tone.BAD if condition.status == "False" else Tone.CHANGED)


def _applied(binding: Binding, wanted: int) -> Span:
    done = sum(item.applied for item in binding.status.aggregated_status)
    return Span(f"{done}/{wanted}", Tone.GOOD if done >= wanted else Tone.BAD)


def works(state: State) -> Listing:
    return Listing(
        header=("CLUSTER", "NAMESPACE", "KIND", "NAME", "APPLIED", "HEALTH"),
        wide=("OVERRIDES", "MESSAGE"),
        items=tuple(_work(place, work, state) for place, work in sorted(state.ledger.works.items())),
    )


def _work(place: Place, work: Work, state: State) -> Item:
    applied = condition_of(work.status.conditions, APPLIED)
    health = next((str(status.health) for status in work.status.manifest_statuses if status.health), "–")
    overrides = " ".join(dict.fromkeys(override.policy for override in work.overrides)) or "–"
    leaving = Span("leaving", Tone.CHANGED)
    return Item(
        name=place.key.name,
        namespace=place.key.namespace,
        value=state.files.get(work_path(place), {}),
        cells=(
            place.cluster,
            place.key.namespace or "–",
            place.key.kind,
            place.key.name,
            leaving if work.retiring else _condition(applied),
            health,
        ),
        more=(overrides, applied.message if applied else "–"),
        labels=labels_of(work.manifest),
        clusters=frozenset({place.cluster}),
        full_name=f"{place.cluster}/{full_name(place.key)}",
    )


def clusters(state: State) -> Listing:
    modes = {member.name: str(member.mode) for member in state.federation.settings.spec.members}
    declared = {ClusterName(it.value.name): it.value for it in state.federation.clusters}
    known = {**declared, **state.ledger.clusters}
    return Listing(
        header=("NAME", "MODE", "READY", "VERSION", "REGION", "TAINTS"),
        wide=("ZONES", "PROVIDER", "ROOM"),
        items=tuple(_cluster(cluster, modes, state) for _, cluster in sorted(known.items())),
    )


def _cluster(cluster: Cluster, modes: Mapping[str, str], state: State) -> Item:
    taints = " ".join(f"{taint.key}:{taint.effect}" for taint in cluster.spec.taints)
    stored = state.files.get(cluster_path(ClusterName(cluster.name)))
    return Item(
        name=cluster.name,
        namespace="",
        value=stored or encode(cluster),
        cells=(
            cluster.name,
            modes.get(cluster.name, "–"),
            _condition(condition_of(cluster.status.conditions, "Ready")),
            cluster.status.kubernetes_version or "–",
            cluster.spec.region or "–",
            taints or "–",
        ),
        more=(" ".join(cluster.spec.zones) or cluster.spec.zone or "–", cluster.spec.provider or "–", _room(cluster)),
        labels=cluster.metadata.labels,
        clusters=frozenset({cluster.name}),
        full_name=cluster.name,
    )


def _room(cluster: Cluster) -> str:
    """What is free of what can be given, as far as the cluster says."""
    summary = cluster.status.resource_summary
    if summary is None:
        return "–"
    return " ".join(f"{name}={amount}" for name, amount in sorted(summary.allocatable.items()))


def policies(state: State, kinds: frozenset[str]) -> Listing:
    found: list[Declared[Any]] = [*state.federation.propagation_policies, *state.federation.override_policies]
    chosen = [declared for declared in found if declared.value.kind in kinds]
    return Listing(
        header=("NAMESPACE", "KIND", "NAME", "PRIORITY", "SELECTS", "FILE"),
        wide=("CLAIMS",),
        items=tuple(_policy(declared, state) for declared in sorted(chosen, key=_policy_order)),
    )


def _policy_order(declared: Declared[Any]) -> tuple[str, str, str]:
    metadata = declared.value.metadata
    return metadata.namespace, declared.value.kind, metadata.name


def _policy(declared: Declared[PropagationPolicy | OverridePolicy], state: State) -> Item:
    policy = declared.value
    priority = str(policy.spec.priority) if isinstance(policy, PropagationPolicy) else "–"
    claim = str(key_of(declared.manifest))
    claims = sum(why.claim == claim for why in state.ledger.whys.values())
    return Item(
        name=policy.metadata.name,
        namespace=policy.metadata.namespace,
        value=declared.manifest,
        cells=(
            policy.metadata.namespace or "–",
            policy.kind,
            policy.metadata.name,
            priority,
            _selects(policy),
            str(declared.location),
        ),
        more=(str(claims) if isinstance(policy, PropagationPolicy) else "–",),
        labels=policy.metadata.labels,
        full_name=full_name(key_of(declared.manifest)),
    )


def _selects(policy: PropagationPolicy | OverridePolicy) -> str:
    told = [f"{it.kind}/{it.name or '*'}" for it in policy.spec.resource_selectors]
    return ", ".join(told[:3]) + (f" and {len(told) - 3} more" if len(told) > 3 else "") if told else "everything"


LISTS: Final[Mapping[str, str]] = {
    "bindings": "BindingList",
    "works": "WorkList",
    "clusters": "ClusterList",
    "policies": "PolicyList",
}

KINDS: Final[Mapping[str, tuple[str, frozenset[str]]]] = {
    "bindings": ("bindings", frozenset({"ResourceBinding", "ClusterResourceBinding"})),
    "binding": ("bindings", frozenset({"ResourceBinding", "ClusterResourceBinding"})),
    "resourcebindings": ("bindings", frozenset({"ResourceBinding"})),
    "resourcebinding": ("bindings", frozenset({"ResourceBinding"})),
    "rb": ("bindings", frozenset({"ResourceBinding"})),
    "clusterresourcebindings": ("bindings", frozenset({"ClusterResourceBinding"})),
    "clusterresourcebinding": ("bindings", frozenset({"ClusterResourceBinding"})),
    "crb": ("bindings", frozenset({"ClusterResourceBinding"})),
    "works": ("works", frozenset()),
    "work": ("works", frozenset()),
    "wk": ("works", frozenset()),
    "clusters": ("clusters", frozenset()),
    "cluster": ("clusters", frozenset()),
    "policies": (
        "policies",
        frozenset({"PropagationPolicy", "ClusterPropagationPolicy", "OverridePolicy", "ClusterOverridePolicy"}),
    ),
    "policy": (
        "policies",
        frozenset({"PropagationPolicy", "ClusterPropagationPolicy", "OverridePolicy", "ClusterOverridePolicy"}),
    ),
    "propagationpolicies": ("policies", frozenset({"PropagationPolicy"})),
    "propagationpolicy": ("policies", frozenset({"PropagationPolicy"})),
    "pp": ("policies", frozenset({"PropagationPolicy"})),
    "clusterpropagationpolicies": ("policies", frozenset({"ClusterPropagationPolicy"})),
    "clusterpropagationpolicy": ("policies", frozenset({"ClusterPropagationPolicy"})),
    "cpp": ("policies", frozenset({"ClusterPropagationPolicy"})),
    "overridepolicies": ("policies", frozenset({"OverridePolicy"})),
    "overridepolicy": ("policies", frozenset({"OverridePolicy"})),
    "op": ("policies", frozenset({"OverridePolicy"})),
    "clusteroverridepolicies": ("policies", frozenset({"ClusterOverridePolicy"})),
    "clusteroverridepolicy": ("policies", frozenset({"ClusterOverridePolicy"})),
    "cop": ("policies", frozenset({"ClusterOverridePolicy"})),
}
"""What may be asked for: the list, and the kinds of it."""


def listing(name: str, state: State) -> Listing:
    kind, kinds = KINDS[name]
    match kind:
        case "bindings":
            return bindings(state, kinds)
        case "works":
            return works(state)
        case "clusters":
            return clusters(state)
        case _:
            return policies(state, kinds)


def rows(items: Iterable[Item], wide: bool) -> Iterator[Sequence[Cell]]:
    for item in items:
        yield (*item.cells, *item.more) if wide else item.cells
