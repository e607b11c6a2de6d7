"""A real cluster on loopback: etcd and kube-apiserver, and on request the controllers and the scheduler."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.envtest import commands
from tests.envtest.audit import POLICY, AuditLog
from tests.envtest.baseline import Baseline, revisions
from tests.envtest.binaries import binary
from tests.envtest.certificates import write_certificates
from tests.envtest.client import ApiError, Client
from tests.envtest.kubeconfig import write_kubeconfig
from tests.envtest.server import Keeper, Server, free_port
from tests.envtest.users import ADMIN, bind_roles, binding, make_tokens, write_token_file

_START_SECONDS = 90.0


class Cluster:
    """One member. All its files lie in `folder`; `server` stays the same over restarts."""

    def __init__(self, name: str, root: Path, keeper: Keeper) -> None:
        self.name = name
        self.folder = root / name
        self.folder.mkdir()
        self._port = free_port()
        self.server = f"https://127.0.0.1:{self._port}"
        self._files = write_certificates(self.folder, name)
        self.authority = self._files.authority
        self.audit = AuditLog(self.folder / "audit.log")
        self._keeper = keeper
        self._tokens = make_tokens()
        self.admin = self.client(ADMIN)
        self._etcd_url = f"http://127.0.0.1:{free_port()}"
        self._etcd = self._make_etcd()
        self._api_server = self._make_api_server()
        self._others: list[Server] = []
        self._baseline: Baseline | None = None
        self._groups: frozenset[str] = frozenset()

    def token(self, user: str) -> str:
        return self._tokens[user]

    def client(self, user: str, timeout: float = 20) -> Client:
        return Client(self.server, self.authority, self._tokens[user], timeout)

    def write_kubeconfig(
        self, path: Path, user: str = "hub", *, token_file: Path | None = None, context: str | None = None
    ) -> Path:
        """Write a kubeconfig of the user; the context is called like the cluster unless told otherwise."""
        return write_kubeconfig(
            path,
            server=self.server,
            authority=self.authority,
            token=self._tokens[user],
            context=context or self.name,
            token_file=token_file,
        )

    def grant(self, user: str, rules: Sequence[Mapping[str, Any]], namespace: str | None = None) -> None:
        """Give the user exactly these rights, in one namespace or in the whole cluster."""
        name, kind = f"envtest-{user}", "Role" if namespace else "ClusterRole"
        metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
        role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": metadata, "rules": [*rules]}
        self.admin.apply(role, "envtest", force=True)
        self.admin.apply(binding(name, user, kind, name, namespace), "envtest", force=True)

    def start(self) -> None:
        """Start etcd and the API server, and wait until they answer."""
        self._etcd.start()
        self._api_server.start()
        self._api_server.wait_until(self.is_ready, _START_SECONDS)
        if self._baseline is None:
            bind_roles(self.admin)
            self.admin.wait("v1", "Namespace", "default", seconds=30)
            self._baseline = Baseline(self._etcd_url)
            self._groups = self._served_groups()

    def is_ready(self) -> bool:
        try:
            Client(self.server, self.authority, self._tokens[ADMIN], timeout=5).request("GET", "/readyz")
        except (OSError, ApiError):
            return False
        return True

    def pause(self) -> None:
        """Make the API server a black hole: it accepts connections and never answers."""
        self._api_server.pause()

    def resume(self) -> None:
        self._api_server.resume()

    def stop(self) -> None:
        """End everything in order; connections are refused from now on."""
        for server in (*reversed(self._others), self._api_server, self._etcd):
            server.stop()

    def kill(self) -> None:
        """End the API server and etcd at once, as a power cut does."""
        self._api_server.kill()
        self._etcd.kill()

    def restart(self) -> None:
        """Start again on the same data; the controllers and the scheduler too, when they ran."""
        self.stop()
        self.start()
        for server in self._others:
            server.start()

    def reset(self) -> None:
        """Bring the cluster back to how it was when it was new: running, and empty."""
        if not (self._api_server.alive and self._etcd.alive):
            self.restart()
        self.resume()
        if self._baseline is not None:
            self._baseline.restore()
            # Definitions that were taken away are served for a moment longer.
            self._api_server.wait_until(lambda: self._served_groups() == self._groups, 30)

    def revisions(self) -> dict[str, str]:
        """Return every stored object's key and revision, read from etcd: equal before and after means no write."""
        return revisions(self._etcd_url)

    def run_controllers(self, controllers: Sequence[str] = commands.CONTROLLERS) -> None:
        """Start kube-controller-manager with these controllers (not the one that distrusts silent nodes)."""
        port = free_port()
        command = commands.controller_manager(
            binary("kube-controller-manager"),
            kubeconfig=self._own_kubeconfig(),
            port=port,
            files=self._files,
            controllers=controllers,
        )
        self._run(command, "kube-controller-manager", port)

    def run_scheduler(self) -> None:
        port = free_port()
        command = commands.scheduler(binary("kube-scheduler"), kubeconfig=self._own_kubeconfig(), port=port)
        self._run(command, "kube-scheduler", port)

    def _served_groups(self) -> frozenset[str]:
        return frozenset(group["name"] for group in self.admin.request("GET", "/apis")["groups"])

    def _run(self, command: list[str], name: str, port: int) -> None:
        server = Server(command, self.folder / f"{name}.log", self._keeper)
        server.start()
        self._others.append(server)

    def _own_kubeconfig(self) -> Path:
        return self.write_kubeconfig(self.folder / "admin.kubeconfig", ADMIN)

    def _make_etcd(self) -> Server:
        peer = f"http://127.0.0.1:{free_port()}"
        command = commands.etcd(binary("etcd"), self.folder / "etcd", client=self._etcd_url, peer=peer)
        return Server(command, self.folder / "etcd.log", self._keeper)

    def _make_api_server(self) -> Server:
        tokens, policy = self.folder / "tokens.csv", self.folder / "audit-policy.json"
        write_token_file(tokens, self._tokens)
        policy.write_text(json.dumps(POLICY))
        command = commands.api_server(
            binary("kube-apiserver"),
            port=self._port,
            etcd_url=self._etcd_url,
            files=self._files,
            tokens=tokens,
            audit_policy=policy,
            audit=self.audit.path,
        )
        return Server(command, self.folder / "kube-apiserver.log", self._keeper)


def start_clusters(names: Sequence[str], root: Path, keeper: Keeper) -> tuple[Cluster, ...]:
    """Start clusters side by side."""
    clusters = [Cluster(name, root, keeper) for name in names]
    with ThreadPoolExecutor(len(clusters)) as pool:
        list(pool.map(Cluster.start, clusters))
    return tuple(clusters)
