"""Which clusters are candidates, and the reasons why others are not."""

from typing import Any

import pytest

from gitops_karmada.core.filter import fit, no_cluster_fits, refused
from gitops_karmada.core.filters import Request
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.placement import Placement
from tests.core.nouns import EARLIER, cluster, placement, taint

NO_API = "cluster(s) did not have the API resource"
NO_MATCH = "cluster(s) did not match the placement cluster affinity constraint"


def request(wanted: Placement | None = None, **fields: Any) -> Request:
    return Request(api_version="apps/v1", kind="Deployment", placement=wanted or Placement(), **fields)


def reason(asked: Request, candidate: Cluster) -> str | None:
    refusal = refused(asked, candidate)
    return refusal.reason if refusal else None


M1 = frozenset({"m1"})
TAINTED = cluster("m1", taints=(taint("key1=value1:NoSchedule"),))
OVERFLOW = placement(
    clusterAffinities=[
        {
            "affinityName": "first",
            "clusterNames": ["m0"],
            "overflowAffinities": [{"affinityName": "more", "clusterNames": ["m1"]}],
        }
    ]
)


@pytest.mark.parametrize(
    ("asked", "candidate", "expected"),
    [
        pytest.param(request(), cluster("m1"), None, id="V2.1"),
        pytest.param(request(), cluster("m1", apis=()), NO_API, id="V2.2"),
        pytest.param(request(targets=M1), cluster("m1", apis=()), None, id="V2.4"),
        pytest.param(request(), TAINTED, "cluster(s) had untolerated taint {key1=value1:NoSchedule}", id="V2.5"),
        pytest.param(request(targets=M1), TAINTED, None, id="V2.6"),
        pytest.param(
            request(placement(clusterTolerations=[{"key": "key1", "operator": "Exists"}])), TAINTED, None, id="V2.7"
        ),
        pytest.param(
            request(placement(clusterTolerations=[{"key": "key1", "value": "value2"}])),
            TAINTED,
            "cluster(s) had untolerated taint {key1=value1:NoSchedule}",
            id="V2.8",
        ),
        pytest.param(
            request(placement(clusterAffinity={"clusterNames": ["m0"]}), targets=M1), cluster("m1"), NO_MATCH, id="V2.9"
        ),
        pytest.param(request(OVERFLOW), cluster("m1"), None, id="V2.10"),
        pytest.param(request(OVERFLOW, affinity_name="first"), cluster("m1"), NO_MATCH, id="V2.11"),
        pytest.param(request(OVERFLOW, affinity_name="first", is_workload=True), cluster("m1"), None, id="V2.12"),
        pytest.param(
            request(placement(spreadConstraints=[{"spreadByField": "zone"}])),
            cluster("m1", zone="z1"),
            "cluster(s) did not have zones property",
            id="V2.13",
        ),
        pytest.param(request(evicting=M1), cluster("m1"), "cluster(s) is in the process of eviction", id="V2.14"),
        pytest.param(request(companions=frozenset({"m2"})), cluster("m2"), None, id="V2.18 shared"),
        pytest.param(
            request(companions=frozenset({"m2"})),
            cluster("m1"),
            "ResourceBinding with the same affinity group does not target this cluster",
            id="V2.18 not shared",
        ),
        pytest.param(
            request(rivals=M1),
            cluster("m1"),
            "cluster already has workload with the same anti-affinity group",
            id="V2.19",
        ),
        pytest.param(request(rivals=M1, targets=M1), cluster("m1"), None, id="what runs beside a rival stays"),
    ],
)
def test_reason(asked: Request, candidate: Cluster, expected: str | None) -> None:
    assert reason(asked, candidate) == expected


def test_without_clusters_none_exists() -> None:
    assert no_cluster_fits({}) == "0/0 clusters are available: no cluster exists."


def test_leaving_clusters_are_counted_without_a_reason() -> None:
    leaving = [cluster(name, deletion_timestamp=EARLIER) for name in ("m1", "m2", "m3")]
    feasible, unfit = fit(request(), leaving)
    assert feasible == ()
    assert no_cluster_fits(unfit) == "0/3 clusters are available: no cluster exists."


def test_reasons_are_counted_and_sorted_as_text() -> None:
    wanted = placement(clusterAffinity={"clusterNames": ["m3"]})
    _, unfit = fit(request(wanted), [cluster("m1"), cluster("m2"), cluster("m3", taints=(taint("a:NoSchedule"),))])
    assert no_cluster_fits(unfit) == (
        "0/3 clusters are available: 1 cluster(s) had untolerated taint {a:NoSchedule}, "
        "2 cluster(s) did not match the placement cluster affinity constraint."
    )
