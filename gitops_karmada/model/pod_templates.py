"""What the pods of a template need: room on a node, and other objects of their namespace."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gitops_karmada.model.objects import Object, dig
from gitops_karmada.model.quantity import MILLI, NANO, Format, Quantity, quantity

CONTAINERS = ("initContainers", "containers", "ephemeralContainers")

# The fields of a volume that lead to the name of a Secret.
SECRET_VOLUMES = (
    ("secret", "secretName"),
    ("azureFile", "secretName"),
    ("cephfs", "secretRef", "name"),
    ("cinder", "secretRef", "name"),
    ("flexVolume", "secretRef", "name"),
    ("rbd", "secretRef", "name"),
    ("scaleIO", "secretRef", "name"),
    ("iscsi", "secretRef", "name"),
    ("storageos", "secretRef", "name"),
    ("csi", "nodePublishSecretRef", "name"),
)


def requirements_of(template: Object) -> Object | None:
    """ReplicaRequirements of one pod. Raises ValueError for a quantity that Kubernetes refuses."""
    claim, request = node_claim_of(template), resource_request_of(template)
    found: dict[str, Any] = {}
    if claim is not None:
        found["nodeClaim"] = claim
    if request:
        found["resourceRequest"] = {name: str(amount) for name, amount in sorted(request.items())}
    return found or None


def node_claim_of(template: Object) -> Object | None:
    """Where the pod may run; None when the pod does not say."""
    spec = dig(template, "spec")
    wishes = {
        "nodeSelector": dig(spec, "nodeSelector"),
        "tolerations": dig(spec, "tolerations"),
        "hardNodeAffinity": dig(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"),
    }
    present = {name: wish for name, wish in wishes.items() if wish is not None}
    # An empty list of tolerations says nothing; an empty node selector counts as said, as in Karmada.
    if present.get("tolerations") == []:
        del present["tolerations"]
    return present or None


def resource_request_of(template: Object) -> dict[str, Quantity]:
    """What one pod asks for, without zeros: its containers together, no less than any init container, and overhead."""
    spec = dig(template, "spec")
    total: dict[str, int] = {}
    for container in _list(spec, "containers"):
        for name, nano in _requests(container):
            total[name] = total.get(name, 0) + nano
    for container in _list(spec, "initContainers"):
        for name, nano in _requests(container):
            total[name] = max(total.get(name, 0), nano)
    for name, nano in _amounts(_map(spec, "overhead")):
        total[name] = total.get(name, 0) + nano
    return {name: Quantity(nano, _format(name)) for name, nano in total.items() if nano}


def dependencies_of(template: Object, namespace: str) -> list[Object]:
    """ConfigMaps, Secrets, ServiceAccount and PersistentVolumeClaims, in this order, each by name."""
    spec = dig(template, "spec")
    account = dig(spec, "serviceAccountName")
    kinds = {
        "ConfigMap": set(_config_maps(spec)),
        "Secret": set(_secrets(spec)),
        "ServiceAccount": {account} if account != "default" else set(),
        "PersistentVolumeClaim": {
            dig(volume, "persistentVolumeClaim", "claimName") for volume in _list(spec, "volumes")
        },
    }
    place = {"namespace": namespace} if namespace else {}
    return [
        {"apiVersion": "v1", "kind": kind, **place, "name": name}
        for kind, names in kinds.items()
        for name in sorted(name for name in names if name and isinstance(name, str))
    ]


def _requests(container: Any) -> Iterator[tuple[str, int]]:
    """A container's requests, with its limits where it requests nothing."""
    resources = _map(container, "resources")
    if not resources:
        return iter(())
    limits, requests = _map(resources, "limits"), _map(resources, "requests")
    return _amounts({**limits, **requests} if limits else requests)


def _amounts(resources: Object) -> Iterator[tuple[str, int]]:
    for name, amount in resources.items():
        yield name, _rounded(name, quantity(amount))


def _rounded(name: str, amount: Quantity) -> int:
    """Nano-units, with the precision that Karmada keeps: milli-units of CPU, whole units of everything else."""
    return amount.milli * MILLI if name == "cpu" else amount.value * NANO


_BINARY_NAMES: Callable[[str], bool] = {"memory", "ephemeral-storage"}.__contains__


def _format(name: str) -> Format:
    return Format.BINARY if _BINARY_NAMES(name) or name.startswith("hugepages-") else Format.DECIMAL


def _config_maps(spec: Any) -> Iterator[Any]:
    for kind in CONTAINERS:
        for container in _list(spec, kind):
            yield from (dig(variable, "valueFrom", "configMapKeyRef", "name") for variable in _list(container, "env"))
            yield from (dig(source, "configMapRef", "name") for source in _list(container, "envFrom"))
    for volume in _list(spec, "volumes"):
        yield dig(volume, "configMap", "name")
        yield from (dig(source, "configMap", "name") for source in _list(dig(volume, "projected"), "sources"))


def _secrets(spec: Any) -> Iterator[Any]:
    yield from (dig(secret, "name") for secret in _list(spec, "imagePullSecrets"))
    for kind in CONTAINERS:
        for container in _list(spec, kind):
            yield from (dig(variable, "valueFrom", "secretKeyRef", "name") for variable in _list(container, "env"))
            yield from (dig(source, "secretRef", "name") for source in _list(container, "envFrom"))
    for volume in _list(spec, "volumes"):
        yield from (dig(volume, *path) for path in SECRET_VOLUMES if path[0] in volume)
        yield from (dig(source, "secret", "name") for source in _list(dig(volume, "projected"), "sources"))


def _list(value: Any, name: str) -> list[Any]:
    found = value.get(name) if type(value) is dict or isinstance(value, Mapping) else None
    return found if isinstance(found, list) else []


def _map(value: Any, name: str) -> Mapping[str, Any]:
    found = value.get(name) if type(value) is dict or isinstance(value, Mapping) else None
    return found if isinstance(found, Mapping) else {}
