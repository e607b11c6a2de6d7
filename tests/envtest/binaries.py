"""Find the programs that the tests run: `KUBEBUILDER_ASSETS`, then the cache, else build them once.

`python -m tests.envtest.binaries [NAME…]` prepares the named programs (by default all) and prints where they are.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.envtest.gobuild import BuildError, Progress, build
from tests.envtest.programs import PROGRAMS, Program

ASSETS = "KUBEBUILDER_ASSETS"
_MACHINES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def binary(name: str, progress: Progress | None = None) -> Path:
    """Return the path of the program, and build it when it is nowhere."""
    found = find(name)
    if found:
        return found
    target = cached(PROGRAMS[name])
    build(PROGRAMS[name], cache(), target, progress or _say)
    return target


def find(name: str) -> Path | None:
    """Return the path of the program if it is there already."""
    assets = os.environ.get(ASSETS)
    candidates = [Path(assets) / name] if assets else []
    candidates.append(cached(PROGRAMS[name]))
    return next((path for path in candidates if path.is_file() and os.access(path, os.X_OK)), None)


def cache() -> Path:
    """Return the folder that keeps what was built between runs."""
    root = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(root) / "gitops-karmada" / "envtest"


def cached(program: Program) -> Path:
    """Return where the cache keeps the program: a folder for each version and platform."""
    machine = platform.machine().lower()
    folder = f"{program.version}-{sys.platform}-{_MACHINES.get(machine, machine)}"
    return cache() / folder / program.name


def main(arguments: Sequence[str]) -> int:
    unknown = sorted(set(arguments) - set(PROGRAMS))
    if unknown:
        print(f"unknown: {', '.join(unknown)}; known: {', '.join(PROGRAMS)}", file=sys.stderr)
        return 2
    try:
        for name in arguments or PROGRAMS:
            print(f"{name}: {binary(name)}", flush=True)
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
