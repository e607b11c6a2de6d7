"""Laws that every federation keeps, whatever is in it: tried on many small ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gitops_karmada.core.record import FEDERATION, federation_file, files_of, ledger_of
from gitops_karmada.model.federation import Ledger
from gitops_karmada.model.members import Observed
from gitops_karmada.model.objects import Object, key_of
from gitops_karmada.model.plan import Plan, Question
from gitops_karmada.model.quantity import Quantity, quantity
from gitops_karmada.repo.status_values import bytes_of, value_of
from tests.core.questions import (
    NOW,
    POLICY,
    cluster,
    config_map,
    decided,
    deployment,
    divided,
    observed,
    override,
    question,
    shares,
)

NAMES = ("ams", "ber", "cph", "dub", "edi")
REGIONS = ("north", "south")
TAINT = {"key": "maintenance", "effect": "NoSchedule"}
FEW = settings(max_examples=60, deadline=None)

# Models of nodes count a node as the least that its grade promises: the same node may promise more with a pod on it.
EXACT = {"features": {"customizedClusterResourceModeling": False}}

Placing = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Small:
    """A federation: what is in Git, and how many CPUs each member has free."""

    objects: tuple[Object, ...]
    room: Mapping[str, int]

    def asked(
        self, ledger: Ledger | None = None, order: Random | None = None, running: Plan | None = None, **more: Any
    ) -> Question:
        """`running`: what was decided before runs in the members by now, as far as there is room."""
        objects: Sequence[Object] = self.objects
        names: Sequence[str] = sorted(self.room)
        if order is not None:
            objects, names = order.sample(objects, len(objects)), order.sample(names, len(names))
        members: dict[str, Observed] = {name: self._seen(name, running) for name in names}
        return question(objects, ledger=ledger, members=members, spec=EXACT, **more)

    def _seen(self, name: str, running: Plan | None) -> Observed:
        seen = observed(name, str(self.room[name]))
        return replace(seen, pods=tuple(_pods(name, running, quantity(str(self.room[name]))))) if running else seen

    def grown(self, by: Mapping[str, int]) -> Small:
        objects = tuple(_scaled(obj, by.get(key_of(obj).name, 0)) for obj in self.objects)
        return Small(objects=objects, room=self.room)


def _scaled(obj: Object, more: int) -> Object:
    if obj["kind"] != "Deployment":
        return obj
    return {**obj, "spec": {**obj["spec"], "replicas": obj["spec"]["replicas"] + more}}


def _pods(name: str, running: Plan, free: Quantity) -> Iterator[Object]:
    """The pods of every share in this member: bound while there is room on its node, pending after that."""
    for key, binding in sorted(running.bindings.items()):
        needs = binding.spec.replica_requirements
        request = needs.resource_request["cpu"] if needs else Quantity()
        share = next((target.replicas for target in binding.spec.clusters if target.name == name), 0)
        for number in range(share):
            fits = request <= free
            free = free - request if fits else free
            container = {"name": "main", "resources": {"requests": {"cpu": str(request)}}}
            yield {
                "metadata": {"name": f"{key.name}-{number}", "namespace": key.namespace},
                "spec": {"containers": [container], **({"nodeName": "node"} if fits else {})},
                "status": {"phase": "Running" if fits else "Pending"},
            }


# Small federations ----------------------------------------------------------------------------------------------------


def _weights(names: Sequence[str]) -> st.SearchStrategy[Placing]:
    weights = st.fixed_dictionaries({name: st.integers(1, 20) for name in names})
    return weights.map(lambda chosen: {"clusterAffinity": _named(names), "replicaScheduling": divided(chosen)})


def _named(names: Sequence[str]) -> Object:
    return {"clusterNames": list(names)}


def _by(preference: str, **more: Any) -> Object:
    return {"replicaSchedulingType": "Divided", "replicaDivisionPreference": preference, **more}


DYNAMIC = _by("Weighted", weightPreference={"dynamicWeight": "AvailableReplicas"})
SCHEDULINGS = ({"replicaSchedulingType": "Duplicated"}, _by("Aggregated"), DYNAMIC)


@st.composite
def placements(draw: st.DrawFn, names: Sequence[str]) -> Placing:
    """Every way of choosing clusters with every way of dividing."""
    if draw(st.booleans()):
        return draw(_weights(names))
    placing: dict[str, Any] = {"replicaScheduling": draw(st.sampled_from(SCHEDULINGS))}
    some = draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    match draw(st.sampled_from(["names", "label", "groups", "everywhere"])):
        case "names":
            placing["clusterAffinity"] = _named(sorted(some))
        case "label":
            placing["clusterAffinity"] = {"labelSelector": {"matchLabels": {"tier": draw(st.sampled_from("ab"))}}}
        case "groups":
            placing["clusterAffinities"] = [
                {"affinityName": "first", **_named(sorted(some))},
                {"affinityName": "second", **_named(names)},
            ]
        case _:
            pass
    match draw(st.sampled_from(["none", "none", "cluster", "region"])):
        case "cluster":
            most = draw(st.integers(1, len(names)))
            placing["spreadConstraints"] = [{"spreadByField": "cluster", "minGroups": 1, "maxGroups": most}]
        case "region":
            placing["spreadConstraints"] = [
                {"spreadByField": "region", "minGroups": 1, "maxGroups": draw(st.integers(1, 2))},
                {"spreadByField": "cluster", "minGroups": 1, "maxGroups": len(names)},
            ]
        case _:
            pass
    return placing


@st.composite
def federations(draw: st.DrawFn) -> Small:
    names = NAMES[: draw(st.integers(2, len(NAMES)))]
    clusters = [_cluster(name, draw) for name in names]
    workloads = [_workload(number, draw) for number in range(draw(st.integers(1, 3)))]
    policies = [_policy(obj, draw(placements(names))) for obj in workloads]
    rest = [config_map("settings"), _policy(config_map("settings"), {"clusterAffinity": _named(names[:2])})]
    site = {"targetCluster": _named(names[:1]), "overriders": {"labelsOverrider": [LABEL]}}
    overrides = [override("site", site)] if draw(st.booleans()) else []
    quotas = [_quota(draw(st.integers(1, 40)))] if draw(st.booleans()) else []
    room = {name: draw(st.integers(0, 40)) for name in names}
    return Small(objects=(*clusters, *workloads, *policies, *rest, *overrides, *quotas), room=room)


LABEL = {"operator": "add", "value": {"site": "first"}}


def _cluster(name: str, draw: st.DrawFn) -> Object:
    labels = {"tier": draw(st.sampled_from("ab"))}
    taints = [TAINT] if draw(st.integers(0, 4)) == 0 else []
    return cluster(name, labels=labels, region=draw(st.sampled_from(REGIONS)), taints=taints)


def _workload(number: int, draw: st.DrawFn) -> Object:
    return deployment(f"web-{number}", replicas=draw(st.integers(0, 40)), cpu=draw(st.sampled_from(["1", "2", "500m"])))


def _policy(obj: Object, placing: Placing) -> Object:
    key = key_of(obj)
    selector = {"apiVersion": obj["apiVersion"], "kind": key.kind, "name": key.name}
    spec = {"resourceSelectors": [selector], "placement": dict(placing)}
    metadata = {"name": f"for-{key.name}", "namespace": key.namespace}
    return {"apiVersion": POLICY, "kind": "PropagationPolicy", "metadata": metadata, "spec": spec}


def _quota(cpu: int) -> Object:
    metadata = {"name": "team", "namespace": "shop"}
    return {
        "apiVersion": POLICY,
        "kind": "FederatedResourceQuota",
        "metadata": metadata,
        "spec": {"overall": {"cpu": str(cpu)}},
    }


# Laws -----------------------------------------------------------------------------------------------------------------


def branch(answer: Plan, last: Mapping[str, bytes] | None = None, ledger: Ledger | None = None) -> dict[str, bytes]:
    """The bytes of the status branch after the plan was written to it."""
    files = dict(last or {})
    changed = {**files_of(answer, ledger or Ledger()), FEDERATION: federation_file(answer.commit, "lab")}
    for path, value in changed.items():
        if value is None:
            files.pop(path, None)
        else:
            files[path] = bytes_of(path, value)
    return files


def reread(files: Mapping[str, bytes]) -> Ledger:
    return ledger_of({path: value_of(path, data) for path, data in files.items()}, "s1")


def wished(small: Small) -> dict[str, tuple[int, Object]]:
    policies = {key_of(obj).name: obj for obj in small.objects if obj["kind"] == "PropagationPolicy"}
    return {
        key_of(obj).name: (obj["spec"]["replicas"], policies[f"for-{key_of(obj).name}"]["spec"]["placement"])
        for obj in small.objects
        if obj["kind"] == "Deployment"
    }


@FEW
@given(small=federations())
def test_shares_sum_to_the_wish(small: Small) -> None:
    """Divided: exactly the wish in all together, or nothing where it cannot be. Duplicated: the wish in each."""
    answer = decided(small.asked())
    wishes = wished(small)
    for key, binding in answer.bindings.items():
        targets = binding.spec.clusters
        if key.name not in wishes or not targets:
            continue
        replicas, placing = wishes[key.name]
        if placing["replicaScheduling"]["replicaSchedulingType"] == "Divided":
            assert sum(target.replicas for target in targets) == replicas
        else:
            assert {target.replicas for target in targets} == {replicas}


@FEW
@given(small=federations(), by=st.fixed_dictionaries({f"web-{number}": st.integers(0, 30) for number in range(3)}))
def test_growing_never_shrinks_a_share_under_static_weights(small: Small, by: Mapping[str, int]) -> None:
    first = decided(small.asked())
    second = decided(small.grown(by).asked(reread(branch(first))))
    wishes = wished(small)
    for key, binding in first.bindings.items():
        _, placing = wishes.get(key.name, (0, {}))
        if "weightPreference" not in placing.get("replicaScheduling", {}) or placing["replicaScheduling"] == DYNAMIC:
            continue
        after = {target.name: target.replicas for target in second.bindings[key].spec.clusters}
        for target in binding.spec.clusters:
            assert after.get(target.name, 0) >= target.replicas


@FEW
@given(small=federations())
def test_planning_twice_changes_nothing(small: Small) -> None:
    """What runs by then takes room, which clusters show. A refusal may say other sums, once; nothing else changes."""
    first = decided(small.asked())
    files = branch(first)
    second = decided(small.asked(reread(files), running=first, now=NOW + timedelta(hours=1)))
    assert placed(second) == placed(first)
    assert second.works == first.works
    assert second.retiring == {}

    ledger = reread(branch(second, files, reread(files)))
    third = decided(small.asked(ledger, running=second, now=NOW + timedelta(hours=2)))
    assert files_of(third, ledger) == {}


def placed(answer: Plan) -> dict[str, dict[str, int]]:
    return {str(key): shares(answer, key) for key in answer.bindings}


@FEW
@given(small=federations(), seed=st.integers(0, 2**32), by=st.integers(0, 9))
def test_neither_the_order_of_files_nor_that_of_clusters_matters(small: Small, seed: int, by: int) -> None:
    """In the first turn, and in a later one that has something to keep."""
    first = decided(small.asked())
    assert decided(small.asked(order=Random(seed))) == first
    ledger = reread(branch(first))
    later = small.grown({"web-0": by})
    assert decided(later.asked(ledger, order=Random(seed + 1))) == decided(later.asked(ledger))


@FEW
@given(small=federations(), by=st.integers(0, 9))
def test_a_restart_forgets_nothing(small: Small, by: int) -> None:
    """What the bytes of the branch say decides as what was never written."""
    first = decided(small.asked())
    kept = Ledger(
        commit="s1",
        instance="lab",
        source_commit=first.commit.id,
        bindings=first.bindings,
        works=first.works,
        clusters=first.clusters,
        quotas=first.quotas,
        sources=first.sources,
        whys=first.whys,
        memory=first.memory,
    )
    files = branch(first)
    later = small.grown({"web-0": by})
    from_memory, from_branch = decided(later.asked(kept)), decided(later.asked(reread(files)))
    assert from_branch == from_memory
    assert branch(from_branch, files, reread(files)) == branch(from_memory, files, kept)
