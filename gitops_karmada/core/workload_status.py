"""Statuses of workloads that count: what of a member's is kept, and what their sum says about the template."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gitops_karmada.core.fields import integer, mapping
from gitops_karmada.core.interpreters import InterpretError, Items
from gitops_karmada.model.objects import Object, annotations_of, dig

TEMPLATE_GENERATION = "resourcetemplate.karmada.io/generation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """The numbers of a status. A zero is left out, as the API leaves it out, unless the field is `always` there."""

    names: tuple[str, ...]
    always: frozenset[str] = frozenset()

    def written(self, numbers: Mapping[str, int]) -> dict[str, int]:
        return {name: numbers[name] for name in self.names if numbers[name] or name in self.always}

    def of(self, status: Object) -> dict[str, int]:
        return {name: integer(status, name) for name in self.names}


def reflect_counters(counters: Counters, *, observes: bool = True) -> Callable[[Object], Object | None]:
    def reflect(obj: Object) -> Object | None:
        status = status_of(obj)
        if status is None:
            return None
        grabbed: dict[str, Any] = counters.written(counters.of(status))
        generations = {
            "observedGeneration": integer(status, "observedGeneration") if observes else 0,
            "generation": integer(obj, "metadata", "generation"),
            "resourceTemplateGeneration": template_generation(obj),
        }
        grabbed.update((name, value) for name, value in generations.items() if value)
        return grabbed

    return reflect


def aggregate_counters(
    counters: Counters, observed: Callable[[int, Object], bool]
) -> Callable[[Object, Items], Object]:
    def aggregate(obj: Object, items: Items) -> Object:
        old = mapping(obj, "status")
        reports = [report for item in items or () if (report := reported(item)) is not None]
        sums = {name: sum(integer(report, name) for report in reports) for name in counters.names}
        generation = integer(obj, "metadata", "generation")
        caught_up = sum(observed(generation, report) for report in reports) == len(items or ())
        seen = generation if caught_up else integer(old, "observedGeneration")
        if seen == integer(old, "observedGeneration") and sums == counters.of(old):
            return obj
        kept = {k: v for k, v in compact(old).items() if k not in counters.names and k != "observedGeneration"}
        kept.update(counters.written(sums))
        if seen:
            kept["observedGeneration"] = seen
        return {**obj, "status": kept}

    return aggregate


def has_seen_template(generation: int, report: Object) -> bool:
    """The member has worked off its object, and its object came from this template or a later one."""
    return (
        integer(report, "observedGeneration") >= integer(report, "generation")
        and integer(report, "resourceTemplateGeneration") >= generation
    )


def status_of(obj: Object) -> Object | None:
    status = obj.get("status")
    if status is None or isinstance(status, Mapping):
        return status
    raise InterpretError(f"status: expected a map, got {type(status).__name__}")


def reported(item: Object) -> Object | None:
    """What a member reported; None where nothing was collected yet."""
    status = item.get("status")
    if status is None or isinstance(status, Mapping):
        return status
    raise InterpretError(f"status of member {item.get('clusterName')}: expected a map, got {type(status).__name__}")


def template_generation(obj: Object) -> int:
    """The template's generation that the renderer wrote on the object."""
    written = annotations_of(obj).get(TEMPLATE_GENERATION, "")
    try:
        return int(written)
    except ValueError:
        raise InterpretError(f"annotation {TEMPLATE_GENERATION}: expected an integer, got {written!r}") from None


def compact(status: Object) -> dict[str, Any]:
    """The status without optional fields that say nothing, as the API server's types would encode it."""
    return {
        key: compacted for key, value in status.items() if (compacted := _compact(value)) not in (None, "", [], {}, 0)
    }


def _compact(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: c for k, v in value.items() if (c := _compact(v)) not in (None, "", [], {})}
    return [_compact(entry) for entry in value] if isinstance(value, list) else value


def has_condition(status: Object | None, kind: str, state: str = "True") -> bool:
    conditions = dig(status, "conditions")
    return any(
        dig(condition, "type") == kind and dig(condition, "status") == state
        for condition in (conditions if isinstance(conditions, list) else ())
    )
