"""Helm. All three marks together own; `helm.sh/chart` and the like are rendered into objects that others apply."""

from collections.abc import Iterator

from gitops_karmada.model.actions import Certainty, Owner
from gitops_karmada.model.objects import Object, annotations_of, labels_of

MANAGED_BY = "app.kubernetes.io/managed-by"
RELEASE = "meta.helm.sh/release-name"
NAMESPACE = "meta.helm.sh/release-namespace"


def helm(live: Object) -> Iterator[Owner]:
    annotations = annotations_of(live)
    managed = labels_of(live).get(MANAGED_BY) == "Helm"
    release, namespace = annotations.get(RELEASE), annotations.get(NAMESPACE)
    evidence = _evidence(managed, release, namespace)
    if managed and release and namespace:
        yield Owner(tool="Helm", unit=f"release {namespace}/{release}", evidence=evidence)
    elif evidence:
        yield Owner(tool="Helm", certainty=Certainty.HINT, evidence=evidence)


def _evidence(managed: bool, release: str | None, namespace: str | None) -> tuple[str, ...]:
    found = (
        f"label {MANAGED_BY}: Helm" if managed else "",
        f"annotation {RELEASE}: {release}" if release else "",
        f"annotation {NAMESPACE}: {namespace}" if namespace else "",
    )
    return tuple(text for text in found if text)
