"""Names for life: what a server would have generated, made from what a thing is called."""

import uuid
from functools import lru_cache
from typing import Final

from gitops_karmada.model.managed_fields import digest
from gitops_karmada.model.objects import Key, Object

# A name space of our own for UUIDs by name (RFC 9562, version 5).
_NAMESPACE: Final = uuid.uuid5(uuid.NAMESPACE_DNS, "gitops-karmada.io")

# Fields that a server writes: they are no part of what a template asks for.
_SERVER_FIELDS: Final = ("managedFields", "resourceVersion", "generation", "creationTimestamp", "uid", "selfLink")


@lru_cache(maxsize=100_000)
def uid_of(instance: str, key: Key) -> str:
    """The same in every run, for as long as the object is called so."""
    return str(uuid.uuid5(_NAMESPACE, "/".join((instance, key.group, key.kind, key.namespace, key.name))))


def content_of(obj: Object) -> str:
    """A digest of what the template asks for: its status and what a server adds do not count."""
    wish = {name: value for name, value in obj.items() if name != "status"}
    metadata = obj.get("metadata") or {}
    return digest({**wish, "metadata": {name: item for name, item in metadata.items() if name not in _SERVER_FIELDS}})
