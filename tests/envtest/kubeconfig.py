"""Kubeconfig files as people have them."""

from __future__ import annotations

import base64
import json
from pathlib import Path


def write_kubeconfig(
    path: Path, *, server: str, authority: Path, token: str, context: str, token_file: Path | None = None
) -> Path:
    """Write a kubeconfig with one context; the token stands inside, or in `token_file` when one is given."""
    user = {"tokenFile": str(token_file)} if token_file else {"token": token}
    if token_file:
        token_file.write_text(token)
    data = base64.b64encode(authority.read_bytes()).decode()
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": context, "cluster": {"server": server, "certificate-authority-data": data}}],
        "users": [{"name": context, "user": user}],
        "contexts": [{"name": context, "context": {"cluster": context, "user": context}}],
        "current-context": context,
    }
    # JSON is YAML, so every reader of kubeconfigs takes it.
    path.write_text(json.dumps(config, indent=2))
    path.chmod(0o600)
    return path
