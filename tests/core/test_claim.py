import pytest

from gitops_karmada.core.claim import (
    Claimed,
    Unclaimed,
    Waiting,
    claim,
    claim_of,
    policies_of,
    policy_key,
    with_claim,
    without_claim,
)
from gitops_karmada.core.identity import content_of
from gitops_karmada.model.policies import PropagationPolicy
from tests.core.worlds import bound, claimed_by, deployment, overriding, propagation, selected

WEB = deployment()
BY_NAME = [selected(name="web")]
BY_LABEL = [selected(labelSelector={"matchLabels": {"app": "web"}})]


def test_a_new_template_goes_to_the_best_policy() -> None:
    policies = policies_of([propagation("all"), propagation("named", resourceSelectors=BY_NAME)])
    assert claimed_by(WEB, policies) == "named"


def test_a_claim_is_kept_against_a_better_policy() -> None:
    first = propagation("all")
    policies = policies_of([first, propagation("named", resourceSelectors=BY_NAME, priority=9)])
    assert claimed_by(WEB, policies, bound(WEB, first)) == "all"


def test_a_deleted_policy_leaves_the_template_to_the_next_or_to_nobody() -> None:
    binding = bound(WEB, propagation("gone"))
    assert claimed_by(WEB, policies_of([propagation("other")]), binding) == "other"
    nobody = claim(WEB, policies_of([]), previous=binding, content=content_of(WEB))
    assert nobody == Unclaimed(reason="PropagationPolicy.policy.karmada.io shop/gone is gone")


def test_a_broken_policy_is_not_a_deleted_one() -> None:
    """What it placed stays, and no other policy takes the template meanwhile."""
    broken = propagation("broken")
    policies = policies_of([propagation("other")], broken=frozenset({policy_key(broken)}))
    assert claimed_by(WEB, policies, bound(WEB, broken)) == "Waiting"


def test_a_changed_policy_that_no_longer_selects_lets_go() -> None:
    binding = bound(WEB, propagation("web"))
    narrowed = propagation("web", resourceSelectors=[selected(name="api")])
    assert claimed_by(WEB, policies_of([narrowed]), binding) == "Unclaimed"
    assert claimed_by(WEB, policies_of([narrowed, propagation("all")]), binding) == "all"


def test_a_changed_template_that_is_no_longer_selected_stays_claimed() -> None:
    """It is not propagated until it matches again; other policies do not get it."""
    policy = propagation("web", resourceSelectors=BY_LABEL)
    relabelled = deployment(labels={"app": "other"})
    binding = bound(WEB, policy)
    assert claimed_by(relabelled, policies_of([policy, propagation("all")]), binding) == "Waiting"
    assert claimed_by(WEB, policies_of([policy]), binding) == "web"


@pytest.mark.parametrize(
    ("taker", "holder", "takes"),
    [
        pytest.param(propagation("t", priority=2), propagation("h", priority=2), False, id="equal-priority"),
        pytest.param(propagation("t", priority=3), propagation("h", priority=2), True, id="higher-priority"),
        pytest.param(
            propagation("t"), propagation("h", namespace="", priority=100), True, id="namespaced-takes-cluster"
        ),
        pytest.param(
            propagation("t", namespace="", priority=9), propagation("h"), False, id="cluster-never-namespaced"
        ),
        pytest.param(
            propagation("t", namespace="", priority=9),
            propagation("h", namespace="", priority=8),
            True,
            id="cluster-cluster",
        ),
    ],
)
def test_preemption(taker: PropagationPolicy, holder: PropagationPolicy, takes: bool) -> None:
    kind = taker.metadata.namespace
    preempting = propagation(
        "t", namespace=kind, priority=taker.spec.priority, preemption="Always", resourceSelectors=BY_NAME
    )
    binding = bound(WEB, holder)
    assert claimed_by(WEB, policies_of([preempting, holder]), binding) == ("t" if takes else "h")
    assert claimed_by(WEB, policies_of([preempting, holder], preemption=False), binding) == "h"


def test_only_names_preempt() -> None:
    taker = propagation("t", priority=9, preemption="Always")
    holder = propagation("h")
    assert claimed_by(WEB, policies_of([taker, holder]), bound(WEB, holder)) == "h"


def test_a_lazy_policy_waits_for_the_template() -> None:
    """What was there before it waits for its next change; what comes later goes at once."""
    lazy = policies_of([propagation("lazy", activationPreference="Lazy")])
    assert claimed_by(WEB, lazy) == "lazy"
    assert claimed_by(WEB, lazy, last_content=content_of(WEB)) == "Waiting"
    assert claimed_by(WEB, lazy, last_content="an earlier content") == "lazy"
    binding = bound(WEB, propagation("lazy"))
    assert claimed_by(WEB, lazy, binding) == "Waiting"
    assert claimed_by(deployment(replicas=4), lazy, binding) == "lazy"


def test_dependent_overrides_must_be_there() -> None:
    policy = propagation("web", dependentOverrides=["site"])
    found = claim(WEB, policies_of([policy]), previous=None, content=content_of(WEB))
    assert isinstance(found, Waiting)
    assert found.reason == "PropagationPolicy shop/web waits for the override policies site"
    elsewhere = policies_of([policy], [overriding("site", namespace="other"), overriding("site", namespace="")])
    assert claimed_by(WEB, elsewhere) == "Waiting"
    assert claimed_by(WEB, policies_of([policy], [overriding("site")])) == "web"
    cluster = propagation("all", namespace="", dependentOverrides=["site"])
    assert claimed_by(WEB, policies_of([cluster], [overriding("site", namespace="")])) == "all"


def test_a_template_that_somebody_else_claimed_is_left_to_them() -> None:
    service = deployment(labels={"resourcetemplate.karmada.io/claimed-by": "MultiClusterService"})
    found = claim(service, policies_of([propagation()]), previous=None, content=content_of(service))
    assert isinstance(found, Unclaimed)
    assert "MultiClusterService" in found.reason


def test_a_claim_replaces_the_claim_of_the_other_kind() -> None:
    binding = bound(WEB, propagation("all", namespace=""))
    claim_before, now = claim_of(binding), with_claim(binding, propagation("mine"), "lab")
    assert claim_before == policy_key(propagation("all", namespace=""))
    assert claim_of(now) == policy_key(propagation("mine"))
    assert not [key for key in (*now.metadata.labels, *now.metadata.annotations) if key.startswith("clusterprop")]
    assert claim_of(without_claim(now)) is None
    assert without_claim(now).spec == binding.spec


def test_the_reason_of_a_claim_reads_well() -> None:
    taker = propagation("t", priority=9, preemption="Always", resourceSelectors=BY_NAME)
    holder = propagation("h")
    found = claim(WEB, policies_of([taker, holder]), previous=bound(WEB, holder), content=content_of(WEB))
    assert isinstance(found, Claimed)
    assert found.reason == "preempts PropagationPolicy shop/h: its priority 9 is higher than 0"
