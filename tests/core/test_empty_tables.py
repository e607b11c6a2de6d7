"""Empty maps and lists find back to themselves."""

from typing import Any

import pytest

from gitops_karmada.core.empty_tables import repaired


@pytest.mark.parametrize(
    ("value", "reference", "expected"),
    [
        ({"a": []}, {"a": {}}, {"a": {}}),
        ({"a": []}, {"a": []}, {"a": []}),
        ({"a": []}, {}, {}),
        ({"a": []}, {"a": {"b": 1}}, {}),
        ({"l": [{"e": []}, {"e": []}]}, {"l": [{"e": {}}]}, {"l": [{"e": {}}, {"e": {}}]}),
        ({"a": {"b": [], "c": 1}}, {"a": {"b": {}}}, {"a": {"b": {}, "c": 1}}),
        ({"a": {"b": []}}, {}, {"a": {}}),
    ],
    ids=["map", "list", "nowhere", "not empty there", "in a list", "deep", "parent stays"],
)
def test_empty_becomes_what_a_reference_has_there(value: Any, reference: Any, expected: Any) -> None:
    assert repaired(value, [reference]) == expected


def test_any_reference_will_do() -> None:
    assert repaired({"a": [], "b": []}, [{"a": {}}, {"b": []}]) == {"a": {}, "b": []}
