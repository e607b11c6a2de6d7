"""Whether an object would show a secret to whoever reads the repository or its status branch."""

from collections.abc import Iterator, Mapping
from typing import Any

from gitops_karmada.model.objects import Object, group_of
from gitops_karmada.model.problems import Problem

_FIELDS = ("data", "stringData")
_SOPS_VALUE = "ENC["
_HINT = "Encrypt it with SOPS, or commit a SealedSecret or an ExternalSecret; then change the value, history keeps it"


def is_encrypted(obj: Object) -> bool:
    """Whether SOPS left its marks. Such an object is kept as it is: a single changed byte would spoil it."""
    sops = obj.get("sops")
    return isinstance(sops, Mapping) and bool(sops.get("mac"))


def leak(obj: Object) -> Problem | None:
    """The refusal of a Secret with readable values, naming its keys and never a value."""
    if obj.get("kind") != "Secret" or group_of(str(obj.get("apiVersion") or "")):
        return None
    readable = sorted(_readable_keys(obj))
    if not readable:
        return None
    keys = ", ".join(readable[:5]) + (" …" if len(readable) > 5 else "")
    path = readable[0] if len(readable) == 1 else readable[0].partition(".")[0]
    return Problem(code="GK1006", path=path, message=f"a Secret with readable values ({keys})", hint=_HINT)


def _readable_keys(obj: Object) -> Iterator[str]:
    for field in _FIELDS:
        values = obj.get(field)
        if isinstance(values, Mapping):
            yield from (f"{field}.{key}" for key, value in values.items() if not _is_unreadable(obj, value))
        elif values is not None:
            yield field


def _is_unreadable(obj: Object, value: Any) -> bool:
    if value is None or value == "":
        return True
    return is_encrypted(obj) and isinstance(value, str) and value.startswith(_SOPS_VALUE) and value.endswith("]")
