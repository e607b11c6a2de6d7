"""Open Cluster Management, which leaves an ownerReference and no label; KubeStellar delivers through it."""

from collections.abc import Iterator, Mapping

from gitops_karmada.core.detectors.kubestellar import is_kubestellar
from gitops_karmada.model.actions import Owner
from gitops_karmada.model.objects import Object, metadata_of

GROUP = "work.open-cluster-management.io/"
KIND = "AppliedManifestWork"


def open_cluster_management(live: Object) -> Iterator[Owner]:
    for reference in metadata_of(live).get("ownerReferences") or ():
        if not isinstance(reference, Mapping) or reference.get("kind") != KIND:
            continue
        if str(reference.get("apiVersion") or "").startswith(GROUP):
            tool = "KubeStellar" if is_kubestellar(live) else "Open Cluster Management"
            unit = f"{KIND} {reference.get('name')}"
            yield Owner(tool=tool, unit=unit, evidence=(f"ownerReference {unit}",))
