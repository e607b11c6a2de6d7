"""What is removed from an object before it becomes the manifest of a Work."""

from collections.abc import Callable, Mapping
from typing import Any

from gitops_karmada.core.fields import without_field
from gitops_karmada.model.objects import Object, dig, metadata_of

SERVER_METADATA = frozenset(
    {
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "finalizers",
        "generation",
        "managedFields",
        "ownerReferences",
        "resourceVersion",
        "selfLink",
        "uid",
    }
)
JOB_SELECTOR_LABELS = ("controller-uid", "batch.kubernetes.io/controller-uid")
JOB_TEMPLATE_LABELS = (*JOB_SELECTOR_LABELS, "job-name", "batch.kubernetes.io/job-name")


def prune(obj: Object) -> Object:
    """The object without what only an API server may say. The rules go by kind alone, as in Karmada."""
    pruned: dict[str, Any] = {key: value for key, value in obj.items() if key != "status"}
    metadata = metadata_of(obj)
    if not SERVER_METADATA.isdisjoint(metadata):
        pruned["metadata"] = {key: value for key, value in metadata.items() if key not in SERVER_METADATA}
    rule = RULES.get(str(obj.get("kind")))
    return rule(pruned) if rule else pruned


def _deployment(obj: Object) -> Object:
    for name in ("deployment.kubernetes.io/revision", "deployment.kubernetes.io/revision-history"):
        obj = without_field(obj, ("metadata", "annotations", name))
    return obj


def _job(obj: Object) -> Object:
    obj = without_field(obj, ("spec", "ttlSecondsAfterFinished"))
    if dig(obj, "spec", "manualSelector") is True:
        return obj
    for label in JOB_SELECTOR_LABELS:
        obj = without_field(obj, ("spec", "selector", "matchLabels", label))
    for label in JOB_TEMPLATE_LABELS:
        obj = without_field(obj, ("spec", "template", "metadata", "labels", label))
    return obj


def _secret(obj: Object) -> Object:
    if obj.get("type") != "kubernetes.io/service-account-token":
        return obj
    obj = without_field(obj, ("metadata", "annotations", "kubernetes.io/service-account.uid"))
    return without_field(obj, ("data",))


def _service_account(obj: Object) -> Object:
    secrets = obj.get("secrets")
    if not isinstance(secrets, list):
        return obj
    generated = f"{metadata_of(obj).get('name')}-token-"
    return {**obj, "secrets": [entry for entry in secrets if not str(dig(entry, "name")).startswith(generated)]}


def _service(obj: Object) -> Object:
    if dig(obj, "spec", "clusterIP") == "None":
        return obj
    return without_field(without_field(obj, ("spec", "clusterIP")), ("spec", "clusterIPs"))


def _persistent_volume_claim(obj: Object) -> Object:
    return without_field(obj, ("metadata", "annotations", "volume.kubernetes.io/selected-node"))


RULES: Mapping[str, Callable[[Object], Object]] = {
    "Deployment": _deployment,
    "Job": _job,
    "PersistentVolumeClaim": _persistent_volume_claim,
    "Secret": _secret,
    "Service": _service,
    "ServiceAccount": _service_account,
}
