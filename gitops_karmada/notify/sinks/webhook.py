"""One POST of JSON with all notices of a turn, signed when there is a key.

The address is the operator's: it comes from a file of the credentials folder, never from the repository.
"""

import asyncio
import hashlib
import hmac
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from gitops_karmada.model.decode import encode
from gitops_karmada.model.notices import Notice
from gitops_karmada.notify.sinks import DeliveryError, Sink

API_VERSION: Final = "notify.gitops-karmada.io/v1alpha1"
DEADLINE: Final = 10.0
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def to_webhook(file: Path, deadline: float = DEADLINE) -> Sink:
    """`file`, read each time, holds the address in its first line and, if wanted, the signing key in its second."""

    def post(instance: str, notices: Sequence[Notice]) -> None:
        address, key = _read(file)
        body = json.dumps(
            {
                "apiVersion": API_VERSION,
                "kind": "NoticeList",
                "instance": instance,
                "notices": [encode(notice) for notice in notices],
            }
        ).encode()
        asyncio.run(_post(address, body, _headers(body, key), deadline))

    return post


def _read(file: Path) -> tuple[str, str]:
    try:
        address, _, rest = file.read_text("utf-8").strip().partition("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DeliveryError(f"the webhook's file {file.name!r} cannot be read: {type(error).__name__}") from error
    parts = urlsplit(address.strip())
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise DeliveryError(f"the address in {file.name!r} must begin with https://")
    return address.strip(), rest.strip()


def _headers(body: bytes, key: str) -> dict[str, str]:
    headers = {"Content-Type": "application/json"}
    if key:
        headers["X-Signature"] = f"sha256={hmac.new(key.encode(), body, hashlib.sha256).hexdigest()}"
    return headers


async def _post(address: str, body: bytes, headers: dict[str, str], deadline: float) -> None:
    import aiohttp

    host = urlsplit(address).hostname
    try:
        timeout = aiohttp.ClientTimeout(total=deadline)
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(address, data=body, headers=headers, allow_redirects=False) as answer,
        ):
            # The answer's body is nobody's business, and may never end.
            status = answer.status
    except TimeoutError as error:
        raise DeliveryError(f"the webhook at {host} did not answer within {deadline:g} s") from error
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise DeliveryError(f"the webhook at {host} could not be reached: {type(error).__name__}") from error
    if not 200 <= status < 300:
        raise DeliveryError(f"the webhook at {host} answered {status}")
