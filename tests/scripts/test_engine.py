"""Scripts in their process: what they may do, and that nothing they do outlasts its deadline."""

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest

from gitops_karmada.model.customizations import ScriptError
from gitops_karmada.scripts.engine import LuaEngine

# The deadline of the engine is 1 s; the rest is starting a process on a machine that has other things to do.
PATIENCE = 5.0


@pytest.fixture(scope="module")
def engine() -> Iterator[LuaEngine]:
    with LuaEngine() as running:
        yield running


def answer(engine: LuaEngine, body: str, *arguments: Any) -> Any:
    (result,) = engine.call(f"function f(...) {body} end", "f", arguments, 1)
    return result


def test_values_keep_their_types(engine: LuaEngine) -> None:
    value = {"a": [1, 2.5, "x", True], "b": {"c": False}, "none": None}
    assert answer(engine, "return ...", value) == {"a": [1, 2.5, "x", True], "b": {"c": False}}
    assert answer(engine, "return 6 / 2") == 3
    assert isinstance(answer(engine, "return 6 / 2"), int)
    assert answer(engine, "return {}") == []
    assert answer(engine, "return nil") is None


def test_missing_results_are_null(engine: LuaEngine) -> None:
    assert engine.call("function f() return 1 end", "f", (), 3) == [1, None, None]
    assert engine.call("function f() return 1, 2, 3 end", "f", (), 2) == [1, 2]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("local t = {} t.t = t return t", "recursively nested"),
        ("return {1, nil, 3}", "sparse"),
        ("return {1, a = 2}", "mixed"),
        ("return {f = print}", "function"),
        ("return 0 / 0", "nan"),
        ("return '\\255'", "utf-8"),
    ],
)
def test_what_is_no_json_is_an_error(engine: LuaEngine, body: str, reason: str) -> None:
    with pytest.raises(ScriptError, match=reason):
        answer(engine, body)


@pytest.mark.parametrize(
    "body",
    [
        "while true do end",
        "while true do pcall(function() while true do end end) end",
        "return #string.gsub(string.rep('a', 10000000), '.-b', 'x')",
        "return string.find(string.rep('a', 40), string.rep('a?', 40) .. string.rep('a', 40) .. 'b')",
        "return f()",
    ],
    ids=["loop", "loop that catches", "gsub in C", "find in C", "endless tail calls"],
)
def test_script_without_end_is_stopped_and_the_next_one_runs(engine: LuaEngine, body: str) -> None:
    began = time.monotonic()
    with pytest.raises(ScriptError, match="did not finish within 1 s"):
        answer(engine, body)
    assert time.monotonic() - began < PATIENCE
    assert answer(engine, "return 1") == 1


@pytest.mark.parametrize(
    "body",
    [
        "local t = {} while true do t[#t + 1] = {} end",
        "local s = 'x' while true do s = s .. s end",
        "return string.gsub(string.rep('a', 100000000), 'a', 'bb')",
        "return 1 + f()",
    ],
    ids=["tables", "text", "gsub over 100 MB", "recursion"],
)
def test_script_that_wants_too_much_memory_is_stopped_and_the_next_one_runs(engine: LuaEngine, body: str) -> None:
    began = time.monotonic()
    with pytest.raises(ScriptError, match=r"memory|overflow|did not finish"):
        answer(engine, body)
    assert time.monotonic() - began < PATIENCE
    assert answer(engine, "return 1") == 1


def test_way_out_is_closed(engine: LuaEngine) -> None:
    """No files, no programs, no Python, no debugger, no other process's environment."""
    for name in ("io", "debug", "coroutine", "python", "os.execute", "os.getenv", "os.exit", "string.dump"):
        assert answer(engine, f"return type({name})") == "nil", name
    for name in (
        "load",
        "loadstring",
        "dofile",
        "getfenv",
        "setfenv",
        "getmetatable",
        "setmetatable",
        "rawset",
        "module",
    ):
        with pytest.raises(ScriptError, match=f"call function {name} is not supported"):
            answer(engine, f"return ({name}('x'))")
    for module in ("io", "lupa", "os.path"):
        with pytest.raises(ScriptError, match="not found"):
            answer(engine, f"return (require('{module}'))")


