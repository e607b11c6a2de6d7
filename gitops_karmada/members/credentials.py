"""What a request shows to prove who asks: read again when it rotates, never kept longer than it is good."""

import asyncio
import base64
import json
import os
import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from gitops_karmada.members.kubeconfig import Access, Program
from gitops_karmada.members.refusals import UnreachedError
from gitops_karmada.model.objects import dig

PROGRAM_SECONDS = 30.0
# A token file is looked at again after this long even if the member takes the old token.
FRESH_SECONDS = 30.0


class Credentials:
    """The headers of a member's requests."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._headers = _impersonation(access)
        self._token = access.token
        self._good_until = 0.0
        self._lock = asyncio.Lock()

    async def headers(self) -> Mapping[str, str]:
        async with self._lock:
            if time.monotonic() >= self._good_until:
                await self._renew()
        return self._with_token()

    async def refused(self, shown: Mapping[str, str]) -> bool:
        """After a 401: look again. Return whether there is something new to show."""
        async with self._lock:
            if self._with_token() == shown:
                await self._renew()
        return self._with_token() != shown

    def _with_token(self) -> Mapping[str, str]:
        if self._token:
            return {**self._headers, "Authorization": f"Bearer {self._token}"}
        if self._access.username:
            pair = f"{self._access.username}:{self._access.password}".encode()
            return {**self._headers, "Authorization": f"Basic {base64.b64encode(pair).decode()}"}
        return self._headers

    async def _renew(self) -> None:
        self._good_until = time.monotonic() + FRESH_SECONDS
        if self._access.token_file:
            self._token = _read_token(self._access)
        elif self._access.program:
            credential = await run_program(self._access.program, self._access)
            self._token = str(dig(credential, "status", "token") or "")
            self._good_until = time.monotonic() + _lifetime(credential)


def _impersonation(access: Access) -> Mapping[str, str]:
    # Groups are repeated headers, which the request itself adds.
    return {"Impersonate-User": access.impersonate_user} if access.impersonate_user else {}


def _read_token(access: Access) -> str:
    path = access.token_file
    try:
        token = path.read_text().strip() if path else ""
    except OSError as error:
        raise UnreachedError(f"the token file {path} cannot be read: {error.strerror}") from error
    if not token:
        raise UnreachedError(f"the token file {path} is empty")
    return token


def _lifetime(credential: Mapping[str, Any]) -> float:
    """Seconds that a credential is still good for; one without an end is asked for again only when it is refused."""
    expiry = dig(credential, "status", "expirationTimestamp")
    if not expiry:
        return float("inf")
    left = datetime.fromisoformat(str(expiry).replace("Z", "+00:00")).timestamp() - time.time()
    return max(left - 10, 0)


async def run_program(program: Program, access: Access) -> Mapping[str, Any]:
    """Run an allowed credential plugin with a deadline; its answer, an ExecCredential."""
    info: dict[str, Any] = {"apiVersion": program.api_version, "kind": "ExecCredential", "spec": {"interactive": False}}
    if program.provide_cluster_info:
        authority = base64.b64encode(access.authority).decode()
        info["spec"]["cluster"] = {"server": access.server, "certificate-authority-data": authority}
    environment = {**os.environ, **program.environment, "KUBERNETES_EXEC_INFO": json.dumps(info)}
    process = await asyncio.create_subprocess_exec(
        program.command,
        *program.arguments,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        output, _ = await asyncio.wait_for(process.communicate(), PROGRAM_SECONDS)
    except (TimeoutError, asyncio.CancelledError) as error:
        process.kill()
        await process.wait()
        if isinstance(error, asyncio.CancelledError):
            raise
        raise UnreachedError(f"{program.command} gave no credentials within {PROGRAM_SECONDS:.0f} s") from error
    return _credential(program, process.returncode, output)


def _credential(program: Program, code: int | None, output: bytes) -> Mapping[str, Any]:
    try:
        credential = json.loads(output) if code == 0 else None
    except ValueError:
        credential = None
    if not isinstance(credential, Mapping) or not dig(credential, "status", "token"):
        raise UnreachedError(f"{program.command} gave no token (exit code {code})")
    return credential
