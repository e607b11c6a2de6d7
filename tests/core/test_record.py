"""The status branch: what a plan writes is what the next turn reads."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from gitops_karmada.core.record import file_name, files_of, ledger_of, object_path, work_path
from gitops_karmada.model.actions import Receipt
from gitops_karmada.model.bindings import (
    AggregatedStatusItem,
    Binding,
    BindingSpec,
    BindingStatus,
    Health,
    ObjectReference,
    TargetCluster,
)
from gitops_karmada.model.clusters import Cluster, ClusterStatus, Condition
from gitops_karmada.model.federation import Commit, Ledger
from gitops_karmada.model.frozen import Frozen
from gitops_karmada.model.metadata import ObjectMeta
from gitops_karmada.model.objects import ClusterName, Key, key_of
from gitops_karmada.model.plan import Plan, Why
from gitops_karmada.model.works import AppliedOverride, FieldChange, Place, Work

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
MANIFEST = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}, "spec": {}}
KEY = key_of(MANIFEST)
PLACE = Place(cluster=ClusterName("east"), key=KEY)


def a_plan() -> Plan:
    binding = Binding(
        metadata=ObjectMeta(name="web-deployment", namespace="shop", generation=2),
        spec=BindingSpec(
            resource=ObjectReference(api_version="apps/v1", kind="Deployment", namespace="shop", name="web"),
            replicas=3,
            clusters=(TargetCluster(name="east", replicas=3),),
        ),
        status=BindingStatus(
            last_scheduled_time=NOW,
            aggregated_status=(
                AggregatedStatusItem(
                    cluster_name="east", applied=True, health=Health.HEALTHY, status={"readyReplicas": 3}
                ),
            ),
        ),
    )
    work = Work(
        cluster=ClusterName("east"),
        manifest=MANIFEST,
        binding=KEY,
        overrides=(
            AppliedOverride(
                policy="OverridePolicy/shop/site", changes=(FieldChange(path="/spec/replicas", before=1, after=3),)
            ),
        ),
    )
    return Plan(
        commit=Commit(id="a" * 40),
        bindings={KEY: binding},
        whys={KEY: Why(key=KEY, claim="PropagationPolicy shop/web")},
        works={PLACE: work},
        receipts={PLACE: Receipt(uid="u-1", resource_version="7", heat=0.5)},
        clusters={
            ClusterName("east"): Cluster(
                metadata=ObjectMeta(name="east"),
                status=ClusterStatus(conditions=(Condition(type="Ready", status="True", last_transition_time=NOW),)),
            )
        },
        sources={KEY: "templates/web.yaml"},
        template_statuses={KEY: {"readyReplicas": 3}},
        memory=Frozen({"readiness": Frozen({"east": Frozen({"status": "True"})})}),
    )


def written(plan: Plan, last: Ledger | None = None) -> dict[str, Any]:
    return {path: value for path, value in files_of(plan, last or Ledger()).items() if value is not None}


def test_a_plan_reads_back_as_it_was_written() -> None:
    """Everything that the next turn needs is on the branch."""
    plan = a_plan()
    ledger = ledger_of(written(plan), commit="c0ffee")
    assert ledger.problems == ()
    assert ledger.bindings == plan.bindings
    assert ledger.works == plan.works
    assert ledger.whys == plan.whys
    assert ledger.receipts == plan.receipts
    assert ledger.clusters == plan.clusters
    assert ledger.sources == plan.sources
    assert ledger.template_statuses == plan.template_statuses
    assert ledger.memory == plan.memory


def test_the_same_plan_changes_no_file() -> None:
    plan = a_plan()
    assert files_of(plan, ledger_of(written(plan), commit="c0ffee")) == {}


def test_only_what_changed_is_written() -> None:
    plan = a_plan()
    ledger = ledger_of(written(plan), commit="c0ffee")
    changed = replace(plan, receipts={PLACE: Receipt(uid="u-1", resource_version="8")})
    assert list(files_of(changed, ledger)) == ["works/east/shop/deployment.apps/web.yaml"]


def test_what_is_gone_is_removed() -> None:
    plan = a_plan()
    ledger = ledger_of(written(plan), commit="c0ffee")
    assert files_of(replace(plan, works={}, receipts={}), ledger) == {work_path(PLACE): None}


def test_a_retiring_work_stays_on_the_branch_until_it_is_gone() -> None:
    plan = a_plan()
    retiring = {PLACE: replace(plan.works[PLACE], retiring="template removed")}
    ledger = ledger_of(written(replace(plan, works={}, retiring=retiring)), commit="c0ffee")
    assert ledger.works == retiring


def test_a_spoilt_file_is_a_problem_and_costs_no_other_file() -> None:
    files = written(a_plan())
    files["bindings/shop/deployment.apps/api.yaml"] = {"spec": "nonsense"}
    ledger = ledger_of(files, commit="c0ffee")
    assert [problem.location.file for problem in ledger.problems if problem.location] == [
        "bindings/shop/deployment.apps/api.yaml"
    ]
    assert set(ledger.bindings) == {KEY}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("web", "web"),
        ("system:node", "system%3Anode"),
        ("Upper", "%55pper"),
        ("ü", "%C3%BC"),
    ],
)
def test_file_names_stay_apart_on_every_file_system(name: str, expected: str) -> None:
    assert file_name(name) == expected


def test_long_names_fit_a_file_name_and_stay_apart() -> None:
    one, two = "a" * 252 + "b", "a" * 252 + "c"
    assert len(file_name(one)) <= 240
    assert file_name(one) != file_name(two)


def test_two_groups_same_named_kinds_have_files_of_their_own() -> None:
    one = Key(group="a.io", kind="Widget", namespace="shop", name="w")
    two = Key(group="b.io", kind="Widget", namespace="shop", name="w")
    assert object_path(one) != object_path(two)
