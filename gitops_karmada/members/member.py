"""One member as this process knows it: its transport, what it serves, whether it is the one we mean."""

import asyncio
import os

from gitops_karmada.members.connect import Connect
from gitops_karmada.members.refusals import RefusalError, UnreachedError
from gitops_karmada.members.resources import Discovery, Resource
from gitops_karmada.members.transports import Transport
from gitops_karmada.model.members import MemberConnection
from gitops_karmada.model.objects import Key, dig

NAMESPACE = Resource(group="", version="v1", kind="Namespace", plural="namespaces", namespaced=False)


class IdentityError(UnreachedError):
    """Another cluster answers in the place of this one."""


class Member:
    """A connection in use."""

    def __init__(self, connection: MemberConnection, connect: Connect) -> None:
        self.connection = connection
        self._connect = connect
        self._transport: Transport | None = None
        self._discovery: Discovery | None = None
        self._identity: str | None = None
        self._expected = connection.identity
        self._stamp = _stamp(connection)
        self._finding = asyncio.Lock()
        self._missing: set[tuple[str, str]] = set()

    async def renew(self, identity: str = "") -> None:
        """Begin a round: open anew when the kubeconfig was replaced, and look again who answers.

        `identity` is whom earlier turns met there; what the connection says counts before it.
        """
        self._expected = self.connection.identity or identity
        self._identity = None
        self._missing.clear()
        stamp = _stamp(self.connection)
        if stamp != self._stamp:
            await self.close()
            self._stamp = stamp

    @property
    def transport(self) -> Transport:
        if self._transport is None:
            self._transport = self._connect(self.connection)
        return self._transport

    async def discovery(self) -> Discovery:
        """What the member serves, as far as it was told last."""
        if self._discovery is None:
            await self.discover()
        return self._discovery or Discovery(failed=frozenset({"*"}))

    async def discover(self) -> Discovery:
        """Ask anew. What cannot be told now stays as it was known in this process, marked as untold."""
        try:
            fresh = await self.transport.discover()
        except RefusalError as refusal:
            if refusal.status in (401, 403):
                raise
            fresh = Discovery(failed=frozenset({"*"}))
        self._discovery = _patched(fresh, self._discovery)
        return self._discovery

    async def find(self, key: Key, api_version: str) -> Resource | None:
        """The resource of a kind; asked anew once a round when it was not there, for it may have come since."""
        async with self._finding:
            found = (await self.discovery()).find(key, api_version)
            if found or (api_version, key.kind) in self._missing:
                return found
            self._missing.add((api_version, key.kind))
            return (await self.discover()).find(key, api_version)

    async def identity(self) -> str:
        """The UID of the namespace kube-system; empty when we may not see it. Raise when it is not the expected one."""
        if self._identity is None:
            found = await self._ask_identity()
            if self._expected and found and found != self._expected:
                raise IdentityError(
                    f"this is another cluster than before (kube-system has UID {found}, expected {self._expected}); "
                    "check its credentials, or set spec.id of the Cluster to the new one"
                )
            self._identity = found
        return self._identity

    async def _ask_identity(self) -> str:
        try:
            namespace = await self.transport.get(NAMESPACE, "", "kube-system")
        except RefusalError as refusal:
            if refusal.status == 403:
                return ""
            raise
        return str(dig(namespace, "metadata", "uid") or "")

    async def close(self) -> None:
        if self._transport is not None:
            await self._transport.close()
        self._transport = None


def _stamp(connection: MemberConnection) -> tuple[int, int] | None:
    try:
        status = os.stat(connection.kubeconfig)  # noqa: PTH116 - an empty name is no file, where a Path would be "."
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _patched(fresh: Discovery, last: Discovery | None) -> Discovery:
    """For what was not told, what was known."""
    if fresh.complete or last is None:
        return fresh
    told = {(item.group, item.version) for item in fresh.resources}
    kept = [
        item
        for item in last.resources
        if fresh.may_serve(item.group_version) and (item.group, item.version) not in told
    ]
    return Discovery(resources=(*fresh.resources, *kept), failed=fresh.failed)
