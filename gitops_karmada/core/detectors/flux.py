"""Flux: its kustomize-controller and its helm-controller."""

from collections.abc import Iterator

from gitops_karmada.model.actions import Certainty, Owner
from gitops_karmada.model.objects import Object, labels_of

UNITS = (("kustomize.toolkit.fluxcd.io", "Kustomization"), ("helm.toolkit.fluxcd.io", "HelmRelease"))


def flux(live: Object) -> Iterator[Owner]:
    labels = labels_of(live)
    for prefix, kind in UNITS:
        name, namespace = labels.get(f"{prefix}/name"), labels.get(f"{prefix}/namespace")
        evidence = tuple(f"label {prefix}/{part}" for part in ("name", "namespace") if f"{prefix}/{part}" in labels)
        if name and namespace:
            yield Owner(tool="Flux", unit=f"{kind} {namespace}/{name}", evidence=evidence)
        elif evidence:
            yield Owner(tool="Flux", certainty=Certainty.HINT, evidence=evidence)
