"""What is wrong with the key of a label or annotation, fault by fault as the API server counts them."""

import re
from collections.abc import Iterator
from typing import Final

_NAME: Final = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_SUBDOMAIN: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LONGEST_NAME: Final = 63
_LONGEST_PREFIX: Final = 253


def label_key_faults(key: str) -> Iterator[str]:
    prefix, slash, name = key.partition("/")
    if "/" in name:
        yield "there is more than one '/'"
        return
    if not slash:
        prefix, name = "", key
    else:
        yield from _prefix_faults(prefix)
    yield from _name_faults(name)


def _prefix_faults(prefix: str) -> Iterator[str]:
    if not prefix:
        yield "the part before '/' is empty"
        return
    if len(prefix) > _LONGEST_PREFIX:
        yield f"the part before '/' is longer than {_LONGEST_PREFIX}"
    if not _SUBDOMAIN.fullmatch(prefix):
        yield "the part before '/' is no DNS name"


def _name_faults(name: str) -> Iterator[str]:
    if not name:
        yield "the name is empty"
    elif len(name) > _LONGEST_NAME:
        yield f"the name is longer than {_LONGEST_NAME}"
    if not _NAME.fullmatch(name):
        yield "the name must be letters, digits, '-', '_' and '.', with a letter or digit at both ends"
