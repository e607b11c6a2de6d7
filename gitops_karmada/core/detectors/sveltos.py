"""Sveltos: annotations, in older versions labels and ownerReferences. Its field manager is a generic default."""

from collections.abc import Iterator, Mapping

from gitops_karmada.model.actions import Owner
from gitops_karmada.model.objects import Object, annotations_of, labels_of, metadata_of

PREFIX = "projectsveltos.io/"


def sveltos(live: Object) -> Iterator[Owner]:
    marks = {**labels_of(live), **annotations_of(live)}
    for role in ("owner", "reference"):
        kind, name = marks.get(f"{PREFIX}{role}-kind"), marks.get(f"{PREFIX}{role}-name")
        if kind and name:
            evidence = (f"{PREFIX}{role}-kind: {kind}", f"{PREFIX}{role}-name: {name}")
            yield Owner(tool="Sveltos", unit=f"{kind} {name}", evidence=evidence)
            return
    for reference in metadata_of(live).get("ownerReferences") or ():
        if isinstance(reference, Mapping) and f".{PREFIX}" in str(reference.get("apiVersion") or ""):
            unit = f"{reference.get('kind')} {reference.get('name')}"
            yield Owner(tool="Sveltos", unit=unit, evidence=(f"ownerReference {unit}",))
            return
