"""Paths of fields as people write them, and back."""

import pytest

from gitops_karmada.model.files import FieldPath, field_path, path_text

OBJECT = {"metadata": {"labels": {"a.b/c": "x", "plain": "y"}}, "spec": {"containers": [{"name": "m"}]}}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("spec", "containers", 0, "name"), "spec.containers[0].name"),
        (("metadata", "labels", "a.b/c"), 'metadata.labels["a.b/c"]'),
        (("metadata", "labels", "plain"), "metadata.labels.plain"),
        ((), ""),
    ],
)
def test_a_path_is_written_and_read_again(path: FieldPath, text: str) -> None:
    assert path_text(path) == text
    assert field_path(OBJECT, text) == path


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("metadata.labels.a.b/c", ("metadata", "labels", "a.b/c")),
        ("spec.containers[7].name", ("spec", "containers")),
        ("spec.missing.x", ("spec",)),
        ("nothing", ()),
    ],
)
def test_a_text_leads_as_far_as_the_object_goes(text: str, path: FieldPath) -> None:
    assert field_path(OBJECT, text) == path
