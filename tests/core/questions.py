"""Small federations as questions, and their answers."""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from gitops_karmada.core.federate import federate
from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.core.plan import plan
from gitops_karmada.core.record import FEDERATION, federation_file, files_of, ledger_of
from gitops_karmada.model.clusters import APIEnablement, APIResource
from gitops_karmada.model.decode import decode
from gitops_karmada.model.federation import Commit, Federation, Ledger
from gitops_karmada.model.files import FieldPath, Manifest
from gitops_karmada.model.members import MemberState, Observed
from gitops_karmada.model.objects import ClusterName, Key, Object, key_of
from gitops_karmada.model.plan import Plan, Question
from gitops_karmada.model.problems import Location
from gitops_karmada.model.settings import Settings
from tests.core.worlds import YAML

NOW = datetime(2026, 3, 1, 8, tzinfo=UTC)
NAMES = ("east", "west")
POLICY = "policy.karmada.io/v1alpha1"
APIS = (
    APIEnablement(group_version="apps/v1", resources=(APIResource(name="deployments", kind="Deployment"),)),
    APIEnablement(
        group_version="v1",
        resources=tuple(APIResource(kind=kind) for kind in ("ConfigMap", "Namespace", "Secret", "Service")),
    ),
)
WEB = Key(group="apps", kind="Deployment", namespace="shop", name="web")
INTERPRETER = Interpreter()


# Manifests


def cluster(name: str, *, labels: Mapping[str, str] | None = None, **spec: Any) -> Object:
    metadata = {"name": name, **({"labels": labels} if labels else {})}
    return {"apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster", "metadata": metadata, "spec": spec}


def deployment(name: str = "web", replicas: int = 6, image: str = "web:1", cpu: str = "1") -> Object:
    container = {"name": "main", "image": image, "resources": {"requests": {"cpu": cpu}}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "shop", "labels": {"app": name}},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}},
        },
    }


def config_map(name: str = "settings", **data: str) -> Object:
    metadata = {"name": name, "namespace": "shop"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data or {"a": "1"}}


def policy(name: str = "all", weights: Mapping[str, int] | None = None, **spec: Any) -> Object:
    """Selects all Deployments and ConfigMaps; duplicates, or divides by static weights."""
    selectors = [{"apiVersion": "apps/v1", "kind": "Deployment"}, {"apiVersion": "v1", "kind": "ConfigMap"}]
    placement: dict[str, Any] = {"clusterAffinity": {"clusterNames": sorted(weights or NAMES)}}
    if weights:
        placement["replicaScheduling"] = divided(weights)
    spec = {"resourceSelectors": selectors, "placement": placement, **spec}
    metadata = {"name": name, "namespace": "shop"}
    return {"apiVersion": POLICY, "kind": "PropagationPolicy", "metadata": metadata, "spec": spec}


def divided(weights: Mapping[str, int]) -> Object:
    rules = [{"targetCluster": {"clusterNames": [name]}, "weight": weight} for name, weight in weights.items()]
    return {
        "replicaSchedulingType": "Divided",
        "replicaDivisionPreference": "Weighted",
        "weightPreference": {"staticWeightList": rules},
    }


def override(name: str, rule: Object, **spec: Any) -> Object:
    spec = {"overrideRules": [rule], **spec}
    metadata = {"name": name, "namespace": "shop"}
    return {"apiVersion": POLICY, "kind": "OverridePolicy", "metadata": metadata, "spec": spec}


CLUSTERS = tuple(cluster(name) for name in NAMES)
SHOP = (*CLUSTERS, policy(weights={"east": 2, "west": 1}), deployment(), config_map())


# Questions


def written(obj: Object, number: int = 1) -> Manifest:
    """A manifest in a file of its own."""
    location = Location(file=f"{key_of(obj).kind.lower()}-{key_of(obj).name}.yaml", line=number)

    def locate(_: FieldPath) -> Location:
        return location

    return Manifest(object=obj, location=location, document=1, locate=locate)


def federation(
    objects: Iterable[Object], *, commit: str = "c1", spec: Object | None = None, **found: Any
) -> Federation:
    settings = decode(Settings, {"metadata": {"name": "lab"}, "spec": spec or {}}).unwrap()
    return federate(map(written, objects), settings, commit=Commit(id=commit, committed_at=NOW), **found)


def node(cpu: str = "100") -> Object:
    allocatable = {"cpu": cpu, "memory": "100Gi", "pods": "110"}
    return {"metadata": {"name": "node"}, "spec": {}, "status": {"allocatable": allocatable, "capacity": allocatable}}


def observed(name: str, cpu: str = "100") -> Observed:
    return Observed(
        cluster=ClusterName(name),
        observed_at=NOW,
        kubernetes_version="v1.36.0",
        api_enablements=APIS,
        nodes=(node(cpu),),
        pods=(),
    )


def question(
    objects: Iterable[Object] = SHOP,
    *,
    ledger: Ledger | None = None,
    members: Mapping[str, MemberState] | None = None,
    now: datetime = NOW,
    **found: Any,
) -> Question:
    seen = members if members is not None else {name: observed(name) for name in NAMES}
    return Question(
        federation=federation(objects, **found),
        ledger=ledger or Ledger(),
        members={ClusterName(name): state for name, state in seen.items()},
        now=now,
    )


def decided(asked: Question) -> Plan:
    return plan(asked, INTERPRETER, YAML)


def ledger_after(answer: Plan) -> Ledger:
    """What the next turn reads, when the plan was written on top of an empty branch."""
    files = files_of(answer, Ledger())
    files[FEDERATION] = federation_file(answer.commit, "lab")
    read = {path: json.loads(json.dumps(value)) for path, value in files.items() if value is not None}
    return ledger_of(read, "s1")


def then(answer: Plan, objects: Iterable[Object] = SHOP, **more: Any) -> Question:
    """The next turn's question."""
    return question(objects, ledger=ledger_after(answer), **more)


def shares(answer: Plan, key: Key = WEB) -> dict[str, int]:
    return {target.name: target.replicas for target in answer.bindings[key].spec.clusters}


def without(objects: Iterable[Object], name: str) -> tuple[Object, ...]:
    return tuple(obj for obj in objects if key_of(obj).name != name)
