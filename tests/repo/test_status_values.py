"""Values on the status branch: what was written is read, by the same process and by the next."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gitops_karmada.model.plan import Cause
from gitops_karmada.model.problems import RepositoryError
from gitops_karmada.model.settings import Author
from gitops_karmada.repo.messages import Message
from gitops_karmada.repo.status_branch import Published, StatusBranch
from gitops_karmada.repo.status_values import StatusValues
from tests.repo.git_tools import bare_repository, commit, git, work_tree

WHEN = datetime(2026, 1, 1, tzinfo=UTC)
SAY = Message(subject="s", cause=Cause.MANIFEST)
WORK, BINDING = "works/m1/shop/Deployment.apps/web.yaml", "bindings/shop/Deployment.apps/web.yaml"
FILES: dict[str, Any] = {
    "federation.json": {"instance": "shop", "n": 2**63},
    WORK: {"kind": "Work", "spec": {"on": "yes", "list": ("a", 1, None, 1.5), "e": {}}},
    BINDING: {"text": "a\nb\n", "empty": []},
}
READ = {**FILES, WORK: {"kind": "Work", "spec": {"on": "yes", "list": ["a", 1, None, 1.5], "e": {}}}}


def values(remote: Path, cache: Path) -> StatusValues:
    branch = StatusBranch(f"file://{remote}", "status", cache=cache, author=Author())
    return StatusValues(branch, cache / "values")


def test_what_was_written_is_read_by_this_process_and_the_next(tmp_path: Path) -> None:
    remote = bare_repository(tmp_path / "remote")
    first = values(remote, tmp_path / "cache")
    assert first.read() == (None, {})
    done = first.publish(None, {**FILES, "README.md": "hello\n"}, SAY, WHEN)
    assert isinstance(done, Published)
    for reader in (first, values(remote, tmp_path / "cache"), values(remote, tmp_path / "other")):
        assert reader.read() == (done.commit, READ)
    gone = first.publish(done.commit, {WORK: None}, SAY, WHEN)
    assert isinstance(gone, Published)
    assert set(first.read()[1]) == {"federation.json", BINDING}


def test_a_file_spoilt_by_hand_stops_the_reading_and_is_named(tmp_path: Path) -> None:
    remote = bare_repository(tmp_path / "remote")
    values(remote, tmp_path / "cache").publish(None, FILES, SAY, WHEN)
    person = work_tree(tmp_path / "person", remote)
    git(person, "fetch", "--quiet", "origin", "status")
    git(person, "reset", "--quiet", "--hard", "FETCH_HEAD")
    commit(person, {BINDING: "a: b: c\n"})
    git(person, "push", "--quiet", "origin", "HEAD:refs/heads/status")
    _, files = values(remote, tmp_path / "cache").read()
    with pytest.raises(RepositoryError, match=re.escape(BINDING)):
        dict(files)
