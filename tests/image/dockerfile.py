"""Reads a Dockerfile, and runs a stage's steps on this machine where they need no engine."""

from __future__ import annotations

import fnmatch
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    word: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What stands from one FROM to the next."""

    name: str
    instructions: tuple[Instruction, ...]

    def texts(self, word: str) -> tuple[str, ...]:
        return tuple(instruction.text for instruction in self.instructions if instruction.word == word)


def stages(text: str) -> tuple[Stage, ...]:
    """Return the stages of a Dockerfile, comments left out and continued lines joined."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    found: list[tuple[str, list[Instruction]]] = []
    for line in joined.splitlines():
        word, _, rest = line.partition(" ")
        rest = " ".join(rest.split())
        if word == "FROM":
            found.append((rest.partition(" AS ")[2], []))
        else:
            found[-1][1].append(Instruction(word=word, text=rest))
    return tuple(Stage(name=name, instructions=tuple(instructions)) for name, instructions in found)


def run_stage(stage: Stage, context: Path, root: Path, python: str) -> None:
    """Do what the stage does, with `root` for the file system; only COPY, RUN, ENV and WORKDIR are known."""
    folder = root
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    # `python` of the base image.
    (root / "bin").mkdir(parents=True)
    (root / "bin" / "python").symlink_to(python)
    environment["PATH"] = f"{root / 'bin'}:{environment['PATH']}"
    for instruction in stage.instructions:
        match instruction.word:
            case "WORKDIR":
                folder = Path(_moved(instruction.text, root))
                folder.mkdir(parents=True, exist_ok=True)
            case "ENV":
                environment |= _variables(_moved(instruction.text, root), environment)
            case "COPY":
                *sources, target = instruction.text.split()
                copy(context, sources, folder / target)
            case "RUN":
                command = ["sh", "-ec", _moved(instruction.text, root)]
                subprocess.run(command, cwd=folder, env=environment, check=True)
            case other:
                raise NotImplementedError(f"{other} {instruction.text}")


def copy(context: Path, sources: Sequence[str], target: Path) -> None:
    """Copy as COPY does: the contents of folders, and nothing that .dockerignore keeps out."""
    for source in sources:
        if not is_sent(context, source):
            raise FileNotFoundError(f"{source} is kept out by .dockerignore")
        if (context / source).is_dir():
            shutil.copytree(context / source, target, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
        else:
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy(context / source, target)


def is_sent(context: Path, source: str) -> bool:
    """Return whether .dockerignore lets the path into the build: the last line that matches decides."""
    sent = True
    for line in (context / ".dockerignore").read_text().split():
        pattern = line.removeprefix("!").removeprefix("**/")
        if any(fnmatch.fnmatch(part, pattern) for part in _heads(source)):
            sent = line.startswith("!")
    return sent


def _heads(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]


def _moved(text: str, root: Path) -> str:
    return re.sub(r"(?<![\w.$}])/(?=(?:opt|source|var)\b)", f"{root}/", text)


def _variables(text: str, environment: dict[str, str]) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in text.split()]
    return {name: value.replace("$PATH", environment["PATH"]) for name, _, value in pairs}
