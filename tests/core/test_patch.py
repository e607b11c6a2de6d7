"""The fast way of JSON patches is held to the jsonpatch library."""

import copy
from typing import Any

import jsonpatch
import jsonpointer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_karmada.core.patch import PatchError, patched
from gitops_karmada.model.policies import OverriderOperator

KEYS = st.sampled_from(["a", "b", "x/y", "t~u", "0"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "text"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
POINTERS = st.lists(KEYS | st.sampled_from(["0", "1", "2", "-"]), min_size=1, max_size=3).map(
    lambda keys: "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys)
)


@given(
    document=st.dictionaries(KEYS, VALUES, max_size=4),
    operator=st.sampled_from(list(OverriderOperator)),
    pointer=POINTERS,
    value=VALUES,
)
def test_every_operation_does_what_the_library_does(
    document: dict[str, Any], operator: OverriderOperator, pointer: str, value: Any
) -> None:
    """The same result or both refuse; and the document given is never changed."""
    before = copy.deepcopy(document)
    try:
        wanted = jsonpatch.apply_patch(document, [{"op": str(operator), "path": pointer, "value": value}])
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, TypeError):
        with pytest.raises(PatchError):
            patched(document, pointer, operator, value)
    else:
        assert patched(document, pointer, operator, value) == wanted
    assert document == before


def test_what_is_not_on_the_way_is_shared() -> None:
    document = {"spec": {"big": [1, 2, 3], "replicas": 1}, "metadata": {}}
    changed = patched(document, "/spec/replicas", OverriderOperator.REPLACE, 2)
    assert changed["spec"]["big"] is document["spec"]["big"]
    assert changed["metadata"] is document["metadata"]


@pytest.mark.parametrize(
    ("pointer", "operator", "expected"),
    [
        pytest.param("/items/-1", OverriderOperator.REPLACE, [1, 2, 9], id="replace-last"),
        pytest.param("/items/-1", OverriderOperator.REMOVE, [1, 2], id="remove-last"),
        pytest.param("/items/-1", OverriderOperator.ADD, [1, 2, 3, 9], id="add-behind-last"),
        pytest.param("/items/-4", OverriderOperator.ADD, [9, 1, 2, 3], id="add-before-first"),
    ],
)
def test_negative_indexes_count_from_the_end(pointer: str, operator: OverriderOperator, expected: list[int]) -> None:
    """The library that Karmada uses allows them; RFC 6902 does not."""
    assert patched({"items": [1, 2, 3]}, pointer, operator, 9) == {"items": expected}


@pytest.mark.parametrize(
    ("pointer", "operator", "reason"),
    [
        ("/metadata/annotations/scrape", OverriderOperator.ADD, "missing path: there is no 'annotations'"),
        ("/items/7", OverriderOperator.REPLACE, "index 7 is out of range: the list has 3 elements"),
        ("/items/x", OverriderOperator.REMOVE, "'x' is no index of a list"),
        ("/metadata/missing", OverriderOperator.REMOVE, "missing path: there is no 'missing'"),
        ("items", OverriderOperator.ADD, "'items' is no JSON pointer: it must start with '/'"),
        ("", OverriderOperator.REMOVE, "the whole document cannot be removed"),
    ],
)
def test_an_operation_that_does_not_apply_says_why(pointer: str, operator: OverriderOperator, reason: str) -> None:
    with pytest.raises(PatchError) as refused:
        patched({"metadata": {}, "items": [1, 2, 3]}, pointer, operator, 9)
    assert reason in str(refused.value)
