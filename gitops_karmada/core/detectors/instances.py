"""gitops-karmada itself, this instance or another one."""

from collections.abc import Iterator

from gitops_karmada.model.actions import Certainty, Owner
from gitops_karmada.model.marks import INSTANCE_LABEL, OWNER_ANNOTATION, PRODUCT, self_reference
from gitops_karmada.model.objects import Object, annotations_of, labels_of


def gitops_karmada(live: Object) -> Iterator[Owner]:
    mark = annotations_of(live).get(OWNER_ANNOTATION)
    if isinstance(mark, str):
        instance, _, reference = mark.partition(":")
        if instance and reference == self_reference(live):
            evidence = (f"annotation {OWNER_ANNOTATION}: {mark}",)
            yield Owner(tool=PRODUCT, instance=instance, unit=f"instance {instance}", evidence=evidence)
        return
    if label := labels_of(live).get(INSTANCE_LABEL):
        evidence = (f"label {INSTANCE_LABEL}: {label} without its annotation",)
        yield Owner(tool=PRODUCT, instance=str(label), certainty=Certainty.HINT, evidence=evidence)
