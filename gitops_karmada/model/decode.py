"""From JSON values to nouns and back, once, at the border, with the field path in every error.

A noun is a frozen dataclass whose fields are named as Kubernetes names them, in snake_case. `metadata={"json": name}`
gives another name; `metadata={"required": True}` marks what must be there; a class attribute `open_ended = True`
lets unknown fields pass without a word. `null` equals absent, as everywhere in Kubernetes.
"""

import dataclasses
import difflib
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Any, Generic, NewType, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

from gitops_karmada.model.frozen import Frozen
from gitops_karmada.model.quantity import Quantity, quantity

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One field that is not as it should be. A fault that is not fatal is a field nobody reads."""

    path: str
    message: str
    fatal: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded(Generic[T]):
    value: T | None
    faults: tuple[Fault, ...] = ()

    def unwrap(self) -> T:
        if self.value is None:
            raise ValueError("; ".join(f"{fault.path}: {fault.message}" for fault in self.faults))
        return self.value


Faults: TypeAlias = list[Fault]
Decoder: TypeAlias = Callable[[Any, str, Faults], Any]


def decode(noun: type[T], value: Any, path: str = "") -> Decoded[T]:
    """Read `value` as a `noun`. All faults are found, not only the first; one fatal fault and there is no value."""
    faults: Faults = []
    result = _decoder(_key(noun))(value, path, faults)
    fatal = any(fault.fatal for fault in faults)
    return Decoded(value=None if fatal else result, faults=tuple(faults))


def encode(value: Any) -> Any:
    """The JSON value of a noun; what is absent, empty or at its default is left out."""
    kind = value.__class__
    if kind in _AS_THEY_ARE:
        return value
    if kind is dict or kind is Frozen:
        return {str(key): encode(item) for key, item in value.items()}
    if kind is tuple or kind is list:
        return [encode(item) for item in value]
    if dataclasses.is_dataclass(kind) and kind is not Quantity:
        return {name: encode(item) for name, item in _set_fields(value)}
    return _encoded(value)


_AS_THEY_ARE: frozenset[type] = frozenset({str, int, float, bool, type(None)})


def _encoded(value: Any) -> Any:
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, str | int | float) or value is None:
        return value
    if isinstance(value, Quantity):
        return str(value)
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [encode(item) for item in value]
    raise TypeError(f"no JSON for {type(value).__name__}")


def _set_fields(noun: Any) -> Iterator[tuple[str, Any]]:
    for field in _fields(_key(type(noun))):
        item = getattr(noun, field.attribute)
        if item is None or (not field.always and (item is field.default or item == field.default)):
            continue
        yield field.json, item


@dataclass(frozen=True, slots=True, kw_only=True)
class _Field:
    attribute: str
    json: str
    required: bool
    always: bool
    default: Any
    decoder: Decoder


@cache
def _fields(noun: Any) -> tuple[_Field, ...]:
    hints = get_type_hints(noun)
    return tuple(
        _Field(
            attribute=field.name,
            json=field.metadata.get("json", json_name(field.name)),
            required=field.metadata.get("required", False),
            always=field.metadata.get("always", False) or field.metadata.get("required", False) or _says_what(field),
            default=_default(field),
            decoder=_decoder(hints[field.name]),
        )
        for field in dataclasses.fields(noun)
        if not field.metadata.get("derived", False)
    )


@cache
def _known(noun: Any) -> tuple[Mapping[str, _Field], tuple[_Field, ...]]:
    """The fields by their names in JSON, and those that must be there."""
    fields = _fields(noun)
    return {field.json: field for field in fields}, tuple(field for field in fields if field.required)


def _says_what(field: "dataclasses.Field[Any]") -> bool:
    """A whole object names its apiVersion and kind, default or not."""
    return field.name in ("api_version", "kind") and bool(field.default) and field.default is not dataclasses.MISSING


def _default(field: "dataclasses.Field[Any]") -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def _key(noun: type) -> Any:
    """A class as the key that it is: mypy does not count classes among the hashable."""
    return noun


def json_name(attribute: str) -> str:
    """`cluster_affinity` → `clusterAffinity`; a trailing underscore only avoids a Python keyword."""
    head, *rest = attribute.rstrip("_").split("_")
    return head + "".join(word.capitalize() for word in rest)


@cache
def _decoder(hint: Any) -> Decoder:
    if isinstance(hint, NewType):
        return _decoder(hint.__supertype__)
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _optional(_decoder(next(arg for arg in get_args(hint) if arg is not type(None))))
    if origin is tuple:
        return _sequence(get_args(hint)[0])
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(get_args(hint)[1])
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _choice(hint)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _noun(hint)
    raise TypeError(f"no decoder for {hint!r}")


def _optional(inner: Decoder) -> Decoder:
    return lambda value, path, faults: None if value is None else inner(value, path, faults)


def _sequence(item: Any) -> Decoder:
    def decode_sequence(value: Any, path: str, faults: Faults) -> Any:
        if not isinstance(value, list | tuple):
            return _wrong(path, faults, "a list", value)
        inner = _decoder(item)
        return tuple(inner(element, f"{path}[{index}]", faults) for index, element in enumerate(value))

    return decode_sequence


def _mapping(item: Any) -> Decoder:
    def decode_mapping(value: Any, path: str, faults: Faults) -> Any:
        if not isinstance(value, Mapping):
            return _wrong(path, faults, "a map", value)
        inner = _decoder(item)
        return Frozen((key, inner(element, _child(path, str(key)), faults)) for key, element in value.items())

    return decode_mapping


def _choice(words: type[StrEnum]) -> Decoder:
    def decode_choice(value: Any, path: str, faults: Faults) -> Any:
        if isinstance(value, str):
            try:
                return words(value)
            except ValueError:
                close = difflib.get_close_matches(value, list(words), n=1)
                hint = f"; did you mean {str(close[0])!r}?" if close else ""
                allowed = ", ".join(repr(str(word)) for word in words if word)
                faults.append(Fault(path=path, message=f"expected one of {allowed}, got {value!r}{hint}"))
                return None
        return _wrong(path, faults, "a string", value)

    return decode_choice


def _noun(noun: type) -> Decoder:
    def decode_noun(value: Any, path: str, faults: Faults) -> Any:
        if not isinstance(value, Mapping):
            return _wrong(path, faults, "a map", value)
        before = len(faults)
        known, required = _known(noun)
        found = {}
        strange = False
        for name, item in value.items():
            field = known.get(name)
            if field is None:
                strange = True
            elif item is not None:
                found[field.attribute] = field.decoder(item, f"{path}.{name}" if path else name, faults)
        for field in required:
            if value.get(field.json) is None:
                faults.append(Fault(path=_child(path, field.json), message="is required"))
        if strange and not getattr(noun, "open_ended", False):
            faults.extend(_unknown(value, list(known), path))
        if len(faults) > before and any(fault.fatal for fault in faults[before:]):
            return None
        return noun(**found)

    return decode_noun


def _unknown(value: Mapping[str, Any], known: list[str], path: str) -> Iterator[Fault]:
    for name in sorted(value.keys() - set(known), key=str):
        close = difflib.get_close_matches(str(name), known, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        yield Fault(path=_child(path, str(name)), message=f"unknown field, nobody reads it{hint}", fatal=False)


def _string(value: Any, path: str, faults: Faults) -> Any:
    return value if isinstance(value, str) else _wrong(path, faults, "a string", value)


def _integer(value: Any, path: str, faults: Faults) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return (
        value
        if isinstance(value, int) and not isinstance(value, bool)
        else _wrong(path, faults, "a whole number", value)
    )


def _number(value: Any, path: str, faults: Faults) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return _wrong(path, faults, "a number", value)


def _boolean(value: Any, path: str, faults: Faults) -> Any:
    return value if isinstance(value, bool) else _wrong(path, faults, "true or false", value)


def _amount(value: Any, path: str, faults: Faults) -> Any:
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return _wrong(path, faults, "a quantity", value)
    try:
        return quantity(value)
    except ValueError as error:
        faults.append(Fault(path=path, message=str(error)))
        return None


def _moment(value: Any, path: str, faults: Faults) -> Any:
    if not isinstance(value, str):
        return _wrong(path, faults, "a time", value)
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return _wrong(path, faults, "a time such as 2026-01-31T08:00:00Z", value)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _wrong(path: str, faults: Faults, expected: str, value: Any) -> None:
    faults.append(Fault(path=path, message=f"expected {expected}, got {_shown(value)}"))


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "a map"
    if isinstance(value, list | tuple):
        return "a list"
    text = repr(value) if not isinstance(value, bool) else str(value).lower()
    return text if len(text) <= 60 else text[:57] + "..."


def _child(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


_PLAIN: dict[Any, Decoder] = {
    Any: lambda value, path, faults: value,
    str: _string,
    int: _integer,
    float: _number,
    bool: _boolean,
    Quantity: _amount,
    datetime: _moment,
}
