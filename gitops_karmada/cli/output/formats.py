"""Machine-readable results: JSON and YAML of one versioned shape."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from gitops_karmada.cli.output.terminal import Line, Screen

API_VERSION: Final = "output.gitops-karmada.io/v1alpha1"


def report(kind: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """A result with its kind and version in front."""
    return {"apiVersion": API_VERSION, "kind": kind, **body}


def show(screen: Screen, output: str, value: Any, lines: Iterable[Line]) -> None:
    """The same result as text, JSON or YAML."""
    match output:
        case "json":
            screen.text(as_json(value))
        case "yaml":
            screen.text(as_yaml(value))
        case _:
            screen.data(lines)


def as_json(value: Any) -> str:
    # Escaped to ASCII, so that no control character of a name reaches a terminal.
    return json.dumps(_plain(value), indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def as_yaml(value: Any) -> str:
    import yaml

    text: str = yaml.safe_dump(_plain(value), sort_keys=False, allow_unicode=False, width=100)
    return text


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_plain(item) for item in value]
    return value
