"""YAML that every reader reads alike: Kubernetes, YAML 1.1 and YAML 1.2. Equal values give equal bytes."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import orjson

# Unquoted only where no reader can see anything but this text. Digits may start quantities such as 250m and 1.5Gi.
_PLAIN = re.compile(
    r"(?:[A-Za-z_/][A-Za-z0-9_./-]*(?:[ @=+,:][A-Za-z0-9_./-]+)*|[0-9]+(?:\.[0-9]+)?(?:m|k|M|G|T|Ki|Mi|Gi|Ti|Pi|Ei))\Z"
)
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})
_COMMENT_OR_MARK = re.compile(r" [-#]|: ")
# Everything that is not printable to YAML, and what starts a new line to some readers only.
_UNPRINTABLE = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff"
_ESCAPED = re.compile(f'["\\\\\t\n{_UNPRINTABLE}]')
_NOT_IN_BLOCK = re.compile(f"[{_UNPRINTABLE}]|\\A[ \t\n]|[ \t]+(?:\n|\\Z)")
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}
# A key that is longer must be announced with a question mark.
_LONGEST_KEY = 800
_AFTER_JSON = re.compile(b"\x7f|\xc2[\x80-\x9f]|\xe2\x80[\xa8\xa9]|\xef\xbb\xbf|\xef\xbf[\xbe\xbf]")


def to_yaml(value: Any) -> str:
    """The value as block YAML with sorted keys and a newline at the end."""
    lines: list[str] = []
    if isinstance(value, Mapping) and value:
        _mapping(value, "", "", lines)
    elif _is_list(value) and value:
        _sequence(value, "", "", lines)
    else:
        lines.append(_leaf(value, "", is_top=True))
    return "\n".join(lines) + "\n"


def write_yaml(value: Any) -> bytes:
    """The value as a file of block YAML."""
    return to_yaml(value).encode()


def write_json(value: Any) -> bytes:
    """The value as indented JSON with sorted keys, which is YAML as well."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    return _AFTER_JSON.sub(_json_escape, orjson.dumps(value, default=_plain_value, option=options))


def indented(text: str, spaces: int) -> str:
    """Written YAML, moved to the right: the value of a key that stands `spaces` to the left of it."""
    return re.sub(r"^(?=[^\n])", " " * spaces, text, flags=re.MULTILINE)


def _mapping(value: Mapping[str, Any], first: str, indent: str, lines: list[str]) -> None:
    """One entry a line; `first` starts the first line instead of the indent (`- ` in a list)."""
    start = first
    for key in sorted(value):
        _entry(start, key, value[key], indent, lines)
        start = indent


def _entry(start: str, key: str, item: Any, indent: str, lines: list[str]) -> None:
    name = _scalar(key)
    if len(name) > _LONGEST_KEY:
        lines.append(f"{start}? {name}")
        start, name = indent, ""
    kind = item.__class__
    if kind is str:
        lines.append(f"{start}{name}: {_text(item, indent + '  ')}")
    elif isinstance(item, Mapping) and item:
        lines.append(f"{start}{name}:")
        _mapping(item, indent + "  ", indent + "  ", lines)
    elif _is_list(item) and item:
        lines.append(f"{start}{name}:")
        _sequence(item, indent, indent, lines)
    else:
        lines.append(f"{start}{name}: {_leaf(item, indent + '  ')}")


def _sequence(value: Sequence[Any], first: str, indent: str, lines: list[str]) -> None:
    start = first
    for item in value:
        if isinstance(item, Mapping) and item:
            _mapping(item, start + "- ", indent + "  ", lines)
        elif _is_list(item) and item:
            _sequence(item, start + "- ", indent + "  ", lines)
        else:
            lines.append(f"{start}- {_leaf(item, indent + '  ')}")
        start = indent


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _leaf(value: Any, indent: str, *, is_top: bool = False) -> str:
    if isinstance(value, str):
        return _quoted(value) if is_top and "\n" in value else _text(value, indent)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and -(2**63) <= value < 2**64:
        return str(int(value))
    if isinstance(value, int | float):
        return _float(float(value))
    if isinstance(value, Mapping):
        return "{}"
    if _is_list(value):
        return "[]"
    raise TypeError(f"no YAML for {type(value).__name__}")


def _float(value: float) -> str:
    if value - value != 0:
        raise ValueError(f"{value} has no form in JSON")
    mantissa, exponent, power = repr(value).partition("e")
    if not exponent:
        return mantissa
    # YAML 1.1 wants a point, and a sign in the exponent.
    mantissa = mantissa if "." in mantissa else f"{mantissa}.0"
    return f"{mantissa}e{power if power[0] in '+-' else '+' + power}"


def _text(value: str, indent: str) -> str:
    if "\n" in value and not _NOT_IN_BLOCK.search(value):
        return _block(value, indent)
    return _scalar(value)


def _block(value: str, indent: str) -> str:
    """A literal block; the mark after the bar says how many line ends belong to the text."""
    body = value.rstrip("\n")
    ends = len(value) - len(body)
    mark = "|-" if ends == 0 else "|" if ends == 1 else "|+"
    lines = "\n".join(indent + line if line else "" for line in body.split("\n"))
    return f"{mark}\n{lines}" + "\n" * max(0, ends - 1)


@lru_cache(maxsize=65536)
def _scalar(value: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a key must be text, not {type(value).__name__}")
    if _PLAIN.match(value) and value.lower() not in _WORDS and not _COMMENT_OR_MARK.search(value):
        return str(value)
    return _quoted(value)


def _quoted(value: str) -> str:
    return f'"{_ESCAPED.sub(_escape, value)}"'


def _escape(match: re.Match[str]) -> str:
    letter = match[0]
    if letter in _SHORT:
        return _SHORT[letter]
    code = ord(letter)
    if 0xD800 <= code <= 0xDFFF:
        raise ValueError("half a surrogate pair is no text")
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _json_escape(match: re.Match[bytes]) -> bytes:
    return f"\\u{ord(match[0].decode()):04x}".encode()


def _plain_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"no JSON for {type(value).__name__}")
