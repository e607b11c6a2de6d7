"""What cannot be read now and may still be meant: its last good state counts, so that a typing error moves nothing."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from gitops_karmada.core.interpret import Interpreter, Operation
from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.federation import Federation, Ledger
from gitops_karmada.model.objects import Key, Object
from gitops_karmada.model.works import Work

# The finding about a folder that is taken for a Helm chart (`repo.reading`).
CHART: Final = "GK1015"


def template_in_doubt(key: Key, ledger: Ledger, federation: Federation) -> str:
    """Why a template that is not there may be there all the same, though all that was to be read was read."""
    if folder := _chart(ledger.sources.get(key, ""), federation):
        return f"{folder} is a Helm chart now, whose files are not read, and its manifest may be there"
    if key.namespace and replace(key, namespace="") in federation.templates:
        return "its manifest names no namespace, and no CustomResourceDefinition says any more that its kind has them"
    return ""


def _chart(file: str, federation: Federation) -> str:
    """The folder of a Helm chart around a file, or an empty string."""
    found = (problem.location for problem in federation.problems if problem.code == CHART)
    folders = (location.file.removesuffix("Chart.yaml") for location in found if location is not None)
    return next((folder or "the whole repository" for folder in folders if file and file.startswith(folder)), "")


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
    if not _are_rules_in_doubt(federation):
        return False
    known = (Operation.REPLICAS, Operation.COMPONENTS)
    return binding.spec.is_workload and all(interpreter.by(operation, obj) is None for operation in known)


def are_needs_in_doubt(obj: Object, interpreter: Interpreter, federation: Federation) -> bool:
    """Whether a rule that is not there now may say what the object needs."""
    return _are_rules_in_doubt(federation) and interpreter.by(Operation.DEPENDENCIES, obj) is None


def _are_rules_in_doubt(federation: Federation) -> bool:
    return bool(federation.unread) or any(key.group == "config.karmada.io" for key in federation.broken)
