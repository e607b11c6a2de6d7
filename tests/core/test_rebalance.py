"""A rebalancer asks once, and remembers what it asked."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from gitops_karmada.core.rebalance import is_expired, rebalance
from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.decode import decode
from gitops_karmada.model.policies import WorkloadRebalancer
from tests.core.nouns import EARLIER, binding, placement

HOUR = timedelta(hours=1)


def rebalancer(*names: str, results: dict[str, str] | None = None, **spec: Any) -> WorkloadRebalancer:
    def workload(name: str) -> dict[str, str]:
        return {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "shop", "name": name}

    observed = [{"workload": workload(name), "result": result} for name, result in (results or {}).items()]
    return decode(
        WorkloadRebalancer,
        {
            "metadata": {"name": "now", "creationTimestamp": "2026-01-01T10:00:00Z"},
            "spec": {"workloads": [workload(name) for name in names], **spec},
            "status": {"observedWorkloads": observed},
        },
    ).unwrap()


def web(triggered: datetime | None) -> Binding:
    return binding(1, placement(), reschedule_triggered_at=triggered)


@pytest.mark.parametrize(
    ("before", "after"),
    [(None, EARLIER), (EARLIER - HOUR, EARLIER), (EARLIER + HOUR, None)],
    ids=["never", "asked before", "asked later already"],
)
def test_the_trigger_is_when_it_appeared(before: datetime | None, after: datetime | None) -> None:
    """V10.5."""
    found = web(before)
    done = rebalance(rebalancer("web"), {found.key: found}, EARLIER + HOUR)
    assert [it.spec.reschedule_triggered_at for it in done.bindings.values()] == ([after] if after else [])
    assert [it.result for it in done.rebalancer.status.observed_workloads] == ["Successful"]


def test_a_missing_binding_fails_and_is_not_tried_again() -> None:
    """V10.6."""
    done = rebalance(rebalancer("web"), {}, EARLIER).rebalancer
    (observed,) = done.status.observed_workloads
    assert (observed.result, observed.reason) == ("Failed", "ReferencedBindingNotFound")
    again = rebalance(done, {web(None).key: web(None)}, EARLIER + HOUR)
    assert again.bindings == {}
    assert again.rebalancer.status == done.status


def test_dropped_workloads_stay_only_when_they_succeeded() -> None:
    """V10.7."""
    before = rebalancer("w3", results={"w1": "Successful", "w2": "Failed"})
    done = rebalance(before, {}, EARLIER)
    assert [it.workload.name for it in done.rebalancer.status.observed_workloads] == ["w1", "w3"]


def test_it_expires_after_its_time() -> None:
    done = rebalance(rebalancer("web", ttlSecondsAfterFinished=60), {}, EARLIER).rebalancer
    assert not is_expired(done, EARLIER + timedelta(seconds=59))
    assert is_expired(done, EARLIER + timedelta(seconds=60))
    assert not is_expired(replace(done, spec=replace(done.spec, ttl_seconds_after_finished=None)), EARLIER + HOUR)
