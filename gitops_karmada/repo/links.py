"""Symbolic links of a tree, followed by name only and never out of it."""

import posixpath
from collections.abc import Mapping
from enum import StrEnum

from gitops_karmada.repo.tree import LINK, TreeFile

_MOST_STEPS = 40


class Dead(StrEnum):
    """Why a link leads to no file."""

    OUTSIDE = "leads out of the repository"
    LOOP = "leads back to itself"
    MISSING = "leads to nothing"


def follow(path: str, targets: Mapping[str, str], files: Mapping[str, TreeFile], folders: frozenset[str]) -> str | Dead:
    """The path that a link stands for: of a file or of a folder (the root is the empty string).

    `targets` has the text of each link in the tree.
    """
    steps = 0
    remaining = path.split("/")
    real: list[str] = []
    while remaining:
        part = remaining.pop(0)
        if part in ("", "."):
            continue
        if part == "..":
            if not real:
                return Dead.OUTSIDE
            real.pop()
            continue
        here = "/".join([*real, part])
        if here in files and files[here].mode == LINK:
            steps += 1
            target = targets.get(here, "")
            if steps > _MOST_STEPS:
                return Dead.LOOP
            if target.startswith("/"):
                return Dead.OUTSIDE
            remaining = [*target.split("/"), *remaining]
        elif here in files or here in folders:
            real.append(part)
        else:
            return Dead.MISSING if _stays_inside([*real, part, *remaining]) else Dead.OUTSIDE
    return "/".join(real)


def folders_of(files: Mapping[str, TreeFile]) -> frozenset[str]:
    """Every folder that holds a file, at any depth."""
    found: set[str] = set()
    for path in files:
        folder = posixpath.dirname(path)
        while folder and folder not in found:
            found.add(folder)
            folder = posixpath.dirname(folder)
    return frozenset(found)


def _stays_inside(parts: list[str]) -> bool:
    return not posixpath.normpath("/".join(parts)).startswith("..")
