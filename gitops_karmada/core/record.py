"""The files of the status branch: a plan as files, and files as the ledger of the next turn.

Values here are plain JSON values by path; who writes and reads their bytes is the repository's business.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from gitops_karmada.core.names import execution_space, fnv1a, work_name
from gitops_karmada.model.actions import Receipt
from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.decode import decode, encode
from gitops_karmada.model.federation import Commit, Ledger
from gitops_karmada.model.objects import ClusterName, Key, Object, dig, key_of
from gitops_karmada.model.plan import Plan, Why
from gitops_karmada.model.policies import FederatedResourceQuota, WorkloadRebalancer
from gitops_karmada.model.problems import Location, Problem
from gitops_karmada.model.works import AppliedOverride, Place, Work, WorkStatus

T = TypeVar("T")
K = TypeVar("K")

FORMAT_VERSION: Final = 1
FEDERATION: Final = "federation.json"
MEMORY: Final = "memory.json"
CLUSTER_SCOPE: Final = "_cluster"

# A file name may be 255 bytes long, and some file systems do not tell upper from lower case.
_LONGEST_NAME: Final = 200
_PLAIN_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-._")

BINDING: Final = "gitops-karmada.io/binding"
RETIRING: Final = "gitops-karmada.io/retiring"
SOURCE: Final = "gitops-karmada.io/source"
CONFLICT_RESOLUTION: Final = "work.karmada.io/conflict-resolution"


# Paths ----------------------------------------------------------------------------------------------------------------


def object_path(key: Key) -> str:
    """`shop/deployment.apps/web`: where an object's file lies below its folder."""
    kind = f"{key.kind}.{key.group}" if key.group else key.kind
    return f"{key.namespace or CLUSTER_SCOPE}/{kind.lower()}/{file_name(key.name)}"


def file_name(name: str) -> str:
    """The name as a file's: percent-encoded where file systems could not keep it apart, cut with a hash if too long."""
    safe = "".join(letter if letter in _PLAIN_LETTERS else _percent(letter) for letter in name)
    return safe if len(safe) <= _LONGEST_NAME else f"{safe[:_LONGEST_NAME]}~{fnv1a(name):08x}"


def _percent(letter: str) -> str:
    return "".join(f"%{byte:02X}" for byte in letter.encode())


def binding_path(key: Key) -> str:
    return f"bindings/{object_path(key)}.yaml"


def decision_path(key: Key) -> str:
    return f"decisions/{object_path(key)}.json"


def work_path(place: Place) -> str:
    return f"works/{place.cluster}/{object_path(place.key)}.yaml"


def cluster_path(name: ClusterName) -> str:
    return f"clusters/{name}.yaml"


def rebalancer_path(name: str) -> str:
    return f"rebalancers/{file_name(name)}.yaml"


def quota_path(name: str) -> str:
    """`name` is `namespace/name`."""
    namespace, _, short = name.partition("/")
    return f"quotas/{namespace}/{file_name(short)}.yaml"


# From a plan to files -------------------------------------------------------------------------------------------------


def files_of(plan: Plan, last: Ledger) -> dict[str, Any]:
    """The files that change: path → JSON value, or None for a file that goes. What equals the ledger is left out."""
    changed: dict[str, Any] = {}
    changed.update(_changes(_binding_records(plan), _binding_records(last), binding_path, _binding_file))
    changed.update(_changes(_work_records(plan), _work_records(last), work_path, _work_file))
    changed.update(_changes(plan.whys, last.whys, decision_path, encode))
    changed.update(_changes(plan.clusters, last.clusters, cluster_path, encode))
    changed.update(_changes(plan.rebalancers, last.rebalancers, rebalancer_path, encode))
    changed.update(_changes(plan.quotas, last.quotas, quota_path, encode))
    if plan.memory != last.memory:
        changed[MEMORY] = dict(plan.memory) or None
    return changed


