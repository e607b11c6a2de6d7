"""Kinds that scripts explain. The scripts run in their real process."""

from collections.abc import Iterator
from typing import Any

import pytest

from gitops_karmada.core.check_customizations import check_customizations
from gitops_karmada.core.customize import customized
from gitops_karmada.core.interpret import By, Interpreter, Operation
from gitops_karmada.core.interpreters import InterpretError
from gitops_karmada.model.bindings import Health
from gitops_karmada.model.problems import Location
from gitops_karmada.scripts.engine import LuaEngine
from tests.core.customizations import customization, widget


@pytest.fixture(scope="module")
def engine() -> Iterator[LuaEngine]:
    with LuaEngine() as running:
        yield running


def interpreter(engine: LuaEngine, **scripts: str) -> Interpreter:
    return Interpreter(customized=customized([customization(**scripts)], engine))


def test_script_says_how_many_replicas_and_what_one_needs(engine: LuaEngine) -> None:
    script = """
        function GetReplicas(obj)
          local kube = require('kube')
          return obj.spec.size, kube.accuratePodRequirements(obj.spec.template)
        end
    """
    template = {"spec": {"containers": [{"resources": {"requests": {"cpu": "1500m"}}}]}}
    asked = interpreter(engine, replicaResource=script)
    assert asked.replicas(widget(spec={"size": 3, "template": template})) == (3, {"resourceRequest": {"cpu": "1500m"}})
    assert asked.by(Operation.REPLICAS, widget()) is By.CUSTOMIZED
    assert asked.by(Operation.HEALTH, widget()) is None


def test_retained_object_keeps_its_empty_maps(engine: LuaEngine) -> None:
    """Lua cannot tell an empty map from an empty list; the objects at hand can."""
    script = (
        "function Retain(desired, seen) desired.spec.new = {} desired.spec.size = seen.spec.size return desired end"
    )
    desired = widget(spec={"size": 1, "emptyDir": {}, "list": []})
    retained = interpreter(engine, retention=script).retain(desired, widget(spec={"size": 2}))
    assert retained == widget(spec={"size": 2, "emptyDir": {}, "list": []})


def test_aggregated_status(engine: LuaEngine) -> None:
    script = """
        function AggregateStatus(desired, items)
          desired.status = {seen = items and #items or 0}
          return desired
        end
    """
    asked = interpreter(engine, statusAggregation=script)
    assert asked.aggregate(widget(), [{"clusterName": "m1"}]) == widget(status={"seen": 1})
    assert asked.aggregate(widget(), None) == widget(status={"seen": 0})


def test_health_status_components_and_revision(engine: LuaEngine) -> None:
    asked = interpreter(
        engine,
        healthInterpretation="function InterpretHealth(o) return o.status ~= nil end",
        statusReflection="function ReflectStatus(o) return {ready = o.status.ready, nothing = {}} end",
        componentResource="function GetComponents(o) return {{name = 'a', replicas = o.spec.size}} end",
        replicaRevision="function ReviseReplica(o, n) o.spec.size = n return o end",
    )
    assert asked.health(widget()) is Health.UNHEALTHY
    assert asked.health(widget(status={"a": 1})) is Health.HEALTHY
    assert asked.reflect(widget(status={"ready": 2})) == {"ready": 2}
    assert asked.components(widget(spec={"size": 2})) == ({"name": "a", "replicas": 2},)
    assert asked.revise(widget(spec={"size": 2}), 5) == widget(spec={"size": 5})


def test_dependencies_of_all_customizations_are_added_up(engine: LuaEngine) -> None:
    script = "function GetDependencies(o) return {{apiVersion = 'v1', kind = '%s', namespace = 'lab', name = 'x'}} end"
    declared = [
        customization("b", dependencyInterpretation=script % "Secret"),
        customization("a", dependencyInterpretation=script % "ConfigMap"),
        customization("c", dependencyInterpretation=script % "Secret"),
    ]
    found = Interpreter(customized=customized(declared, engine)).dependencies(widget())
    assert found is not None
    assert [reference["kind"] for reference in found] == ["ConfigMap", "Secret"]


