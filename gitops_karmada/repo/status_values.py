"""The status branch as values: each file read and written in the format that its name says."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import orjson

from gitops_karmada.model.problems import RepositoryError
from gitops_karmada.repo.messages import Message
from gitops_karmada.repo.status_branch import Observe, Publication, StatusBranch, StatusTree
from gitops_karmada.repo.yaml_reader import read_documents
from gitops_karmada.repo.yaml_writer import write_json, write_yaml

# What the next turn reads. The rest (README, plain manifests of members) is for people and other tools.
_READ: Final = ("bindings/", "clusters/", "decisions/", "quotas/", "rebalancers/", "works/")
_READ_FILES: Final = frozenset({"federation.json", "memory.json"})


class StatusValues:
    """A status branch that keeps values. A content that was read once is not read again while the process lives."""

    def __init__(self, branch: StatusBranch) -> None:
        self._branch = branch
        self._known: dict[str, Any] = {}

    def observe(self, observe: Observe) -> None:
        """Tell `observe` of each step of reading and writing from now on."""
        self._branch.observe = observe

    def read(self) -> tuple[str | None, Mapping[str, Any]]:
        """The tip and its files, by path."""
        tree = self._branch.read()
        blobs = {path: tree.blob(path) or "" for path in tree if path.startswith(_READ) or path in _READ_FILES}
        fresh = [path for path, blob in blobs.items() if blob not in self._known]
        values = {path: value_of(path, data) for path, data in tree.contents(fresh)}
        self._known = {blob: values[path] if path in values else self._known[blob] for path, blob in blobs.items()}
        return _tip(tree), {path: self._known[blob] for path, blob in blobs.items()}

    def publish(self, base: str | None, files: Mapping[str, Any], message: Message, when: datetime) -> Publication:
        changes = {path: None if value is None else bytes_of(path, value) for path, value in files.items()}
        return self._branch.publish(base, changes, message, when)


def _tip(tree: StatusTree) -> str | None:
    return tree.commit.id if tree.commit else None


def bytes_of(path: str, value: Any) -> bytes:
    if path.endswith(".json"):
        return write_json(value)
    if path.endswith((".yaml", ".yml")):
        return write_yaml(value)
    return str(value).encode()


def value_of(path: str, data: bytes) -> Any:
    """The value of a file. A file that cannot be read stops the turn: what it said is unknown, not empty."""
    if path.endswith(".json"):
        try:
            return orjson.loads(data)
        except orjson.JSONDecodeError as error:
            raise _spoilt(path, str(error)) from error
    documents = read_documents(data, path)
    if documents.problems or len(documents.documents) != 1:
        found = "; ".join(str(problem) for problem in documents.problems) or "not one document"
        raise _spoilt(path, found)
    return documents.documents[0].value


def _spoilt(path: str, reason: str) -> RepositoryError:
    return RepositoryError(
        f"{path} on the status branch cannot be read: {reason}. "
        "Revert the commit that changed it by hand; nothing is decided or applied until then"
    )
