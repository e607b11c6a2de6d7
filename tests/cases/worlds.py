"""Stages for cases that do what no `case.yaml` says: other orders of files, other histories, other writers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.cases.stage import Stage
from tests.e2e.lab import cluster_manifest, config_map, policy

EVERYWHERE = {"clusterAffinity": {"clusterNames": ["a"]}}


def stage(root: Path, *members: str, **settings: Any) -> Stage:
    return Stage(root, {"members": list(members), "settings": settings})


def clusters(*names: str) -> dict[str, Any]:
    return {f"clusters/{name}.yaml": cluster_manifest(name) for name in names}


def shop(*names: str) -> dict[str, Any]:
    """A cluster, a policy for all ConfigMaps, and these ConfigMaps."""
    return {
        **clusters("a"),
        "policies/all.yaml": everything(),
        **{f"apps/{name}.yaml": config_map(name, of=name) for name in names},
    }


def everything() -> Mapping[str, Any]:
    return policy("all", ("v1", "ConfigMap", ""), placement=EVERYWHERE)


def live(stage: Stage) -> set[str]:
    """The names of our ConfigMaps in member a."""
    folder = stage.members_dir / "a" / "shop" / "configmap"
    return {path.stem for path in folder.glob("*.yaml")} if folder.is_dir() else set()
