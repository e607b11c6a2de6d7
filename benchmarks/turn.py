"""What a turn costs: `python -m benchmarks.turn [--deployments 2000] [--members 2]` prints JSON.

Each figure is of one whole process (`gitops-karmada sync`), from its start to its end, over directory members and a
bare repository on this machine. Peak memory is the process's own; git's is not in it. `floor` is a process that only
starts Python and imports what a turn needs: what no turn can be faster than. Quote ratios, for machines differ.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.e2e.lab import Lab, cluster_manifest, deployment

FLOOR = [sys.executable, "-c", "import gitops_karmada.reconcile, gitops_karmada.members.fleet, git"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deployments", type=int, default=2000)
    parser.add_argument("--members", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measured(Path(folder), options.deployments, options.members), indent=2))


def measured(root: Path, deployments: int, members: int) -> dict[str, Any]:
    names = [f"member{number}" for number in range(1, members + 1)]
    lab = Lab(root, directories=names)
    files: dict[str, Any] = {f"clusters/{name}.yaml": roomy(name) for name in names}
    files |= {f"templates/web-{number:05}.yaml": deployment(f"web-{number:05}", 2) for number in range(deployments)}
    files["policies/all.yaml"] = everywhere()
    lab.commit("many", files)
    floor = cost(FLOOR, lab)
    sync = lab.command("sync", "-q")
    cold = cost(sync, lab)
    second = cost(sync, lab)
    lab.commit("one image", {"templates/web-00000.yaml": deployment("web-00000", 2, "registry.example/web:2")})
    changed = cost(sync, lab)
    turns = {"floor": floor, "cold": cold, "second": second, "one changed file": changed}
    return {
        "deployments": deployments,
        "members": members,
        "turns": turns,
        "ratios to cold": {name: round(turn["seconds"] / cold["seconds"], 3) for name, turn in turns.items()},
        "milliseconds an object, cold": round(cold["seconds"] * 1000 / (deployments * members), 3),
    }


def cost(command: Sequence[str], lab: Lab) -> dict[str, float]:
    """Seconds and MiB of one process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, env=lab.environment(), stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if code := os.waitstatus_to_exitcode(status):
        raise SystemExit(f"{' '.join(command)} ended with {code}")
    process.returncode = 0
    return {
        "seconds": round(seconds, 3),
        "cpu seconds": round(usage.ru_utime + usage.ru_stime, 3),
        "peak MiB": round(usage.ru_maxrss / 1024, 1),
    }


def roomy(name: str) -> dict[str, Any]:
    amounts = {"cpu": "100k", "memory": "100Ti", "pods": "1M"}
    return {**cluster_manifest(name), "status": {"resourceSummary": {"allocatable": amounts}}}


def everywhere() -> dict[str, Any]:
    return {
        "apiVersion": "policy.karmada.io/v1alpha1",
        "kind": "ClusterPropagationPolicy",
        "metadata": {"name": "all"},
        "spec": {
            "resourceSelectors": [{"apiVersion": "apps/v1", "kind": "Deployment"}],
            "placement": {"replicaScheduling": {"replicaSchedulingType": "Duplicated"}},
        },
    }


if __name__ == "__main__":
    main()
