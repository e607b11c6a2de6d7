"""Runs a workflow of a repository with a real runner (`act`), on this machine, without containers."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.envtest.binaries import binary

# What a step that installs needs to find its packages on this machine.
_PASSED = ("PIP_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT", "REQUESTS_CA")


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """What GitHub would show at a line."""

    severity: str
    properties: Mapping[str, str]
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What came of a workflow. `outputs` and `summary` are those of the step with the asked id."""

    succeeded: bool
    annotations: tuple[Annotation, ...]
    outputs: Mapping[str, str]
    summary: str
    said: str


def run_workflow(repository: Path, step: str, cache: Path, event: str = "pull_request") -> Run:
    """Run the event's workflows of the repository (a Git work tree) and report on the step with this id."""
    command = [str(binary("act")), event, "--json", "--pull=false", "-P", "ubuntu-latest=-self-hosted"]
    for name, value in sorted(os.environ.items()):
        if name.upper().startswith(_PASSED):
            command += ["--env", f"{name}={value}"]
    # A cache of its own: the runner's copy of the workspace lies there.
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "DOCKER_HOST": ""}
    done = subprocess.run(
        command,
        cwd=repository,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    return _run(done.returncode == 0, [json.loads(line) for line in done.stdout.splitlines() if line[:1] == "{"], step)


def _run(succeeded: bool, lines: list[dict[str, Any]], step: str) -> Run:
    # An action's own steps have its id in front of their own; what the action hands on comes under its id alone.
    own = [line for line in lines if line.get("stepID") == [step]]
    told = [line for line in lines if line.get("stepID", [])[:1] == [step] and line.get("command") == "summary"]
    # The runner repeats the last of an action's own steps under the action's id.
    summaries = [line for line in told if len(line["stepID"]) > 1] or told
    return Run(
        succeeded=succeeded,
        annotations=tuple(_annotation(line) for line in lines if line.get("command") in ("error", "warning", "notice")),
        outputs={line["name"]: line["arg"] for line in own if line.get("command") == "set-output"},
        summary="".join(line["content"] for line in summaries),
        said="\n".join(str(line.get("msg", "")).rstrip("\n") for line in lines),
    )


def _annotation(line: dict[str, Any]) -> Annotation:
    return Annotation(severity=line["command"], properties=line.get("kvPairs") or {}, message=line["arg"])
