"""The kinds that members serve once the CustomResourceDefinitions of this turn are there."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.clusters import APIEnablement, APIResource, Cluster
from gitops_karmada.model.federation import Template
from gitops_karmada.model.objects import ClusterName, Key, Object, dig

GROUP, KIND = "apiextensions.k8s.io", "CustomResourceDefinition"


def undefined(
    bindings: Mapping[Key, Binding], templates: Mapping[Key, Template], clusters: Iterable[Cluster]
) -> list[Binding]:
    """The bindings of definitions that not every cluster has yet."""
    there = tuple(clusters)
    return [
        binding
        for key, binding in bindings.items()
        if (key.group, key.kind) == (GROUP, KIND)
        and key in templates
        and any(not _serves(cluster, templates[key].object) for cluster in there)
    ]


def defined(
    clusters: Mapping[ClusterName, Cluster], placed: Mapping[Key, Binding], templates: Mapping[Key, Template]
) -> dict[ClusterName, Cluster]:
    """The clusters, each with the kinds of the definitions that go to it."""
    after = dict(clusters)
    for key, binding in sorted(placed.items()):
        for name in (ClusterName(target.name) for target in binding.spec.clusters):
            if name in after and not _serves(after[name], templates[key].object):
                after[name] = _with(after[name], templates[key].object)
    return after


def _serves(cluster: Cluster, definition: Object) -> bool:
    kind = dig(definition, "spec", "names", "kind")
    served = {it.group_version for it in cluster.status.api_enablements if any(r.kind == kind for r in it.resources)}
    return set(_versions(definition)) <= served


def _versions(definition: Object) -> Iterator[str]:
    group = dig(definition, "spec", "group")
    for version in dig(definition, "spec", "versions") or ():
        if dig(version, "served"):
            yield f"{group}/{dig(version, 'name')}"


def _with(cluster: Cluster, definition: Object) -> Cluster:
    """As the member will tell it: versions by name, kinds by their plural."""
    kind, plural = dig(definition, "spec", "names", "kind"), dig(definition, "spec", "names", "plural")
    told = {it.group_version: it.resources for it in cluster.status.api_enablements}
    for version in _versions(definition):
        others = [it for it in told.get(version, ()) if it.kind != kind]
        resources = [*others, APIResource(name=str(plural), kind=str(kind))]
        told[version] = tuple(sorted(resources, key=lambda it: it.name))
    apis = tuple(APIEnablement(group_version=version, resources=told[version]) for version in sorted(told))
    return replace(cluster, status=replace(cluster.status, api_enablements=apis))
