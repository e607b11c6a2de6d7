"""From a connection to a transport."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from gitops_karmada.members.folder import Reader, Writer, read_yaml, write_json
from gitops_karmada.members.transports import Transport
from gitops_karmada.model.members import MemberConnection
from gitops_karmada.model.problems import SettingsError

Clock: TypeAlias = Callable[[], datetime]
Connect: TypeAlias = Callable[[MemberConnection], Transport]


@dataclass(frozen=True, slots=True, kw_only=True)
class Connector:
    """Opens transports. `read` and `write` are the YAML of directory members."""

    clock: Clock
    read: Reader = read_yaml
    write: Writer = write_json

    def __call__(self, connection: MemberConnection) -> Transport:
        if connection.directory:
            return self._directory(connection)
        return _push(connection)

    def _directory(self, connection: MemberConnection) -> Transport:
        from gitops_karmada.members.transports.directory import DirectoryMember

        return DirectoryMember(
            str(connection.cluster),
            Path(connection.directory),
            clock=self.clock,
            declared=connection.declared_apis,
            read=self.read,
            write=self.write,
        )


def _push(connection: MemberConnection) -> Transport:
    # aiohttp takes a quarter of a second to import, which `--help` and directory members need not wait for.
    from gitops_karmada.members.kubeconfig import access_of
    from gitops_karmada.members.transports.push import PushMember

    if not (connection.kubeconfig or connection.endpoint or connection.in_cluster):
        raise SettingsError(f"member {connection.cluster}: no credentials; name its kubeconfig in the settings")
    return PushMember(access_of(connection), connection.deadlines, connection.concurrency)
