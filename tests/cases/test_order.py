"""Answers that must not depend on the order of files, names and documents (cases O03 and O26)."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from tests.cases.stage import Stage
from tests.cases.worlds import clusters, stage
from tests.e2e.lab import deployment, policy

API = ("apps/v1", "Deployment", "api")
EQUAL = ("zeta", "alpha", "mid")


def weights(*names: str) -> dict[str, Any]:
    listed = [{"targetCluster": {"clusterNames": [name]}, "weight": 1} for name in names]
    return {
        "clusterAffinity": {"clusterNames": list(names)},
        "replicaScheduling": {
            "replicaSchedulingType": "Divided",
            "replicaDivisionPreference": "Weighted",
            "weightPreference": {"staticWeightList": listed},
        },
    }


def planned(stage: Stage) -> dict[str, int]:
    """What a plan of the newest commit would place."""
    changes = stage.run("plan", "-o", "json").json["changes"]
    return {it["member"]: it["replicas"]["after"] for it in changes if it["object"]["kind"] == "Deployment"}


def test_o03_ties_are_decided_alike_in_every_run(tmp_path: Path) -> None:
    """https://github.com/karmada-io/karmada/issues/4220: a tie is no matter of chance, of file names or of order."""
    first = stage(tmp_path / "one", *EQUAL)
    manifests = {"templates/api.yaml": deployment("api", 10), **clusters(*EQUAL)}
    first.commit("equal", {**manifests, "policies/api.yaml": policy("api", API, placement=weights(*EQUAL))})
    answer = planned(first)
    assert sorted(answer.values()) == [3, 3, 4]
    assert planned(first) == answer
    second = stage(tmp_path / "two", *sorted(EQUAL))
    renamed = {f"x/{name.replace('/', '-')}": manifest for name, manifest in reversed(list(manifests.items()))}
    last_first = policy("api", API, placement=weights(*reversed(EQUAL)))
    second.commit("the other way round", {**renamed, "a.yaml": last_first})
    assert planned(second) == answer
    first.sync()
    second.sync()
    assert first.placed("shop/deployment.apps/api") == second.placed("shop/deployment.apps/api") == answer


def competing() -> list[dict[str, Any]]:
    place = {"clusterAffinity": {"clusterNames": ["a"]}}
    return [
        policy("p1", API, placement=place, priority=0),
        policy("p2", ("apps/v1", "Deployment", ""), placement=place, priority=1),
        policy("p3", API, placement=place, priority=-5),
        deployment("api", 1),
    ]


@pytest.fixture
def one_file(tmp_path: Path) -> Stage:
    return stage(tmp_path / "lab", "a")


def test_o26_priority_wins_in_any_order_of_documents(one_file: Stage) -> None:
    """https://github.com/karmada-io/karmada/issues/4697: the highest priority, in the first run and in any order."""
    for documents in permutations(competing()):
        one_file.commit("another order", {"all.yaml": list(documents), **clusters("a")})
        told = one_file.run("why", "deploy/api", "-n", "shop", "--branch", "main")
        assert told.code == 0, told.errors
        assert (
            "PropagationPolicy.policy.karmada.io shop/p2" in told.output or "PropagationPolicy shop/p2" in told.output
        )


def test_o26_priority_wins_in_separate_files(one_file: Stage) -> None:
    files = {f"{number}.yaml": document for number, document in enumerate(competing())}
    one_file.commit("four files", {**files, **clusters("a")})
    one_file.sync()
    binding = one_file.status_value("bindings/shop/deployment.apps/api.yaml")
    assert binding["metadata"]["annotations"]["propagationpolicy.karmada.io/name"] == "p2"
