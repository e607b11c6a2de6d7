"""Where the containers of a kind are, by the name of the kind alone.

Init containers and CronJobs are left out, as in Karmada.
"""

from collections.abc import Mapping
from typing import Any

from gitops_karmada.core.patch import PatchError, pointer_of
from gitops_karmada.model.objects import Object, dig

POD = ("spec", "containers")
POD_TEMPLATE = ("spec", "template", "spec", "containers")

CONTAINERS = {
    "Pod": POD,
    "Deployment": POD_TEMPLATE,
    "ReplicaSet": POD_TEMPLATE,
    "DaemonSet": POD_TEMPLATE,
    "StatefulSet": POD_TEMPLATE,
    "Job": POD_TEMPLATE,
}


def containers_of(obj: Object) -> list[tuple[str, Mapping[str, Any]]]:
    """The JSON pointer of each container, and the container."""
    path = CONTAINERS.get(str(obj.get("kind")))
    found = dig(obj, *path) if path else None
    if path is None or found is None:
        return []
    if not isinstance(found, list | tuple) or not all(isinstance(container, Mapping) for container in found):
        raise PatchError(f"{pointer_of(path)}: expected a list of containers")
    return [(pointer_of((*path, index)), container) for index, container in enumerate(found)]
