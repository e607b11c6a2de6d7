"""The status branch in other hands: what cannot be read there is unknown, and unknown changes nothing."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.lab import STATUS, Lab
from tests.e2e.test_leaving import in_folder, start


def test_a_file_spoilt_by_hand_stops_the_turn(tmp_path: Path) -> None:
    """Somebody edited a binding into no YAML: nothing is decided or applied until that is taken back."""
    lab = Lab(tmp_path, directories=["member1", "member2"])
    start(lab)
    lab._git("fetch", "-q", "origin", STATUS)
    lab._git("checkout", "-q", "-B", "spoilt", "FETCH_HEAD")
    lab.write({"bindings/shop/deployment.apps/web.yaml": "spec: [\n"})
    lab._git("commit", "-qam", "by hand")
    lab._git("push", "-q", "origin", f"HEAD:{STATUS}")
    lab._git("checkout", "-q", "main")
    tip = lab.status_tip()
    run = lab.run("sync")
    assert run.code == 3
    assert "bindings/shop/deployment.apps/web.yaml" in run.errors
    assert lab.status_tip() == tip
    assert in_folder(lab, "member1") == in_folder(lab, "member2") == ["web.yaml"]


def test_a_lost_status_branch_costs_no_object(tmp_path: Path) -> None:
    """Placements are computed afresh, the objects are found by their marks, and nothing else is lost."""
    lab = Lab(tmp_path, directories=["member1", "member2"])
    start(lab)
    lab._git_at(lab.origin, "update-ref", "-d", f"refs/heads/{STATUS}")
    lab.sync()
    assert lab.placed("shop/deployment.apps/web") == {"member1": 4, "member2": 2}
    assert in_folder(lab, "member1") == in_folder(lab, "member2") == ["web.yaml"]
    lab.commit("closed", {"templates/web.yaml": None})
    lab.sync()
    assert in_folder(lab, "member1") == in_folder(lab, "member2") == []
