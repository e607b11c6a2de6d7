"""A member's ResourceQuotas are read where estimates are to respect them, and only there."""

from pathlib import Path

import pytest

from gitops_karmada.members.fleet import Fleet
from gitops_karmada.model.members import MemberConnection, Observed
from gitops_karmada.model.objects import ClusterName
from gitops_karmada.model.settings import MemberMode
from tests.members.worlds import FolderHand, clock

ONE = ClusterName("one")
QUOTA = {
    "apiVersion": "v1",
    "kind": "ResourceQuota",
    "metadata": {"name": "all", "namespace": "shop"},
    "spec": {"hard": {"cpu": "4"}},
    "status": {"hard": {"cpu": "4"}, "used": {"cpu": "1"}},
}


@pytest.mark.parametrize("asked", [True, False])
async def test_quotas_are_listed_where_asked_for(tmp_path: Path, asked: bool) -> None:
    FolderHand(tmp_path).put(QUOTA)
    connection = MemberConnection(cluster=ONE, mode=MemberMode.DIRECTORY, directory=str(tmp_path), lists_quotas=asked)
    async with Fleet("test", clock=clock) as fleet:
        seen = (await fleet.observe([connection]))[ONE]
    assert isinstance(seen, Observed)
    assert [quota["status"]["used"] for quota in seen.quotas] == ([{"cpu": "1"}] if asked else [])
