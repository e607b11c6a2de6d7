"""JSON text as Go's library writes it: compact, keys in the order they came, numbers as they were written."""

import json
from collections.abc import Mapping
from typing import Any


class NumberText(float):
    """A number that remembers its digits."""

    text: str

    def __new__(cls, text: str) -> "NumberText":
        number = super().__new__(cls, text)
        number.text = text
        return number


# Go escapes these so that JSON can stand in HTML, and the two separators that JavaScript once broke lines at.
_ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def read_json(text: str) -> Any:
    return json.loads(text, parse_float=NumberText, parse_constant=_refuse)


def write_json(value: Any) -> str:
    if isinstance(value, Mapping):
        members = (f"{write_json(str(key))}:{write_json(item)}" for key, item in value.items())
        return "{" + ",".join(members) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(write_json, value)) + "]"
    if isinstance(value, str):
        return "".join(_ESCAPED.get(letter, letter) for letter in json.dumps(value, ensure_ascii=False))
    return value.text if isinstance(value, NumberText) else json.dumps(value)


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no JSON value")
