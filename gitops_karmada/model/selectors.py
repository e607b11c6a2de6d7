"""Label and field selectors, matched as apimachinery does."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from gitops_karmada.model.frozen import NOTHING

REQUIRED = {"required": True}

_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
_INT64 = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    key: str = field(default="", metadata=REQUIRED)
    operator: str = field(default="", metadata=REQUIRED)
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSelector:
    match_labels: Mapping[str, str] = field(default=NOTHING)
    match_expressions: tuple[Requirement, ...] = ()

    def __hash__(self) -> int:
        return hash((tuple(sorted(self.match_labels.items())), self.match_expressions))


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSelector:
    match_expressions: tuple[Requirement, ...] = ()


def matches(selector: LabelSelector, labels: Mapping[str, str]) -> bool:
    """Whether the labels satisfy the selector: an empty one matches everything, an invalid one nothing."""
    return (
        is_valid(selector)
        and all(labels.get(key) == value for key, value in selector.match_labels.items())
        and all(satisfies(requirement, labels) for requirement in selector.match_expressions)
    )


@lru_cache(maxsize=4096)
def is_valid(selector: LabelSelector) -> bool:
    """Whether the API server would make a selector of it."""
    return all(is_label_key(key) and is_label_value(value) for key, value in selector.match_labels.items()) and all(
        requirement.operator in _LABEL_OPERATORS and is_requirement(requirement)
        for requirement in selector.match_expressions
    )


def matches_all(requirements: Iterable[Requirement], labels: Mapping[str, str]) -> bool:
    """Whether all hold, in the wider syntax of node selectors (also Gt and Lt); one invalid and nothing matches."""
    wanted = tuple(requirements)
    return all(map(is_requirement, wanted)) and all(satisfies(requirement, labels) for requirement in wanted)


def satisfies(requirement: Requirement, labels: Mapping[str, str]) -> bool:
    """Whether the labels satisfy one valid requirement. NotIn and DoesNotExist hold where the key is absent."""
    value = labels.get(requirement.key)
    match requirement.operator:
        case "In":
            return value is not None and value in requirement.values
        case "NotIn":
            return value is None or value not in requirement.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt":
            return _beyond(requirement, value)
        case _:
            return False


def is_requirement(requirement: Requirement) -> bool:
    return (
        is_label_key(requirement.key)
        and _has_values(requirement)
        and all(is_label_value(value) for value in requirement.values)
    )


def is_label_key(key: str) -> bool:
    """`name` or `prefix/name`, as validation's qualified names."""
    prefix, slash, name = key.rpartition("/")
    if slash and not (len(prefix) <= 253 and _SUBDOMAIN.fullmatch(prefix)):
        return False
    return _NAME.fullmatch(name) is not None


def is_label_value(value: str) -> bool:
    return value == "" or _NAME.fullmatch(value) is not None


_LABEL_OPERATORS = frozenset({"In", "NotIn", "Exists", "DoesNotExist"})


def _has_values(requirement: Requirement) -> bool:
    match requirement.operator:
        case "In" | "NotIn":
            return bool(requirement.values)
        case "Exists" | "DoesNotExist":
            return not requirement.values
        case "Gt" | "Lt":
            return len(requirement.values) == 1 and _integer(requirement.values[0]) is not None
        case _:
            return False


def _beyond(requirement: Requirement, value: str | None) -> bool:
    have, bound = _integer(value), _integer(requirement.values[0])
    if have is None or bound is None:
        return False
    return have > bound if requirement.operator == "Gt" else have < bound


def _integer(text: str | None) -> int | None:
    if text is None or not _WHOLE_NUMBER.fullmatch(text):
        return None
    number = int(text)
    return number if number in _INT64 else None
