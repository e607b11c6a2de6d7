"""Where things lie on this machine: the repository that is meant, and the folders of ours."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from gitops_karmada.cli.options import Where
from gitops_karmada.model.problems import SettingsError

SETTINGS: Final = "gitops-karmada.yaml"
NAME: Final = "gitops-karmada"


def repository(where: Where) -> str:
    """The repository that is meant: the one that is named, else the enclosing one."""
    if where.repo:
        return where.repo
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / SETTINGS).is_file() or (folder / ".git").exists():
            return str(folder)
    raise SettingsError(f"{here} lies in no federation repository\nGo into one, give --repo, or start one: {NAME} init")


def local_folder(where: Where) -> Path | None:
    """The folder of the repository, or None where it is reached by a URL."""
    text = repository(where)
    folder = Path(text)
    return folder if folder.is_dir() and "://" not in text else None


def cache(where: Where, environment: Mapping[str, str] = os.environ) -> Path:
    """The folder of what was fetched and parsed."""
    if where.cache:
        return Path(where.cache).absolute()
    base = environment.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base).absolute() / NAME


def credentials(where: Where, environment: Mapping[str, str] = os.environ) -> Path:
    """The folder of the files that settings name as credentials. It need not be there."""
    if where.credentials:
        return Path(where.credentials).absolute()
    base = environment.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base).absolute() / NAME / "credentials"


def members_dir(where: Where) -> Path:
    """The folder below which members of mode `directory` live."""
    if where.members_dir:
        return Path(where.members_dir).absolute()
    folder = local_folder(where)
    base = folder.absolute() / ".gitops-karmada" if folder else cache(where)
    return base / "members"
