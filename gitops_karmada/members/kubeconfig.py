"""A kubeconfig, read without running or opening anything that was not allowed."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from gitops_karmada.model.members import MemberConnection
from gitops_karmada.model.objects import Object, dig
from gitops_karmada.model.problems import SettingsError

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A credential plugin: `command` is an absolute path that the operator allowed."""

    command: str
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str]
    api_version: str
    provide_cluster_info: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Access:
    """All it takes to reach a member. Never shown: it may hold secrets.

    PEM texts are bytes. `token_file` is read again whenever it may have changed; `token` is one that stands in the
    kubeconfig itself.
    """

    server: str
    authority: bytes = b""
    certificate: bytes = b""
    key: bytes = b""
    token: str = ""
    token_file: Path | None = None
    username: str = ""
    password: str = ""
    program: Program | None = None
    tls_server_name: str = ""
    proxy_url: str = ""
    insecure: bool = False
    impersonate_user: str = ""
    impersonate_groups: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Access(server={self.server!r})"


def access_of(connection: MemberConnection) -> Access:
    """Follow the references of a connection. Raise `SettingsError` with the next step where one leads nowhere."""
    if connection.kubeconfig:
        access = _from_kubeconfig(connection)
    elif connection.in_cluster:
        access = _in_cluster(connection)
    elif connection.endpoint:
        access = _from_files(connection)
    else:
        raise SettingsError(f"member {connection.cluster}: no kubeconfig and no endpoint; say how it is reached")
    _check_server(connection, access)
    return access


def _check_server(connection: MemberConnection, access: Access) -> None:
    if access.server.startswith("https://"):
        if access.insecure and not connection.insecure_skip_tls_verify:
            raise SettingsError(
                f"member {connection.cluster}: its kubeconfig says insecure-skip-tls-verify; "
                "give the certificate-authority of its API server instead"
            )
        return
    raise SettingsError(f"member {connection.cluster}: the server must be an https URL, not {access.server!r}")


# From files -----------------------------------------------------------------------------------------------------------


def _from_files(connection: MemberConnection) -> Access:
    token_file = Path(connection.token_file) if connection.token_file else None
    return Access(
        server=connection.endpoint.rstrip("/"),
        authority=_bytes(connection, connection.ca_file),
        certificate=_bytes(connection, connection.client_certificate_file),
        key=_bytes(connection, connection.client_key_file),
        token_file=token_file,
        tls_server_name=connection.tls_server_name,
        proxy_url=connection.proxy_url,
        insecure=connection.insecure_skip_tls_verify,
        impersonate_user=connection.impersonate_user,
        impersonate_groups=connection.impersonate_groups,
    )


def _in_cluster(connection: MemberConnection) -> Access:
    return Access(
        server=connection.endpoint.rstrip("/") or "https://kubernetes.default.svc",
        authority=_bytes(connection, str(SERVICE_ACCOUNT / "ca.crt")),
        token_file=SERVICE_ACCOUNT / "token",
        impersonate_user=connection.impersonate_user,
        impersonate_groups=connection.impersonate_groups,
    )


def _bytes(connection: MemberConnection, path: str) -> bytes:
    if not path:
        return b""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise SettingsError(f"member {connection.cluster}: {path}: {error.strerror}") from error


# From a kubeconfig ----------------------------------------------------------------------------------------------------


