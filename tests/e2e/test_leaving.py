"""Members that leave the federation: what was placed there goes while they can be reached, and only that."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.lab import Lab, deployment, policy, settings, static

WEB = ("apps/v1", "Deployment", "web")


def start(lab: Lab) -> None:
    lab.commit(
        "start",
        {
            "templates/web.yaml": deployment(replicas=6),
            "policies/web.yaml": policy("web", WEB, placement=static(member1=2, member2=1)),
        },
    )
    lab.sync()


def in_folder(lab: Lab, member: str) -> list[str]:
    found = (lab.members_dir / member).rglob("*.yaml")
    return sorted(path.name for path in found if "deployment" in str(path))


def test_a_cluster_that_leaves_is_emptied_while_its_member_is_set_up(tmp_path: Path) -> None:
    """First the Cluster goes, then, once it is empty, the member: that order deletes; nothing else is touched."""
    lab = Lab(tmp_path, directories=["member1", "member2"])
    start(lab)
    assert in_folder(lab, "member2") == ["web.yaml"]
    lab.commit("member2 leaves", {"clusters/member2.yaml": None})
    lab.sync()
    assert in_folder(lab, "member2") == []
    assert lab.placed("shop/deployment.apps/web") == {"member1": 6}
    assert not [path for path in lab.status_files() if path.startswith("works/member2/shop")]


def test_a_member_that_goes_at_once_is_forgotten_and_keeps_what_runs(tmp_path: Path) -> None:
    """Nobody can be asked any more, so nothing is deleted there: the turn says so and goes on."""
    lab = Lab(tmp_path, directories=["member1", "member2"])
    start(lab)
    gone = {"clusters/member2.yaml": None, "gitops-karmada.yaml": settings("lab", [], ["member1"], None)}
    lab.commit("member2 is gone", gone)
    run = lab.run("sync")
    assert "member2 is declared nowhere any more" in run.output + run.errors
    assert in_folder(lab, "member2") == ["web.yaml"]
    assert lab.placed("shop/deployment.apps/web") == {"member1": 6}
    tip = lab.status_tip()
    lab.sync()
    assert lab.status_tip() == tip
