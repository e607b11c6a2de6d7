"""Kinds as customizations in the repository explain them: by scripts, run by someone who is passed in."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gitops_karmada.core.answers import components_in, object_in, references_in, requirements_in, verified
from gitops_karmada.core.empty_tables import repaired
from gitops_karmada.core.interpret import Layer
from gitops_karmada.core.interpreters import Interpretation, InterpretError, Items, Replicas
from gitops_karmada.model.customizations import ResourceInterpreterCustomization, ScriptError, Scripts
from gitops_karmada.model.federation import Declared
from gitops_karmada.model.files import Locate
from gitops_karmada.model.objects import Object
from gitops_karmada.model.problems import Location

# The operations of a customization, as the API names them, and the function that its script defines.
FUNCTIONS: Mapping[str, str] = {
    "replica_resource": "GetReplicas",
    "component_resource": "GetComponents",
    "replica_revision": "ReviseReplica",
    "retention": "Retain",
    "health_interpretation": "InterpretHealth",
    "status_reflection": "ReflectStatus",
    "status_aggregation": "AggregateStatus",
    "dependency_interpretation": "GetDependencies",
}
JSON_NAMES: Mapping[str, str] = {
    name: name.split("_")[0] + "".join(word.capitalize() for word in name.split("_")[1:]) for name in FUNCTIONS
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """One script of a customization, and where it stands."""

    text: str
    function: str
    operation: str
    customization: str
    location: Location | None = None

    def line_at(self, line: int) -> Location | None:
        """The place of a line of the script, which starts below its key where it has more than one line."""
        if self.location is None or not self.location.line or not line:
            return self.location
        below = line if "\n" in self.text else 0
        return replace(self.location, line=self.location.line + below, column=0)


def customized(declared: Iterable[Declared[ResourceInterpreterCustomization]], scripts: Scripts) -> Layer:
    """What all customizations say. Of several for one kind and operation the first by name counts."""
    found: dict[tuple[str, str], dict[str, list[Script]]] = {}
    for customization in sorted(declared, key=lambda one: one.value.metadata.name):
        target = customization.value.spec.target
        of_kind = found.setdefault((target.api_version, target.kind), {})
        for script in scripts_of(customization):
            of_kind.setdefault(script.operation, []).append(script)
    return {kind: _interpretation(of_kind, scripts) for kind, of_kind in found.items()}.get


def scripts_of(customization: Declared[ResourceInterpreterCustomization]) -> Iterator[Script]:
    rules = customization.value.spec.customizations
    for name, function in FUNCTIONS.items():
        rule = getattr(rules, name)
        if rule is None or not rule.lua_script.strip():
            continue
        path = ("spec", "customizations", JSON_NAMES[name], "luaScript")
        locate: Locate | None = customization.locate
        yield Script(
            text=rule.lua_script,
            function=function,
            operation=name,
            customization=customization.value.metadata.name,
            location=locate(path) if locate else customization.location,
        )


def _interpretation(of_kind: Mapping[str, Sequence[Script]], scripts: Scripts) -> Interpretation:
    first = {operation: of_operation[0] for operation, of_operation in of_kind.items()}

    def rule(operation: str, make: Callable[[Script, Scripts], Any]) -> Any:
        return make(first[operation], scripts) if operation in first else None

    needed = of_kind.get("dependency_interpretation")
    return Interpretation(
        replicas=rule("replica_resource", _replicas),
        components=rule("component_resource", _components),
        revise=rule("replica_revision", _revise),
        retain=rule("retention", _retain),
        health=rule("health_interpretation", _health),
        reflect=rule("status_reflection", _reflect),
        aggregate=rule("status_aggregation", _aggregate),
        dependencies=_dependencies(needed, scripts) if needed else None,
    )


def _replicas(script: Script, scripts: Scripts) -> Callable[[Object], Replicas]:
    def replicas(obj: Object) -> Replicas:
        number, needs = _call(script, scripts, obj, results=2)
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise failed(script, f"must return a number of replicas first, returned {_shown(number)}")
        if needs is not None and not isinstance(needs, dict | list):
            raise failed(script, f"must return requirements or nil second, returned {_shown(needs)}")
        return int(number), None if needs is None else _checked(
            script, requirements_in, _object(script, repaired(needs))
        )

    return replicas


def _components(script: Script, scripts: Scripts) -> Callable[[Object], list[Object]]:
    def components(obj: Object) -> list[Object]:
        (listed,) = _call(script, scripts, obj)
        return [] if listed is None else _checked(script, components_in, _list(script, listed))

    return components


def _revise(script: Script, scripts: Scripts) -> Callable[[Object, int], Object]:
    def revise(obj: Object, number: int) -> Object:
        (revised,) = _call(script, scripts, obj, number)
        return _kind(script, repaired(_table(script, revised), (obj,)))

    return revise


def _retain(script: Script, scripts: Scripts) -> Callable[[Object, Object], Object]:
    def retain(desired: Object, observed: Object) -> Object:
        (retained,) = _call(script, scripts, desired, observed)
        return _kind(script, repaired(_table(script, retained), (desired, observed)))

    return retain


def _health(script: Script, scripts: Scripts) -> Callable[[Object], bool]:
    def is_healthy(obj: Object) -> bool:
        (healthy,) = _call(script, scripts, obj)
        if not isinstance(healthy, bool):
            raise failed(script, f"must return true or false, returned {_shown(healthy)}")
        return healthy

    return is_healthy


def _reflect(script: Script, scripts: Scripts) -> Callable[[Object], Object]:
    def reflect(obj: Object) -> Object:
        (status,) = _call(script, scripts, obj)
        return _object(script, repaired(_table(script, status)))

    return reflect


def _aggregate(script: Script, scripts: Scripts) -> Callable[[Object, Items], Object]:
    def aggregate(obj: Object, items: Items) -> Object:
        (aggregated,) = _call(script, scripts, obj, None if items is None else list(items))
        return _kind(script, repaired(_table(script, aggregated)))

    return aggregate


def _dependencies(needed: Sequence[Script], scripts: Scripts) -> Callable[[Object], list[Object]]:
    def dependencies(obj: Object) -> list[Object]:
        """Those of all scripts: what one customization needs, another does not take away."""
        found: list[Object] = []
        for script in needed:
            known: list[Object] = _checked(script, verified, references(script, scripts, obj))
            found += (reference for reference in known if reference not in found)
        return sorted(found, key=_by_name)

    return dependencies


def references(script: Script, scripts: Scripts, obj: Object) -> list[Object]:
    """What one script says, word for word."""
    (listed,) = _call(script, scripts, obj)
    found: list[Object] = _checked(script, references_in, _list(script, _table(script, listed)))
    return found


def _by_name(reference: Object) -> tuple[str, ...]:
    return tuple(str(reference.get(name) or "") for name in ("apiVersion", "kind", "namespace", "name"))


def _call(script: Script, scripts: Scripts, *arguments: Any, results: int = 1) -> list[Any]:
    try:
        return scripts.call(script.text, script.function, arguments, results)
    except ScriptError as error:
        raise failed(script, str(error), error.line) from error


def failed(script: Script, reason: str, line: int = 0) -> InterpretError:
    name = f"ResourceInterpreterCustomization {script.customization}, {JSON_NAMES[script.operation]}"
    where = f" (line {line} of the script)" if line else ""
    return InterpretError(f"{name}: {reason}{where}", script.line_at(line))


def _checked(script: Script, check: Callable[[Any], Any], value: Any) -> Any:
    try:
        return check(value)
    except ValueError as wrong:
        raise failed(script, f"{script.function} returned {wrong}") from wrong


def _table(script: Script, value: Any) -> Any:
    if not isinstance(value, dict | list):
        raise failed(script, f"must return a table, returned {_shown(value)}")
    return value


def _kind(script: Script, value: Any) -> Object:
    """A whole object, which has to say of which kind it is."""
    found: Object = _checked(script, object_in, _object(script, value))
    return found


def _object(script: Script, value: Any) -> Object:
    if value == []:
        return {}
    if not isinstance(value, dict):
        raise failed(script, "must return a table with names, returned a list")
    return value


def _list(script: Script, value: Any) -> list[Any]:
    found = repaired(value)
    if not isinstance(found, list):
        raise failed(script, f"must return a list, returned {_shown(found)}")
    return found


def _shown(value: Any) -> str:
    """The type alone: the value may be what nobody should read in a log."""
    if value is None:
        return "nil"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    return "a string" if isinstance(value, str) else "a table"
