"""kpt and other users of cli-utils inventories."""

from collections.abc import Iterator

from gitops_karmada.core.detectors.config_sync import MANAGER as CONFIG_SYNC
from gitops_karmada.model.actions import Owner
from gitops_karmada.model.objects import Object, annotations_of

INVENTORY = "config.k8s.io/owning-inventory"


def kpt(live: Object) -> Iterator[Owner]:
    annotations = annotations_of(live)
    inventory = annotations.get(INVENTORY)
    # Config Sync writes the same annotation and has a detector of its own.
    if inventory and CONFIG_SYNC not in annotations:
        yield Owner(tool="kpt", unit=f"inventory {inventory}", evidence=(f"annotation {INVENTORY}: {inventory}",))
