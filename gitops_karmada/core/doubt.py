"""What cannot be read now and may still be meant: its last good state counts, so that a typing error moves nothing."""

from collections.abc import Iterable

from gitops_karmada.core.interpret import Interpreter, Operation
from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.federation import Federation, Ledger
from gitops_karmada.model.objects import Key, Object
from gitops_karmada.model.works import Work


def clusters_in_doubt(ledger: Ledger, federation: Federation) -> tuple[Cluster, ...]:
    """Clusters that the last turn knew, and whose manifest is wrong or may be in a file that cannot be read."""
    if not federation.broken and not federation.unread:
        return ()
    declared = {it.value.name for it in federation.clusters}
    return tuple(
        cluster
        for name, cluster in ledger.clusters.items()
        if name not in declared and _may_be_there(_cluster(name), federation)
    )


def _cluster(name: str) -> Key:
    return Key(group="cluster.karmada.io", kind="Cluster", name=name)


def _may_be_there(key: Key, federation: Federation) -> bool:
    return bool(federation.unread) or key in federation.broken


def override_in_doubt(works: Iterable[Work], federation: Federation) -> str:
    """The override policy that made these works what they are and cannot be used now, or an empty string."""
    if not federation.broken and not federation.unread:
        return ""
    declared = {_override(it.value.metadata.namespace, it.value.metadata.name) for it in federation.override_policies}
    applied = {applied.policy: _named(applied.policy) for work in works for applied in work.overrides}
    lost = (name for name, key in sorted(applied.items()) if key not in declared and _may_be_there(key, federation))
    return next(lost, "")


def _named(policy: str) -> Key:
    """`OverridePolicy/namespace/name` or `ClusterOverridePolicy/name`."""
    namespace, _, name = policy.partition("/")[2].rpartition("/")
    return _override(namespace, name)


def _override(namespace: str, name: str) -> Key:
    kind = "OverridePolicy" if namespace else "ClusterOverridePolicy"
    return Key(group="policy.karmada.io", kind=kind, namespace=namespace, name=name)


def is_rule_in_doubt(binding: Binding, obj: Object, interpreter: Interpreter, federation: Federation) -> bool:
    """Whether the kind had replicas by a rule that is not there now: without it every member would get all of them."""
    unusable = any(key.group == "config.karmada.io" for key in federation.broken)
    if not unusable and not federation.unread:
        return False
    known = (Operation.REPLICAS, Operation.COMPONENTS)
    return binding.spec.is_workload and all(interpreter.by(operation, obj) is None for operation in known)
