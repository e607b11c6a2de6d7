"""The container image keeps its promises, as far as they can be seen without an engine."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.image.dockerfile import is_sent, run_stage, stages

ROOT = Path(__file__).parents[2]
BUILD, FINAL = stages((ROOT / "Dockerfile").read_text())


def test_image_runs_the_daemon_as_nobody_special() -> None:
    """The last user is a number other than root's, so that a cluster can check it; the entry point is the daemon."""
    users = FINAL.texts("USER")
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", users[-1])
    assert [json.loads(text) for text in FINAL.texts("ENTRYPOINT")] == [["gitops-karmada", "run"]]
    assert FINAL.instructions[-1].word == "ENTRYPOINT"


def test_image_has_git() -> None:
    assert any(re.search(r"apt-get install .*\bgit\b", text) for text in FINAL.texts("RUN"))


def test_everything_installed_is_locked_and_hashed() -> None:
    """Whatever pip takes from outside is checked against hashes; our own wheel is installed without an index."""
    commands = [part.strip() for text in BUILD.texts("RUN") + FINAL.texts("RUN") for part in text.split("&&")]
    installs = [command for command in commands if "pip install" in command]
    assert len(installs) == 3
    assert all("--require-hashes" in command or "--no-index" in command for command in installs)


def test_build_gets_the_source_and_nothing_else() -> None:
    """What is copied exists and is sent to the build; Git's history, tests and the local environment are not."""
    copied = [source for text in BUILD.texts("COPY") for source in text.split()[:-1]]
    assert [source for source in copied if not (ROOT / source).exists()] == []
    assert [source for source in copied if not is_sent(ROOT, source)] == []
    assert not any(is_sent(ROOT, source) for source in (".git", ".venv", "tests", "fixtures", "secrets.env"))


def test_lock_files_name_no_place_and_hash_everything() -> None:
    """A lock file says what, not where from; every package has a hash."""
    for lock in sorted((ROOT / "requirements").glob("*.txt")):
        text = re.sub(r"#.*", "", lock.read_text())
        packages = re.split(r"\n(?=\S)", text.strip())
        assert "://" not in text
        assert "-index" not in text
        assert all("==" in package and "--hash=sha256:" in package for package in packages), lock


@pytest.mark.slow
def test_build_stage_makes_a_command_that_runs(tmp_path: Path) -> None:
    """The steps of the build stage, done here in a folder, leave an installation that starts."""
    run_stage(BUILD, ROOT, tmp_path, sys.executable)
    command = tmp_path / "opt" / "gitops-karmada" / "bin" / "gitops-karmada"
    # Isolated: this must be the installed one, not the one of this checkout.
    done = subprocess.run([str(command), "version"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"\d+\.\d+", done.stdout)
