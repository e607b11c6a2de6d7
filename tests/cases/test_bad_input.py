"""Every mistake has one clear error with its file and line, exit code 1, and never costs the good objects."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.cases.worlds import clusters, live, shop, stage
from tests.e2e.lab import as_yaml, deployment, policy

HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bad, namespace: shop}\n"
WEB = ("apps/v1", "Deployment", "web")


def placed(**placement: Any) -> str:
    where = {"clusterAffinity": {"clusterNames": ["a", "b"]}, **placement}
    return as_yaml(policy("bad", WEB, placement=where))


def spread(*constraints: Mapping[str, Any]) -> str:
    return placed(spreadConstraints=list(constraints))


def with_volume(mode: str) -> str:
    bad = deployment("web")
    bad["spec"]["template"]["spec"]["volumes"] = [{"name": "files", "configMap": {"name": "x", "defaultMode": 0}}]
    return as_yaml(bad).replace("defaultMode: 0", f"defaultMode: {mode}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """One wrong file: what is in it, the line that the error names, and what the error says."""

    text: str
    line: int
    says: tuple[str, ...]
    beside: Mapping[str, Any] = field(default_factory=dict)


CLUSTER = {"spreadByField": "cluster", "minGroups": 1}

MISTAKES = {
    "O09 negative minGroups": Mistake(
        text=spread({**CLUSTER, "minGroups": -1, "maxGroups": 2}), line=17, says=("minGroups", "negative", "shop/bad")
    ),
    "O09 maxGroups below minGroups": Mistake(
        text=spread({**CLUSTER, "minGroups": 3, "maxGroups": 2}), line=17, says=("maxGroups 2", "minGroups 3")
    ),
    "O09 negative maxGroups": Mistake(text=spread({**CLUSTER, "maxGroups": -1}), line=17, says=("maxGroups", "-1")),
    "O09 one field twice": Mistake(text=spread(CLUSTER, CLUSTER), line=16, says=("more than one", "cluster")),
    "O09 region without cluster": Mistake(
        text=spread({**CLUSTER, "spreadByField": "region"}), line=16, says=("region", "cluster")
    ),
    "O10 spreadByLabel": Mistake(
        text=spread({"spreadByLabel": "stage", "minGroups": 1}), line=17, says=("spreadByLabel",)
    ),
    "O10 zone alone": Mistake(text=spread({**CLUSTER, "spreadByField": "zone"}), line=16, says=("zone", "cluster")),
    "O10 provider alone": Mistake(
        text=spread({**CLUSTER, "spreadByField": "provider"}), line=16, says=("provider", "cluster")
    ),
    "O11 more groups than clusters": Mistake(
        text=as_yaml(
            [
                deployment("web"),
                policy(
                    "bad",
                    WEB,
                    placement={
                        **shop("x")["policies/all.yaml"]["spec"]["placement"],
                        "spreadConstraints": [{**CLUSTER, "minGroups": 3}],
                    },
                ),
            ]
        ),
        line=1,
        says=("minGroups 3", "1 fit", "shop/bad"),
    ),
    "O48 a quoted mode": Mistake(
        text=with_volume('"0744"'), line=25, says=("defaultMode", "whole number", "Deployment.apps shop/web")
    ),
    "O52 a key twice": Mistake(text=HEAD + 'data:\n  x: "1"\n  y: "2"\n  x: "3"\n', line=7, says=("x", "line 5")),
    "O52 a key twice on one line": Mistake(text=HEAD + 'data: {x: "1", x: "3"}\n', line=4, says=("x", "line 4")),
    "O52 two merges": Mistake(
        text=HEAD + 'data:\n  <<: &a {x: "1"}\n  <<: &b {y: "2"}\n', line=6, says=("<<", "line 5")
    ),
    "O53 an alias of another document": Mistake(
        text=HEAD.replace("bad", "x") + "data: &d {k: v}\n---\n" + HEAD + "data: *d\n", line=9, says=("d",)
    ),
    "O53 a bomb of aliases": Mistake(
        text=HEAD
        + "x0: &x0 [lol]\n"
        + "".join(f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 10)}]\n" for n in range(1, 10)),
        line=0,
        says=("alias",),
    ),
    "O54 no kind": Mistake(text="apiVersion: v1\nmetadata: {name: bad, namespace: shop}\n", line=1, says=("kind",)),
    "O55 generateName alone": Mistake(
        text="apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: run-, namespace: shop}\n",
        line=3,
        says=("generateName",),
    ),
    "YAML that ends too early": Mistake(text=HEAD + 'data: {x: "1"\n', line=0, says=("apps/bad.yaml",)),
    "YAML with a tab": Mistake(text=HEAD + "data:\n\tx: y\n", line=5, says=("tab",)),
    "a value that is no string": Mistake(text=HEAD + "data: {x: on}\n", line=4, says=("data.x", "string", "Quote it")),
    "no manifest at all": Mistake(text="apiVersion: v1\nkind: ConfigMap\n- a\n", line=3, says=("apps/bad.yaml",)),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_told_once_and_costs_nothing_else(tmp_path: Path, mistake: Mistake) -> None:
    """validate and sync name the file and the line, and everything else goes out."""
    lab = stage(tmp_path / "lab", "a")
    lab.commit("a mistake", {**shop("good"), **clusters("a"), "apps/bad.yaml": mistake.text})
    validated, synced = lab.run("validate"), lab.run("sync")
    judged = synced if "minGroups 3" in mistake.says and "1 fit" in mistake.says else validated
    assert (judged.code, synced.code) == (1, 1), validated.errors + validated.output + synced.errors
    for run in {id(judged): judged, id(synced): synced}.values():
        text = run.output + run.errors
        blocks = [block for block in re.split(r"\n\n|\n(?=\w+\[GK)", text) if block.startswith("error[")]
        assert len(blocks) == 1, text
        (block,) = blocks
        place = f"apps/bad.yaml:{mistake.line}" if mistake.line else "apps/bad.yaml"
        assert place in block, text
        assert not [said for said in mistake.says if said not in block], block
        assert "Traceback" not in text
    assert "good" in live(lab)
    assert "bad" not in live(lab)


def test_all_mistakes_of_a_repository_are_told_at_once(tmp_path: Path) -> None:
    """One run names every file that is wrong, and the good objects go out all the same."""
    lab = stage(tmp_path / "lab", "a")
    wrong = {
        f"apps/bad-{number}.yaml": mistake.text.replace("bad", f"bad-{number}")
        for number, mistake in enumerate(MISTAKES.values())
    }
    lab.commit("all mistakes", {**shop("good"), **wrong})
    run = lab.run("validate", "-o", "json")
    assert run.code == 1
    named = {problem["location"]["file"] for problem in run.json["problems"] if problem["severity"] == "error"}
    unplaceable = {f"apps/bad-{list(MISTAKES).index('O11 more groups than clusters')}.yaml"}
    assert wrong.keys() - named <= unplaceable
    assert lab.run("sync").code == 1
    assert "good" in live(lab)
