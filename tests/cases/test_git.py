"""Sources that are rewritten, removed, full of links or of odd names (cases O62 to O67)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gitops_karmada.cli.options import Where
from gitops_karmada.cli.worlds import opened
from gitops_karmada.model.problems import RepositoryError
from gitops_karmada.reconcile import Turn, turn
from tests.cases.stage import Stage, in_process
from tests.cases.worlds import live, shop, stage
from tests.e2e.lab import as_yaml, config_map

LFS = """version https://git-lfs.github.com/spec/v1
oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
size 12345
"""
SECRET = "SECRET123"


@pytest.fixture
def lab(tmp_path: Path) -> Stage:
    return stage(tmp_path / "lab", "a")


def force_push(lab: Stage, *arguments: str) -> None:
    lab._git(*arguments)
    lab._git("push", "-q", "--force", "origin", "main")


@pytest.fixture
def loop(lab: Stage) -> Iterator[Callable[[], Turn]]:
    """Turns of one process, as a daemon runs them; the settings are there before the first."""
    lab.commit("A", shop("one"))
    where = Where(repo=str(lab.origin), branch="main", members_dir=str(lab.members_dir), cache=str(lab.cache))
    with opened(where) as world:
        yield lambda: turn(world.world)


def test_o62_a_rewritten_history_is_followed(lab: Stage, loop: Callable[[], Turn]) -> None:
    """https://github.com/fluxcd/flux/issues/696: the remote's tip counts, whatever came before it."""
    older = lab._git("rev-parse", "HEAD").strip()
    loop()
    lab.commit("B", {"apps/two.yaml": config_map("two", of="two")})
    loop()
    assert live(lab) == {"one", "two"}
    lab.write({"apps/two.yaml": None, "apps/three.yaml": config_map("three", of="B'")})
    amend(lab)
    assert "GK4002" in {problem.code for problem in loop().problems}
    assert live(lab) == {"one", "three"}
    lab.write({"apps/three.yaml": config_map("three", of="B''"), "apps/four.yaml": config_map("four", of="x")})
    amend(lab)
    done = loop()
    assert done.plan.commit.id == lab._git("rev-parse", "HEAD").strip()
    assert live(lab) == {"one", "three", "four"}
    force_push(lab, "reset", "-q", "--hard", older)
    loop()
    assert live(lab) == {"one"}
    before = lab.state()
    assert not loop().published
    assert lab.run("sync").code == 0
    assert lab.state() == before


def amend(lab: Stage) -> None:
    lab._git("add", "-A")
    force_push(lab, "commit", "-q", "--amend", "-m", "amended")


def test_o63_a_branch_that_is_gone_keeps_what_runs(lab: Stage, loop: Callable[[], Turn]) -> None:
    """https://github.com/fluxcd/flux/issues/2288: said at once, nothing pruned, and it recovers by itself."""
    loop()
    before = lab.state()[1]
    lab._git_at(lab.origin, "update-ref", "-d", "refs/heads/main")
    with pytest.raises(RepositoryError, match="main"):
        loop()
    run = lab.run("sync", "--branch", "main")
    assert run.code == 2
    assert "main" in run.errors
    assert lab.state()[1] == before
    lab.commit("second", {"apps/two.yaml": config_map("two", of="two")})
    loop()
    assert live(lab) == {"one", "two"}


def test_o64_links_never_lead_out_of_the_repository(lab: Stage) -> None:
    """https://github.com/argoproj/argo-cd/pull/9843: what a link shows outside is never read, printed or applied."""
    lab = stage(lab.root / "paths", "a", source={"paths": ["apps", "clusters", "policies"]})
    lab.write({**shop("one"), "shared/cm.yaml": config_map("linked", of="link")})
    apps = lab.work / "apps"
    for name, target in (
        ("a.yaml", "../../../../etc/passwd"),
        ("b.yaml", "/etc/hostname"),
        ("c.yaml", "../shared/cm.yaml"),
        ("d", ".."),
        ("l", "l"),
        ("l.yaml", "l.yaml"),
    ):
        (apps / name).symlink_to(target)
    lab.push("links")
    run = lab.run("validate", "--branch", "main")
    text = run.output + run.errors
    assert run.code == 1
    for name in ("apps/a.yaml", "apps/b.yaml", "apps/l.yaml"):
        assert name in text
    assert "root:x:" not in text
    assert Path("/etc/hostname").read_text().strip() not in text
    lab.run("sync")
    assert live(lab) == {"one", "linked"}


@pytest.mark.parametrize("password", [f"tok_{SECRET}", f"tok%40_{SECRET}"], ids=["plain", "escaped"])
@pytest.mark.parametrize("verb", ["validate", "plan", "sync", "status"])
def test_o65_a_token_in_a_url_is_shown_nowhere(lab: Stage, verb: str, password: str) -> None:
    """https://github.com/kubernetes/git-sync/issues/851: not on the screen, not in the cache, not on the branch."""
    cache = lab.root / "other-cache"
    run = in_process([verb, "--repo", f"https://bot:{password}@127.0.0.1:9/none.git", "--cache", str(cache)])
    assert run.code not in (0, 70)
    assert SECRET not in run.output + run.errors
    for path in cache.rglob("*"):
        assert SECRET not in path.name
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes()


def test_o66_a_pointer_to_large_files_is_said_to_be_one(lab: Stage) -> None:
    """https://github.com/argoproj/argo-cd/issues/1853: neither skipped nor taken for a manifest without a kind."""
    lab.commit("a pointer", {**shop("one"), "apps/big.yaml": LFS})
    run = lab.run("validate")
    assert run.code == 1
    assert "apps/big.yaml" in run.errors + run.output
    assert "Git LFS pointer" in run.errors + run.output
    assert lab.run("sync").code == 1
    assert live(lab) == {"one"}


def test_o67_odd_file_names_are_read(lab: Stage) -> None:
    """https://github.com/scolladon/sfdx-git-delta/pull/7: every file is read, whatever it is called."""
    names = [
        "café.yaml",
        "名前.yml",
        "with space.yaml",
        'quo"te.yaml',
        "new\nline.yaml",
        "-dash.yaml",
        "CM.yaml",
        "cm.yaml",
        "tab\there.yaml",
    ]
    files = [(os.fsencode(name), f"cm-{number}") for number, name in enumerate(names)]
    files.append((b"byte\xff.yaml", "cm-byte"))
    lab.write(shop("plain"))
    for name, cm in files:
        Path(os.fsdecode(os.fsencode(lab.work) + b"/apps/" + name)).write_text(as_yaml(config_map(cm, of=cm)))
    lab.push("odd names")
    lab.sync()
    assert live(lab) == {"plain", *(cm for _, cm in files)}


def test_o67_an_odd_name_is_shown_escaped(lab: Stage) -> None:
    lab.write({**shop("plain"), "apps/new\nline.yaml": "apiVersion: v1\nmetadata: {name: x}\n"})
    lab.push("a mistake in a file of an odd name")
    run = lab.run("validate")
    assert run.code == 1
    assert "new\nline.yaml" not in run.output + run.errors
    assert "line.yaml" in run.output + run.errors
