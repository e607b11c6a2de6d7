"""How a plan looks: as text, as values, and as a comment of a pull request."""

from collections.abc import Iterable
from dataclasses import replace

from gitops_karmada.cli.output.markdown import LIMIT
from gitops_karmada.cli.output.plans import Preview, as_markdown, lines, value
from gitops_karmada.cli.output.terminal import Line, plain
from gitops_karmada.core.changes import Change, ChangeAction
from gitops_karmada.model.federation import Commit
from gitops_karmada.model.objects import ClusterName, Key
from gitops_karmada.model.problems import Location, Problem
from gitops_karmada.model.works import FieldChange, Place

WEB = Key(group="apps", kind="Deployment", namespace="shop", name="web")
CONFIG = Key(group="", kind="ConfigMap", namespace="shop", name="web-env")
OLD = Key(group="", kind="Service", namespace="shop", name="old")
TEMPLATE = Location(file="apps/web.yaml", line=8)
IMAGE = "/spec/template/spec/containers/0/image"


def place(cluster: str, key: Key) -> Place:
    return Place(cluster=ClusterName(cluster), key=key)


CHANGES = (
    Change(
        place=place("m1", WEB),
        key=WEB,
        action=ChangeAction.MOVE,
        replicas_before=4,
        replicas_after=2,
        fields=(FieldChange(path="/spec/replicas", before=4, after=2),),
        reason="failover",
        where=Location(file="clusters/m1.yaml", line=1),
    ),
    Change(
        place=place("m1", OLD),
        key=OLD,
        action=ChangeAction.HOLD,
        reason="delete held: it is protected",
        hint="Remove the label first",
    ),
    Change(
        place=place("m2", WEB),
        key=WEB,
        action=ChangeAction.MOVE,
        replicas_before=0,
        replicas_after=2,
        arrives=True,
        reason="failover",
    ),
    Change(place=place("m2", CONFIG), key=CONFIG, action=ChangeAction.CREATE, reason="new", where=TEMPLATE),
    Change(
        place=place("m4", WEB),
        key=WEB,
        action=ChangeAction.UPDATE,
        replicas_before=2,
        replicas_after=2,
        fields=(FieldChange(path=IMAGE, before="web:1.4", after="web:1.5"),),
        reason="the template changed",
        where=TEMPLATE,
    ),
)

PREVIEW = Preview(
    changes=CHANGES,
    commit=Commit(id="3f9c2ab00000", ref="main", author="alice"),
    status_commit="91be07d00000",
    members=("m1", "m2", "m3", "m4"),
)


def shown(told: Iterable[Line]) -> str:
    return "".join(f"{plain(spans).rstrip()}\n" for spans in told)


def test_a_plan_shows_every_member_with_replicas_and_causes() -> None:
    assert shown(lines(PREVIEW)) == TEXT


TEXT = """\
Plan for 3f9c2ab (main, alice) against status 91be07d

m1   ↦ shop/Deployment web      replicas 4 → 2            clusters/m1.yaml:1   failover
     ! shop/Service old         HELD                      delete held: it is protected
m2   ↦ shop/Deployment web      replicas 0 → 2, arrives   failover
     + shop/ConfigMap web-env                             apps/web.yaml:8
m4   ~ shop/Deployment web      1 field                   apps/web.yaml:8   the template changed
          /spec/template/spec/containers/0/image  web:1.4 → web:1.5

1 to create, 1 to update, 1 to move (2 replicas), 0 to delete, 1 held.  Members touched: m1 m2 m4 (of 4).
Held: Remove the label first
"""


def test_no_change_is_said_in_words() -> None:
    text = shown(lines(replace(PREVIEW, changes=())))
    assert text.endswith("\nNo changes: every member is as this commit wants it.\n")


def test_no_change_is_no_good_news_beside_errors_and_unseen_members() -> None:
    wrong = Problem(code="GK2055", message="cannot be placed")
    assert shown(lines(replace(PREVIEW, changes=(), problems=(wrong,)))).endswith("what has errors stays as it is.\n")
    unseen = shown(lines(replace(PREVIEW, changes=(), unreachable=("m3",))))
    assert unseen.endswith("No changes: every member that was seen is as this commit wants it.\n")


def test_what_was_not_seen_is_said_first() -> None:
    text = shown(lines(replace(PREVIEW, unreachable=("m3",), offline=True, uncommitted=True, base="main")))
    first, second = text.splitlines()[:2]
    assert first == (
        "Plan for the files as they are (on top of 3f9c2ab) (main, alice) against main; "
        "members not asked, capacity from the status branch"
    )
    assert second == "Not seen: m3; what runs there is unknown, so it stays"


def test_many_fields_are_shortened_unless_asked_for() -> None:
    many = tuple(FieldChange(path=f"/data/{number:02}", before="a", after="b") for number in range(20))
    preview = replace(PREVIEW, changes=(replace(CHANGES[4], fields=many),))
    assert "… and 12 more fields" in shown(lines(preview))
    assert shown(lines(preview, all_fields=True)).count("/data/") == 20


def test_values_hold_everything_that_the_text_says() -> None:
    told = value(PREVIEW)
    assert told["summary"] == {
        "create": 1,
        "update": 1,
        "move": 1,
        "delete": 0,
        "release": 0,
        "hold": 1,
        "movedReplicas": 2,
        "membersTouched": ["m1", "m2", "m4"],
        "membersUnreachable": [],
        "members": ["m1", "m2", "m3", "m4"],
    }
    assert told["against"] == {"statusCommit": "91be07d00000"}
    assert told["changes"][0] == {
        "member": "m1",
        "object": {"group": "apps", "kind": "Deployment", "namespace": "shop", "name": "web"},
        "action": "move",
        "replicas": {"before": 4, "after": 2},
        "arrives": False,
        "leaves": False,
        "evicted": False,
        "fields": [{"path": "/spec/replicas", "before": 4, "after": 2}],
        "reason": "failover",
        "location": {"file": "clusters/m1.yaml", "line": 1},
    }


def test_the_comment_begins_with_the_verdict_and_the_moves() -> None:
    problem = Problem(code="GK2011", location=TEMPLATE, message="expected a list | `@team`")
    text = as_markdown(replace(PREVIEW, problems=(problem,), base="main"))
    assert text.startswith("### 1 error. 1 to create, 1 to update, 1 to move")
    assert text.index("**Moves**") < text.index("<details>") < text.index("**Findings**")
    assert "| `shop/Deployment web` | `m2` | 0 → 2 | failover |" in text
    assert "expected a list \\| \\`&#64;team\\`" in text
    assert text.rstrip().endswith("<sub>See it at home: `gitops-karmada plan --base main`</sub>")


def test_a_long_comment_stays_within_the_limit() -> None:
    many = tuple(replace(CHANGES[4], place=place(f"m{number:04}", WEB)) for number in range(2000))
    assert len(as_markdown(replace(PREVIEW, changes=many))) <= LIMIT + 1000
