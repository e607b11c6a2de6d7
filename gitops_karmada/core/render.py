"""A binding and its template as Works: the manifest of each target cluster, in that cluster's own shape."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gitops_karmada.core.divide import divide
from gitops_karmada.core.fields import with_field
from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.core.interpreters import InterpretError
from gitops_karmada.core.override import Overridden, OverrideFailed, OverrideIndex, override, policy_name
from gitops_karmada.core.overriders import YamlText
from gitops_karmada.core.prune import prune
from gitops_karmada.core.strategy import is_divided
from gitops_karmada.model.bindings import Binding, BindingSpec, ConflictResolution, TargetCluster
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.frozen import NOTHING
from gitops_karmada.model.objects import ClusterName, Object, annotations_of, dig, key_of, labels_of, metadata_of
from gitops_karmada.model.placement import PurgeMode
from gitops_karmada.model.policies import OverridePolicy
from gitops_karmada.model.problems import Location
from gitops_karmada.model.works import Work

CONFLICT_RESOLUTION: Final = "work.karmada.io/conflict-resolution"
GENERATION: Final = "resourcetemplate.karmada.io/generation"

_CLUSTERS_SHOWN: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """What every rendering of a turn shares. `yaml` reads and writes structured text inside fields."""

    interpreter: Interpreter
    overrides: OverrideIndex
    yaml: YamlText
    stateful_failover_injection: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """`idle` names overriders that met nothing to change."""

    work: Work
    idle: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRendered:
    """The cluster keeps what it has. `policy` is the override that could not be applied, where one is to blame."""

    cluster: ClusterName
    code: str
    reason: str
    path: str = ""
    policy: OverridePolicy | None = None
    hint: str = ""
    location: Location | None = None

    def __str__(self) -> str:
        return f"{policy_name(self.policy)}: {self.path}: {self.reason}" if self.policy else self.reason

    def told(self, clusters: Sequence[str]) -> str:
        """The reason for where the path is told beside it. It is the same in all these clusters."""
        blamed = f"{policy_name(self.policy)}: {self.reason}" if self.policy else self.reason
        return f"{blamed} ({in_clusters(clusters)})"


def in_clusters(names: Sequence[str]) -> str:
    """`cluster east`, `clusters east, north`; of many the first."""
    more = f" and {len(names) - _CLUSTERS_SHOWN} more" if len(names) > _CLUSTERS_SHOWN else ""
    return f"cluster{'s' if len(names) > 1 else ''} {', '.join(names[:_CLUSTERS_SHOWN])}{more}"


def targets(spec: BindingSpec) -> tuple[TargetCluster, ...]:
    """Where the object goes: as scheduled, then where others need it; the scheduled share counts where both want it."""
    found = {target.name: target for target in spec.clusters}
    for snapshot in spec.required_by:
        for target in snapshot.clusters:
            found.setdefault(target.name, target)
    return tuple(found.values())


def staying(spec: BindingSpec) -> frozenset[str]:
    """Where the object may be: its targets, and clusters that it leaves gracefully."""
    leaving = (task.from_cluster for task in spec.graceful_eviction_tasks if task.purge_mode is not PurgeMode.DIRECTLY)
    return frozenset((*(target.name for target in targets(spec)), *leaving))


def leaving_directly(spec: BindingSpec) -> frozenset[str]:
    """Clusters whose copy must be gone before a new one is made."""
    tasks = spec.graceful_eviction_tasks
    return frozenset(task.from_cluster for task in tasks if task.purge_mode is PurgeMode.DIRECTLY)


def render(
    binding: Binding, template: Object, target: TargetCluster, cluster: Cluster | None, rendering: Rendering
) -> Rendered | NotRendered:
    """The Work of one target cluster: replicas, completions, overrides, then what a server would add is taken away."""
    name = ClusterName(target.name)
    if cluster is None:
        return NotRendered(
            cluster=name,
            code="GK2004",
            reason=f"there is no Cluster {name} in the repository",
            hint="Register it, or remove it from the placement",
        )
    try:
        divided = _completions(binding.spec, _revised(binding.spec, template, target, rendering.interpreter), target)
    except InterpretError as wrong:
        return NotRendered(cluster=name, code="GK2050", reason=str(wrong), location=wrong.location)
    overridden = override(divided, cluster, rendering.overrides, rendering.yaml)
    if isinstance(overridden, OverrideFailed):
        return _failed(name, overridden)
    if key_of(overridden.object) != key_of(template):
        return _renamed(name, overridden, rendering.overrides)
    return Rendered(work=_work(binding, overridden, name, rendering), idle=overridden.idle)


def conflict_resolution(obj: Object, binding: BindingSpec) -> str:
    """`overwrite` or `abort`: the template's annotation where it is one of them, else the binding's."""
    asked = annotations_of(obj).get(CONFLICT_RESOLUTION)
    if asked in ("overwrite", "abort"):
        return str(asked)
    return "overwrite" if binding.conflict_resolution is ConflictResolution.OVERWRITE else "abort"


def is_suspended(spec: BindingSpec, cluster: str) -> bool:
    """Whether nothing is sent to the cluster."""
    suspension = spec.suspension
    if suspension is None:
        return False
    some = suspension.dispatching_on_clusters
    return bool(suspension.dispatching) or (some is not None and cluster in some.cluster_names)


def _revised(spec: BindingSpec, template: Object, target: TargetCluster, interpreter: Interpreter) -> Object:
    # A workload of several components goes as a whole: there is no one number to write into it.
    if not spec.is_workload or spec.components:
        return template
    revised = interpreter.revise(template, target.replicas)
    return template if revised is None else revised


def _completions(spec: BindingSpec, obj: Object, target: TargetCluster) -> Object:
    """A Job's completions are shared as its replicas are, over all targets."""
    completions = dig(obj, "spec", "completions")
    if obj.get("kind") != "Job" or spec.replicas <= 0 or not isinstance(completions, int):
        return obj
    if spec.placement is None or not is_divided(spec.placement.replica_scheduling):
        return obj
    votes = {one.name: one.replicas for one in targets(spec)}
    shares = divide(completions, votes, spec.resource.uid)
    return with_field(obj, ("spec", "completions"), shares[target.name]) if shares else obj


