"""The names that Karmada gives to bindings, works and execution spaces (pkg/util/names/names.go)."""

from typing import Final

_DIGITS: Final = str.maketrans("0123456789", "456789bcdf")

EXECUTION_SPACE_PREFIX: Final = "karmada-es-"


def fnv1a(text: str) -> int:
    """The unsigned 32-bit FNV-1a hash of the text's UTF-8 bytes."""
    value = 0x811C9DC5
    for byte in text.encode():
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def _encoded(text: str) -> str:
    return str(fnv1a(text)).translate(_DIGITS)


def binding_name(kind: str, name: str) -> str:
    return f"{name.replace(':', '.')}-{kind}".lower()


def work_name(kind: str, name: str, namespace: str) -> str:
    short = name.replace(":", ".").lower()
    whole = f"{namespace}-{short}-{kind}" if namespace else f"{short}-{kind}"
    return f"{short}-{_encoded(whole.lower())}"


def execution_space(cluster: str) -> str:
    return EXECUTION_SPACE_PREFIX + cluster


def binding_reference_key(namespace: str, name: str) -> str:
    return _encoded(f"{namespace}/{name}" if namespace else name)


def is_reserved_namespace(namespace: str) -> bool:
    return namespace in ("karmada-system", "karmada-cluster") or namespace.startswith(EXECUTION_SPACE_PREFIX)
