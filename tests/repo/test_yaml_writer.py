"""What we write is read alike by Kubernetes' rules, by YAML 1.1 and by YAML 1.2."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from gitops_karmada.repo.yaml_reader import read_documents
from gitops_karmada.repo.yaml_writer import indented, to_yaml, write_json

CORPUS = Path("fixtures/conformance/yaml.jsonl.gz")

# Strings that some reader takes for something else when they are not quoted.
TREACHEROUS = [
    "no", "on", "off", "y", "N", "Yes", "TRUE", "null", "Null", "~", "", "1.10", "0123", "0o17", "0x1F", "0b11", "1e3",
    "12e5", "1234567e8", "1_000", "12:30:45", "190:20:30.15", "2024-01-02", "2024-01-02T03:04:05Z", ".5", "5.", ".inf",
    "-.INF", ".nan", "+1", "-", "+", "=", "=x", "<<", " lead", "trail ", "a: b", "a #b", "#", "a:", "- a", "? a", "*a",
    "&a",
    "!a", "%a", "@a", "`a", "{a", "[a", "a]", "a}", "'a", '"a', "|", ">", "a,b", "\t", "a\tb", "\n", "\n\n", "a\n",
    "a\nb", "a\n\nb\n\n", " a\nb", "a \nb", "a\n b", "a\n\tb", "\ta\nb", "a\r\nb", "a\rb", "---", "...", "--- a",
    "a\n---\nb", "\x85", "\u2028", "\u2029", "\ufeff", "\x7f", "\x00", "\x1b[31m", "\ufffe", "é", "😀", "名前", "\\",
    '"',
    "{{ .Values.x }}", "a: |", "1.5Gi", "250m", "1E", "100k", "user@host", "a=b,c=d", "http://x.y/z?q=1#f", "/etc/x",
    "C:\\x", "a  b", "key: 'v'", "nan", "inf", "0", "-0", "1", "00", "08", "1.", "1,000", "y\n", "on\n", "~\n", "a\n ",
]  # fmt: skip

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.sampled_from(TREACHEROUS),
)
keys = st.one_of(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from(TREACHEROUS))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=20,
)


def read(text: str) -> Any:
    found = read_documents(text.encode(), "f.yaml")
    assert found.problems == ()
    return found.documents[0].value if found.documents else None


@settings(max_examples=400, deadline=None)
@given(values)
def test_what_was_written_is_read_again(value: Any) -> None:
    assert read(to_yaml(value)) == value


@settings(max_examples=200, deadline=None)
@given(values)
def test_written_json_is_yaml_too(value: Any) -> None:
    text = write_json(value).decode()
    assert json.loads(text) == value
    if isinstance(value, str) or text.startswith(("{", "[")):
        assert read(text) == value


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(keys, values, min_size=1))
def test_a_written_value_can_be_moved_below_a_key(value: Any) -> None:
    assert read("a:\n  b:\n" + indented(to_yaml(value), 4)) == {"a": {"b": value}}


@pytest.mark.parametrize("text", TREACHEROUS, ids=ascii)
def test_strings_survive_readers_of_both_versions_of_yaml(text: str) -> None:
    """PyYAML speaks YAML 1.1 and ruamel 1.2: both see the same strings, byte for byte (O49)."""
    value = {"key": text, "list": [text]}
    written = to_yaml(value)
    assert yaml.safe_load(written) == value
    assert YAML(typ="safe", pure=True).load(written) == value
    assert read(to_yaml({text: 1})) == {text: 1}
    assert yaml.safe_load(to_yaml({text: 1})) == {text: 1}


def test_the_same_value_is_written_in_the_same_bytes() -> None:
    assert to_yaml({"b": [1], "a": {"d": 1, "c": 2}}) == to_yaml({"a": {"c": 2, "d": 1}, "b": [1]})


def test_layout_is_the_one_people_know() -> None:
    value = {
        "spec": {"containers": [{"name": "web", "args": ["--port", "80"], "resources": {}}], "volumes": []},
        "data": {"app.conf": "a = 1\nb = 2\n", "on": "yes", "mode": "0644", "cpu": "250m"},
        "matrix": [[1, 2], [3]],
    }
    assert to_yaml(value) == (
        'data:\n  app.conf: |\n    a = 1\n    b = 2\n  cpu: 250m\n  mode: "0644"\n  "on": "yes"\n'
        "matrix:\n- - 1\n  - 2\n- - 3\n"
        'spec:\n  containers:\n  - args:\n    - "--port"\n    - "80"\n    name: web\n    resources: {}\n  volumes: []\n'
    )


def test_every_document_of_the_corpus_comes_back() -> None:
    """Real manifests and their mutations: written, then read by two readers that know nothing of our emitter."""
    with gzip.open(CORPUS, "rt") as lines:
        cases = [json.loads(line) for line in lines]
    documents = [document for case in cases for document in case["expect"].get("documents", ())]
    assert len(documents) > 900
    for document in documents:
        written = to_yaml(document)
        assert read(written) == document
        assert yaml.safe_load(written) == document


@pytest.mark.parametrize("value", [float("inf"), float("nan"), "\ud800"], ids=ascii)
def test_what_json_cannot_carry_is_refused(value: Any) -> None:
    with pytest.raises(ValueError):
        to_yaml({"a": value})
    with pytest.raises(TypeError):
        to_yaml({1: "a"})
