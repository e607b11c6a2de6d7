"""Secrets without what they keep: what may be written down, shown or compared by digest."""

from base64 import b64decode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from gitops_karmada.model.managed_fields import digest
from gitops_karmada.model.objects import Object, annotations_of, dig, group_of, metadata_of

# No Base64, so that no API server takes it for a value.
PLACEHOLDER: Final = "<redacted>"
FIELDS: Final = ("data", "stringData")
# kubectl's copy of the whole object.
# A value of a letter or two is in every text.
_SHORTEST: Final = 3
LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"


def is_readable(obj: Object) -> bool:
    """Whether it is a Secret that holds values as they are. SOPS leaves none that can be read."""
    if obj.get("kind") != "Secret" or group_of(str(obj.get("apiVersion") or "")) or dig(obj, "sops", "mac"):
        return False
    return any(obj.get(field) for field in FIELDS)


def redacted(obj: Object) -> Object:
    """The object with a placeholder for each value of a readable Secret; any other as it is."""
    if not is_readable(obj):
        return obj
    hidden = {field: _placeholders(obj[field]) for field in FIELDS if obj.get(field)}
    return {**_without_copy(obj), **hidden}


def is_redacted(obj: Object) -> bool:
    """Whether the values are gone, so that it must not be applied."""
    if not is_readable(obj):
        return False
    parts = (obj.get(field) for field in FIELDS)
    return any(PLACEHOLDER in part.values() if isinstance(part, Mapping) else part == PLACEHOLDER for part in parts)


def repeats_values(text: str, obj: Object) -> bool:
    """Whether a text holds a value of a readable Secret, as it stands there or decoded."""
    if not is_readable(obj):
        return False
    return any(len(value) >= _SHORTEST and value in text for field in FIELDS for value in _forms(obj.get(field)))


def _forms(values: Any) -> Iterator[str]:
    for value in values.values() if isinstance(values, Mapping) else (values,):
        yield str(value)
        with suppress(ValueError):
            yield b64decode(str(value), validate=True).decode()


def shown_digest(obj: Object) -> str:
    """A digest of what may be shown: from that of a short secret, the secret could be guessed."""
    return digest(redacted(obj))


def same_values(declared: Object, live: Object) -> bool:
    """Whether a live Secret holds what is declared. Only what is declared counts; other objects have no such values."""
    if not is_readable(declared):
        return True
    wanted, held = declared.get("data") or {}, live.get("data") or {}
    return not declared.get("stringData") and all(held.get(name) == value for name, value in wanted.items())


def _placeholders(values: Any) -> Any:
    return dict.fromkeys(values, PLACEHOLDER) if isinstance(values, Mapping) else PLACEHOLDER


def _without_copy(obj: Object) -> Object:
    if LAST_APPLIED not in annotations_of(obj):
        return obj
    kept = {name: value for name, value in annotations_of(obj).items() if name != LAST_APPLIED}
    return {**obj, "metadata": {**metadata_of(obj), "annotations": kept}}
