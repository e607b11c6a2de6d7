"""Namespaces that members need: made where something of ours goes, taken away nowhere."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from gitops_karmada.core.override import OverrideFailed, override
from gitops_karmada.core.propagable import Propagable
from gitops_karmada.core.prune import prune
from gitops_karmada.core.render import NotRendered, Rendered, Rendering
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.objects import ClusterName, Key, Object, labels_of
from gitops_karmada.model.works import Place, Work

SKIP_LABEL: Final = "namespace.karmada.io/skip-auto-propagation"
DEFAULT: Final = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceWorks:
    works: Mapping[Place, Work]
    failed: tuple[NotRendered, ...] = ()
    idle: tuple[str, ...] = ()


def namespaces_for(
    works: Iterable[Work],
    declared: Mapping[str, Object],
    clusters: Mapping[ClusterName, Cluster],
    rendering: Rendering,
    propagable: Propagable,
) -> NamespaceWorks:
    """A Work for each namespace that a member needs and that no policy sends there.

    `declared` are the repository's Namespaces by name, others are made bare. They are preserved when nothing of ours
    needs them any more, and given way to where the member has its own.
    """
    given = tuple(works)
    sent = {work.place for work in given}
    found: dict[Place, Work] = {}
    failed: list[NotRendered] = []
    idle: list[str] = []
    for (cluster, namespace), suspended in _needed(given).items():
        place = Place(cluster=cluster, key=Key(group="", kind="Namespace", name=namespace))
        if place in sent or cluster not in clusters or not is_synced(namespace, declared.get(namespace), propagable):
            continue
        rendered = _rendered(declared.get(namespace) or bare(namespace), clusters[cluster], rendering)
        if isinstance(rendered, NotRendered):
            failed.append(rendered)
        else:
            found[place] = replace(rendered.work, suspended=suspended)
            idle.extend(rendered.idle)
    return NamespaceWorks(works=found, failed=tuple(failed), idle=tuple(idle))


def is_synced(name: str, obj: Object | None, propagable: Propagable) -> bool:
    """Whether the namespace goes to members by itself: not `default`, none of the skipped ones, not opted out."""
    if name == DEFAULT or propagable.namespace_refusal(name):
        return False
    return obj is None or str(labels_of(obj).get(SKIP_LABEL, "")).lower() != "true"


def bare(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _needed(works: Iterable[Work]) -> Mapping[tuple[ClusterName, str], bool]:
    """The namespaces that members need, and whether all that needs them is suspended."""
    found: dict[tuple[ClusterName, str], bool] = {}
    for work in works:
        namespace = work.key.namespace
        if namespace:
            found[work.cluster, namespace] = found.get((work.cluster, namespace), True) and work.suspended
    return dict(sorted(found.items()))


def _rendered(obj: Object, cluster: Cluster, rendering: Rendering) -> Rendered | NotRendered:
    """ClusterOverridePolicies apply, OverridePolicies cannot: the object has no namespace."""
    name = ClusterName(cluster.name)
    overridden = override(obj, cluster, rendering.overrides, rendering.yaml)
    if isinstance(overridden, OverrideFailed):
        return NotRendered(
            cluster=name,
            code="GK2006",
            reason=overridden.reason,
            path=overridden.path,
            policy=overridden.policy,
        )
    work = Work(cluster=name, manifest=prune(overridden.object), overrides=overridden.applied, preserve=True)
    return Rendered(work=work, idle=overridden.idle)
