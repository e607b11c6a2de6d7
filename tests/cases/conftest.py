"""What every case needs: nothing of this machine's Git, and a folder of its own."""

import os
from pathlib import Path

import pytest

from tests.e2e.lab import GIT_ENVIRONMENT


@pytest.fixture(autouse=True)
def own_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GITOPS_KARMADA")]:
        monkeypatch.delenv(name)
    for name, value in GIT_ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