def _from_kubeconfig(connection: MemberConnection) -> Access:
    path = Path(connection.kubeconfig)
    config = _parse(connection, path)
    context = connection.context or str(config.get("current-context") or "")
    chosen = _named(config, "contexts", context, "context", path)
    cluster = _named(config, "clusters", str(chosen.get("cluster") or ""), "cluster", path)
    user = _named(config, "users", str(chosen["user"]), "user", path) if chosen.get("user") else {}
    folder = path.resolve().parent
    token_file = user.get("tokenFile")
    return Access(
        server=str(cluster.get("server") or "").rstrip("/"),
        authority=_pem(cluster, "certificate-authority", folder, path),
        certificate=_pem(user, "client-certificate", folder, path),
        key=_pem(user, "client-key", folder, path),
        token=str(user.get("token") or ""),
        token_file=_inside(folder, str(token_file), path) if token_file else None,
        username=str(user.get("username") or ""),
        password=str(user.get("password") or ""),
        program=_program(user, connection, path),
        tls_server_name=str(cluster.get("tls-server-name") or connection.tls_server_name),
        proxy_url=str(cluster.get("proxy-url") or connection.proxy_url),
        insecure=bool(cluster.get("insecure-skip-tls-verify")),
        impersonate_user=connection.impersonate_user or str(user.get("as") or ""),
        impersonate_groups=connection.impersonate_groups or tuple(str(group) for group in user.get("as-groups") or ()),
    )


def _parse(connection: MemberConnection, path: Path) -> Object:
    try:
        config = yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader)
    except OSError as error:
        raise SettingsError(f"member {connection.cluster}: kubeconfig {path}: {error.strerror}") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{path}:{mark.line + 1}" if mark else str(path)
        # The library's own text quotes the file, which holds secrets.
        raise SettingsError(f"member {connection.cluster}: kubeconfig {place} is not YAML") from None
    if not isinstance(config, Mapping):
        raise SettingsError(f"member {connection.cluster}: kubeconfig {path} is not a kubeconfig")
    return config


def _named(config: Object, section: str, name: str, field: str, path: Path) -> Object:
    entries = config.get(section)
    for entry in entries if isinstance(entries, list) else []:
        if dig(entry, "name") == name and isinstance(dig(entry, field), Mapping):
            found: Object = entry[field]
            return found
    if not name:
        raise SettingsError(f"kubeconfig {path}: it has no current-context, and the settings name no context")
    raise SettingsError(f"kubeconfig {path}: {section} has no {name!r}")


def _pem(entry: Object, field: str, folder: Path, path: Path) -> bytes:
    """The bytes that stand in `FIELD-data`, or in the file that `FIELD` names."""
    if data := entry.get(f"{field}-data"):
        try:
            return base64.b64decode(str(data), validate=True)
        except binascii.Error:
            raise SettingsError(f"kubeconfig {path}: {field}-data is not base64") from None
    if not entry.get(field):
        return b""
    file = _inside(folder, str(entry[field]), path)
    try:
        return file.read_bytes()
    except OSError as error:
        raise SettingsError(f"kubeconfig {path}: {field} {file}: {error.strerror}") from error


def _inside(folder: Path, name: str, path: Path) -> Path:
    """A relative path may not leave the kubeconfig's folder; an absolute one is the operator's own word."""
    if Path(name).is_absolute():
        return Path(name)
    if ".." in Path(name).parts:
        raise SettingsError(f"kubeconfig {path}: {name} leaves its folder; put the file beside the kubeconfig")
    return folder / name


def _program(user: Object, connection: MemberConnection, path: Path) -> Program | None:
    if user.get("auth-provider"):
        raise SettingsError(f"kubeconfig {path}: auth-provider is gone from Kubernetes; use a token or a certificate")
    plugin: Any = user.get("exec")
    if not isinstance(plugin, Mapping):
        return None
    command = str(plugin.get("command") or "")
    if command not in connection.allow_exec or not Path(command).is_absolute():
        raise SettingsError(
            f"member {connection.cluster}: its kubeconfig wants to run {command!r} for credentials, "
            "which is not allowed; name its absolute path among the member's allowed programs, or use a token file"
        )
    environment = {str(item.get("name")): str(item.get("value")) for item in plugin.get("env") or ()}
    return Program(
        command=command,
        arguments=tuple(str(argument) for argument in plugin.get("args") or ()),
        environment=environment,
        api_version=str(plugin.get("apiVersion") or "client.authentication.k8s.io/v1"),
        provide_cluster_info=bool(plugin.get("provideClusterInfo")),
    )
