"""A kubeconfig is read, and nothing in it is run or opened that was not allowed."""

import base64
import json
import stat
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes.client import Configuration
from kubernetes.config import load_kube_config

from gitops_karmada.members.credentials import Credentials
from gitops_karmada.members.kubeconfig import Access, access_of
from gitops_karmada.members.refusals import UnreachedError
from gitops_karmada.model.members import MemberConnection
from gitops_karmada.model.objects import ClusterName
from gitops_karmada.model.problems import SettingsError
from gitops_karmada.model.settings import MemberMode

CA = base64.b64encode(b"authority").decode()


def kubeconfig(folder: Path, user: dict[str, Any], **cluster: Any) -> Path:
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "here",
        "contexts": [
            {"name": "here", "context": {"cluster": "c", "user": "u"}},
            {"name": "there", "context": {"cluster": "d", "user": "u"}},
        ],
        "clusters": [
            {
                "name": "c",
                "cluster": {"server": "https://one.example:6443/", "certificate-authority-data": CA, **cluster},
            },
            {"name": "d", "cluster": {"server": "https://two.example"}},
        ],
        "users": [{"name": "u", "user": user}],
    }
    path = folder / "config"
    path.write_text(yaml.safe_dump(config))
    return path


def access(path: Path, **changes: Any) -> Access:
    return access_of(
        MemberConnection(cluster=ClusterName("one"), mode=MemberMode.PUSH, kubeconfig=str(path), **changes)
    )


def test_server_authority_and_token_are_read(tmp_path: Path) -> None:
    found = access(kubeconfig(tmp_path, {"token": "secret"}, **{"tls-server-name": "api", "proxy-url": "http://p:1"}))
    assert (found.server, found.authority, found.token) == ("https://one.example:6443", b"authority", "secret")
    assert (found.tls_server_name, found.proxy_url) == ("api", "http://p:1")


def test_a_context_may_be_chosen(tmp_path: Path) -> None:
    assert access(kubeconfig(tmp_path, {}), context="there").server == "https://two.example"


def test_a_context_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="contexts has no 'nowhere'"):
        access(kubeconfig(tmp_path, {}), context="nowhere")


def test_impersonation_of_the_kubeconfig_counts_unless_the_settings_say_otherwise(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path, {"as": "team", "as-groups": ["devs"]})
    assert access(path).impersonate_user == "team"
    assert access(path).impersonate_groups == ("devs",)
    assert access(path, impersonate_user="other").impersonate_user == "other"


def test_no_secret_is_shown(tmp_path: Path) -> None:
    found = access(kubeconfig(tmp_path, {"token": "hunter2", "password": "hunter2"}))
    assert "hunter2" not in f"{found!r} {found}"


def test_files_beside_the_kubeconfig_are_read(tmp_path: Path) -> None:
    (tmp_path / "client.crt").write_bytes(b"certificate")
    found = access(kubeconfig(tmp_path, {"client-certificate": "client.crt", "tokenFile": "token"}))
    assert found.certificate == b"certificate"
    assert found.token_file == tmp_path / "token"


@pytest.mark.parametrize("field", ["client-certificate", "client-key", "tokenFile"])
def test_a_relative_path_may_not_leave_its_folder(tmp_path: Path, field: str) -> None:
    with pytest.raises(SettingsError, match="leaves its folder"):
        access(kubeconfig(tmp_path, {field: "../../etc/shadow"}))


def test_skipping_tls_verification_needs_the_operators_word(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path, {"token": "t"}, **{"insecure-skip-tls-verify": True})
    with pytest.raises(SettingsError, match="insecure-skip-tls-verify"):
        access(path)
    assert access(path, insecure_skip_tls_verify=True).insecure


def test_a_server_without_tls_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="https"):
        access(kubeconfig(tmp_path, {}, server="http://one.example"))


def test_a_broken_file_is_told_without_its_text(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text("users:\n- token: hunter2\n  x: [")
    with pytest.raises(SettingsError) as error:
        access(path)
    assert "hunter2" not in str(error.value)
    assert f"{path}:" in str(error.value)


def test_an_auth_provider_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="auth-provider"):
        access(kubeconfig(tmp_path, {"auth-provider": {"name": "gcp"}}))


