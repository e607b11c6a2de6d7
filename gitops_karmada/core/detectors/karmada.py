"""Karmada. Any control plane: two of them cannot tell each other's objects apart, so none of them is ours."""

from collections.abc import Iterator

from gitops_karmada.model.actions import Certainty, Owner
from gitops_karmada.model.objects import Object, annotations_of, labels_of

MANAGED = "karmada.io/managed"
WORK_ID = "work.karmada.io/permanent-id"
WORK = "work.karmada.io/name"
NAMESPACE = "work.karmada.io/namespace"


def karmada(live: Object) -> Iterator[Owner]:
    labels, annotations = labels_of(live), annotations_of(live)
    if labels.get(MANAGED) != "true":
        return
    work, namespace = annotations.get(WORK), annotations.get(NAMESPACE)
    if work or WORK_ID in labels:
        unit = f"Work {namespace}/{work}" if work else f"Work {labels[WORK_ID]}"
        more = f"annotation {WORK}: {work}" if work else f"label {WORK_ID}: {labels[WORK_ID]}"
        yield Owner(tool="Karmada", unit=unit, evidence=(f"label {MANAGED}: true", more))
    else:
        yield Owner(tool="Karmada", certainty=Certainty.LIKELY, evidence=(f"label {MANAGED}: true",))
