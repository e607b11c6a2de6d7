"""Config Sync."""

from collections.abc import Iterator

from gitops_karmada.model.actions import Certainty, Owner
from gitops_karmada.model.objects import Object, annotations_of, key_of

MANAGER = "configsync.gke.io/manager"
RESOURCE = "configsync.gke.io/resource-id"


def config_sync(live: Object) -> Iterator[Owner]:
    annotations = annotations_of(live)
    manager, resource = annotations.get(MANAGER), annotations.get(RESOURCE)
    if not manager:
        return
    evidence = (f"annotation {MANAGER}: {manager}", *([f"annotation {RESOURCE}: {resource}"] if resource else ()))
    if not resource:
        yield Owner(tool="Config Sync", unit=manager, certainty=Certainty.LIKELY, evidence=evidence)
    elif resource in _own_ids(live):
        yield Owner(tool="Config Sync", unit=f"reconciler {manager}", evidence=evidence)


def _own_ids(live: Object) -> tuple[str, ...]:
    key = key_of(live)
    kind = f"{key.group}_{key.kind.lower()}"
    return (f"{kind}_{key.namespace}_{key.name}", *([] if key.namespace else [f"{kind}_{key.name}"]))
