"""Crossplane. It separates its managers by a slash or a dash."""

from collections.abc import Iterator

from gitops_karmada.model.actions import Certainty, Owner
from gitops_karmada.model.managed_fields import entries_of
from gitops_karmada.model.objects import Object, annotations_of, labels_of, metadata_of

COMPOSITE = "crossplane.io/composite"
RESOURCE = "crossplane.io/composition-resource-name"
MANAGER = "apiextensions.crossplane.io/composed"


def crossplane(live: Object) -> Iterator[Owner]:
    composite = labels_of(live).get(COMPOSITE)
    managers = sorted({entry.manager for entry in entries_of(live) if entry.manager.startswith(MANAGER)})
    evidence = (
        *([f"label {COMPOSITE}: {composite}"] if composite else ()),
        *([f"annotation {RESOURCE}"] if RESOURCE in annotations_of(live) else ()),
        *(f"field manager {manager}" for manager in managers),
    )
    if not evidence:
        return
    owned = composite and metadata_of(live).get("ownerReferences")
    certainty = Certainty.CERTAIN if owned else Certainty.LIKELY
    yield Owner(
        tool="Crossplane", unit=f"composite {composite}" if composite else "", certainty=certainty, evidence=evidence
    )
