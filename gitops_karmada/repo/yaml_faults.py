"""What is wrong with a document, in words that say what to do."""

from dataclasses import dataclass

import yaml
from yaml.reader import ReaderError

from gitops_karmada.model.problems import Location, Problem, Severity
from gitops_karmada.repo.yaml_chunks import Chunk


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """`line` counts from 0 within the chunk, `column` from 1; column 0 is unknown."""

    code: str
    line: int
    column: int = 0
    message: str
    hint: str = ""
    severity: Severity = Severity.ERROR


class Stop(Exception):  # noqa: N818 - it ends the reading of one document, no more
    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


_TAB_HINT = "Indent with spaces, never with tabs"
# Words of libyaml, and what usually helps.
_HINTS = (
    ("tab character", _TAB_HINT),
    ("mapping values are not allowed", "Check the indentation, and quote values that contain ': '"),
    ("cannot start any token", "Quote the value; @, ` and % cannot start one"),
    ("unexpected end of stream", "A quote is never closed"),
    ("alphabetic or numeric", "Quote values that start with * or &"),
    ("block sequence entries", "Check the indentation of the list"),
    ("mapping keys are not allowed", "Quote values that start with ?"),
    ("expected <document start>", "Remove %YAML directives, kubectl cannot read them; check the indentation"),
    ("unknown escape character", "Use single quotes, or write \\\\ for a backslash"),
    ("Unicode character escape", "Write the character itself"),
    ("did not find expected", "Check the indentation, quotes and brackets above this line"),
    ("could not find expected ':'", "Check the line above for a missing colon or quote"),
)
_TEMPLATE_HINT = "Templates must be rendered before they are committed"


def fault_of(error: yaml.YAMLError, text: bytes) -> Fault:
    """The fault that a refusal of libyaml stands for."""
    if isinstance(error, ReaderError):
        line = text.count(b"\n", 0, error.position or 0)
        return Fault(code="GK1011", line=line, message=str(error.reason), hint="Save the file as UTF-8 text")
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        message = ", ".join(part for part in (error.context, error.problem) if part)
        line, column = (mark.line, mark.column + 1) if mark else (0, 0)
        return Fault(code="GK1010", line=line, column=column, message=message, hint=_hint(message, text, line))
    return Fault(code="GK1010", line=0, message=str(error))


def _hint(message: str, text: bytes, line: int) -> str:
    lines = text.split(b"\n")
    if line < len(lines) and lines[line].lstrip(b" ").startswith(b"\t"):
        return _TAB_HINT
    if any(b"{{" in near for near in lines[max(0, line - 1) : line + 1]):
        return _TEMPLATE_HINT
    return next((hint for words, hint in _HINTS if words in message), "")


def problem_of(fault: Fault, file: str, chunk: Chunk, index: int) -> Problem:
    line = max(1, chunk.line + fault.line)
    location = Location(file=file, line=line, column=fault.column, document=index)
    return Problem(code=fault.code, severity=fault.severity, location=location, message=fault.message, hint=fault.hint)
