"""Secrets: their values go to the member, and are nowhere on the status branch."""

import json
from typing import Any

import pytest

from gitops_karmada.core.enforce import actions_of
from gitops_karmada.core.hydrate import manifest_files
from gitops_karmada.core.record import files_of
from gitops_karmada.core.seal import sealed, unsealed
from gitops_karmada.model.actions import Apply, Create, Keep, Receipt
from gitops_karmada.model.federation import Ledger
from gitops_karmada.model.managed_fields import digest
from gitops_karmada.model.marks import marked
from gitops_karmada.model.members import Absent, Present
from gitops_karmada.model.objects import ClusterName, key_of
from gitops_karmada.model.plan import Plan, Question
from gitops_karmada.model.secrets import PLACEHOLDER, is_redacted, redacted, same_values, shown_digest
from gitops_karmada.model.works import Place, Work
from tests.core.questions import (
    CLUSTERS,
    INTERPRETER,
    decided,
    ledger_after,
    override,
    policy,
    question,
)

REDACT = {"secrets": "Redact"}
VALUE, OTHER = "aHVudGVyMg==", "b3RoZXI="
SELECTORS = [{"apiVersion": "v1", "kind": "Secret"}]


def secret(value: str = VALUE, **more: Any) -> dict[str, Any]:
    metadata = {"name": "door", "namespace": "shop"}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": metadata,
        "type": "Opaque",
        "data": {"key": value},
        **more,
    }


PLACE = Place(cluster=ClusterName("east"), key=key_of(secret()))


def asked(value: str = VALUE, ledger: Ledger | None = None, *more: Any) -> Question:
    objects = (*CLUSTERS, policy(resourceSelectors=SELECTORS), secret(value), *more)
    return question(objects, spec=REDACT, ledger=ledger)


def action(answer: Plan, one: Question, live: Any) -> Any:
    seen = {place: live if place == PLACE else Absent() for place in answer.works}
    (found,) = (it for it in actions_of(answer, seen, one, INTERPRETER)[ClusterName("east")] if it.place == PLACE)
    return found


def test_no_value_is_written_down() -> None:
    change = {"path": "/data/key", "operator": "replace", "value": OTHER}
    answer = decided(asked(VALUE, None, override("o", {"overriders": {"plaintext": [change]}})))
    text = json.dumps(files_of(answer, Ledger()), default=str)
    assert VALUE not in text
    assert OTHER not in text
    assert "hunter2" not in repr(answer)
    assert PLACEHOLDER in text
    assert answer.works[PLACE].overrides[0].changes[0].path == "/data/key"


def test_the_member_gets_the_value() -> None:
    one = asked()
    found = action(decided(one), one, Absent())
    assert isinstance(found, Create)
    assert found.manifest["data"] == {"key": VALUE}


def test_a_new_value_changes_no_file_and_is_applied_all_the_same() -> None:
    first = decided(asked())
    ledger = ledger_after(first)
    one = asked(OTHER, ledger)
    second = decided(one)
    assert files_of(second, ledger) == {}
    live = {**marked(secret(), "lab"), "metadata": {**marked(secret(), "lab")["metadata"], "uid": "u"}}
    found = action(second, one, Present(object=live))
    assert isinstance(found, Apply)
    assert found.manifest["data"] == {"key": OTHER}


def test_digests_do_not_tell_values() -> None:
    """From a digest of a short value the value could be found by trying."""
    one, other = decided(asked()), decided(asked(OTHER))
    assert shown_digest(secret()) == shown_digest(secret(OTHER))
    contents = [answer.bindings[PLACE.key].spec.resource.resource_version for answer in (one, other)]
    assert contents[0] == contents[1]
    assert digest(secret()) not in json.dumps(files_of(one, Ledger()), default=str)


def test_values_that_are_not_known_in_this_turn_are_not_applied() -> None:
    """The ledger's placeholder never reaches a member."""
    one = asked()
    answer = decided(one)
    read = ledger_after(answer)
    kept = Plan(works=read.works, receipts={PLACE: Receipt(uid="u")})
    live = Present(object=marked(secret(), "lab"))
    found = action(kept, one, live)
    assert isinstance(found, Keep)
    assert found.receipt == Receipt(uid="u")


def test_a_work_is_sealed_and_unsealed_without_loss() -> None:
    work = Work(cluster=ClusterName("east"), manifest=secret())
    shown = sealed(work)
    assert shown.manifest["data"] == {"key": PLACEHOLDER}
    assert unsealed(shown) == work
    assert unsealed(Work(cluster=ClusterName("east"), manifest=shown.manifest)) is None


@pytest.mark.parametrize(
    "obj",
    [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"key": VALUE}},
        {"apiVersion": "example.org/v1", "kind": "Secret", "metadata": {"name": "c"}, "data": {"key": VALUE}},
        {**secret("ENC[x]"), "sops": {"mac": "ENC[y]"}},
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "empty"}},
    ],
    ids=["another kind", "another group", "encrypted", "empty"],
)
def test_what_holds_no_readable_value_stays_as_it_is(obj: dict[str, Any]) -> None:
    assert redacted(obj) is obj
    assert not is_redacted(obj)


def test_kubectls_copy_is_no_way_around() -> None:
    copy = secret()
    copy["metadata"] = {**copy["metadata"], "annotations": {"kubectl.kubernetes.io/last-applied-configuration": VALUE}}
    assert VALUE not in json.dumps(redacted(copy))


def test_only_declared_values_are_compared() -> None:
    assert same_values(secret(), {**secret(), "data": {"key": VALUE, "theirs": OTHER}})
    assert not same_values(secret(), secret(OTHER))


def test_a_tool_that_applies_from_the_branch_gets_no_placeholder() -> None:
    """It has to get the values another way; what it got instead would break the workload."""
    one = question(
        (*CLUSTERS, policy(resourceSelectors=SELECTORS), secret()),
        spec={**REDACT, "members": [{"name": "east", "mode": "render-only"}]},
    )
    answer = decided(one)
    assert PLACE in answer.works
    assert not [path for path in manifest_files(answer, Ledger(), one.federation) if "secret" in path]
