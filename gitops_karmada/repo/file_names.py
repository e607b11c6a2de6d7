"""Which files of a repository are read, and how their names are shown to people."""

import re
from collections.abc import Iterable

_EXTENSIONS = (".yaml", ".yml", ".json")
_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "kustomization")
_CHART = "Chart.yaml"

# What would break a line, a terminal or a report, and the escape itself.
_UNSHOWABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff\\\\]"
)
_ESCAPED = re.compile(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|\\)")


def shown(path: str) -> str:
    """The path as text for people: nothing in it can break a line or hide. `written` turns it back."""
    return _UNSHOWABLE.sub(_escape, path) if _UNSHOWABLE.search(path) else path


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if match[0] == "\\":
        return "\\\\"
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{code:04x}"


def written(name: str) -> str:
    """The path that `shown` made this text of."""
    return _ESCAPED.sub(_unescape, name)


def _unescape(match: re.Match[str]) -> str:
    if match[1] == "\\":
        return "\\"
    code = int(match[1][1:], 16)
    return chr(code + 0xDC00) if match[1][0] == "x" else chr(code)


def is_manifest_name(path: str) -> bool:
    return path.lower().endswith(_EXTENSIONS)


def is_kustomization(path: str) -> bool:
    return path.rpartition("/")[2].lower() in _KUSTOMIZATIONS


def is_hidden(path: str) -> bool:
    return any(part.startswith(".") for part in path.split("/"))


def chart_folders(paths: Iterable[str]) -> frozenset[str]:
    """The folders that hold a Helm chart."""
    return frozenset(path.removesuffix(_CHART) for path in paths if path.rpartition("/")[2] == _CHART)


def is_below(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(folder) for folder in folders)
