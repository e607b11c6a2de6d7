"""gitops-karmada.yaml: the operator's settings, read from the tree that they stand in."""

import re
from collections.abc import Iterator

from gitops_karmada.model.decode import Fault, decode
from gitops_karmada.model.files import FieldPath, Manifest
from gitops_karmada.model.objects import key_of
from gitops_karmada.model.problems import Location, Problem, SettingsError, Severity
from gitops_karmada.model.settings import API_VERSION, FILE, KIND, Settings
from gitops_karmada.repo.manifests import read_file
from gitops_karmada.repo.tree import SourceTree

CODE = "GK8002"


class WrongSettingsError(SettingsError):
    """The settings cannot be used; each finding has its line, and `excerpt` is the text of it."""

    def __init__(self, problems: tuple[Problem, ...], data: bytes = b"") -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = problems
        self._lines = data.decode("utf-8", "replace").splitlines()

    def excerpt(self, location: Location) -> str | None:
        return self._lines[location.line - 1] if 0 < location.line <= len(self._lines) else None


def settings_in(tree: SourceTree) -> tuple[Settings, tuple[Problem, ...]]:
    """The settings of a tree, with what is odd in them. Settings that cannot be understood are an error."""
    if FILE not in tree.files:
        where = f"commit {tree.commit.id[:7]}" if tree.commit.id else "this folder"
        hint = "A federation repository has one at its root; start one: gitops-karmada init"
        raise SettingsError(f"there is no {FILE} in {where}\n{hint}")
    ((_, data),) = tree.contents([FILE])
    found = read_file(data, FILE)
    manifest = next((it for it in found.manifests if it.object.get("kind") == KIND), None)
    if manifest is None:
        raise WrongSettingsError(found.problems or (_no_settings(),), data)
    decoded = decode(Settings, manifest.object)
    problems = (*found.problems, *(_problem(fault, manifest) for fault in decoded.faults), *_identity(manifest))
    if decoded.value is None or any(problem.severity is Severity.ERROR for problem in problems):
        raise WrongSettingsError(problems, data)
    return decoded.value, problems


def _no_settings() -> Problem:
    return Problem(
        code=CODE,
        location=Location(file=FILE),
        message=f"the file holds no object of kind {KIND}",
        hint=f"It begins with apiVersion: {API_VERSION} and kind: {KIND}; see the one that gitops-karmada init writes",
    )


def _identity(manifest: Manifest) -> Iterator[Problem]:
    version = manifest.object.get("apiVersion")
    if version != API_VERSION:
        message = f"expected {API_VERSION}, got {version}"
        yield Problem(code=CODE, location=manifest.locate(("apiVersion",)), path="apiVersion", message=message)


def _problem(fault: Fault, manifest: Manifest) -> Problem:
    return Problem(
        code=CODE,
        severity=Severity.ERROR if fault.fatal else Severity.WARNING,
        location=manifest.locate(_steps(fault.path)),
        subject=str(key_of(manifest.object)),
        path=fault.path,
        message=fault.message,
    )


def _steps(path: str) -> FieldPath:
    """`spec.members[0].mode` → ("spec", "members", 0, "mode")."""
    return tuple(int(index) if index else name for index, name in re.findall(r"\[(\d+)\]|([^.\[\]]+)", path))
