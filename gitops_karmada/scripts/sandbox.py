"""What a script finds around itself: Lua 5.1 without a way out, and Karmada's `kube` library."""

from collections.abc import Callable
from typing import Any

import lupa.lua51 as lua

from gitops_karmada.model.pod_templates import dependencies_of, requirements_of
from gitops_karmada.model.quantity import Quantity, quantity
from gitops_karmada.scripts.tables import to_json, to_table

# Everything a script sees is made here, anew for each call. Functions of ours stay behind Lua closures, answer
# (true, value) or (false, reason), and so no Python object ever reaches a script.
PRELUDE = """
local kube_add, kube_requirements, kube_dependencies, kube_quantity = ...
local assert, error, ipairs, next, pairs, pcall, select = assert, error, ipairs, next, pairs, pcall, select
local tonumber, tostring, type, unpack, xpcall, setfenv = tonumber, tostring, type, unpack, xpcall, setfenv
local loadstring, time, date = loadstring, os.time, os.date
local lent = {table = table, string = string, math = math}
local refused = {'collectgarbage', 'dofile', 'getfenv', 'getmetatable', 'load', 'loadfile', 'loadstring', 'rawequal',
    'rawget', 'rawset', 'setfenv', 'setmetatable', 'module', 'newproxy'}

local function copy(from)
    local to = {}
    for name, value in pairs(from) do to[name] = value end
    return to
end

local function behind(answer)
    return function(...)
        local good, value = answer(select('#', ...), ...)
        if not good then error(value, 2) end
        return value
    end
end

local function surroundings()
    local env = {assert = assert, error = error, ipairs = ipairs, next = next, pairs = pairs, pcall = pcall,
        select = select, tonumber = tonumber, tostring = tostring, type = type, unpack = unpack, xpcall = xpcall,
        _VERSION = _VERSION, print = function() end, os = {time = time, date = date}}
    for name, library in pairs(lent) do env[name] = copy(library) end
    env.string.dump = nil
    for _, name in ipairs(refused) do
        env[name] = function()
            error('call function ' .. name .. ' is not supported in karmada customized resourceinterpreter.', 2)
        end
    end
    local kube = {resourceAdd = behind(kube_add), accuratePodRequirements = behind(kube_requirements),
        getPodDependencies = behind(kube_dependencies), getResourceQuantity = behind(kube_quantity)}
    local loaded = {kube = kube, table = env.table, string = env.string, math = env.math, os = env.os}
    env.package = {loaded = loaded, preload = {}}
    env.require = function(name)
        if loaded[name] == nil then error("module '" .. tostring(name) .. "' not found", 2) end
        return loaded[name]
    end
    env._G = env
    return env
end

string.dump = nil
local function compile(source) return loadstring(source, '=script') end
local function run(chunk, name, ...)
    local env = surroundings()
    setfenv(chunk, env)
    chunk()
    local called = env[name]
    if called == nil then error('not found function ' .. name, 0) end
    if type(called) ~= 'function' then error(name .. ' is not a function: ' .. type(called), 0) end
    return called(...)
end
return compile, run
"""


class Sandbox:
    """One Lua state. A script's globals are its own and gone after the call."""

    def __init__(self, memory: int) -> None:
        self._lua = lua.LuaRuntime(
            register_eval=False,
            register_builtins=False,
            unpack_returned_tuples=True,
            attribute_filter=_no_attributes,
            max_memory=memory,
        )
        answers = (self._add, self._requirements, self._dependencies, self._quantity)
        self._compile, self._run = self._lua.execute(PRELUDE, *answers)
        self._chunks: dict[str, Any] = {}

    @property
    def memory_used(self) -> int:
        return int(self._lua.get_memory_used())

    def check(self, script: str) -> None:
        """Raise LuaError where the script does not compile."""
        self._chunk(script)

    def call(self, script: str, function: str, arguments: list[Any], results: int) -> list[Any]:
        """JSON values of the first results; what is missing is null. Raises LuaError or EncodeError."""
        tables = [to_table(self._lua, argument) for argument in arguments]
        returned = self._run(self._chunk(script), function, *tables)
        values = list(returned) if isinstance(returned, tuple) else [returned]
        return [to_json(value) for value in (values + [None] * results)[:results]]

    def _chunk(self, script: str) -> Any:
        if script not in self._chunks:
            compiled = self._compile(script)
            if isinstance(compiled, tuple):
                raise lua.LuaSyntaxError(compiled[1])
            self._chunks[script] = compiled
        return self._chunks[script]

    def _add(self, count: int, *amounts: Any) -> Any:
        return _answered(lambda: str(sum((_amount(amount) for amount in amounts[:count]), start=Quantity())))

    def _quantity(self, count: int, *amounts: Any) -> Any:
        if count != 1:
            return False, "getResourceQuantity only accepts one argument"
        return _answered(lambda: _positive(_amount(amounts[0] if amounts else None)))

    def _requirements(self, count: int, *arguments: Any) -> Any:
        if count != 1:
            return False, "accuratePodRequirements only accepts one argument"
        return _answered(lambda: to_table(self._lua, requirements_of(_template(arguments[0]))))

    def _dependencies(self, count: int, *arguments: Any) -> Any:
        if count != 2:
            return False, "getPodDependencies only accepts two arguments"
        namespace = arguments[1] if len(arguments) > 1 else None
        return _answered(
            lambda: to_table(self._lua, dependencies_of(_template(arguments[0]), _namespace(namespace)) or None)
        )


def _no_attributes(_obj: object, _name: object, _setting: bool) -> object:
    raise AttributeError("not for scripts")


def _answered(compute: Callable[[], Any]) -> tuple[bool, Any]:
    try:
        return True, compute()
    except ValueError as wrong:
        return False, str(wrong)


def _amount(value: Any) -> Quantity:
    if value is None:
        return Quantity()
    if not isinstance(value, str):
        raise ValueError(f"string expected, got {lua.lua_type(value) or 'number or boolean'}")
    return quantity(value)


def _positive(amount: Quantity) -> float:
    if amount.nano < 0:
        raise ValueError(f"the quantity {amount} is negative")
    return amount.nano / 1e9


def _template(value: Any) -> dict[str, Any]:
    """A pod template without the empty maps and lists that a table cannot tell apart."""
    if lua.lua_type(value) != "table":
        raise ValueError("a pod template must be a table")
    template = _without_empty(to_json(value))
    return template if isinstance(template, dict) else {}


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_empty(entry) for key, entry in value.items() if entry != []}
    return [_without_empty(entry) for entry in value] if isinstance(value, list) else value


def _namespace(value: Any) -> str:
    if value is None:
        return "default"
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return str(value)
    raise ValueError("a namespace must be a string")
