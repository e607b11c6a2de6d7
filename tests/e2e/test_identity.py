"""A member is one cluster for life: credentials that lead to another one are noticed before anything is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.lab import Lab, cluster_manifest
from tests.e2e.test_leaving import start
from tests.envtest.cluster import Cluster

pytestmark = pytest.mark.envtest


def test_credentials_of_another_cluster_are_refused(tmp_path: Path, members: tuple[Cluster, ...]) -> None:
    """Swapped kubeconfigs would deploy to the wrong cluster and prune in it: the member is unreachable instead."""
    one, two, three = members
    lab = Lab(tmp_path, [one, two])
    start(lab)
    three.write_kubeconfig(lab.credentials / "member1")
    before = three.revisions()
    run = lab.run("sync")
    assert "another cluster" in run.output + run.errors
    assert three.revisions() == before
    assert lab.placed("shop/deployment.apps/web") == {"member1": 4, "member2": 2}

    uid = three.admin.get("v1", "Namespace", "kube-system")["metadata"]["uid"]
    lab.commit("member1 was built anew", {"clusters/member1.yaml": cluster_manifest("member1", id=uid)})
    lab.sync()
    assert three.admin.get("apps/v1", "Deployment", "web", "shop")["spec"]["replicas"] == 4
