"""YAML means what kubectl takes it for, every finding has its line, and no text can hurt."""

import resource
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitops_karmada.model.files import Limits
from gitops_karmada.model.problems import Problem, Severity
from gitops_karmada.repo.yaml_reader import read_documents


def values(text: str) -> list[Any]:
    found = read_documents(text.encode(), "f.yaml")
    assert [problem for problem in found.problems if problem.severity is Severity.ERROR] == []
    return [document.value for document in found.documents]


def errors(text: str | bytes) -> list[Problem]:
    found = read_documents(text.encode() if isinstance(text, str) else text, "f.yaml")
    return [problem for problem in found.problems if problem.severity is Severity.ERROR]


def test_octal_modes_are_numbers_and_quoted_ones_are_text() -> None:
    """O48: 0744 and 0o744 are 484, never 744."""
    assert values("a: 0744\nb: 0o744\nc: 484\nd: '0744'\n") == [{"a": 484, "b": 484, "c": 484, "d": "0744"}]


def test_empty_and_comment_only_documents_are_no_documents() -> None:
    """O50: two objects, no findings; a --- inside a block scalar is data."""
    text = "# c\n---\n# c\n---\na: 1\n---\n---\n--- # note\nb: |\n  x\n  ---\n  y\n...\n# end\n"
    found = read_documents(text.encode(), "f.yaml")
    assert [document.value for document in found.documents] == [{"a": 1}, {"b": "x\n---\ny\n"}]
    assert found.problems == ()
    assert [(document.line, document.index) for document in found.documents] == [(5, 1), (9, 2)]


@pytest.mark.parametrize("text", ["", "# todo\n", "---\n", "---\n---\n# x\n", "\n\n"], ids=repr)
def test_a_file_without_documents_is_empty_and_right(text: str) -> None:
    found = read_documents(text.encode(), "f.yaml")
    assert (found.documents, found.problems, found.complete) == ((), (), True)


@pytest.mark.parametrize(
    ("text", "line", "other"),
    [
        ("spec:\n  replicas: 2\n  x: 1\n  replicas: 3\n", 4, "line 2"),
        ("a: {b: 1,\n  b: 2}\n", 2, "line 1"),
        ("a: &a {x: 1}\nb:\n  <<: *a\n  <<: *a\n", 4, "line 3"),
        ("---\n# c\n---\na: 1\n'a': 2\n", 5, "line 4"),
        ('{"a": 1,\n "a": 2}', 2, "line 1"),
    ],
    ids=["block", "flow", "merge", "second document", "json"],
)
def test_duplicate_keys_are_errors_that_name_both_lines(text: str, line: int, other: str) -> None:
    """O52."""
    found = errors(text)
    assert [problem.code for problem in found][:1] == ["GK1001"]
    assert found[0].location is not None
    assert found[0].location.line == line
    assert other in found[0].message


def test_every_duplicate_key_of_a_document_is_found_in_one_reading() -> None:
    assert [problem.location.line for problem in errors("a: 1\na: 2\nb:\n  c: 1\n  c: 2\n") if problem.location] == [
        2,
        5,
    ]


def test_merge_keys_inherit_and_can_be_overridden() -> None:
    """O53, O52: the own key wins, and no two places share what they hold."""
    text = (
        "containers:\n- &base {name: foo, image: web:1, ports: [{containerPort: 80}]}\n- {<<: *base, name: bar}\n"
        "both:\n  <<: [{a: 1}, {a: 2, b: 3}]\n"
    )
    [value] = values(text)
    first, second = value["containers"]
    assert second == {"name": "bar", "image": "web:1", "ports": [{"containerPort": 80}]}
    assert first["ports"] is not second["ports"]
    assert first["ports"][0] is not second["ports"][0]
    assert value["both"] == {"a": 1, "b": 3}


def test_a_merge_after_its_overriding_key_is_refused() -> None:
    """kubectl lets the merge win there, YAML the key: nobody can know what was meant."""
    [found] = errors("base: &b {x: 1}\nc:\n  x: 3\n  <<: *b\n")
    assert (found.code, str(found.location)) == ("GK1024", "f.yaml:4:3")


def test_an_anchor_does_not_reach_into_the_next_document() -> None:
    """O53: the bad document costs only itself."""
    found = read_documents(b"a: &x 1\n---\nb: *x\n---\nc: 3\n", "f.yaml")
    assert [document.value for document in found.documents] == [{"a": 1}, {"c": 3}]
    assert [str(problem.location) for problem in found.problems] == ["f.yaml:3:4"]
    assert "---" in found.problems[0].hint
    assert not found.complete


def test_an_alias_bomb_is_refused_quickly_and_in_little_memory() -> None:
    """O53: nine levels of ten aliases."""
    levels = ["a0: &a0 [" + ", ".join("x" * 10) + "]"]
    levels += [f"a{n}: &a{n} [" + ", ".join([f"*a{n - 1}"] * 10) + "]" for n in range(1, 10)]
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    [found] = errors("\n".join(levels) + "\n")
    assert found.code == "GK1003"
    assert time.monotonic() - start < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 * 1024


@pytest.mark.parametrize(
    "text",
    [
        "[" * 40_000 + "]" * 40_000,
        "{a: " * 5_000,
        "- " * 5_000,
        '{"a":' * 5_000 + "1" + "}" * 5_000,
        "[" * 300 + "]" * 300,
    ],
    ids=["brackets", "open maps", "dashes", "json", "just too deep"],
)
def test_deep_nesting_is_refused_and_crashes_nothing(text: str) -> None:
    start = time.monotonic()
    assert errors(text)
    assert time.monotonic() - start < 3


