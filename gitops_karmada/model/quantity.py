"""Kubernetes quantities as exact integers: `100m`, `1.5Gi`, `1e3`."""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

NANO = 1_000_000_000
MILLI = 1_000_000  # nano-units in a milli-unit

_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
_NUMBER = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>\d*)(?:\.(?P<part>\d*))?(?P<suffix>[numkMGTPE]|[KMGTPE]i|[eE][+-]?\d{1,4}|)"
)
_LIMIT = (2**63 - 1) * NANO


class Format(StrEnum):
    DECIMAL = "DecimalSI"
    BINARY = "BinarySI"
    EXPONENT = "DecimalExponent"


@dataclass(frozen=True, slots=True, order=True)
class Quantity:
    """An amount in nano-units (1e-9), as precise as Kubernetes ever is. Equal amounts are equal however written."""

    nano: int = 0
    format: Format = field(default=Format.DECIMAL, compare=False)

    @property
    def value(self) -> int:
        """Whole units, rounded up as `Quantity.Value()` does."""
        return -(-self.nano // NANO)

    @property
    def milli(self) -> int:
        """Milli-units, rounded up as `Quantity.MilliValue()` does."""
        return -(-self.nano // MILLI)

    def __add__(self, other: "Quantity") -> "Quantity":
        return Quantity(self.nano + other.nano, self.format if self.nano else other.format)

    def __sub__(self, other: "Quantity") -> "Quantity":
        return Quantity(self.nano - other.nano, self.format if self.nano else other.format)

    def __mul__(self, times: int) -> "Quantity":
        return Quantity(self.nano * times, self.format)

    def __bool__(self) -> bool:
        return self.nano != 0

    def __str__(self) -> str:
        """The canonical form that an API server would answer with."""
        return _canonical(self.nano, self.format)


def whole(units: int) -> Quantity:
    return Quantity(units * NANO)


@lru_cache(maxsize=16384)
def parse_quantity(text: str) -> Quantity:
    """Read a quantity. Raises ValueError, with the reason, for text that Kubernetes refuses."""
    match = _NUMBER.fullmatch(text)
    if match is None or not (match["whole"] or match["part"]):
        raise ValueError(f"{text!r} is not a quantity (examples: 500m, 2, 1.5Gi)")
    digits = (match["whole"] or "") + (match["part"] or "")
    nano = _scaled(int(digits), len(match["part"] or ""), match["suffix"])
    nano = min(nano, _LIMIT)
    return Quantity(-nano if match["sign"] == "-" else nano, _format(match["suffix"]))


def quantity(value: str | int | float) -> Quantity:
    """Read a quantity from a manifest, where bare numbers stand for themselves."""
    if isinstance(value, bool):
        raise ValueError(f"{value!r} is not a quantity")
    if isinstance(value, int):
        return whole(value)
    return parse_quantity(repr(value) if isinstance(value, float) else value)


def _scaled(digits: int, places: int, suffix: str) -> int:
    """Nano-units, rounded up (away from zero) where the text is finer than that."""
    if suffix in _BINARY:
        units: int = 1024 ** _BINARY[suffix]
        divisor: int = 10**places
        return -(-digits * units * NANO // divisor)
    exponent = _DECIMAL[suffix] if suffix in _DECIMAL else int(suffix[1:])
    power = exponent + 9 - places
    scale: int = 10 ** abs(power)
    return digits * scale if power >= 0 else -(-digits // scale)


def _format(suffix: str) -> Format:
    if suffix in _BINARY:
        return Format.BINARY
    return Format.DECIMAL if suffix in _DECIMAL else Format.EXPONENT


def _canonical(nano: int, form: Format) -> str:
    if nano == 0:
        return "0"
    sign, size = ("-", -nano) if nano < 0 else ("", nano)
    if form is Format.BINARY and size >= 1024 * NANO and size % NANO == 0:
        return sign + _binary(size // NANO)
    return sign + _decimal(size, form)


def _binary(units: int) -> str:
    for suffix, power in reversed(_BINARY.items()):
        if units % 1024**power == 0:
            return f"{units // 1024**power}{suffix}"
    return str(units)


def _decimal(nano: int, form: Format) -> str:
    suffix, exponent = next((s, e) for s, e in reversed(_DECIMAL.items()) if nano % 10 ** (e + 9) == 0)
    unit: int = 10 ** (exponent + 9)
    if form is Format.EXPONENT:
        return f"{nano // unit}e{exponent}" if exponent else str(nano // unit)
    return f"{nano // unit}{suffix}"
