"""Several writers of one status branch (case O68)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from gitops_karmada.cli.options import Where
from gitops_karmada.cli.worlds import opened
from gitops_karmada.reconcile import turn
from tests.cases.worlds import live, shop, stage
from tests.e2e.lab import STATUS, Lab, config_map


def test_o68_two_writers_lose_no_update(tmp_path: Path) -> None:
    """https://github.com/fluxcd/image-automation-controller/pull/1090: who loses the race decides again."""
    lab = stage(tmp_path / "lab", "a")
    lab.commit("first", shop("one"))
    lab.sync()
    source = lab._git_at(lab.origin, "rev-parse", "main")
    lab.commit("second", {f"apps/c{number}.yaml": config_map(f"c{number}", of="x") for number in range(5)})
    with ThreadPoolExecutor() as pool:
        runs = list(pool.map(lambda _: Lab.run(lab, "sync", "-o", "json"), range(2)))
    assert {run.code for run in runs} <= {0, 8}, [run.errors for run in runs]
    assert 0 in {run.code for run in runs}
    lab.sync()
    assert live(lab) == {"one", *(f"c{number}" for number in range(5))}
    log = lab._git_at(lab.origin, "log", "--format=%H %P", STATUS).splitlines()
    assert all(len(line.split()) <= 2 for line in log)
    assert lab._git_at(lab.origin, "merge-base", "--is-ancestor", source.strip(), "main") == ""
    before = lab.state()
    lab.sync()
    assert lab.state() == before


def test_o68_a_commit_between_fetch_and_push(tmp_path: Path) -> None:
    """Another instance's commit lands while this one decides: this one reads again, and both are there."""
    lab = stage(tmp_path / "lab", "a")
    lab.commit("first", shop("one"))
    steps: list[str] = []

    def another_is_faster(step: str) -> None:
        steps.append(step)
        if steps == ["decided"]:
            lab.sync()

    where = Where(repo=str(lab.origin), members_dir=str(lab.members_dir), cache=str(lab.cache))
    with opened(where) as world:
        done = turn(replace(world.world, observe=another_is_faster))
    assert steps[:3] == ["decided", "decided", "intent published"]
    assert not done.problems
    assert live(lab) == {"one"}
    before = lab.state()
    lab.sync()
    assert lab.state() == before
