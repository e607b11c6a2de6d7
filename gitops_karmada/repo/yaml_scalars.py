"""What a plain YAML scalar means to Kubernetes: the rules of sigs.k8s.io/yaml, which are YAML 1.1 with exceptions."""

import base64
import binascii
import re
import struct
from functools import lru_cache
from typing import TypeAlias

Scalar: TypeAlias = str | int | float | bool | None

TAG = "tag:yaml.org,2002:"
MERGE = "<<"

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"], True),
    **dict.fromkeys(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"], False),
    **dict.fromkeys(["", "~", "null", "Null", "NULL"], None),
    **dict.fromkeys([".nan", ".NaN", ".NAN"], float("nan")),
    **dict.fromkeys([".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"], float("inf")),
    **dict.fromkeys(["-.inf", "-.Inf", "-.INF"], float("-inf")),
}
# What starts with another character is text, whatever follows.
_MAY_MEAN_MORE = frozenset("0123456789+-.~yYnNtTfFoO")

_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_INTEGER = re.compile(
    r"(?P<sign>[-+]?)(?:0[xX](?P<hexadecimal>[0-9a-fA-F]+)|0[oO]?(?P<octal>[0-7]+)|0[bB](?P<binary>[01]+)|(?P<decimal>0|[1-9][0-9]*))\Z"
)
_SIGNED_BINARY = re.compile(r"(-?)0b([-+]?)([01]+)\Z")
_BASES = {"hexadecimal": 16, "octal": 8, "binary": 2, "decimal": 10}
_TIMESTAMP = re.compile(r"\d{4}-\d\d?-\d\d?([Tt ]\d\d?:\d\d?:\d\d?(\.\d+)?(Z|[-+]\d\d:\d\d)?)?\Z", re.ASCII)
_LARGEST = 2**64 - 1
_SMALLEST = -(2**63)
_LARGEST_NARROW = 3.4028235677973364e38


class ScalarError(ValueError):
    """The tag says one thing and the text another."""


@lru_cache(maxsize=65536)
def plain(text: str) -> Scalar:
    """The value of an unquoted scalar without a tag."""
    if text and text[0] not in _MAY_MEAN_MORE:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in "0123456789+-.":
        number = _number(text)
        return text if number is None else number
    return text


def tagged(tag: str, text: str) -> Scalar:
    """The value of a scalar with an explicit tag. Tags that are not YAML's own say nothing: the value is text."""
    name = tag.removeprefix(TAG) if tag.startswith(TAG) else ""
    if name == "binary":
        return _binary(text)
    if name not in {"bool", "int", "float", "null", "timestamp"}:
        return text
    value = plain(text)
    if name == "timestamp" and isinstance(value, str) and _TIMESTAMP.match(text):
        return text
    if _kind(value) == name:
        return value
    if name == "float" and _kind(value) == "int" and isinstance(value, int):
        return float(value)
    raise ScalarError(f"cannot read {text[:40]!r} as !!{name}")


def json_number(value: float) -> int | float:
    """A float as JSON carries it: integral ones become integers, as far as 64 bits go."""
    if value.is_integer() and _SMALLEST <= value < 2**63:
        return int(value)
    return value


def key_text(value: Scalar) -> str:
    """A map key as JSON has it: text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float_text(value)
    return str(value)


def _number(text: str) -> int | float | None:
    if text[0] == ".":
        return _float(text)
    digits = text.replace("_", "")
    integer = _integer(digits)
    if integer is not None:
        return integer
    number = _float(digits)
    return number if number is not None else _odd_binary(digits)


def _integer(digits: str) -> int | None:
    match = _INTEGER.match(digits)
    if not match or match.lastgroup is None:
        return None
    value = int(match[match.lastgroup], _BASES[match.lastgroup])
    value = -value if match["sign"] == "-" else value
    # An unsigned integer may not carry a sign, not even a plus.
    largest = 2**63 - 1 if match["sign"] else _LARGEST
    return value if _SMALLEST <= value <= largest else None


def _float(text: str) -> float | None:
    if not _FLOAT.match(text):
        return None
    value = float(text)
    return None if value in (float("inf"), float("-inf")) else value


def _odd_binary(digits: str) -> int | None:
    match = _SIGNED_BINARY.match(digits)
    if not match or (match[1] and match[2]):
        return None
    value = int(match[3], 2)
    return -value if "-" in (match[1], match[2]) else value


def _binary(text: str) -> str:
    try:
        content = base64.b64decode(text.replace("\r", "").replace("\n", ""), validate=True)
    except (binascii.Error, ValueError):
        raise ScalarError("the !!binary value is no valid base64") from None
    # JSON holds text only: every byte that is not UTF-8 becomes U+FFFD.
    return re.sub("[\udc80-\udcff]", "�", content.decode("utf-8", "surrogateescape"))


def _kind(value: Scalar) -> str:
    if isinstance(value, bool):
        return "bool"
    return {int: "int", float: "float", type(None): "null"}.get(type(value), "str")


def _float_text(value: float) -> str:
    """Go's shortest form for 32 bits, which is what sigs.k8s.io/yaml makes of a float key."""
    if value != value:
        return ".nan"
    if abs(value) > _LARGEST_NARROW:
        return ".inf" if value > 0 else "-.inf"
    mantissa, exponent = _shortest(value).split("e")
    power = int(exponent)
    sign, digits = ("-", mantissa[1:]) if mantissa.startswith("-") else ("", mantissa)
    digits = digits.replace(".", "").rstrip("0") or "0"
    if power < -4 or power >= 6:
        tail = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{tail}e{'-' if power < 0 else '+'}{abs(power):02d}"
    if power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{digits}"
    whole, rest = digits[: power + 1].ljust(power + 1, "0"), digits[power + 1 :]
    return f"{sign}{whole}.{rest}" if rest else f"{sign}{whole}"


def _shortest(value: float) -> str:
    narrow = struct.pack("f", value)
    return next((text for text in _roundings(value) if struct.pack("f", float(text)) == narrow), f"{value:.8e}")


def _roundings(value: float) -> list[str]:
    return [f"{value:.{precision}e}" for precision in range(9)]
