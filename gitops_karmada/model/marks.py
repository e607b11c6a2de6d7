"""The marks that we put on objects in members. The annotation names the object it stands on: a copy proves nothing."""

from gitops_karmada.model.objects import Object, annotations_of, key_of, labels_of, metadata_of

PRODUCT = "gitops-karmada"
PREFIX = "gitops-karmada.io/"
OWNER_ANNOTATION = f"{PREFIX}owner"
INSTANCE_LABEL = f"{PREFIX}instance"
# On objects that were there before us: they are released, never deleted, even when nothing else remembers it.
ADOPTED_ANNOTATION = f"{PREFIX}adopted"
PRUNE_ANNOTATION = f"{PREFIX}prune"
RECREATE_ANNOTATION = f"{PREFIX}recreate"


def field_manager(instance: str) -> str:
    return f"{PRODUCT}/{instance}"


def self_reference(obj: Object) -> str:
    key = key_of(obj)
    return f"{key.group}/{key.kind}:{key.namespace}/{key.name}"


def owner_mark(obj: Object, instance: str) -> str:
    return f"{instance}:{self_reference(obj)}"


def is_ours(live: Object, instance: str) -> bool:
    return annotations_of(live).get(OWNER_ANNOTATION) == owner_mark(live, instance)


def is_adopted(live: Object) -> bool:
    return annotations_of(live).get(ADOPTED_ANNOTATION) == "true"


def marked_adopted(manifest: Object) -> Object:
    annotations = {**annotations_of(manifest), ADOPTED_ANNOTATION: "true"}
    return {**manifest, "metadata": {**metadata_of(manifest), "annotations": annotations}}


def marked(manifest: Object, instance: str) -> Object:
    """The manifest with our marks."""
    annotations = {**annotations_of(manifest), OWNER_ANNOTATION: owner_mark(manifest, instance)}
    labels = {**labels_of(manifest), INSTANCE_LABEL: instance}
    return {**manifest, "metadata": {**metadata_of(manifest), "annotations": annotations, "labels": labels}}
