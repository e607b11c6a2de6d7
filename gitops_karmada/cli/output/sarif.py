"""Findings as SARIF 2.1.0, for code scanning."""

import hashlib
from collections.abc import Sequence
from typing import Any, Final

from gitops_karmada import __version__
from gitops_karmada.cli.output.problems import sentence
from gitops_karmada.cli.output.terminal import clean
from gitops_karmada.model.codes import CODES
from gitops_karmada.model.problems import Location, Problem, Severity

LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTICE: "note"}

MOST: Final = 25_000
"""Code scanning refuses a file with more results."""


def log(problems: Sequence[Problem]) -> dict[str, Any]:
    rules = sorted({problem.code for problem in problems})
    driver = {
        "name": "gitops-karmada",
        "semanticVersion": __version__,
        "rules": [_rule(code) for code in rules],
    }
    results = [_result(problem, rules.index(problem.code)) for problem in problems[:MOST]]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    }


def _rule(code: str) -> dict[str, Any]:
    known = CODES.get(code)
    if known is None:
        return {"id": code}
    return {
        "id": code,
        "name": known.name,
        "shortDescription": {"text": known.meaning},
        "fullDescription": {"text": known.explanation},
        "help": {"text": f"{known.explanation} See: gitops-karmada explain {code}"},
    }


def _result(problem: Problem, rule: int) -> dict[str, Any]:
    text = clean(f"{sentence(problem)}. {problem.hint}" if problem.hint else sentence(problem))
    result: dict[str, Any] = {
        "ruleId": problem.code,
        "ruleIndex": rule,
        "level": LEVELS[problem.severity],
        "message": {"text": f"{clean(problem.subject)}: {text}" if problem.subject else text},
        "partialFingerprints": {"finding/v1": _fingerprint(problem)},
    }
    if problem.location is not None:
        result["locations"] = [{"physicalLocation": _physical(problem.location)}]
    return result


def _physical(location: Location) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(location.file)}}
    if location.line:
        column = {"startColumn": location.column} if location.column else {}
        physical["region"] = {"startLine": location.line, **column}
    return physical


def _uri(file: str) -> str:
    from urllib.parse import quote

    return quote(file)


def _fingerprint(problem: Problem) -> str:
    """What stays the same when lines move: everything but the line."""
    file = problem.location.file if problem.location else ""
    told = "\0".join((problem.code, file, problem.subject, problem.path, problem.message))
    return hashlib.sha256(told.encode()).hexdigest()[:32]
