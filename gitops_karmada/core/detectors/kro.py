"""kro."""

from collections.abc import Iterator

from gitops_karmada.model.actions import Certainty, Owner
from gitops_karmada.model.managed_fields import entries_of
from gitops_karmada.model.objects import Object, labels_of

PREFIX = "kro.run/"


def kro(live: Object) -> Iterator[Owner]:
    labels = sorted(label for label in labels_of(live) if label.startswith(PREFIX))
    managers = sorted({entry.manager for entry in entries_of(live) if entry.manager.startswith(PREFIX)})
    evidence = (*(f"label {label}" for label in labels), *(f"field manager {manager}" for manager in managers))
    if not evidence:
        return
    name = labels_of(live).get(f"{PREFIX}instance-name")
    certainty = Certainty.CERTAIN if labels and managers else Certainty.LIKELY
    yield Owner(tool="kro", unit=f"instance {name}" if name else "", certainty=certainty, evidence=evidence)