def test_first_customization_by_name_counts(engine: LuaEngine) -> None:
    declared = [
        customization("b", healthInterpretation="function InterpretHealth() return false end"),
        customization("a", healthInterpretation="function InterpretHealth() return true end"),
    ]
    assert Interpreter(customized=customized(declared, engine)).health(widget()) is Health.HEALTHY


@pytest.mark.parametrize(
    ("rule", "script", "reason"),
    [
        ("replicaResource", "function GetReplicas() return '3' end", "must return a number"),
        ("replicaResource", "function GetReplicas() return 3, 'x' end", "requirements or nil"),
        ("replicaResource", "function GetReplicas() return 3, {resourceRequest = {cpu = 'x'}} end", "not a quantity"),
        ("healthInterpretation", "function InterpretHealth() return 1 end", "true or false, returned a number"),
        ("statusReflection", "function ReflectStatus() return nil end", "must return a table, returned nil"),
        ("replicaRevision", "function ReviseReplica() return {} end", "without a kind"),
        ("componentResource", "function GetComponents() return {{replicas = 2}} end", "name: is required"),
        ("componentResource", "function GetComponents() return {a = 1} end", "must return a list"),
        ("dependencyInterpretation", "function GetDependencies() return {{kind = 'A', name = 'x'}} end", "apiVersion"),
        (
            "dependencyInterpretation",
            "function GetDependencies() return {{apiVersion = 'v1', kind = 'A'}} end",
            "neither",
        ),
        ("healthInterpretation", "function Wrong() end", "not found function InterpretHealth"),
    ],
)
def test_wrong_answer_is_refused_with_its_reason(engine: LuaEngine, rule: str, script: str, reason: str) -> None:
    asked = interpreter(engine, **{rule: script})
    operations: dict[str, Any] = {
        "replicaResource": lambda: asked.replicas(widget()),
        "healthInterpretation": lambda: asked.health(widget()),
        "statusReflection": lambda: asked.reflect(widget()),
        "replicaRevision": lambda: asked.revise(widget(), 2),
        "componentResource": lambda: asked.components(widget()),
        "dependencyInterpretation": lambda: asked.dependencies(widget()),
    }
    with pytest.raises(InterpretError, match=reason):
        operations[rule]()


def test_error_names_customization_operation_file_and_line(engine: LuaEngine) -> None:
    """Whoever wrote the script finds the line in the file, not only in the script."""
    script = "function InterpretHealth(o)\n  local s = o.status\n  return s.ready == 1\nend\n"
    with pytest.raises(InterpretError) as raised:
        interpreter(engine, healthInterpretation=script).health(widget())
    assert str(raised.value).startswith(
        "ResourceInterpreterCustomization widgets, healthInterpretation: attempt to index"
    )
    assert str(raised.value).endswith("(line 3 of the script)")
    assert raised.value.location == Location(file="widgets.yaml", line=13)


def test_script_that_does_not_compile_is_found_before_it_is_asked(engine: LuaEngine) -> None:
    declared = [customization(healthInterpretation="function InterpretHealth()\n  return = 1\nend\n")]
    (problem,) = check_customizations(declared, engine)
    assert problem.code == "GK2031"
    assert problem.location == Location(file="widgets.yaml", line=12)
    assert problem.path == "spec.customizations.healthInterpretation.luaScript"
    assert "unexpected symbol near '='" in problem.message


def test_two_answers_to_one_question_are_found(engine: LuaEngine) -> None:
    """Only what a kind depends on may be said by several."""
    health = "function InterpretHealth() return true end"
    needs = "function GetDependencies() return {} end"
    declared = [
        customization("b", healthInterpretation=health, dependencyInterpretation=needs),
        customization("a", healthInterpretation=health, dependencyInterpretation=needs),
    ]
    (problem,) = check_customizations(declared, engine)
    assert problem.location is not None
    assert problem.location.file == "b.yaml"
    assert "ResourceInterpreterCustomization a already says this" in problem.message
