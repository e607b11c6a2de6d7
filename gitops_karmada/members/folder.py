"""A folder of manifests as the shelf of a store.

What we write lies in `<namespace|_cluster>/<kind>[.<group>]/<name>.yaml`; other files are read too, so that people
can put objects (nodes, pods, things of other tools) there by hand. What a server would know besides the manifest (UID,
version, managed fields) lies in a hidden folder beside them. A file that was edited since counts as a person's edit.
"""

import contextlib
import os
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

import orjson
import yaml

from gitops_karmada.members.refusals import UnreachedError
from gitops_karmada.members.server_side_apply import Managed, entry_object, updated
from gitops_karmada.members.store import FIRST_VERSION, SPACE
from gitops_karmada.model.managed_fields import entries_of
from gitops_karmada.model.objects import Key, Object, dig, key_of, metadata_of

HIDDEN = ".gitops-karmada"
EDITOR = "directory-edit"
SUFFIXES = frozenset({".yaml", ".yml", ".json"})

# Names have up to 253 characters, files up to 255, of which our endings take their part.
LONGEST = 220

Reader: TypeAlias = Callable[[bytes], Iterable[Any]]
Writer: TypeAlias = Callable[[Object], bytes]


def read_yaml(text: bytes) -> Iterable[Any]:
    """All documents of a file. JSON, which we write unless told otherwise, takes the short way."""
    if text.startswith(b"{"):
        with contextlib.suppress(orjson.JSONDecodeError):
            return [orjson.loads(text)]
    return list(yaml.load_all(text, Loader=yaml.CSafeLoader))


def write_json(obj: Object) -> bytes:
    """JSON is YAML, and no reader takes it for anything else."""
    return orjson.dumps(obj, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A file as it was read: its time and size, and what it holds."""

    stamp: tuple[int, int]
    keys: tuple[Key, ...]


class Folder:
    """Keeps each object in a file of its own, written whole or not at all."""

    def __init__(self, root: Path, *, read: Reader = read_yaml, write: Writer = write_json) -> None:
        self.objects: MutableMapping[Key, Object] = {}
        self._root = root
        self._read = read
        self._write = write
        self._seen: dict[Path, Seen] = {}
        self._where: dict[Key, Path] = {}
        self._folders: set[Path] = set()
        self.version = FIRST_VERSION

    def refresh(self) -> None:
        """Read what changed on disk since the last time."""
        self.version = max(self.version, self._stored_version())
        found = dict(_files(self._root))
        for path in [path for path in self._seen if path not in found]:
            self._forget(path)
        for path, stamp in sorted(found.items()):
            seen = self._seen.get(path)
            if seen is None or seen.stamp != stamp:
                self._load(path, stamp)

    def save(self, key: Key, obj: Object) -> None:
        path = self._root / file_of(key)
        self._take_from_other_file(key, path)
        text = self._write(_manifest(obj))
        self._put(self._memo(key), _memo_text(obj, text))
        self._put(path, text)
        self._hold(path, {key: obj}, _stamp(path))

    def remove(self, key: Key) -> None:
        path = self._root / file_of(key)
        # What is left tells how far versions were counted, so only a removal has to write that down.
        self._put(self._root / HIDDEN / "version", str(self.version).encode())
        self._take_from_other_file(key, path)
        path.unlink(missing_ok=True)
        self._memo(key).unlink(missing_ok=True)
        self._seen.pop(path, None)
        self._where.pop(key, None)
        self.objects.pop(key, None)

    def _hold(self, path: Path, held: Mapping[Key, Object], stamp: tuple[int, int]) -> None:
        self.objects.update(held)
        self._where.update(dict.fromkeys(held, path))
        self._seen[path] = Seen(stamp=stamp, keys=tuple(held))

    def _memo(self, key: Key) -> Path:
        return (self._root / HIDDEN / file_of(key)).with_suffix(".json")

    def _put(self, path: Path, text: bytes) -> None:
        try:
            if path.parent not in self._folders:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._folders.add(path.parent)
            _write_whole(path, text)
        except OSError as error:
            raise UnreachedError(f"{path} cannot be written: {error.strerror}") from error

    def _stored_version(self) -> int:
        try:
            return int((self._root / HIDDEN / "version").read_text())
        except (OSError, ValueError):
            return FIRST_VERSION

    def _forget(self, path: Path) -> None:
        self._folders.discard(path.parent)
        for key in self._seen.pop(path).keys:
            self.objects.pop(key, None)
            self._where.pop(key, None)
            self._memo(key).unlink(missing_ok=True)

    def _load(self, path: Path, stamp: tuple[int, int]) -> None:
        text = path.read_bytes()
        held = self._known(path, text) or self._edited(path, text)
        before = self._seen.get(path)
        for key in set(before.keys if before else ()) - set(held):
            self.objects.pop(key, None)
            self._where.pop(key, None)
        for obj in held.values():
            self.version = max(self.version, int(metadata_of(obj)["resourceVersion"]))
        self._hold(path, held, stamp)

    def _known(self, path: Path, text: bytes) -> Mapping[Key, Object] | None:
        """The object of a file that nobody changed since we wrote it."""
        memo = (self._root / HIDDEN / path.relative_to(self._root)).with_suffix(".json")
        try:
            kept = orjson.loads(memo.read_bytes())
        except (OSError, orjson.JSONDecodeError):
            return None
        if dig(kept, "digest") != _digest(text):
            return None
        return {key_of(kept["object"]): kept["object"]}

    def _edited(self, path: Path, text: bytes) -> Mapping[Key, Object]:
        try:
            documents = [obj for document in self._read(text) for obj in _items(document)]
        except (yaml.YAMLError, ValueError) as error:
            raise UnreachedError(f"{path} cannot be read: {error}") from error
        return {key_of(obj): self._adopted(obj) for obj in documents}

    def _adopted(self, obj: Object) -> Object:
        """A person's object or edit, with what a server would know of it."""
        key = key_of(obj)
        before = self.objects.get(key) or self._remembered(key)
        managed = Managed(object=_manifest(before) if before else _bare_named(obj), entries=entries_of(before or {}))
        given = entries_of(obj)
        after = updated(managed, _manifest(obj), EDITOR) if not given or before else Managed(object=obj, entries=given)
        self.version += 1
        entries = [entry_object(entry) for entry in after.entries]
        metadata = {
            **metadata_of(_manifest(obj)),
            "uid": _uid(obj, before, self._root.name),
            "resourceVersion": str(self.version),
            "generation": int(dig(before, "metadata", "generation") or 0) + 1,
            **({"managedFields": entries} if entries else {}),
        }
        return {**obj, "metadata": metadata}

    def _remembered(self, key: Key) -> Object | None:
        try:
            kept = orjson.loads(self._memo(key).read_bytes())
        except (OSError, orjson.JSONDecodeError):
            return None
        found = kept.get("object")
        return found if isinstance(found, Mapping) else None

    def _take_from_other_file(self, key: Key, own: Path) -> None:
        """An object that a person put elsewhere moves to its own file."""
        path = self._where.get(key, own)
        if path == own:
            return
        rest = tuple(other for other in self._seen[path].keys if other != key)
        if rest:
            self._put(path, b"---\n".join(self._write(_manifest(self.objects[other])) for other in rest))
            self._seen[path] = Seen(stamp=_stamp(path), keys=rest)
        else:
            path.unlink(missing_ok=True)
            del self._seen[path]


def file_of(key: Key) -> Path:
    """Where an object lies. No part of a name may leave its folder; one too long for a file is cut, with a digest."""
    kind = f"{key.kind.lower()}.{key.group}" if key.group else key.kind.lower()
    parts = (key.namespace or "_cluster", kind, f"{_fitting(key.name)}.yaml")
    if not key.name or any("/" in part or "\\" in part or part.startswith(".") or "\0" in part for part in parts):
        raise UnreachedError(f"{key}: this name cannot be a file of a directory member")
    return Path(*parts)


def _fitting(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[:LONGEST]}~{_digest(name.encode())[:8]}"


def _files(root: Path) -> Iterator[tuple[Path, tuple[int, int]]]:
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if not name.startswith(".")]
        for name in files:
            path = Path(folder, name)
            if path.suffix in SUFFIXES and not name.startswith(".") and path.is_file():
                yield path, _stamp(path)


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_size


