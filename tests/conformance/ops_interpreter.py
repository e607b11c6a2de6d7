"""The answers of Karmada's interpreters: one function an operation, None where ours is the same."""

from collections.abc import Callable, Mapping
from typing import Any

from gitops_karmada.core.customize import customized, references, scripts_of
from gitops_karmada.core.interpret import Interpreter, Operation
from gitops_karmada.core.interpreters import InterpretError
from gitops_karmada.core.prune import prune
from gitops_karmada.model.customizations import ResourceInterpreterCustomization
from gitops_karmada.model.decode import decode
from gitops_karmada.model.federation import Declared
from gitops_karmada.model.problems import Location
from gitops_karmada.model.quantity import quantity
from gitops_karmada.scripts.engine import LuaEngine

INTERPRETER = Interpreter()
ENGINE = LuaEngine()
Case = dict[str, Any]


def replicas(case: Case, interpreter: Interpreter = INTERPRETER) -> str | None:
    def ask() -> Any:
        answer = interpreter.replicas(case["object"])
        return answer and {"replicas": answer[0], "requirements": answer[1]}

    return _compare(case, interpreter, Operation.REPLICAS, ask)


def components(case: Case, interpreter: Interpreter = INTERPRETER) -> str | None:
    def ask() -> Any:
        answer = interpreter.components(case["object"])
        return {"components": list(answer) if answer else None}

    return _compare(case, interpreter, Operation.COMPONENTS, ask)


def revise(case: Case, interpreter: Interpreter = INTERPRETER) -> str | None:
    def ask() -> Any:
        return {"object": interpreter.revise(case["object"], case.get("replica", 0))}

    return _compare(case, interpreter, Operation.REVISE, ask)


def retain(case: Case, interpreter: Interpreter = INTERPRETER) -> str | None:
    def ask() -> Any:
        return {"object": interpreter.retain(case["object"], case["observed"])}

    return _compare(case, interpreter, Operation.RETAIN, ask)


def health(case: Case, interpreter: Interpreter = INTERPRETER) -> str | None:
    def ask() -> Any:
        answer = interpreter.health(case["object"])
        return {"healthy": None if answer is None else answer == "Healthy"}

    return _compare(case, interpreter, Operation.HEALTH, ask)


def reflect(case: Case, interpreter: Interpreter = INTERPRETER) -> str | None:
    return _compare(case, interpreter, Operation.REFLECT, lambda: {"status": interpreter.reflect(case["object"])})


def aggregate(case: Case, interpreter: Interpreter = INTERPRETER) -> str | None:
    def ask() -> Any:
        return {"object": interpreter.aggregate(case["object"], case.get("items"))}

    return _compare(case, interpreter, Operation.AGGREGATE, ask)


def dependencies(case: Case, interpreter: Interpreter = INTERPRETER) -> str | None:
    def ask() -> Any:
        answer = interpreter.dependencies(case["object"])
        return {"dependencies": sorted(answer, key=_reference) if answer else None}

    expected = case["expect"].get("dependencies")
    if expected:
        case = {**case, "expect": {**case["expect"], "dependencies": sorted(expected, key=_reference)}}
    return _compare(case, interpreter, Operation.DEPENDENCIES, ask)


def pruned(case: Case) -> str | None:
    return difference(case["expect"]["object"], prune(case["object"]))


def lua(case: Case) -> str | None:
    """A customization's script, asked for the operation that the case names."""
    operation = case["luaOp"]
    target = {"apiVersion": case["object"]["apiVersion"], "kind": case["object"]["kind"]}
    rules = {CUSTOMIZATION_RULES[operation]: {"luaScript": case["script"]}}
    value = decode(
        ResourceInterpreterCustomization,
        {"metadata": {"name": "case"}, "spec": {"target": target, "customizations": rules}},
    ).unwrap()
    declared = Declared(value=value, manifest={}, location=Location(file="case.yaml"))
    interpreter = Interpreter(customized=customized([declared], ENGINE))
    if operation != "dependencies":
        return OPS[operation](case, interpreter)
    # The case tells what the script says; whether each reference is whole is asked one step later.
    (script,) = scripts_of(declared)
    return _compare(
        case,
        interpreter,
        Operation.DEPENDENCIES,
        lambda: {"dependencies": references(script, ENGINE, case["object"])},
    )


CUSTOMIZATION_RULES = {
    "replicas": "replicaResource",
    "components": "componentResource",
    "revise": "replicaRevision",
    "retain": "retention",
    "health": "healthInterpretation",
    "reflect": "statusReflection",
    "aggregate": "statusAggregation",
    "dependencies": "dependencyInterpretation",
}

OPS: dict[str, Callable[..., str | None]] = {
    "replicas": replicas,
    "components": components,
    "revise": revise,
    "retain": retain,
    "health": health,
    "reflect": reflect,
    "aggregate": aggregate,
    "dependencies": dependencies,
    "prune": pruned,
    "lua": lua,
}


def _compare(
    case: Case, interpreter: Interpreter, operation: Operation, ask: Callable[[], dict[str, Any] | None]
) -> str | None:
    expected = case["expect"]
    try:
        answer = ask()
    except InterpretError as error:
        return None if "error" in expected else f"unexpected error: {error}"
    if "error" in expected:
        return f"expected the error {expected['error']!r}, got {answer}"
    by = interpreter.by(operation, case["object"])
    if "by" in expected and expected["by"] != (by or "none"):
        return f"expected by {expected['by']}, got {by}"
    if by is None:
        return None
    return difference({k: v for k, v in expected.items() if k != "by"}, answer)


def _reference(reference: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(reference.get(name)) for name in ("apiVersion", "kind", "namespace", "name", "labelSelector"))


def difference(expected: Any, got: Any, path: str = "") -> str | None:
    """The first place where two JSON values differ. A missing map equals an empty one, null equals missing."""
    if isinstance(expected, Mapping) or isinstance(got, Mapping):
        return _map_difference(expected, got, path)
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        pairs = enumerate(zip(expected, got, strict=True))
        return next((d for i, (a, b) in pairs if (d := difference(a, b, f"{path}[{i}]"))), None)
    if _same(expected, got, path):
        return None
    return f"{path}: expected {expected!r}, got {got!r}"


def _map_difference(expected: Any, got: Any, path: str) -> str | None:
    expected, got = (({} if value is None else value) for value in (expected, got))
    if not (isinstance(expected, Mapping) and isinstance(got, Mapping)):
        return f"{path}: expected {expected!r}, got {got!r}"
    keys = sorted({*expected, *got})
    return next((d for k in keys if (d := difference(expected.get(k), got.get(k), f"{path}.{k}"))), None)


def _same(expected: Any, got: Any, path: str) -> bool:
    if expected == got and isinstance(expected, bool) == isinstance(got, bool):
        return True
    if not ("resourceRequest" in path and isinstance(expected, str) and isinstance(got, str)):
        return False
    return quantity(expected) == quantity(got)
