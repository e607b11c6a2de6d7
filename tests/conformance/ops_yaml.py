"""What kubectl's reader makes of a text: None where ours makes the same of it."""

from collections.abc import Callable
from typing import Any

from gitops_karmada.model.problems import Severity
from gitops_karmada.repo.yaml_reader import read_documents

Case = dict[str, Any]


def read_text(case: Case) -> str | None:
    read = read_documents(case["text"].encode(), "case.yaml")
    errors = [str(problem) for problem in read.problems if problem.severity is Severity.ERROR]
    wanted = case["expect"]
    if errors or "error" in wanted:
        return None if errors and "error" in wanted else f"expected {wanted}, got errors {errors}"
    ours = [document.value for document in read.documents]
    return None if same(ours, wanted["documents"]) else f"expected {wanted['documents']}, got {ours}"


def same(ours: Any, theirs: Any) -> bool:
    """Equal, and of the same types: true is not 1. Floats equal what JSON writes for them."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(same(value, theirs[key]) for key, value in ours.items())
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, float) and isinstance(theirs, int):
        return ours == float(theirs)
    return isinstance(ours, bool) == isinstance(theirs, bool) and bool(ours == theirs)


OPS: dict[str, Callable[[Case], Any]] = {"yaml": read_text}