def _write_whole(path: Path, text: bytes) -> None:
    """Whoever reads sees the old file or the new one. The folder is one writer's, so one unfinished name is enough."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    unfinished.write_bytes(text)
    unfinished.replace(path)


def _memo_text(obj: Object, text: bytes) -> bytes:
    return orjson.dumps({"digest": _digest(text), "object": obj})


def _digest(text: bytes) -> str:
    return sha256(text).hexdigest()


def _items(document: Any) -> Sequence[Object]:
    """The objects of a document: itself, or the items of a list."""
    if not isinstance(document, Mapping):
        return ()
    items = document.get("items")
    if str(document.get("kind") or "").endswith("List") and isinstance(items, Sequence):
        kind = str(document["kind"]).removesuffix("List")
        version = document.get("apiVersion")
        own = {"apiVersion": version, "kind": kind} if kind else {}
        return [{**own, **item} for item in items if isinstance(item, Mapping)]
    return (document,) if document.get("kind") and metadata_of(document).get("name") else ()


def _manifest(obj: Object) -> Object:
    """What a person sees of the object."""
    hidden = ("managedFields", "uid", "resourceVersion", "generation")
    return {**obj, "metadata": {name: item for name, item in metadata_of(obj).items() if name not in hidden}}


def _bare_named(obj: Object) -> Object:
    named = {name: item for name, item in metadata_of(obj).items() if name in ("name", "namespace")}
    return {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": named}


def _uid(obj: Object, before: Object | None, name: str) -> str:
    given = metadata_of(obj).get("uid") or metadata_of(before or {}).get("uid")
    return str(given or uuid.uuid5(SPACE, f"{name}/{key_of(obj)}"))
