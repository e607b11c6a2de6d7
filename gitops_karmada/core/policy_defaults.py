"""What Karmada's API server and webhooks would have filled into policies and clusters: a file in Git never met them.

Works on manifests before they are decoded, so shapes that are wrong are left as they are, for decoding to name.
"""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, Final, TypeAlias

from gitops_karmada.model.objects import Object, metadata_of

Change: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Any]]

POLICY_GROUP: Final = "policy.karmada.io/v1alpha1"
CLUSTER_GROUP: Final = "cluster.karmada.io/v1alpha1"

DEFAULT_SCHEDULER: Final = "default-scheduler"
DEFAULT_GRACE_SECONDS: Final = 600
DEFAULT_TOLERATION_SECONDS: Final = 300
MAX_INT32: Final = 2**31 - 1
MAX_INT64: Final = str(2**63 - 1)

# Upper bounds of cpu (cores) and memory (GiB) of the grades that a cluster gets when it names none.
_CPU_BOUNDS: Final = ("0", "1", "2", "4", "8", "16", "32", "64", "128", MAX_INT64)
_MEMORY_BOUNDS: Final = ("0", "4Gi", "16Gi", "32Gi", "64Gi", "128Gi", "256Gi", "512Gi", "1Ti", MAX_INT64)


def with_policy_defaults(obj: Object) -> Object:
    """The object as Karmada would have stored it; the object itself where it has no defaults."""
    change = DEFAULTS.get((str(obj.get("apiVersion")), str(obj.get("kind"))))
    return change(obj) if change else obj


def propagation_defaults(spec: Object) -> Object:
    """What the webhook decides by the placement alone: spread by cluster, at least one group, Weighted division."""
    return _within(spec, ("placement",), _placement)


def _propagation_policy(obj: Object) -> Object:
    return _within(_own_namespace(obj), ("spec",), _propagation_spec)


def _cluster_propagation_policy(obj: Object) -> Object:
    return _within(obj, ("spec",), _propagation_spec)


def _override_policy(obj: Object) -> Object:
    return _own_namespace(obj)


def _own_namespace(obj: Object) -> Object:
    """Selectors of a namespaced policy mean its own namespace."""
    namespace = metadata_of(obj).get("namespace")
    if not namespace:
        return obj
    return _each(obj, ("spec", "resourceSelectors"), lambda selector: _filled(selector, namespace=namespace))


def _propagation_spec(spec: Object) -> Object:
    spec = _filled(spec, priority=0, preemption="Never", conflictResolution="Abort", schedulerName=DEFAULT_SCHEDULER)
    if _selects_service_imports(spec):
        spec = {**spec, "propagateDeps": True}
    spec = _within(spec, ("placement", "replicaScheduling"), _division)
    spec = _within(spec, ("failover", "application"), _application_failover)
    spec = _within(spec, ("failover", "cluster"), lambda cluster: _filled(cluster, purgeMode="Gracefully"))
    spec = _within(spec, ("placement",), lambda placement: _each(placement, ("spreadConstraints",), _upper_bound))
    return propagation_defaults(spec)


def _upper_bound(constraint: Object) -> Object:
    """Documented as no bound when left out; Karmada's scheduler takes its 0 for no cluster at all (a defect)."""
    return constraint if constraint.get("maxGroups") else {**constraint, "maxGroups": MAX_INT32}


def _selects_service_imports(spec: Object) -> bool:
    selectors = spec.get("resourceSelectors")
    return isinstance(selectors, list) and any(
        isinstance(selector, Mapping)
        and (selector.get("apiVersion"), selector.get("kind")) == ("multicluster.x-k8s.io/v1alpha1", "ServiceImport")
        for selector in selectors
    )


def _placement(placement: Object) -> Object:
    placement = _each(placement, ("spreadConstraints",), _spread_constraint)
    return _within(placement, ("replicaScheduling",), _preference)


