"""Play the steps of a case and hold what came of it to what is expected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import yaml
from ruamel.yaml import YAML

from tests.cases.stage import SOMEBODY, Stage
from tests.e2e.lab import Run

NOTHING = object()


def play(stage: Stage, case: Mapping[str, Any]) -> None:
    for number, step in enumerate(case["steps"], start=1):
        told = f"step {number} ({step.get('note', 'no note')})"
        _prepare(stage, step, told)
        for turn in range(int(step.get("turns", 1))):
            _check(stage, step["expect"], told if "turns" not in step else f"{told}, turn {turn + 1}")


def _prepare(stage: Stage, step: Mapping[str, Any], told: str) -> None:
    for member, deeds in step.get("in", {}).items():
        for deed in deeds:
            _do(stage, member, deed)
    if "files" in step or "links" in step:
        stage.write(step.get("files", {}))
        for name, target in step.get("links", {}).items():
            path = stage.work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(target)
        stage.push(told)


def _do(stage: Stage, member: str, deed: Mapping[str, Any]) -> None:
    witness = stage.witnesses[member]
    if "put" in deed:
        witness.put(deed["put"], str(deed.get("manager", SOMEBODY)), str(deed.get("subresource", "")))
    elif "remove" in deed:
        witness.remove(str(deed["remove"]))
    else:
        witness.reach(not deed["unreachable"])


def _check(stage: Stage, expect: Mapping[str, Any], told: str) -> None:
    for verb in ("validate", "plan"):
        if verb in expect:
            before = stage.state()
            _verb(stage, verb, expect[verb], f"{told}, {verb}")
            assert stage.state() == before, f"{told}: {verb} wrote something"
    asked = expect.get("sync", {})
    for _ in range(int(expect.get("settle", 0))):
        stage.run("sync")
    if asked is not False:
        ended = _verb(stage, "sync", asked, f"{told}, sync")
        for _ in range(int(expect.get("again", True))):
            _again(stage, ended, told)
    _compare(stage, expect, told)


def _verb(stage: Stage, verb: str, asked: Any, told: str) -> Run:
    wanted = asked if isinstance(asked, Mapping) else {"code": asked}
    arguments = [str(argument) for argument in wanted.get("with", ())]
    run = stage.run(verb, *(("-o", "json") if verb == "sync" else ()), *arguments)
    text = f"{run.output}\n{run.errors}"
    code = wanted.get("code", 0)
    assert run.code == code or (code == "any" and run.code), f"{told}: ended with {run.code}\n{text}"
    missing = [said for said in wanted.get("says", ()) if not _is_said(said, text)]
    assert not missing, f"{told}: not said: {missing}\n{text}"
    present = [said for said in wanted.get("silent", ()) if _is_said(said, text)]
    assert not present, f"{told}: must not be said: {present}\n{text}"
    if "outcomes" in wanted:
        assert _outcomes(run) == wanted["outcomes"], f"{told}\n{text}"
    if "summary" in wanted:
        summary = stage.run(verb, "-o", "json", *arguments).json["summary"]
        found = {name: summary[name] for name in wanted["summary"]}
        assert found == wanted["summary"], f"{told}\n{text}"
    return run


def _is_said(said: str, text: str) -> bool:
    if said.startswith("~"):
        return re.search(said[1:], text) is not None
    return said in text


def _outcomes(run: Run) -> dict[str, dict[str, str]]:
    """What became of each object, but those that stayed as they were."""
    found: dict[str, dict[str, str]] = {}
    for outcome in run.json["outcomes"]:
        obj = outcome["object"]
        if outcome["outcome"] != "unchanged":
            kind = f"{obj['kind'].lower()}.{obj['group']}" if obj["group"] else obj["kind"].lower()
            found.setdefault(outcome["member"], {})[f"{obj['namespace'] or '_cluster'}/{kind}/{obj['name']}"] = outcome[
                "outcome"
            ]
    return found


def _again(stage: Stage, first: Run, told: str) -> None:
    """The same command with nothing changed: no commit, no write to any member, the same answer."""
    before = stage.state()
    run = stage.run("sync", "-o", "json")
    text = f"{run.output}\n{run.errors}"
    assert run.code == first.code, f"{told}: again ended with {run.code}, not {first.code}\n{text}"
    assert stage.state() == before, (
        f"{told}: the second turn wrote something\n{first.output}\n{text}\n{_last_change(stage)}"
    )
    assert not run.json["published"] if run.output.startswith("{") else True


def _last_change(stage: Stage) -> str:
    return stage._git_at(stage.origin, "log", "-p", "-1", "gitops-karmada/status")


# What is there ------------------------------------------------------------------------------------------------------


def _compare(stage: Stage, expect: Mapping[str, Any], told: str) -> None:
    if "placed" in expect:
        bindings = stage.bindings()
        for key, wanted in expect["placed"].items():
            assert (bindings.get(key) or None) == wanted, f"{told}: placed {key}: {bindings.get(key)}"
    for member, wanted in expect.get("only", {}).items():
        kept = sorted(key for key in stage.works(member) if not key.startswith("_cluster/namespace/"))
        assert kept == sorted(wanted), f"{told}: works of {member}"
    for path, unwanted in expect.get("silent", {}).items():
        present = [text for text in unwanted if _is_said(text, stage.status_text(path))]
        assert not present, f"{told}: {path} holds {present}"
    for path, fragments in expect.get("both", {}).items():
        _hold(stage.status_value(path), fragments, f"{told}: {path} by YAML 1.1")
        _hold(YAML(typ="safe").load(stage.status_text(path)), fragments, f"{told}: {path} by YAML 1.2")
    for path, fragments in expect.get("files", {}).items():
        found = stage.status_value(path) if path in stage.status_files() else None
        _hold(found, fragments, f"{told}: {path} on the status branch")
    for key, said in expect.get("why", {}).items():
        run = stage.run("why", *name_for(key))
        assert run.code == 0, f"{told}: why {key}\n{run.errors}"
        missing = [text for text in said if not _is_said(text, run.output)]
        assert not missing, f"{told}: why {key} does not say {missing}\n{run.output}"
    for member, objects in expect.get("works", {}).items():
        works = stage.works(member)
        for key, fragments in objects.items():
            _hold(works.get(key), fragments, f"{told}: work {member} {key}")
    for member, objects in expect.get("live", {}).items():
        for key, fragments in objects.items():
            _hold(stage.witnesses[member].find(key), fragments, f"{told}: live {member} {key}")


def _hold(found: Any, fragments: Mapping[str, Any] | None, told: str) -> None:
    if fragments is None:
        assert found is None, f"{told}: should not be there"
        return
    assert found is not None, f"{told}: is not there"
    for pointer, wanted in fragments.items():
        value = at(found, pointer)
        if wanted is None:
            assert value is NOTHING, f"{told}{pointer}: should be absent, is {value!r}"
        else:
            assert value == wanted, f"{told}{pointer}: is {value!r}, not {wanted!r}\n{yaml.safe_dump(found)}"
            assert type(value) is type(wanted), f"{told}{pointer}: is {value!r}, not {wanted!r}"


def name_for(key: str) -> list[str]:
    """`shop/deployment.apps/api` as `why` takes it."""
    namespace, kind, name = key.split("/")
    return [f"{kind}/{name}", *(() if namespace == "_cluster" else ("-n", namespace))]


def at(value: Any, pointer: str) -> Any:
    """What a JSON pointer points to, or NOTHING."""
    for step in _steps(pointer):
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return NOTHING
    return value


def _steps(pointer: str) -> Iterable[str]:
    return (part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])
