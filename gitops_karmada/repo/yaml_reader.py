"""YAML as kubectl reads it: libyaml's events, Kubernetes' meaning of scalars, and nothing that can hurt."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import yaml

from gitops_karmada.model.files import Document, Documents, Limits
from gitops_karmada.model.problems import Location, Problem, Severity
from gitops_karmada.repo.libyaml import END_OF_LIST, END_OF_MAP, END_OF_STREAM, LIST, MAP, SCALAR, Event, events
from gitops_karmada.repo.yaml_chunks import BYTE_ORDER_MARK, Chunk, chunks, normalized, parser_text, restored
from gitops_karmada.repo.yaml_faults import Fault, Stop, fault_of, problem_of
from gitops_karmada.repo.yaml_plain import plain_document
from gitops_karmada.repo.yaml_positions import Positions
from gitops_karmada.repo.yaml_scalars import MERGE, TAG, Scalar, ScalarError, json_number, key_text, plain, tagged

DEFAULT_LIMITS = Limits()
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_MISSING: Any = object()


def read_documents(
    data: bytes, file: str, *, limits: Limits = DEFAULT_LIMITS, fetch: Callable[[], bytes] | None = None
) -> Documents:
    """The documents of a file that are not empty, in order. A bad one costs only itself.

    `fetch` reads the file again when a position is asked for; without it the bytes are kept.
    """
    if len(data) > limits.file_bytes:
        return _refused(file, "GK1025", f"the file has {len(data):,} bytes, the limit is {limits.file_bytes:,}")
    if data.startswith(_UTF16):
        return _refused(file, "GK1011", "the file is UTF-16 text", "Save it as UTF-8")
    from_json = _json_documents(data, file, limits)
    return from_json or _yaml_documents(data, file, limits, fetch)


def _refused(file: str, code: str, message: str, hint: str = "") -> Documents:
    problem = Problem(code=code, location=Location(file=file), message=message, hint=hint)
    return Documents(problems=(problem,), complete=False)


def _yaml_documents(data: bytes, file: str, limits: Limits, fetch: Callable[[], bytes] | None) -> Documents:
    data = normalized(data)
    documents: list[Document] = []
    problems: list[Problem] = []
    complete = True
    for chunk in chunks(data):
        index = len(documents) + 1
        if index > limits.documents:
            return _refused(file, "GK1025", f"the file has more than {limits.documents:,} documents")
        value, line, faults = _document(chunk, limits)
        problems.extend(problem_of(fault, file, chunk, index) for fault in faults)
        if any(fault.severity is Severity.ERROR for fault in faults):
            complete = False
        elif value is not None:
            locate = Positions(fetch=fetch, text=None if fetch else chunk.text, chunk=chunk, file=file, index=index)
            documents.append(Document(value=value, file=file, line=line, index=index, locate=locate))
    return Documents(documents=tuple(documents), problems=tuple(problems), complete=complete)


def _document(chunk: Chunk, limits: Limits) -> tuple[Any, int, list[Fault]]:
    if not chunk.bad_separator and (found := plain_document(chunk.text, limits.depth)):
        return found[0], chunk.line + found[1], []
    return exact_document(chunk, limits)


def exact_document(chunk: Chunk, limits: Limits) -> tuple[Any, int, list[Fault]]:
    """The value of a chunk, its line and what is wrong with it, by the reader that knows all of YAML."""
    reading = _Reading(chunk, limits)
    value, line = reading.document()
    return value, line, reading.faults


class _Reading:
    """The reading of one chunk. Faults gather; only what makes the rest unreadable stops it."""

    __slots__ = ("anchors", "chunk", "expanded", "faults", "limits", "next")

    def __init__(self, chunk: Chunk, limits: Limits) -> None:
        self.chunk = chunk
        self.limits = limits
        self.faults: list[Fault] = []
        self.anchors: dict[str, Any] = {}
        self.expanded = 0

    def document(self) -> tuple[Any, int]:
        """The value and its line; None where there is nothing or it cannot be used."""
        if self.chunk.bad_separator:
            self.faults.append(_bad_separator(self.chunk))
            return None, 0
        text, warning = parser_text(self.chunk.text)
        if warning:
            self.faults.append(Fault(code="GK1026", line=0, message=warning, severity=Severity.WARNING))
        try:
            self.next = events(text)
            value, line = self._first_document()
            return (restored(value), line) if warning else (value, line)
        except Stop as stop:
            self.faults.append(stop.fault)
        except yaml.YAMLError as error:
            self.faults.append(fault_of(error, text))
        return None, 0

    def _first_document(self) -> tuple[Any, int]:
        self.next()
        event = self.next()
        if event.__class__ is END_OF_STREAM:
            return None, 0
        first = self.next()
        line = first.start_mark.line + self.chunk.line
        value = self._node(first, 0)
        # The end of the document must be reached: what is wrong there would go unseen.
        self.next()
        self._warn_of_rest()
        return value, line

    def _warn_of_rest(self) -> None:
        line = 0
        try:
            event = self.next()
            if event.__class__ is END_OF_STREAM:
                return
            line = event.start_mark.line
        except yaml.YAMLError as error:
            line = fault_of(error, self.chunk.text).line
        message = "text after the end of the document is ignored"
        self.faults.append(Fault(code="GK1022", line=line, message=message, severity=Severity.WARNING))

    def _node(self, event: Event, depth: int) -> Any:
        kind = event.__class__
        if kind is SCALAR:
            return self._scalar(event)
        if depth >= self.limits.depth:
            raise Stop(_fault(event, "GK1003", f"maps and lists are nested more than {self.limits.depth} levels deep"))
        if kind is MAP:
            return self._anchored(event, self._mapping, depth + 1)
        if kind is LIST:
            return self._anchored(event, self._sequence, depth + 1)
        return self._alias(event, depth)

    def _anchored(self, event: Event, read: Callable[[int], Any], depth: int) -> Any:
        anchor = event.anchor
        if anchor is None:
            return read(depth)
        self.anchors[anchor] = _MISSING
        value = read(depth)
        self.anchors[anchor] = value
        return value

    def _scalar(self, event: Event) -> Any:
        value = self._resolved(event)
        if value.__class__ is float:
            if value - value != 0:
                self.faults.append(
                    _fault(event, "GK1010", f"{event.value} has no form in JSON", "Quote it if it is text")
                )
                return None
            value = json_number(value)
        if event.anchor is not None:
            self.anchors[event.anchor] = value
        return value

    def _resolved(self, event: Event) -> Scalar:
        tag = event.tag
        if tag is None:
            return plain(event.value) if event.implicit[0] else str(event.value)
        try:
            return tagged(tag, event.value)
        except ScalarError as error:
            self.faults.append(_fault(event, "GK1010", str(error), "Remove the tag, or correct the value"))
            return None

    def _sequence(self, depth: int) -> list[Any]:
        following, node = self.next, self._node
        items: list[Any] = []
        while True:
            event = following()
            if event.__class__ is END_OF_LIST:
                return items
            items.append(node(event, depth))

    def _mapping(self, depth: int) -> dict[str, Any]:
        following, node = self.next, self._node
        mapping = _Mapping(self)
        values, lines = mapping.values, mapping.lines
        while True:
            event = following()
            if event.__class__ is END_OF_MAP:
                return values
            if event.__class__ is not SCALAR or event.tag is not None or event.anchor is not None:
                key = self._unusual_key(event, depth)
            elif event.implicit[0]:
                key = plain(event.value)
                if key == MERGE:
                    mapping.merge(event, following(), depth)
                    continue
            else:
                key = event.value
            if key.__class__ is not str or key in lines:
                mapping.add_unusual(event, key, node(following(), depth))
            else:
                lines[key] = event.start_mark.line
                values[key] = node(following(), depth)

    def _unusual_key(self, event: Event, depth: int) -> Any:
        if event.__class__ is SCALAR and event.tag == TAG + "merge":
            return MERGE
        if event.__class__ is not SCALAR:
            return self._node(event, depth)
        value = self._resolved(event)
        if event.anchor is not None:
            self.anchors[event.anchor] = value
        return value

    def _alias(self, event: Event, depth: int) -> Any:
        value = self.anchored_value(event)
        return self.copied(value, event, depth)

    def anchored_value(self, event: Event) -> Any:
        name = event.anchor
        if name not in self.anchors:
            hint = "An anchor must come first, in the same document (--- ends its reach); quote text that starts with *"
            raise Stop(_fault(event, "GK1010", f"unknown anchor {name!r}", hint))
        value = self.anchors[name]
        if value is _MISSING:
            raise Stop(_fault(event, "GK1010", f"anchor {name!r} contains itself"))
        return value

    def copied(self, value: Any, event: Event, depth: int) -> Any:
        """A value of its own, so that no two places of a document share what they hold."""
        self.expanded += 1
        if self.expanded > self.limits.nodes:
            message = f"the aliases of this document expand to more than {self.limits.nodes:,} values"
            raise Stop(_fault(event, "GK1003", message, "Write the values out"))
        if value.__class__ is dict:
            self._check_depth(event, depth)
            return {key: self.copied(item, event, depth + 1) for key, item in value.items()}
        if value.__class__ is list:
            self._check_depth(event, depth)
            return [self.copied(item, event, depth + 1) for item in value]
        return value

    def _check_depth(self, event: Event, depth: int) -> None:
        if depth >= self.limits.depth:
            raise Stop(_fault(event, "GK1003", f"aliases nest more than {self.limits.depth} levels deep"))


class _Mapping:
    """A map while it is read. `lines` has the keys that were written; `values` also those that were merged in."""

    __slots__ = ("kinds", "lines", "merged", "reading", "values")

    def __init__(self, reading: _Reading) -> None:
        self.reading = reading
        self.values: dict[str, Any] = {}
        self.lines: dict[str, int] = {}
        self.kinds: dict[str, tuple[type, Any]] = {}
        self.merged = -1

    def add_unusual(self, event: Event, key: Any, value: Any) -> None:
        """A key that is no text, or that is there already."""
        if key is None:
            self._fault(event, "GK1010", "a key is null", "Quote the key, or remove the line")
        elif isinstance(key, dict | list):
            hint = "Quote it if it is a {{ placeholder }}; templates must be rendered before they are committed"
            self._fault(event, "GK1010", "a map or list stands where a key must", hint)
        elif isinstance(key, int) and not isinstance(key, bool) and key >= 2**63:
            self._fault(event, "GK1010", f"the number {key} is too large for a key", "Quote it")
        else:
            self._add(event, key, key_text(key), value)

    def _add(self, event: Event, key: Any, text: str, value: Any) -> None:
        kind = (key.__class__, key)
        if text in self.lines:
            self._collision(event, kind, text)
        elif text in self.values and key.__class__ is not str:
            # kubectl's strict reader refuses every overriding key; for text this is what `<<` is for.
            message = f"key {event.value!r}, which is read as {text!r}, overrides a merged key of another type"
            self._fault(event, "GK1024", message, "Quote the key")
        self.values[text] = value
        self.kinds[text] = kind
        self.lines.setdefault(text, event.start_mark.line)

    def _collision(self, event: Event, kind: tuple[type, Any], text: str) -> None:
        before = self.reading.chunk.line + self.lines[text]
        if self.kinds.get(text, (str, text)) == kind:
            self._fault(event, "GK1001", f"duplicate key {text!r}, first on line {before}", "Remove one of the two")
        else:
            message = f"keys {text!r} on line {before} and here become the same; the last one counts"
            self._fault(event, "GK1023", message, "Quote keys, and remove one of the two", Severity.WARNING)

    def merge(self, key: Event, event: Event, depth: int) -> None:
        if self.merged >= 0:
            before = self.reading.chunk.line + self.merged
            self._fault(key, "GK1001", f"duplicate key '<<', first on line {before}", "Write <<: [*a, *b]")
        self.merged = key.start_mark.line
        value = self.reading._node(event, depth)
        for source in value if isinstance(value, list) else [value]:
            if not isinstance(source, dict):
                self._fault(key, "GK1024", "only maps can be merged with <<")
                return
            self._merge_one(key, source)

    def _merge_one(self, key: Event, source: dict[str, Any]) -> None:
        for name, value in source.items():
            if name in self.lines:
                before = self.reading.chunk.line + self.lines[name]
                message = f"the merged key {name!r} is already set on line {before}; readers disagree on which counts"
                self._fault(key, "GK1024", message, "Write the << line first")
            self.values.setdefault(name, value)

    def _fault(
        self, event: Event, code: str, message: str, hint: str = "", severity: Severity = Severity.ERROR
    ) -> None:
        self.reading.faults.append(_fault(event, code, message, hint, severity))


def _fault(event: Event, code: str, message: str, hint: str = "", severity: Severity = Severity.ERROR) -> Fault:
    mark = event.start_mark
    return Fault(code=code, line=mark.line, column=mark.column + 1, message=message, hint=hint, severity=severity)


def _bad_separator(chunk: Chunk) -> Fault:
    message = f"a document separator followed by {chunk.bad_separator[:40]!r}"
    hint = "kubectl allows only a comment after ---; start the document on the next line"
    return Fault(code="GK1010", line=chunk.bad_line - chunk.line, column=1, message=message, hint=hint)


def _json_documents(data: bytes, file: str, limits: Limits) -> Documents | None:
    """The documents of a file of JSON values, or None where it is something else: then it is read as YAML."""
    if data.lstrip(BYTE_ORDER_MARK + b" \t\r\n")[:1] != b"{":
        return None
    try:
        text = data.decode("utf-8-sig")
        found = list(_json_values(text))
        if any(_depth(value) > limits.depth for value, _, _ in found):
            return None
    except (ValueError, RecursionError):
        return None
    documents = []
    for index, (value, start, end) in enumerate(found, start=1):
        chunk = _json_chunk(text, start, end)
        locate = Positions(fetch=None, text=chunk.text, chunk=chunk, file=file, index=index)
        documents.append(Document(value=value, file=file, line=chunk.line, index=index, locate=locate))
    return Documents(documents=tuple(documents))


def _json_chunk(text: str, start: int, end: int) -> Chunk:
    return Chunk(text=text[start:end].encode(), line=1 + text.count("\n", 0, start), start=start, end=end)


def _json_values(text: str) -> Iterator[tuple[Any, int, int]]:
    position = _skip_space(text, 0)
    while position < len(text):
        value, end = _JSON.raw_decode(text, position)
        text[position:end].encode()
        yield value, position, end
        position = _skip_space(text, end)


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        raise ValueError("duplicate key")
    return mapping


def _no_constant(name: str) -> Any:
    raise ValueError(name)


_JSON = json.JSONDecoder(
    object_pairs_hook=_without_duplicates,
    parse_float=lambda text: json_number(float(text)),
    parse_constant=_no_constant,
)


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level := [item for item in level if isinstance(item, dict | list) and item]:
        depth += 1
        level = [child for item in level for child in (item.values() if isinstance(item, dict) else item)]
    return depth
