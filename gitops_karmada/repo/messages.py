"""Commit messages that programs read again: a subject, one cause, trailers that nobody can forge."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from gitops_karmada.model.plan import Cause

PREFIX = "Federation-"
_TRAILER = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9-]*): (?P<value>.*)\Z")
_LONGEST_SUBJECT = 72


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """`trailers` by their names without `Federation-`: `{"Instance": "shop"}`."""

    subject: str
    cause: Cause
    body: str = ""
    trailers: Mapping[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """The message. Trailers are its last paragraph, and nothing that people wrote can be in there."""
        trailers = {"Cause": str(self.cause), **self.trailers}
        lines = [f"{PREFIX}{name}: {_one_line(value)}" for name, value in sorted(trailers.items())]
        subject = _one_line(self.subject)
        subject = subject if len(subject) <= _LONGEST_SUBJECT else subject[: _LONGEST_SUBJECT - 1] + "…"
        paragraphs = [subject or "federation", *([_clean(self.body)] if self.body.strip() else []), "\n".join(lines)]
        return "\n\n".join(paragraphs) + "\n"


def trailers(text: str) -> Mapping[str, str]:
    """The trailers of a message of ours, by their names without `Federation-`."""
    last = text.strip().rpartition("\n\n")[2]
    matches = [_TRAILER.match(line) for line in last.splitlines()]
    found = {match["name"]: match["value"] for match in matches if match}
    return {name.removeprefix(PREFIX): value for name, value in found.items() if name.startswith(PREFIX)}


def _one_line(text: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def _clean(text: str) -> str:
    lines = ("".join(letter for letter in line if letter.isprintable()) for line in text.splitlines())
    return "\n".join(lines).strip()
