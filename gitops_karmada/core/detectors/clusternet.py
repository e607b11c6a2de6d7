"""Clusternet. Older versions kept as labels what newer ones keep as annotations."""

from collections.abc import Iterator

from gitops_karmada.model.actions import Owner
from gitops_karmada.model.objects import Object, annotations_of, labels_of

CREATED_BY = "clusternet.io/created-by"
OWNED_BY = "apps.clusternet.io/owned-by-description"
NAMES = ("apps.clusternet.io/subs.name", "apps.clusternet.io/config.name")


def clusternet(live: Object) -> Iterator[Owner]:
    marks = {**annotations_of(live), **labels_of(live)}
    evidence = tuple(f"{key}: {marks[key]}" for key in (CREATED_BY, OWNED_BY, *NAMES) if marks.get(key))
    if evidence:
        unit = next((str(marks[key]) for key in (OWNED_BY, *NAMES) if marks.get(key)), "")
        yield Owner(tool="Clusternet", unit=unit, evidence=evidence)
