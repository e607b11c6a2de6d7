"""What a namespace may use in all members together."""

from typing import Any

from gitops_karmada.core.quota import QuotaLedger, quota_status, static_quotas, usage, with_reports, with_usage
from gitops_karmada.model.bindings import Component, ComponentRequirements, TargetCluster
from gitops_karmada.model.decode import decode
from gitops_karmada.model.frozen import Frozen
from gitops_karmada.model.objects import ClusterName
from gitops_karmada.model.policies import FederatedResourceQuota
from gitops_karmada.model.quantity import quantity
from gitops_karmada.model.works import ManifestStatus, Work, WorkStatus
from tests.core.nouns import binding, placement


def quota(**spec: Any) -> FederatedResourceQuota:
    return decode(FederatedResourceQuota, {"metadata": {"name": "all", "namespace": "shop"}, "spec": spec}).unwrap()


def targets(**replicas: int) -> tuple[TargetCluster, ...]:
    return tuple(TargetCluster(name=name, replicas=count) for name, count in replicas.items())


def shown(amounts: Any) -> dict[str, str]:
    return {name: str(amount) for name, amount in amounts.items()}


def test_usage_of_replicas() -> None:
    """V10.16 and V10.17."""
    wish = binding(5, placement(), requests={"cpu": "1", "memory": "2Gi"})
    assert shown(usage(wish.spec, targets(m1=3, m2=2))) == {"cpu": "5", "memory": "10Gi"}
    assert usage(wish.spec, ()) == {}


def test_usage_of_components_counts_every_cluster() -> None:
    """V10.15."""
    request = Frozen({"cpu": quantity("500m"), "memory": quantity("1Gi")})
    part = Component(name="a", replicas=2, replica_requirements=ComponentRequirements(resource_request=request))
    wish = binding(0, placement(), components=(part,))
    assert shown(usage(wish.spec, targets(m1=0, m2=0))) == {"cpu": "2", "memory": "4Gi"}


RUNNING = binding(8, placement(), {"m1": 8}, name="running", requests={"cpu": "1", "memory": "1Gi"})


def test_what_would_use_too_much_is_refused_with_the_sum() -> None:
    """V10.18 and V10.19."""
    ledger = QuotaLedger([quota(overall={"cpu": "10"})], [RUNNING])
    wish = binding(3, placement(), requests={"cpu": "1"})
    assert ledger.objection(wish, targets(m1=3)) == (
        "FederatedResourceQuota(shop/all) exceeded for resource cpu: requested sum 11, limit 10."
    )
    assert ledger.objection(wish, targets(m1=2)) is None
    assert ledger.objection(binding(30, placement(), requests={"memory": "1Gi"}), targets(m1=30)) is None


def test_what_is_granted_is_used() -> None:
    ledger = QuotaLedger([quota(overall={"cpu": "10"})], [RUNNING])
    ledger.take(binding(2, placement(), requests={"cpu": "1"}), targets(m1=2))
    assert ledger.objection(binding(1, placement(), name="late", requests={"cpu": "1"}), targets(m1=1)) is not None
    assert shown(ledger.used(quota(overall={"cpu": "10"}))) == {"cpu": "10"}


def test_using_less_is_never_refused() -> None:
    """Also where the limit was lowered below what runs."""
    ledger = QuotaLedger([quota(overall={"cpu": "4"})], [RUNNING])
    assert ledger.objection(RUNNING, targets(m1=6)) is None
    assert ledger.objection(RUNNING, targets(m1=9)) is not None


def test_members_enforce_their_own_part() -> None:
    assigned = quota(overall={"cpu": "4"}, staticAssignments=[{"clusterName": "m1", "hard": {"cpu": "1000m"}}])
    assert static_quotas(assigned) == {
        "m1": {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": "all", "namespace": "shop"},
            "spec": {"hard": {"cpu": "1"}},
        }
    }
    live = {"m1": {"status": {"hard": {"cpu": "1"}, "used": {"cpu": "500m"}}}}
    status = quota_status(assigned, None, live)
    assert shown(status.overall_used) == {"cpu": "500m"}
    assert [it.cluster_name for it in status.aggregated_status] == ["m1"]


def share(cluster: str, cpu: str) -> Work:
    manifest = static_quotas(SHARED)[cluster]
    status = {"hard": manifest["spec"]["hard"], "used": {"cpu": cpu}}
    return Work(
        cluster=ClusterName(cluster),
        manifest=manifest,
        status=WorkStatus(manifest_statuses=(ManifestStatus(status=status),)),
    )


SHARED = quota(
    overall={"cpu": "10"},
    staticAssignments=[{"clusterName": "m1", "hard": {"cpu": "6"}}, {"clusterName": "m2", "hard": {"cpu": "4"}}],
)


def test_what_members_report_of_their_shares_is_shown() -> None:
    works = {work.place: work for work in (share("m1", "5"), share("m2", "1"))}
    seen = with_reports(with_usage(SHARED, {"cpu": quantity("7")}, {}), works)
    assert shown(seen.status.overall_used) == {"cpu": "7"}
    assert [(it.cluster_name, shown(it.used)) for it in seen.status.aggregated_status] == [
        ("m1", {"cpu": "5"}),
        ("m2", {"cpu": "1"}),
    ]


def test_without_enforcement_what_members_report_is_what_is_used() -> None:
    works = {work.place: work for work in (share("m1", "5"), share("m2", "1"))}
    assert shown(with_usage(SHARED, None, works).status.overall_used) == {"cpu": "6"}
