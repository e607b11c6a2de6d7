"""The fast reader takes only what the exact reader takes, and makes the same of it."""

import gzip
import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitops_karmada.model.files import Limits
from gitops_karmada.repo.yaml_chunks import Chunk, chunks, normalized
from gitops_karmada.repo.yaml_plain import plain_document
from gitops_karmada.repo.yaml_reader import exact_document

LIMITS = Limits()
PIECES = [
    "\n",
    "\n  ", "\n    ", "- ", "-", ": ", ":", " ", "  ", "a", "b", "on", "1", "1e3", "0x1F", "null", "~", '"', "'", "'a'",
    '"b"',
    '""', "{}", "[]", "#", " # c", "|", ">", "&a", "*a", "!", "%", "@", "?", ",", "x: ", "y: ", "- k: ", "name: w",
    "http://x.y",
    "---", "...", "<<", "a b", "--x=1", ".5", "=", "\t", "é", "(", "$(A)", "{", "}", "[", "]",
]  # fmt: skip


def agrees(text: bytes) -> bool:
    """Whether both readers took the text; they must agree on it then."""
    chunk = Chunk(text=text, line=1, start=0, end=len(text))
    fast = plain_document(text, LIMITS.depth)
    if fast is None:
        return False
    value, line, faults = exact_document(chunk, LIMITS)
    assert faults == []
    assert repr(fast[0]) == repr(value)
    assert fast[1] + 1 == line
    return True


@settings(max_examples=1500, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_both_readers_agree_on_any_pieces(pieces: list[str]) -> None:
    agrees(("".join(pieces) + "\n").encode())


def test_both_readers_agree_on_the_corpus_and_its_mutations() -> None:
    with gzip.open(Path("fixtures/conformance/yaml.jsonl.gz"), "rt") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    chance = random.Random(7)
    taken = 0
    for text in texts:
        for chunk in chunks(normalized(text.encode())):
            taken += agrees(chunk.text)
        place = chance.randrange(len(text) + 1)
        agrees(normalized((text[:place] + chance.choice(PIECES) + text[place:]).encode()))
        lines = text.split("\n")
        place = chance.randrange(len(lines))
        lines[place] = " " * chance.randrange(5) + lines[place].lstrip()
        agrees(normalized("\n".join(lines).encode()))
    assert taken > 500


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\na: 2\n", "a: b: c\n", "a:\n  b\n", "a: |\n  x\n", "a: [1]\n", "y: 1\n", "a: .inf\n", "a: 1\n b: 2\n",
        "- a\nb: 1\n", "a: é\n", "a: *x\n", "a: 1\n...\n", "- a\n  b\n", "a: b\n  c\n", "a:\n- b\n  - c\n",
        "x" * 2000 + ": 1\n", "a: 'it''s'\n",
    ],
)  # fmt: skip
def test_the_rest_is_left_to_the_exact_reader(text: str) -> None:
    assert plain_document(text.encode(), LIMITS.depth) is None


def test_what_a_line_holds_is_not_shared() -> None:
    first, second = (plain_document(b"a: {}\nb:\n- []\n", LIMITS.depth) for _ in range(2))
    assert first is not None
    assert second is not None
    assert first[0] == second[0] == {"a": {}, "b": [[]]}
    assert first[0]["a"] is not second[0]["a"]
    assert first[0]["b"][0] is not second[0]["b"][0]


def test_depth_is_bounded() -> None:
    deep = "".join(f"{' ' * n}a:\n" for n in range(300))
    assert plain_document(deep.encode(), LIMITS.depth) is None
    assert plain_document(b"- " * 300 + b"a\n", LIMITS.depth) is None
