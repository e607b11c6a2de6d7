"""Selectors match as apimachinery's do."""

import pytest

from gitops_karmada.model.selectors import LabelSelector, Requirement, is_valid, matches, matches_all


def expression(key: str, operator: str, *values: str) -> LabelSelector:
    return LabelSelector(match_expressions=(Requirement(key=key, operator=operator, values=values),))


LABELS = {"app": "web", "tier": "front", "example.io/size": "12"}


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        pytest.param(LabelSelector(), True, id="an empty selector matches everything"),
        pytest.param(LabelSelector(match_labels={"app": "web"}), True, id="label"),
        pytest.param(LabelSelector(match_labels={"app": "db"}), False, id="other value"),
        pytest.param(LabelSelector(match_labels={"app": "web", "gone": "x"}), False, id="all labels must be there"),
        pytest.param(expression("tier", "In", "front", "back"), True, id="In"),
        pytest.param(expression("gone", "In", "front"), False, id="In without the key"),
        pytest.param(expression("tier", "NotIn", "front"), False, id="NotIn"),
        pytest.param(expression("gone", "NotIn", "front"), True, id="NotIn without the key"),
        pytest.param(expression("tier", "Exists"), True, id="Exists"),
        pytest.param(expression("gone", "DoesNotExist"), True, id="DoesNotExist"),
        pytest.param(expression("example.io/size", "Gt", "3"), False, id="Gt is no operator of label selectors"),
        pytest.param(expression("tier", "In"), False, id="In wants values"),
        pytest.param(expression("tier", "Exists", "x"), False, id="Exists wants none"),
        pytest.param(LabelSelector(match_labels={"app": "not a value"}), False, id="a value that no label can have"),
    ],
)
def test_label_selector(selector: LabelSelector, expected: bool) -> None:
    assert matches(selector, LABELS) is expected


@pytest.mark.parametrize("key", ["", "-app", "a" * 64, "Example.io/app", "/app", "a/b/c", "app\n"])
def test_a_key_that_no_label_can_have_makes_the_selector_invalid(key: str) -> None:
    assert not is_valid(expression(key, "Exists"))


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        (Requirement(key="example.io/size", operator="Gt", values=("3",)), True),
        (Requirement(key="example.io/size", operator="Lt", values=("12",)), False),
        (Requirement(key="app", operator="Gt", values=("3",)), False),
        (Requirement(key="example.io/size", operator="Gt", values=("x",)), False),
        (Requirement(key="example.io/size", operator="Gt", values=("1", "2")), False),
    ],
)
def test_node_selectors_also_compare_numbers(requirement: Requirement, expected: bool) -> None:
    assert matches_all([requirement], LABELS) is expected