def _work(binding: Binding, overridden: Overridden, cluster: ClusterName, rendering: Rendering) -> Work:
    spec, obj = binding.spec, overridden.object
    resolution = conflict_resolution(obj, spec)
    manifest = _stamped(prune(obj), binding.metadata.generation)
    state = injected_labels(spec, cluster) if rendering.stateful_failover_injection else NOTHING
    return Work(
        cluster=cluster,
        manifest=_labelled(manifest, state) if state else manifest,
        binding=binding.key,
        overrides=overridden.applied,
        suspended=is_suspended(spec, cluster),
        preserve=bool(spec.preserve_resources_on_deletion),
        conflict_resolution=resolution,
    )


def _stamped(obj: Object, generation: int) -> Object:
    """Status rules compare a member's observedGeneration with this one, as in Karmada."""
    if generation <= 0:
        return obj
    annotations = {**annotations_of(obj), GENERATION: str(generation)}
    return {**obj, "metadata": {**metadata_of(obj), "annotations": annotations}}


def _labelled(obj: Object, labels: Mapping[str, Any]) -> Object:
    return {**obj, "metadata": {**metadata_of(obj), "labels": {**labels_of(obj), **labels}}}


def injected_labels(spec: BindingSpec, cluster: str) -> Mapping[str, str]:
    """Labels for a stateful workload that moved as a whole, in the cluster that it moved to."""
    tasks = spec.graceful_eviction_tasks
    if len(targets(spec)) != 1 or not tasks or tasks[-1].purge_mode is not PurgeMode.DIRECTLY:
        return NOTHING
    return NOTHING if cluster in tasks[-1].clusters_before_failover else tasks[-1].preserved_label_state


def _failed(cluster: ClusterName, failure: OverrideFailed) -> NotRendered:
    return NotRendered(cluster=cluster, code="GK2006", reason=failure.reason, path=failure.path, policy=failure.policy)


def _renamed(cluster: ClusterName, overridden: Overridden, overrides: OverrideIndex) -> NotRendered:
    """An object that is called otherwise in one member would be another object: nothing could follow it."""
    last = overridden.applied[-1].policy.split("/")
    return NotRendered(
        cluster=cluster,
        code="GK2006",
        reason=f"would rename the object to {key_of(overridden.object)}",
        path="spec",
        policy=overrides.named(last[1] if len(last) > 2 else "", last[-1]),
        hint="Kind, namespace and name of an object cannot be overridden",
    )