def test_no_python_object_reaches_a_script(engine: LuaEngine) -> None:
    """Errors of our own functions arrive as texts, and the functions as Lua functions."""
    body = (
        "local kube = require('kube') local _, e = pcall(kube.resourceAdd, {}) return {type(e), type(kube.resourceAdd)}"
    )
    assert answer(engine, body) == ["string", "function"]


def test_one_call_leaves_nothing_for_the_next(engine: LuaEngine) -> None:
    engine.call("leak = 1 function f() string.leak = 1 table.insert = nil end", "f", (), 1)
    assert answer(engine, "return type(leak) .. type(string.leak) .. type(table.insert)") == "nilnilfunction"
    assert answer(engine, "return type(('x').leak)") == "nil"


def test_printing_does_not_disturb_the_answer(engine: LuaEngine) -> None:
    assert answer(engine, "print('hello') return 1") == 1


@pytest.mark.parametrize(
    ("script", "line", "reason"),
    [
        ("function f()\n  return nil + 1\nend", 2, "arithmetic on a nil value"),
        ("\n\nx = = 1", 3, "unexpected symbol"),
        ("function f()\n\n  error('boom')\nend", 3, "boom"),
        ("function g() end", 0, "not found function f"),
        ("f = 3", 0, "f is not a function"),
    ],
)
def test_error_says_the_line(engine: LuaEngine, script: str, line: int, reason: str) -> None:
    with pytest.raises(ScriptError, match=reason) as raised:
        engine.call(script, "f", (), 1)
    assert raised.value.line == line
    assert "traceback" not in str(raised.value)


def test_check_only_compiles(engine: LuaEngine) -> None:
    engine.check("error('when run')")
    with pytest.raises(ScriptError, match="near"):
        engine.check("function (")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return kube.resourceAdd('1', '500m', nil)", "1500m"),
        ("return kube.resourceAdd('1Gi', '1Gi')", "2Gi"),
        ("return kube.resourceAdd()", "0"),
        ("return kube.getResourceQuantity('500m')", 0.5),
        ("return kube.getResourceQuantity(nil)", 0),
        ("return kube.accuratePodRequirements({spec = {containers = {{name = 'c'}}}})", None),
        (
            "return kube.accuratePodRequirements({spec = {nodeSelector = {a = 'b'}}})",
            {"nodeClaim": {"nodeSelector": {"a": "b"}}},
        ),
        (
            "return kube.getPodDependencies({spec = {serviceAccountName = 'runner'}}, nil)",
            [{"apiVersion": "v1", "kind": "ServiceAccount", "namespace": "default", "name": "runner"}],
        ),
        ("return kube.getPodDependencies({spec = {}}, 'a')", None),
    ],
)
def test_kube_library(engine: LuaEngine, body: str, expected: Any) -> None:
    assert answer(engine, f"local kube = require('kube') {body}") == expected


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return (kube.resourceAdd(3))", "string expected"),
        ("return (kube.resourceAdd('2 g'))", "not a quantity"),
        ("return (kube.getResourceQuantity('-1'))", "negative"),
        ("return (kube.accuratePodRequirements('x'))", "must be a table"),
        ("return (kube.getPodDependencies({}))", "two arguments"),
    ],
)
def test_kube_library_refuses_with_a_reason(engine: LuaEngine, body: str, reason: str) -> None:
    with pytest.raises(ScriptError, match=reason):
        answer(engine, f"local kube = require('kube') {body}")


def test_process_is_gone_when_the_engine_is_closed() -> None:
    with LuaEngine() as engine:
        assert answer(engine, "return 1") == 1
        worker = engine._worker
        assert worker is not None
        os.kill(worker.pid, 0)
    assert worker.poll() is not None


def test_killed_process_costs_one_call() -> None:
    """Whatever ends the process, the engine starts the next one by itself."""
    with LuaEngine() as engine:
        assert answer(engine, "return 1") == 1
        worker = engine._worker
        assert worker is not None
        worker.kill()
        worker.wait()
        assert answer(engine, "return 2") == 2
