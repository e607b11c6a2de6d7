"""KubeAdmiral."""

from collections.abc import Iterator

from gitops_karmada.model.actions import Certainty, Owner
from gitops_karmada.model.objects import Object, labels_of

MANAGED = "kubeadmiral.io/managed"


def kubeadmiral(live: Object) -> Iterator[Owner]:
    value = labels_of(live).get(MANAGED)
    if value is None:
        return
    # Anything but "true" is the object's wish to be left alone by KubeAdmiral, which tells nothing about us.
    certainty = Certainty.CERTAIN if value == "true" else Certainty.HINT
    yield Owner(tool="KubeAdmiral", certainty=certainty, evidence=(f"label {MANAGED}: {value}",))