# Programs -------------------------------------------------------------------------------------------------------------


def program(folder: Path, text: str) -> Path:
    path = folder / "plugin"
    path.write_text(f"#!/bin/sh\ntouch {folder}/ran\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def plugged(folder: Path, text: str, command: str = "") -> Path:
    path = program(folder, text)
    return kubeconfig(
        folder, {"exec": {"command": command or str(path), "args": ["a b"], "env": [{"name": "X", "value": "y"}]}}
    )


ANSWER = json.dumps({"kind": "ExecCredential", "status": {"token": "from-program"}})


@pytest.mark.parametrize("command", ["", "plugin", "../plugin", "sh"])
def test_a_credential_program_does_not_run_unless_it_is_allowed(tmp_path: Path, command: str) -> None:
    with pytest.raises(SettingsError, match="not allowed"):
        access(plugged(tmp_path, "", command), allow_exec=frozenset({"plugin", "../plugin", "sh"} if command else ()))
    assert not (tmp_path / "ran").exists()


async def test_an_allowed_program_gives_the_token(tmp_path: Path) -> None:
    path = plugged(tmp_path, f"[ \"$1\" = 'a b' ] && [ $X = y ] && echo '{ANSWER}'")
    found = access(path, allow_exec=frozenset({str(tmp_path / "plugin")}))
    assert not (tmp_path / "ran").exists()
    assert (await Credentials(found).headers())["Authorization"] == "Bearer from-program"


@pytest.mark.parametrize("text", ["exit 3", "echo nonsense", "echo '{}'"])
async def test_a_program_that_gives_nothing_is_told_by_its_name(tmp_path: Path, text: str) -> None:
    found = access(plugged(tmp_path, text), allow_exec=frozenset({str(tmp_path / "plugin")}))
    with pytest.raises(UnreachedError, match="plugin gave no token"):
        await Credentials(found).headers()


async def test_a_missing_or_empty_token_file_is_told(tmp_path: Path) -> None:
    found = access(kubeconfig(tmp_path, {"tokenFile": "token"}))
    with pytest.raises(UnreachedError, match="cannot be read"):
        await Credentials(found).headers()
    (tmp_path / "token").write_text("\n")
    with pytest.raises(UnreachedError, match="is empty"):
        await Credentials(found).headers()


def test_kubernetes_own_client_reads_the_same(tmp_path: Path) -> None:
    """The reader is ours, so that nothing is run or opened unasked; what it reads is what everybody reads."""
    (tmp_path / "token").write_text("from-a-file")
    certificate = {"client-certificate-data": CA, "client-key-data": base64.b64encode(b"key").decode()}
    for user in ({"token": "secret"}, {"tokenFile": "token"}, certificate, {"username": "u", "password": "p"}):
        path = kubeconfig(tmp_path, user, **{"tls-server-name": "api", "proxy-url": "http://p:1"})
        theirs = Configuration()
        load_kube_config(config_file=str(path), client_configuration=theirs)  # type: ignore[no-untyped-call]  # it has no types
        ours = access(path)
        assert ours.server == theirs.host
        assert ours.authority == Path(str(theirs.ssl_ca_cert)).read_bytes()
        assert (ours.tls_server_name, ours.proxy_url) == (theirs.tls_server_name, theirs.proxy)
        assert ours.certificate == (Path(theirs.cert_file).read_bytes() if theirs.cert_file else b"")
        assert ours.key == (Path(theirs.key_file).read_bytes() if theirs.key_file else b"")
        assert _header(ours) == next(iter(theirs.api_key.values()), None)


def _header(found: Access) -> str | None:
    """What a request says of who asks."""
    if found.username:
        return "Basic " + base64.b64encode(f"{found.username}:{found.password}".encode()).decode()
    token = found.token_file.read_text() if found.token_file else found.token
    return f"Bearer {token}" if token else None
