"""The command lines of a test cluster's programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.envtest.certificates import CertificateFiles

CONTROLLERS = (
    "deployment-controller",
    "replicaset-controller",
    "statefulset-controller",
    "daemonset-controller",
    "job-controller",
    "cronjob-controller",
    "namespace-controller",
    "garbage-collector-controller",
    "serviceaccount-controller",
    "endpointslice-controller",
)


def etcd(program: Path, folder: Path, *, client: str, peer: str) -> list[str]:
    """A cluster of one, that does not wait for the disk."""
    return [
        str(program),
        f"--data-dir={folder}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--unsafe-no-fsync",
        "--log-level=warn",
    ]


def api_server(
    program: Path, *, port: int, etcd_url: str, files: CertificateFiles, tokens: Path, audit_policy: Path, audit: Path
) -> list[str]:
    return [
        str(program),
        f"--etcd-servers={etcd_url}",
        f"--secure-port={port}",
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        f"--tls-cert-file={files.server}",
        f"--tls-private-key-file={files.server_key}",
        f"--client-ca-file={files.authority}",
        f"--token-auth-file={tokens}",
        "--authorization-mode=RBAC",
        f"--service-account-issuer=https://127.0.0.1:{port}",
        f"--service-account-key-file={files.signing_key}",
        f"--service-account-signing-key-file={files.signing_key}",
        "--service-cluster-ip-range=10.0.0.0/16",
        "--allow-privileged=true",
        "--endpoint-reconciler-type=none",
        # Nobody makes service accounts without a controller manager, and pods would be refused for want of one.
        "--disable-admission-plugins=ServiceAccount",
        f"--audit-policy-file={audit_policy}",
        f"--audit-log-path={audit}",
    ]


def controller_manager(
    program: Path, *, kubeconfig: Path, port: int, files: CertificateFiles, controllers: Sequence[str]
) -> list[str]:
    return [
        str(program),
        f"--kubeconfig={kubeconfig}",
        f"--authentication-kubeconfig={kubeconfig}",
        f"--authorization-kubeconfig={kubeconfig}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--root-ca-file={files.authority}",
        f"--service-account-private-key-file={files.signing_key}",
        "--leader-elect=false",
        "--kube-api-qps=200",
        "--kube-api-burst=400",
        f"--controllers={','.join(controllers)}",
    ]


def scheduler(program: Path, *, kubeconfig: Path, port: int) -> list[str]:
    return [
        str(program),
        f"--kubeconfig={kubeconfig}",
        f"--authentication-kubeconfig={kubeconfig}",
        f"--authorization-kubeconfig={kubeconfig}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        "--leader-elect=false",
        "--kube-api-qps=200",
        "--kube-api-burst=400",
    ]
