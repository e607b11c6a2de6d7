"""The paths that name the state to preserve."""

from typing import Any

import pytest

from gitops_karmada.core.json_path import PathError, evaluate

STATUS: dict[str, Any] = {
    "replicas": 2,
    "ratio": 2.5,
    "ok": True,
    "jobs": [{"id": "x", "a.b": 1}, {"id": "y"}],
    "labels": {"a/b": "c"},
}


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{.replicas}", "2"),
        ("{.ratio}", "2.5"),
        ("{ .ok }", "true"),
        ("{$.jobs[0].id}", "x"),
        ("{.jobs[-1].id}", "y"),
        ("{.jobs[*].id}", "x y"),
        ("{.jobs[0]['a.b']}", "1"),
        (r"{.jobs[0].a\.b}", "1"),
        ('{.labels["a/b"]}', "c"),
        ("{.labels}", '{"a/b":"c"}'),
        ("job-{.jobs[0].id}!", "job-x!"),
    ],
)
def test_evaluate(template: str, expected: str) -> None:
    assert evaluate(template, STATUS) == expected


@pytest.mark.parametrize("template", ["{.gone}", "{.jobs[7]}", "{.replicas.more}", "{.jobs[?(@.id)]}", "{.labels[0]}"])
def test_what_leads_nowhere_is_an_error(template: str) -> None:
    with pytest.raises(PathError):
        evaluate(template, STATUS)
