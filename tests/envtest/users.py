"""Who may talk to a test cluster: static tokens, and the rights bound to them."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path

from tests.envtest.client import Client, Object

ADMIN = "admin"
# User to the ClusterRole that it is bound to; None: no rights (until a test grants some).
ROLES: Mapping[str, str | None] = {
    "hub": "cluster-admin",
    "other-hub": "cluster-admin",
    "person": "cluster-admin",
    "robot": "cluster-admin",
    "reader": "envtest-reader",
    "nobody": None,
    "limited": None,
}
_READER = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "ClusterRole",
    "metadata": {"name": "envtest-reader"},
    "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}],
}


def make_tokens() -> dict[str, str]:
    """Return a token for every user."""
    return {user: secrets.token_hex(16) for user in (ADMIN, *ROLES)}


def write_token_file(path: Path, tokens: Mapping[str, str]) -> None:
    """Write the API server's `--token-auth-file`: token, user, uid, groups."""
    groups = {ADMIN: "system:masters"}
    path.write_text("".join(f'{token},{user},{user},"{groups.get(user, "")}"\n' for user, token in tokens.items()))


def bind_roles(admin: Client) -> None:
    """Give the users their rights."""
    admin.create(_READER)
    for user, role in ROLES.items():
        if role:
            admin.create(binding(f"envtest-{user}", user, "ClusterRole", role, None))


def binding(name: str, user: str, role_kind: str, role: str, namespace: str | None) -> Object:
    """Return a (Cluster)RoleBinding of the role to the user."""
    group = "rbac.authorization.k8s.io"
    return {
        "apiVersion": f"{group}/v1",
        "kind": "RoleBinding" if namespace else "ClusterRoleBinding",
        "metadata": {"name": name, **({"namespace": namespace} if namespace else {})},
        "subjects": [{"kind": "User", "apiGroup": group, "name": user}],
        "roleRef": {"apiGroup": group, "kind": role_kind, "name": role},
    }