def _changes(
    new: Mapping[K, T], old: Mapping[K, T], path: Callable[[K], str], file: Callable[[T], Any]
) -> Iterator[tuple[str, Any]]:
    for key in old.keys() - new.keys():
        yield path(key), None
    for key, value in new.items():
        before = old.get(key)
        if value is not before and value != before:
            yield path(key), file(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class _BindingRecord:
    binding: Binding
    source: str = ""
    template_status: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _WorkRecord:
    work: Work
    receipt: Receipt | None = None


def _binding_records(state: Plan | Ledger) -> dict[Key, _BindingRecord]:
    return {
        key: _BindingRecord(
            binding=binding, source=state.sources.get(key, ""), template_status=state.template_statuses.get(key)
        )
        for key, binding in state.bindings.items()
    }


def _work_records(state: Plan | Ledger) -> dict[Place, _WorkRecord]:
    works = {**state.works, **state.retiring} if isinstance(state, Plan) else state.works
    return {place: _WorkRecord(work=work, receipt=state.receipts.get(place)) for place, work in works.items()}


def _binding_file(record: _BindingRecord) -> dict[str, Any]:
    value: dict[str, Any] = encode(record.binding)
    if record.source:
        metadata = value.setdefault("metadata", {})
        metadata["annotations"] = {**metadata.get("annotations", {}), SOURCE: record.source}
    if record.template_status is not None:
        value["template"] = {"status": record.template_status}
    return value


def _work_file(record: _WorkRecord) -> dict[str, Any]:
    work, key = record.work, record.work.key
    annotations = {CONFLICT_RESOLUTION: work.conflict_resolution}
    if work.binding is not None:
        annotations[BINDING] = binding_path(work.binding)
    if work.retiring:
        annotations[RETIRING] = work.retiring
    value: dict[str, Any] = {
        "apiVersion": "work.karmada.io/v1alpha1",
        "kind": "Work",
        "metadata": {
            "name": work_name(key.kind, key.name, key.namespace),
            "namespace": execution_space(work.cluster),
            "annotations": annotations,
        },
        "spec": {
            "preserveResourcesOnDeletion": work.preserve,
            "suspendDispatching": work.suspended,
            "workload": {"manifests": [work.manifest]},
        },
    }
    if work.binding is not None:
        value["spec"]["resource"] = encode(work.binding)
    if work.overrides:
        value["overrides"] = encode(work.overrides)
    if status := encode(work.status):
        value["status"] = status
    if record.receipt is not None:
        value["receipt"] = encode(record.receipt)
    return value


# From files to a ledger -----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Reading:
    bindings: dict[Key, Binding] = field(default_factory=dict)
    works: dict[Place, Work] = field(default_factory=dict)
    whys: dict[Key, Why] = field(default_factory=dict)
    clusters: dict[ClusterName, Cluster] = field(default_factory=dict)
    rebalancers: dict[str, WorkloadRebalancer] = field(default_factory=dict)
    quotas: dict[str, FederatedResourceQuota] = field(default_factory=dict)
    receipts: dict[Place, Receipt] = field(default_factory=dict)
    sources: dict[Key, str] = field(default_factory=dict)
    template_statuses: dict[Key, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def ledger_of(files: Mapping[str, Any], commit: str | None) -> Ledger:
    """Read the status branch. A file that cannot be understood is a problem, and says nothing of any other file."""
    reading = _Reading()
    for path, value in files.items():
        reader = READERS.get(path.partition("/")[0])
        if reader is not None:
            try:
                reader(path, value, reading)
            except (ValueError, TypeError, KeyError, AttributeError) as wrong:
                reading.problems.append(_unreadable(path, wrong))
    federation = files.get(FEDERATION) or {}
    return Ledger(
        commit=commit,
        instance=str(federation.get("instance") or ""),
        source_commit=str(dig(federation, "source", "id") or ""),
        memory=files.get(MEMORY) or {},
        bindings=reading.bindings,
        works=reading.works,
        whys=reading.whys,
        clusters=reading.clusters,
        rebalancers=reading.rebalancers,
        quotas=reading.quotas,
        receipts=reading.receipts,
        sources=reading.sources,
        template_statuses=reading.template_statuses,
        problems=tuple(reading.problems),
    )


def _unreadable(path: str, wrong: Exception) -> Problem:
    return Problem(
        code="GK4011",
        location=Location(file=path),
        message=f"this file of the status branch cannot be understood: {wrong}",
        hint="Revert the commit that changed it by hand; until then nothing is deleted",
    )


def _read_binding(path: str, value: Object, reading: _Reading) -> None:
    plain = {name: part for name, part in value.items() if name != "template"}
    source = dig(value, "metadata", "annotations", SOURCE)
    if source:
        plain["metadata"] = _without_annotation(value["metadata"], SOURCE)
    binding = decode(Binding, plain).unwrap()
    reading.bindings[binding.key] = binding
    if source:
        reading.sources[binding.key] = source
    if (status := dig(value, "template", "status")) is not None:
        reading.template_statuses[binding.key] = status


def _without_annotation(metadata: Object, name: str) -> dict[str, Any]:
    kept = {key: text for key, text in metadata["annotations"].items() if key != name}
    rest = {key: part for key, part in metadata.items() if key != "annotations"}
    return {**rest, "annotations": kept} if kept else rest


def _read_work(path: str, value: Object, reading: _Reading) -> None:
    cluster = ClusterName(path.split("/")[1])
    manifest = value["spec"]["workload"]["manifests"][0]
    reference = value["spec"].get("resource")
    annotations = value["metadata"].get("annotations", {})
    work = Work(
        cluster=cluster,
        manifest=manifest,
        binding=decode(Key, reference).unwrap() if reference else None,
        overrides=tuple(decode(AppliedOverride, item).unwrap() for item in value.get("overrides", ())),
        suspended=bool(value["spec"].get("suspendDispatching")),
        preserve=bool(value["spec"].get("preserveResourcesOnDeletion")),
        conflict_resolution=str(annotations.get(CONFLICT_RESOLUTION, "abort")),
        status=decode(WorkStatus, value.get("status") or {}).unwrap(),
        retiring=str(annotations.get(RETIRING, "")),
    )
    place = Place(cluster=cluster, key=key_of(manifest))
    reading.works[place] = work
    if receipt := value.get("receipt"):
        reading.receipts[place] = decode(Receipt, receipt).unwrap()


def _read_why(path: str, value: Object, reading: _Reading) -> None:
    why = decode(Why, value).unwrap()
    reading.whys[why.key] = why


def _read_cluster(path: str, value: Object, reading: _Reading) -> None:
    cluster = decode(Cluster, value).unwrap()
    reading.clusters[ClusterName(cluster.name)] = cluster


def _read_rebalancer(path: str, value: Object, reading: _Reading) -> None:
    rebalancer = decode(WorkloadRebalancer, value).unwrap()
    reading.rebalancers[rebalancer.metadata.name] = rebalancer


def _read_quota(path: str, value: Object, reading: _Reading) -> None:
    quota = decode(FederatedResourceQuota, value).unwrap()
    reading.quotas[f"{quota.metadata.namespace}/{quota.metadata.name}"] = quota


READERS: Final[Mapping[str, Callable[[str, Any, _Reading], None]]] = {
    "bindings": _read_binding,
    "works": _read_work,
    "decisions": _read_why,
    "clusters": _read_cluster,
    "rebalancers": _read_rebalancer,
    "quotas": _read_quota,
}


def format_of(files: Mapping[str, Any]) -> int:
    """The version of the format that the branch has; 0 where it does not say."""
    version = dig(files.get(FEDERATION), "formatVersion")
    return version if isinstance(version, int) else 0


def federation_file(commit: Commit, instance: str) -> dict[str, Any]:
    """What the branch is, for whoever finds it. The source's commit is here and in the trailers, nowhere else."""
    return {"formatVersion": FORMAT_VERSION, "instance": instance, "source": {"id": commit.id, "ref": commit.ref}}


def ledger_after(before: Ledger, decided: Plan) -> Ledger:
    """The ledger as it is once the plan is on the branch; commit and instance stay as they were."""
    return replace(
        before,
        source_commit=decided.commit.id,
        bindings=decided.bindings,
        works={**decided.works, **decided.retiring},
        clusters=decided.clusters,
        rebalancers=decided.rebalancers,
        quotas=decided.quotas,
        sources=decided.sources,
        whys=decided.whys,
        receipts=decided.receipts,
        template_statuses=decided.template_statuses,
        memory=decided.memory,
    )
