"""The daemon's log: one line an entry, for people or as JSON."""

import json
import sys
from datetime import UTC, datetime
from typing import Final, TextIO

from gitops_karmada.cli.output.terminal import clean

LEVELS: Final = ("debug", "info", "warning", "error")


class Log:
    def __init__(self, form: str = "text", level: str = "info", stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self._as_json, self._least = form == "json", LEVELS.index(level)

    def __call__(self, level: str, message: str, **facts: str) -> None:
        if LEVELS.index(level) < self._least:
            return
        told = {name: fact for name, fact in facts.items() if fact}
        moment = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        text = self._json(moment, level, message, told) if self._as_json else _text(moment, level, message, told)
        self.stream.write(text + "\n")
        self.stream.flush()

    @staticmethod
    def _json(moment: str, level: str, message: str, facts: dict[str, str]) -> str:
        return json.dumps({"ts": moment, "level": level, "msg": message, **facts})


def _text(moment: str, level: str, message: str, facts: dict[str, str]) -> str:
    told = " ".join(f"{name}={fact}" for name, fact in facts.items())
    return clean(f"{moment} {level:7} {message}{f'  {told}' if told else ''}")
