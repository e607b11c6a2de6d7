"""A kind that only the repository knows, on real API servers: its scripts say how it is divided and how it is."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
import yaml

from tests.e2e.lab import Lab, Run, config_map, policy, static
from tests.envtest.cluster import Cluster

CRD = Path(__file__).parents[2] / "fixtures" / "crds" / "fleets.yaml"
FLEET = ("example.org/v1", "Fleet", "taxis")
PLACED = "shop/fleet.example.org/taxis"
PLACING = policy(
    "fleets", ("example.org/v1", "Fleet", ""), ("v1", "ConfigMap", ""), placement=static(member1=2, member2=1)
)

REPLICAS = """\
function GetReplicas(obj)
  return obj.spec.cars, {}
end
"""
REVISE = """\
function ReviseReplica(obj, replicas)
  obj.spec.cars = replicas
  return obj
end
"""
HEALTH = """\
function InterpretHealth(obj)
  return obj.status ~= nil and obj.status.driving == obj.spec.cars
end
"""
REFLECT = """\
function ReflectStatus(obj)
  if obj.status == nil then
    return {}
  end
  return { driving = obj.status.driving }
end
"""
AGGREGATE = """\
function AggregateStatus(obj, items)
  local driving = 0
  for i = 1, #items do
    if items[i].status ~= nil and items[i].status.driving ~= nil then
      driving = driving + items[i].status.driving
    end
  end
  obj.status = { driving = driving }
  return obj
end
"""
SCRIPTS = {
    "replicaResource": REPLICAS,
    "replicaRevision": REVISE,
    "healthInterpretation": HEALTH,
    "statusReflection": REFLECT,
    "statusAggregation": AGGREGATE,
}

pytestmark = pytest.mark.envtest


def test_a_kind_of_our_own(tmp_path: Path, members: tuple[Cluster, ...]) -> None:
    """Divided two to one, revised in each member, healthy where all drive, and counted together."""
    one, two, _ = members
    lab = started(tmp_path, one, two)
    lab.sync()
    assert lab.placed(PLACED) == {"member1": 6, "member2": 3}
    assert [fleet(cluster)["spec"] for cluster in (one, two)] == [
        {"cars": 6, "color": "yellow"},
        {"cars": 3, "color": "yellow"},
    ]

    for cluster, driving in ((one, 6), (two, 1)):
        status = {"driving": driving, "fuel": "enough"}
        cluster.admin.patch_status(*FLEET, "shop", patch=status)
    lab.sync()
    binding = lab.status_value(f"bindings/{PLACED}.yaml")
    assert [(it["clusterName"], it["health"], it["status"]) for it in binding["status"]["aggregatedStatus"]] == [
        ("member1", "Healthy", {"driving": 6}),
        ("member2", "Unhealthy", {"driving": 1}),
    ]
    assert binding["template"]["status"] == {"driving": 7}


def test_a_broken_script_is_one_finding_and_costs_nothing_else(tmp_path: Path, members: tuple[Cluster, ...]) -> None:
    """What runs stays as it is, the rest of the commit goes out, and the finding names the script's file and line."""
    one, two, _ = members
    lab = started(tmp_path, one, two)
    lab.sync()
    before = [fleet(cluster)["metadata"]["resourceVersion"] for cluster in (one, two)]
    broken = {**SCRIPTS, "replicaResource": "function GetReplicas(obj)\n  return obj.spec.engine.cars, {}\nend\n"}
    lab.commit(
        "a slip",
        {
            "policies/fleets-explained.yaml": customization(broken),
            "templates/taxis.yaml": taxis(12),
            "templates/config.yaml": config_map("tariff", price="2"),
        },
    )
    run = lab.run("sync")
    assert run.code == 1
    assert [line.partition(":")[0] for line in findings(run)] == ["error[GK2050]"], run.errors
    assert f" --> {place_of(lab, 'obj.spec.engine.cars')}" in run.errors
    assert "Fleet.example.org shop/taxis" in run.errors
    assert [fleet(cluster)["metadata"]["resourceVersion"] for cluster in (one, two)] == before
    assert one.admin.get("v1", "ConfigMap", "tariff", "shop")["data"] == {"price": "2"}

    # Mended; and now the health of what runs cannot be told: it runs as it should all the same.
    broken = {
        **SCRIPTS,
        "healthInterpretation": "function InterpretHealth(obj)\n  return obj.status.crew.size > 0\nend\n",
    }
    lab.commit("another slip", {"policies/fleets-explained.yaml": customization(broken)})
    run = lab.run("sync")
    assert [line.partition(":")[0] for line in findings(run)] == ["warning[GK2057]"], run.errors
    assert f" --> {place_of(lab, 'obj.status.crew.size')}" in run.errors
    assert [fleet(cluster)["spec"]["cars"] for cluster in (one, two)] == [8, 4]
    items = lab.status_value(f"bindings/{PLACED}.yaml")["status"]["aggregatedStatus"]
    assert [it["health"] for it in items] == ["Unknown", "Unknown"], "what cannot be told is never healthy"

    lab.commit("mended", {"policies/fleets-explained.yaml": customization(SCRIPTS)})
    lab.sync()
    assert [fleet(cluster)["spec"]["cars"] for cluster in (one, two)] == [8, 4]


def started(folder: Path, one: Cluster, two: Cluster) -> Lab:
    for cluster in (one, two):
        cluster.admin.install(yaml.safe_load(CRD.read_text(encoding="utf-8")))
    lab = Lab(folder, [one, two])
    lab.write(
        {
            "policies/fleets-explained.yaml": customization(SCRIPTS),
            "policies/fleets.yaml": PLACING,
            "templates/taxis.yaml": taxis(9),
            "templates/config.yaml": config_map("tariff", price="1"),
        }
    )
    lab.push("taxis")
    return lab


def taxis(cars: int) -> dict[str, Any]:
    return {
        "apiVersion": "example.org/v1",
        "kind": "Fleet",
        "metadata": {"name": "taxis", "namespace": "shop"},
        "spec": {"cars": cars, "color": "yellow"},
    }


def customization(scripts: dict[str, str]) -> str:
    """As people write it: scripts as blocks, so that their lines are lines of the file."""
    blocks = (f"    {name}:\n      luaScript: |\n{indent(script, ' ' * 8)}" for name, script in scripts.items())
    return HEAD + "".join(blocks)


HEAD = """\
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata:
  name: fleets
spec:
  target:
    apiVersion: example.org/v1
    kind: Fleet
  customizations:
"""


def place_of(lab: Lab, words: str) -> str:
    """`file:line` of the customization where these words stand."""
    file = "policies/fleets-explained.yaml"
    lines = (lab.work / file).read_text(encoding="utf-8").splitlines()
    return f"{file}:{next(number for number, line in enumerate(lines, start=1) if words in line)}"


def findings(run: Run) -> list[str]:
    return [line for line in run.errors.splitlines() if line.startswith(("error", "warning"))]


def fleet(cluster: Cluster) -> dict[str, Any]:
    return cluster.admin.get(*FLEET, "shop")
