"""The status branch as values: each file read and written in the format that its name says."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import orjson

from gitops_karmada.model.problems import RepositoryError
from gitops_karmada.repo.messages import Message
from gitops_karmada.repo.parse_cache import ParseCache
from gitops_karmada.repo.status_branch import Observe, Publication, Published, StatusBranch, StatusTree
from gitops_karmada.repo.tree import blob_id
from gitops_karmada.repo.yaml_reader import read_documents
from gitops_karmada.repo.yaml_writer import write_json, write_yaml

# What the next turn reads. The rest (README, plain manifests of members) is for people and other tools.
_READ: Final = ("bindings/", "clusters/", "decisions/", "quotas/", "rebalancers/", "works/")
_VALUES: Final = (".json", ".yaml", ".yml")
_READ_FILES: Final = frozenset({"federation.json", "memory.json"})


class _Files(Mapping[str, Any]):
    """Files that are read when they are first asked for: whoever knows the tip already does not ask."""

    def __init__(self, read: Callable[[], Mapping[str, Any]]) -> None:
        self._read = read

    @cached_property
    def _values(self) -> Mapping[str, Any]:
        return self._read()

    def __getitem__(self, path: str) -> Any:
        return self._values[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class StatusValues:
    """A status branch that keeps values. `cache` is a folder that saves reading the same content again."""

    def __init__(self, branch: StatusBranch, cache: Path | None = None) -> None:
        self._branch = branch
        self._cache = ParseCache(cache)

    def observe(self, observe: Observe) -> None:
        """Tell `observe` of each step of reading and writing from now on."""
        self._branch.observe = observe

    def read(self) -> tuple[str | None, Mapping[str, Any]]:
        """The tip and its files, by path."""
        tree = self._branch.read()
        paths = [path for path in tree if path.startswith(_READ) or path in _READ_FILES]
        return _tip(tree), _Files(lambda: dict(self._values(tree, paths)))

    def publish(self, base: str | None, files: Mapping[str, Any], message: Message, when: datetime) -> Publication:
        changes = {path: None if value is None else bytes_of(path, value) for path, value in files.items()}
        result = self._branch.publish(base, changes, message, when)
        if isinstance(result, Published):
            self._remember({path: content for path, content in changes.items() if content is not None}, files)
        return result

    def _values(self, tree: StatusTree, paths: list[str]) -> Iterator[tuple[str, Any]]:
        missing = []
        for path in paths:
            known = self._cache.find(tree.blob(path) or "", path, bytes)
            if known is not None and len(known.documents) == 1:
                yield path, known.documents[0].value
            else:
                missing.append(path)
        for path, data in tree.contents(missing):
            value = value_of(path, data)
            self._cache.keep_written(tree.blob(path) or "", value, len(data))
            yield path, value
        self._cache.save()

    def _remember(self, contents: Mapping[str, bytes], values: Mapping[str, Any]) -> None:
        """What was written is what will be read: the writer is held to that."""
        for path, content in contents.items():
            if path.endswith(_VALUES) and (text := _as_json(values[path])):
                self._cache.keep_written(blob_id(content), orjson.loads(text), len(content))
        self._cache.save()


def _tip(tree: StatusTree) -> str | None:
    return tree.commit.id if tree.commit else None


def bytes_of(path: str, value: Any) -> bytes:
    if path.endswith(".json"):
        return write_json(value)
    if path.endswith((".yaml", ".yml")):
        return write_yaml(value)
    return str(value).encode()


def _as_json(value: Any) -> bytes | None:
    """The value as JSON, or None for the few that only YAML holds (integers beyond 64 bits)."""
    try:
        return write_json(value)
    except TypeError:
        return None


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
