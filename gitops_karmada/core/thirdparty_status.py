"""Statuses of kinds outside Kubernetes: what is kept of a member's, and the ways in which several become one.

Karmada's rules for these kinds are scripts whose results lose every empty map and list; so do ours.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gitops_karmada.core.fields import integer, mapping, sequence, text
from gitops_karmada.core.interpreters import InterpretError, Items
from gitops_karmada.core.workload_status import TEMPLATE_GENERATION, reported, status_of
from gitops_karmada.model.objects import Object, annotations_of, dig


def keep(*names: str, generations: bool = False) -> Callable[[Object], Object]:
    """Reflect these fields, and where `generations` is set, how far the member is."""

    def reflect(obj: Object) -> Object:
        status = status_of(obj)
        if status is None:
            return {}
        kept = {name: status[name] for name in names if status.get(name) is not None}
        return without_empty({**kept, **_generations(obj)} if generations else kept)

    return reflect


def _generations(obj: Object) -> Object:
    found = {"generation": dig(obj, "metadata", "generation")}
    found["resourceTemplateGeneration"] = number(annotations_of(obj).get(TEMPLATE_GENERATION))
    return {name: value for name, value in found.items() if value is not None}


def reports_of(items: Items) -> list[Object]:
    """What the members reported, without those that reported nothing yet."""
    return [report for item in items or () if (report := reported(item)) is not None]


def with_status(obj: Object, **fields: Any) -> Object:
    """The object with these fields in its status; None removes one."""
    merged = {**mapping(obj, "status"), **fields}
    return returned(obj, {name: value for name, value in merged.items() if value is not None})


def returned(obj: Object, status: Object) -> Object:
    return without_empty({**obj, "status": status})


def only_status(obj: Object, items: Sequence[Object]) -> Object:
    """The object with its one member's status, word for word."""
    status = reported(items[0])
    bare = {key: value for key, value in obj.items() if key != "status"}
    return without_empty(bare) if status is None else returned(bare, status)


def without_spec(obj: Object) -> Object:
    # Karmada's rules for these kinds return the status alone.
    return {key: value for key, value in obj.items() if key != "spec"}


def total(reports: Iterable[Object], *path: str) -> int:
    return sum(integer(report, *path) for report in reports)


def last(reports: Sequence[Object], name: str, default: Any = None) -> Any:
    """What the last member says that says anything."""
    return next((report[name] for report in reversed(reports) if report.get(name) not in (None, "")), default)


def first(reports: Sequence[Object], name: str) -> Any:
    return next((report[name] for report in reports if report.get(name) is not None), None)


def greatest(reports: Sequence[Object], name: str, default: Any = None) -> Any:
    """The latest time; times are all written alike, so they compare as text."""
    return max((text(report, name) for report in reports if report.get(name)), default=default)


def smallest(reports: Sequence[Object], name: str) -> Any:
    return min((text(report, name) for report in reports if report.get(name)), default=None)


def observed_generation(obj: Object, items: Items) -> int:
    """The template's generation once every member has worked off exactly that one, else what was seen before."""
    generation = integer(obj, "metadata", "generation")
    if items is None or all(_is_settled(reported(item) or {}, generation) for item in items):
        return generation
    return integer(obj, "status", "observedGeneration")


def _is_settled(report: Object, generation: int) -> bool:
    return integer(report, "resourceTemplateGeneration") == generation and integer(report, "generation") == integer(
        report, "observedGeneration"
    )


def merged_conditions(items: Items) -> list[Object]:
    """Conditions of all members: those of equal type, status and reason become one that quotes each member."""
    merged: dict[tuple[str, str, str], dict[str, Any]] = {}
    for item in items or ():
        for condition in sequence(reported(item), "conditions"):
            key = (text(condition, "type"), text(condition, "status"), text(condition, "reason"))
            quoted = f"{item['clusterName']}={text(condition, 'message')}"
            if key in merged:
                merged[key]["message"] += f", {quoted}"
            else:
                merged[key] = {**condition, "message": quoted}
    return list(merged.values())


def without_empty(value: Object) -> dict[str, Any]:
    """The map without empty maps and lists in it, however deep."""
    return {key: _without_empty(entry) for key, entry in value.items() if not _is_empty(entry)}


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        return without_empty(value)
    if isinstance(value, list):
        return [_without_empty(entry) for entry in value if not _is_empty(entry)]
    return value


def _is_empty(value: Any) -> bool:
    return isinstance(value, dict | list) and not value


def without_nothing(value: Object) -> dict[str, Any]:
    """The map without zeros, empty texts and whatever holds nothing else, however deep."""
    return {key: kept for key, entry in value.items() if (kept := _without_nothing(entry)) is not None}


def _without_nothing(value: Any) -> Any:
    if isinstance(value, dict):
        return without_nothing(value) or None
    if isinstance(value, list):
        return [kept for entry in value if (kept := _without_nothing(entry)) is not None] or None
    return value if isinstance(value, bool) or value not in (None, 0, "", "0s") else None


def number(value: Any) -> int | float | None:
    """A number, or a text that is one; None otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except ValueError:
        return None
    return int(found) if found.is_integer() else found


def count(value: Any, default: int) -> int:
    """A number of replicas, however it is written."""
    found = number(value)
    return default if found is None else int(found)


def must_have_status(obj: Object) -> Object:
    status = status_of(obj)
    if status is None:
        raise InterpretError("status: nothing reported yet")
    return status