def test_aliases_may_repeat_as_long_as_they_stay_small() -> None:
    [value] = values("a: &a {x: [1, 2]}\nb: [" + ", ".join(["*a"] * 1000) + "]\n")
    assert len(value["b"]) == 1000


def test_limits_name_the_file() -> None:
    limits = Limits(file_bytes=100, documents=2)
    assert read_documents(b"a: 1\n" * 10, "big.yaml", limits=limits).problems[0].code == "GK1001"
    [large] = read_documents(b"#" * 101, "big.yaml", limits=limits).problems
    assert (large.code, str(large.location)) == ("GK1025", "big.yaml")
    assert read_documents(b"a: 1\n---\nb: 1\n", "f", limits=limits).complete
    assert not read_documents(b"a: 1\n---\nb: 1\n---\nc: 1\n", "f", limits=limits).complete


@pytest.mark.parametrize(
    ("text", "place", "hint"),
    [
        ("a:\n\tb: 1\n", "f.yaml:2:1", "spaces"),
        ("a: 'x\nb: 1\n", "f.yaml:3:1", "quote"),
        ("a: b: c\n", "f.yaml:1:5", "': '"),
        ("a: @x\n", "f.yaml:1:4", "Quote"),
        ("a: *\n", "f.yaml:1:5", "Quote"),
        ("a: {{ .Values.x }}\n", "f.yaml:1:5", "rendered"),
        ("%YAML 1.1\n---\na: 1\n", "f.yaml:2:1", "%YAML"),
        ("a: 1\n--- {b: 2}\n", "f.yaml:2:1", "next line"),
        ("---\n# c\na: [1\n", "f.yaml:4:1", "bracket"),
        ("a: .inf\n", "f.yaml:1:4", "Quote"),
        ("~: 1\n", "f.yaml:1:1", "key"),
        ("? [a]\n: 1\n", "f.yaml:1:3", "Quote"),
        ("a: !!int x\n", "f.yaml:1:4", "tag"),
        ("a: b\x01c\n", "f.yaml:1", "UTF-8"),
    ],
)
def test_each_mistake_has_its_place_and_a_way_out(text: str, place: str, hint: str) -> None:
    found = errors(text)[0]
    assert str(found.location) == place
    assert hint.lower() in found.hint.lower()


@pytest.mark.parametrize("data", [b"a: \xff\xfe\n", "a: 1".encode("utf-16"), b"\x80"], ids=repr)
def test_what_is_not_utf8_is_refused(data: bytes) -> None:
    assert errors(data)[0].code == "GK1011"


def test_byte_order_mark_and_windows_line_ends_do_no_harm() -> None:
    assert values("\ufeffa: 1\r\nb: |\r\n  x\r\n  y\r\n---\r\nc: on\r\n") == [{"a": 1, "b": "x\ny\n"}, {"c": True}]


def test_text_after_the_end_of_a_document_is_ignored_with_a_warning() -> None:
    found = read_documents(b"a: 1\n...\nb: 2\n", "f.yaml")
    assert [document.value for document in found.documents] == [{"a": 1}]
    assert [(problem.code, problem.severity) for problem in found.problems] == [("GK1022", Severity.WARNING)]


def test_keys_that_become_equal_are_told() -> None:
    found = read_documents(b"1: a\n'1': b\n", "f.yaml")
    assert found.documents[0].value == {"1": "b"}
    assert [problem.code for problem in found.problems] == ["GK1023"]


def test_json_streams_are_documents() -> None:
    text = '{"a": 1.5, "e": "\\ud83d\\ude00"}\n{"b": 1e3}\n'
    found = read_documents(text.encode(), "f.json")
    assert [document.value for document in found.documents] == [{"a": 1.5, "e": "😀"}, {"b": 1000}]
    assert [document.line for document in found.documents] == [1, 2]


def test_every_field_can_be_found_again() -> None:
    text = (
        "# c\n---\nspec:\n  containers:\n  - name: a\n  - name: b\n    env: &e\n    - {name: X, value: 1}\nother: *e\n"
    )
    locate = read_documents(text.encode(), "f.yaml").documents[0].locate
    assert str(locate(("spec", "containers", 1, "name"))) == "f.yaml:6:5"
    assert str(locate(("spec", "containers", 1, "env", 0, "value"))) == "f.yaml:8:17"
    assert str(locate(("spec", "missing", "deeper"))) == "f.yaml:3:1"
    assert str(locate(("other", 0, "name"))) == "f.yaml:9:1"
    assert locate(()).document == 1


def test_positions_come_from_the_file_when_it_is_not_kept() -> None:
    data = b"a: 1\r\n---\r\nb:\r\n  c: 2\r\n"
    fetched: list[int] = []

    def fetch() -> bytes:
        fetched.append(1)
        return data

    documents = read_documents(data, "f.yaml", fetch=fetch).documents
    assert fetched == []
    assert str(documents[1].locate(("b", "c"))) == "f.yaml:4:3"
    assert str(documents[1].locate(("b",))) == "f.yaml:3:1"
    assert fetched == [1]


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=" \n\t-:[]{},&*!|>'\"%@`#?<a1.e~\r\ufeff\x85", max_size=60))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    found = read_documents(text.encode(), "f.yaml")
    assert found.complete is not any(problem.severity is Severity.ERROR for problem in found.problems)
    for problem in found.problems:
        assert problem.location is not None
        assert 1 <= problem.location.line <= text.count("\n") + text.count("\r") + text.count("\x85") + 2


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    read_documents(data, "f.yaml")
