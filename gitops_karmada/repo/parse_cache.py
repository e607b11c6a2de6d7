"""What files mean, kept between runs: a line for each content, by Git blob id. Lost or damaged, it is made anew."""

import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from gitops_karmada.model.files import Document, Documents
from gitops_karmada.repo.yaml_chunks import Chunk
from gitops_karmada.repo.yaml_positions import Positions

# Part of the file's name: raise it with every change of what the reader makes of a text.
VERSION = 1


class ParseCache:
    """Clean readings by content. Files with findings are read again each time, so that the findings stay exact."""

    def __init__(self, folder: Path | None = None) -> None:
        self._file = folder / f"parsed-{VERSION}.jsonl" if folder else None
        self._lines = _loaded(self._file) if self._file else {}
        self._fresh: dict[str, bytes] = {}
        self._used: set[str] = set()

    def find(self, blob: str, file: str, fetch: Callable[[], bytes]) -> Documents | None:
        line = self._lines.get(blob)
        if line is None:
            return None
        self._used.add(blob)
        try:
            rows = orjson.loads(_checked(line))
            return Documents(documents=tuple(_document(row, file, fetch) for row in rows))
        except (ValueError, TypeError):
            del self._lines[blob]
            return None

    def keep(self, blob: str, documents: Documents) -> None:
        if self._file is None or documents.problems or not documents.complete:
            return
        self._keep(blob, [_row(document) for document in documents.documents])

    def _keep(self, blob: str, rows: list[Any]) -> None:
        try:
            content = orjson.dumps(rows, default=dict)
        except (TypeError, ValueError):
            return
        self._fresh[blob] = b"%08x %s" % (zlib.crc32(content), content)

    def keep_written(self, blob: str, value: Any, size: int) -> None:
        """What was written as one document of `size` bytes need not be read to be known."""
        if self._file is not None:
            self._keep(blob, [[value, 1, 1, 0, size, 1]])

    def save(self) -> None:
        """Write what is new; write all anew when most of the file is no longer asked for."""
        if self._file is None or not self._fresh:
            return
        self._used.update(self._fresh)
        self._lines.update(self._fresh)
        crowded = len(self._lines) > 2 * len(self._used) + 1000
        lines = {blob: self._lines[blob] for blob in sorted(self._used)} if crowded else self._fresh
        content = b"".join(b"%s %s\n" % (blob.encode(), line) for blob, line in lines.items())
        try:
            _replace(self._file, content) if crowded else _append(self._file, content)
        except OSError:
            return
        self._fresh = {}


def _row(document: Document) -> list[Any]:
    if not isinstance(document.locate, Positions):
        raise TypeError("the document cannot be found again")
    return [document.value, document.line, document.index, *document.locate.span]


def _document(row: list[Any], file: str, fetch: Callable[[], bytes]) -> Document:
    value, line, index, start, end, first = row
    chunk = Chunk(text=b"", line=first, start=start, end=end)
    locate = Positions(fetch=fetch, text=None, chunk=chunk, file=file, index=index)
    return Document(value=value, file=file, line=line, index=index, locate=locate)


def _loaded(file: Path) -> dict[str, bytes]:
    try:
        content = file.read_bytes()
    except OSError:
        return {}
    found = {}
    for line in content.split(b"\n")[:-1]:
        blob, _, rest = line.partition(b" ")
        found[blob.decode("ascii", "replace")] = rest
    return found


def _checked(line: bytes) -> bytes:
    check, _, content = line.partition(b" ")
    if int(check, 16) != zlib.crc32(content):
        raise ValueError("damaged")
    return content


def _append(file: Path, content: bytes) -> None:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(handle, "ab") as stream:
        # A line that a crash cut short is ended, so that it spoils none of ours.
        stream.write(b"\n" + content if stream.tell() else content)


def _replace(file: Path, content: bytes) -> None:
    fresh = file.with_suffix(f".{os.getpid()}.new")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)
    fresh.replace(file)