def _spread_constraint(constraint: Object) -> Object:
    if not constraint.get("spreadByField") and not constraint.get("spreadByLabel"):
        constraint = {**constraint, "spreadByField": "cluster"}
    return constraint if constraint.get("minGroups") else {**constraint, "minGroups": 1}


def _division(scheduling: Object) -> Object:
    return _filled(scheduling, replicaSchedulingType="Divided")


def _preference(scheduling: Object) -> Object:
    if scheduling.get("replicaSchedulingType") != "Divided":
        return scheduling
    return _filled(scheduling, replicaDivisionPreference="Weighted")


def _application_failover(application: Object) -> Object:
    application = _filled(application, purgeMode="Gracefully")
    application = _within(
        application,
        ("decisionConditions",),
        lambda conditions: _filled(conditions, tolerationSeconds=DEFAULT_TOLERATION_SECONDS),
    )
    if application["purgeMode"] != "Gracefully":
        return application
    return _filled(application, gracePeriodSeconds=DEFAULT_GRACE_SECONDS)


def _cluster(obj: Object) -> Object:
    return _within(_filled(obj, spec={}), ("spec",), _cluster_spec)


def _cluster_spec(spec: Object) -> Object:
    if spec.get("zone") and not spec.get("zones"):
        spec = {**{name: value for name, value in spec.items() if name != "zone"}, "zones": [spec["zone"]]}
    models = spec.get("resourceModels") or default_resource_models()
    return {**spec, "resourceModels": _standard_models(models)}


def default_resource_models() -> list[Object]:
    """The nine grades of nodes that a cluster without models of its own gets."""
    cpu = pairwise(_CPU_BOUNDS)
    memory = pairwise(_MEMORY_BOUNDS)
    return [
        {
            "grade": grade,
            "ranges": [
                {"name": "cpu", "min": cores[0], "max": cores[1]},
                {"name": "memory", "min": amounts[0], "max": amounts[1]},
            ],
        }
        for grade, (cores, amounts) in enumerate(zip(cpu, memory, strict=True))
    ]


def _standard_models(models: Any) -> Any:
    """Sorted by grade, from nothing to no limit."""
    if not isinstance(models, list) or not all(isinstance(model, Mapping) for model in models):
        return models
    if not all(isinstance(model.get("grade", 0), int) for model in models):
        return models
    first, *rest = sorted(models, key=lambda model: model.get("grade", 0))
    opened = [_each(first, ("ranges",), lambda part: {**part, "min": "0"}), *rest]
    *head, last = opened
    return [*head, _each(last, ("ranges",), lambda part: {**part, "max": MAX_INT64})]


def _filled(part: Object, **values: Any) -> Object:
    """The part with values for the fields that are absent, null or empty."""
    missing = {name: value for name, value in values.items() if part.get(name) in (None, "")}
    return {**part, **missing} if missing else part


def _within(part: Object, path: tuple[str, ...], change: Change) -> Object:
    """The part with the map at the path changed, where there is one."""
    if not path:
        return change(part)
    below = part.get(path[0])
    return {**part, path[0]: _within(below, path[1:], change)} if isinstance(below, Mapping) else part


def _each(part: Object, path: tuple[str, ...], change: Change) -> Object:
    """The part with every map in the list at the path changed."""
    *parents, name = path

    def changed(owner: Mapping[str, Any]) -> Mapping[str, Any]:
        items = owner.get(name)
        if not isinstance(items, list):
            return owner
        return {**owner, name: [change(item) if isinstance(item, Mapping) else item for item in items]}

    return _within(part, tuple(parents), changed)


DEFAULTS: Final[Mapping[tuple[str, str], Callable[[Object], Object]]] = {
    (POLICY_GROUP, "PropagationPolicy"): _propagation_policy,
    (POLICY_GROUP, "ClusterPropagationPolicy"): _cluster_propagation_policy,
    (POLICY_GROUP, "OverridePolicy"): _override_policy,
    (CLUSTER_GROUP, "Cluster"): _cluster,
}
