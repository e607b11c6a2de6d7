"""KubeStellar."""

from collections.abc import Iterator

from gitops_karmada.model.actions import Certainty, Owner
from gitops_karmada.model.objects import Object, labels_of

TRANSPORT = "transport.kubestellar.io/"
MANAGED_BY = "managed-by.kubestellar.io/"


def kubestellar(live: Object) -> Iterator[Owner]:
    labels = labels_of(live)
    transport = sorted(label for label in labels if label.startswith(TRANSPORT))
    managed = sorted(label for label in labels if label.startswith(MANAGED_BY))
    if transport:
        yield Owner(tool="KubeStellar", unit=str(labels[transport[0]]), evidence=tuple(f"label {x}" for x in transport))
    elif managed:
        unit, evidence = managed[0].removeprefix(MANAGED_BY), tuple(f"label {label}" for label in managed)
        yield Owner(tool="KubeStellar", unit=unit, certainty=Certainty.LIKELY, evidence=evidence)


def is_kubestellar(live: Object) -> bool:
    return any(label.startswith((TRANSPORT, MANAGED_BY)) for label in labels_of(live))
