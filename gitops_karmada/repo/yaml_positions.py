"""Where a field of a document stands: found by reading its events again, only when somebody asks."""

from collections.abc import Callable
from typing import TypeAlias

import yaml

from gitops_karmada.model.files import FieldPath
from gitops_karmada.model.problems import Location
from gitops_karmada.repo.libyaml import ALIAS, END_OF_LIST, END_OF_MAP, LIST, MAP, SCALAR, Event, events
from gitops_karmada.repo.yaml_chunks import Chunk, normalized, parser_text
from gitops_karmada.repo.yaml_scalars import key_text, plain

_Mark: TypeAlias = tuple[int, int]


class Positions:
    """Find lines and columns of one document."""

    __slots__ = ("_end", "_fetch", "_file", "_index", "_line", "_marks", "_start", "_text")

    def __init__(
        self, *, fetch: Callable[[], bytes] | None, text: bytes | None, chunk: Chunk, file: str, index: int
    ) -> None:
        self._fetch = fetch
        self._text = text
        self._start, self._end, self._line = chunk.start, chunk.end, chunk.line
        self._file, self._index = file, index
        self._marks: dict[FieldPath, _Mark] | None = None

    def __call__(self, path: FieldPath) -> Location:
        """The place of a field, or of the nearest parent that is written in the document."""
        if self._marks is None:
            self._marks = _marks(self._chunk_text())
        line, column = next(
            (self._marks[path[:n]] for n in range(len(path), -1, -1) if path[:n] in self._marks), (0, 0)
        )
        return Location(file=self._file, line=self._line + line, column=column, document=self._index)

    @property
    def span(self) -> tuple[int, int, int]:
        """Start and end in the normalized file, and the first line: enough to find the document again."""
        return self._start, self._end, self._line

    def _chunk_text(self) -> bytes:
        if self._text is not None:
            return self._text
        return normalized(self._fetch())[self._start : self._end] if self._fetch else b""


def _marks(text: bytes) -> dict[FieldPath, _Mark]:
    following = events(parser_text(text)[0])
    marks: dict[FieldPath, _Mark] = {}
    try:
        following()
        following()
        _note(following, following(), (), marks)
    except (yaml.YAMLError, AttributeError):
        pass
    return marks


def _note(following: Callable[[], Event], event: Event, path: FieldPath, marks: dict[FieldPath, _Mark]) -> None:
    marks.setdefault(path, (event.start_mark.line, event.start_mark.column + 1))
    if event.__class__ is LIST:
        index = 0
        while (item := following()).__class__ is not END_OF_LIST:
            _note(following, item, (*path, index), marks)
            index += 1
    elif event.__class__ is MAP:
        while (key := following()).__class__ is not END_OF_MAP:
            _note_entry(following, key, path, marks)


def _note_entry(following: Callable[[], Event], key: Event, path: FieldPath, marks: dict[FieldPath, _Mark]) -> None:
    inner = (*path, _name(key))
    if key.__class__ in (SCALAR, ALIAS):
        marks[inner] = (key.start_mark.line, key.start_mark.column + 1)
    else:
        _note(following, key, inner, marks)
    _note(following, following(), inner, marks)


def _name(key: Event) -> str:
    if key.__class__ is not SCALAR:
        return ""
    return key_text(plain(key.value)) if key.implicit[0] and key.tag is None else str(key.value)
