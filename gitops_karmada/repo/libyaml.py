"""libyaml's events, through PyYAML: the one parser that everything here reads YAML with."""

from collections.abc import Callable
from typing import Protocol, TypeAlias, cast

import yaml
from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

if not yaml.__with_libyaml__:
    raise ImportError("PyYAML was built without libyaml. Install a wheel of PyYAML, or libyaml with its headers first")

from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stubs leave it out

# What an event is: its `__class__`, which is quicker to compare than to ask with isinstance.
Kind: TypeAlias = type[object]
ALIAS: Kind = AliasEvent
SCALAR: Kind = ScalarEvent
LIST: Kind = SequenceStartEvent
END_OF_LIST: Kind = SequenceEndEvent
MAP: Kind = MappingStartEvent
END_OF_MAP: Kind = MappingEndEvent
END_OF_STREAM: Kind = StreamEndEvent


class Mark(Protocol):
    """Lines and columns count from 0."""

    line: int
    column: int


class Event(Protocol):
    """One event. Scalars have all of these, starts of maps and lists no value, ends neither anchor nor tag."""

    start_mark: Mark
    anchor: str | None
    tag: str | None
    value: str
    implicit: tuple[bool, bool]


def events(text: bytes) -> Callable[[], Event]:
    """A function that gives the next event of a text at each call, and raises a YAMLError where there is none."""
    return cast("Callable[[], Event]", CParser(text).get_event)
