from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gitops_karmada.core.field_changes import changes_between
from gitops_karmada.core.patch import patched
from gitops_karmada.model.policies import OverriderOperator
from tests.core.test_patch import KEYS, VALUES


def test_an_element_put_first_is_one_change() -> None:
    changes = changes_between({"env": [1, 2]}, {"env": [0, 1, 2]})
    assert [(change.path, change.before, change.after) for change in changes] == [("/env/0", None, 0)]


def test_true_and_one_are_not_the_same() -> None:
    assert [change.path for change in changes_between({"a": 1}, {"a": True})] == ["/a"]


@given(before=st.dictionaries(KEYS, VALUES, max_size=4), after=st.dictionaries(KEYS, VALUES, max_size=4))
def test_maps_that_differ_have_changes_and_maps_that_do_not_have_none(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    changes = changes_between(before, after)
    if before == after:
        assert all(type(change.before) is not type(change.after) for change in changes)
    else:
        assert changes


@given(document=st.dictionaries(KEYS, VALUES, max_size=4), value=st.integers(10, 20))
def test_a_replaced_field_is_the_only_change(document: dict[str, Any], value: int) -> None:
    for key in document:
        after = patched(
            {key: document[key]}, "/" + key.replace("~", "~0").replace("/", "~1"), OverriderOperator.REPLACE, value
        )
        (change,) = changes_between({key: document[key]}, after)
        assert (change.before, change.after) == (document[key], value)
