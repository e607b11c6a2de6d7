"""The verbs, as people use them, on real repositories."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest

from gitops_karmada.cli.exits import Exit
from tests.cli.conftest import Fleet

STATUS = "gitops-karmada/status"

MISTAKE = """\
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: wrong
  namespace: shop
spec:
  resourceSelectors:
    - apiVersion: apps/v1
      kind: Deployment
  placement:
    replicaScheduling:
      replicaSchedulingType: Divded
"""


WRONG_MODE = """\
apiVersion: config.gitops-karmada.io/v1alpha1
kind: Federation
metadata: {name: a}
spec:
  members:
  - name: east
    mode: psuh
"""


def without_ids(text: str) -> str:
    return re.sub(r"\b[0-9a-f]{7}\b", "#######", text)


# init -----------------------------------------------------------------------------------------------------------------


def test_init_writes_a_repository_that_validates_and_plans(fleet: Fleet) -> None:
    answer = fleet("init", "../new", "--name", "shop")
    assert answer.code == Exit.OK
    assert "../new/gitops-karmada.yaml" in answer.out
    assert "gitops-karmada validate" in answer.err
    assert "  name: shop\n" in (fleet.folder / "new" / "gitops-karmada.yaml").read_text()
    assert (fleet.folder / "new" / ".git").is_dir()
    assert (fleet.folder / "new" / ".github" / "workflows" / "federation.yaml").is_file()
    assert fleet("validate", "--repo", "../new", "--strict").code == Exit.OK
    assert fleet("plan", "--repo", "../new", "-o", "json").json["summary"]["create"] == 12


def test_init_never_overwrites(fleet: Fleet) -> None:
    fleet.write("gitops-karmada.yaml", "mine\n")
    answer = fleet("init", ".", "-o", "json")
    assert answer.json["written"] == []
    assert "gitops-karmada.yaml" in answer.json["kept"]
    assert answer.json["repositoryStarted"] is False
    assert (fleet.repository / "gitops-karmada.yaml").read_text() == "mine\n"


# validate -------------------------------------------------------------------------------------------------------------


def test_validate_shows_every_mistake_at_its_line(fleet: Fleet) -> None:
    fleet.write("policies/wrong.yaml", MISTAKE)
    fleet.write("templates/twice.yaml", "a: 1\na: 2\n")
    answer = fleet("validate")
    assert (answer.code, answer.err) == (Exit.NO, "")
    assert answer.out == VALIDATED


VALIDATED = """\
error[GK2011]: spec.placement.replicaScheduling.replicaSchedulingType: expected one of 'Duplicated', 'Divided', \
got 'Divded'; did you mean 'Divided'?
  --> policies/wrong.yaml:12:7
   |
12 |       replicaSchedulingType: Divded
   |       ^^^^^^^^^^^^^^^^^^^^^
   = object: PropagationPolicy.policy.karmada.io shop/wrong

error[GK1001]: duplicate key 'a', first on line 1
 --> templates/twice.yaml:2:1
  |
2 | a: 2
  | ^
  = fix:    Remove one of the two

4 templates, 2 policies, 3 clusters: 2 errors, 0 warnings
More about them: gitops-karmada explain GK1001 GK2011
"""


def test_validate_in_machine_forms(fleet: Fleet) -> None:
    fleet.write("policies/wrong.yaml", MISTAKE)
    told = fleet("validate", "-o", "json").json
    assert told["summary"]["errors"] == 1
    assert told["problems"][0]["location"] == {
        "file": "policies/wrong.yaml",
        "line": 12,
        "column": 7,
        "document": 1,
    }
    sarif = fleet("validate", "-o", "sarif")
    assert sarif.code == Exit.OK
    assert sarif.json["runs"][0]["results"][0]["ruleId"] == "GK2011"
    assert fleet("validate", "-o", "github").out.startswith("::error title=GK2011")
    assert fleet("validate", "-o", "markdown").out.startswith("### 1 error, 0 warnings\n")
    assert fleet("validate", "--exit-zero").code == Exit.OK


def test_validate_reads_a_commit_when_one_is_named(fleet: Fleet) -> None:
    fleet.write("policies/wrong.yaml", MISTAKE)
    assert fleet("validate", "--rev", "HEAD").code == Exit.OK
    fleet.commit("A mistake")
    assert fleet("validate", "--rev", "HEAD").code == Exit.NO
    assert fleet("validate", "--rev", "HEAD~1").code == Exit.OK
    assert fleet("validate", "--branch", "main").code == Exit.NO


def test_validate_tells_a_runner(fleet: Fleet) -> None:
    fleet.write("policies/wrong.yaml", MISTAKE)
    outputs, summary = fleet.folder / "outputs", fleet.folder / "summary"
    environment = {"GITHUB_OUTPUT": str(outputs), "GITHUB_STEP_SUMMARY": str(summary)}
    answer = fleet("validate", "-o", "github", GITHUB_WORKSPACE=str(fleet.folder), **environment)
    assert "file=fleet/policies/wrong.yaml" in answer.out
    assert outputs.read_text() == "result=failed\nerrors=1\nwarnings=0\n"
    assert "GK2011" in summary.read_text()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("kind: Federation\n", "GK10"),
        (WRONG_MODE.replace("{name: a}", "{}").replace("psuh", "push"), "metadata.name: the object has no name"),
        (WRONG_MODE.replace("/v1alpha1", "/v9").replace("psuh", "push"), "expected config.gitops-karmada.io/v1alpha1"),
        (
            WRONG_MODE,
            "gitops-karmada.yaml:7:5",
        ),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", "no object of kind Federation"),
    ],
    ids=["no-version", "no-name", "another-version", "a-word", "another-kind"],
)
def test_settings_that_cannot_be_used_are_a_usage_error_with_their_line(fleet: Fleet, text: str, told: str) -> None:
    fleet.write("gitops-karmada.yaml", text)
    answer = fleet("validate")
    assert answer.code == Exit.USAGE
    assert told in answer.err
    assert "Traceback" not in answer.err


def test_outside_of_a_repository_the_next_step_is_named(fleet: Fleet) -> None:
    answer = fleet("validate", "--repo", str(fleet.folder / "absent"))
    assert answer.code != Exit.OK
    assert "error[GK" in answer.err
    (fleet.folder / "empty").mkdir()
    answer = fleet("validate", "--repo", "../empty")
    assert answer.code == Exit.USAGE
    assert "gitops-karmada init" in answer.err


def test_members_and_clusters_that_do_not_fit_are_findings(fleet: Fleet) -> None:
    fleet.edit("gitops-karmada.yaml", "- name: east", "- name: esat\n      credentials: ../../etc/passwd")
    told = fleet("validate", "-o", "json").json
    found = {(problem["subject"], problem["severity"]) for problem in told["problems"] if problem["code"] == "GK8003"}
    assert found == {("member esat", "error"), ("member esat", "warning"), ("Cluster east", "warning")}


# plan -----------------------------------------------------------------------------------------------------------------


def test_a_cache_that_cannot_be_written_is_no_defect(fleet: Fleet) -> None:
    answer = fleet("plan", "--rev", "HEAD", GITOPS_KARMADA_CACHE="/proc/nowhere")
    assert answer.code == Exit.USAGE
    assert "the cache folder /proc/nowhere" in answer.err
    assert "--cache" in answer.err


def test_wrong_settings_are_shown_with_their_lines(fleet: Fleet) -> None:
    fleet.edit("gitops-karmada.yaml", "maxObjects: 10", "maxObjects: ten")
    answer = fleet("validate")
    assert answer.code == Exit.USAGE
    assert re.search(r"gitops-karmada.yaml:32:5\n +\|\n32 \|     maxObjects: ten\n +\|     \^{10}\n", answer.err)


def test_plan_of_a_new_repository(fleet: Fleet) -> None:
    answer = fleet("plan", "--rev", "HEAD")
    assert answer.code == Exit.OK
    assert without_ids(answer.out) == PLANNED
    assert answer.err == "Next: gitops-karmada sync (or push: a daemon picks it up)\n"


PLANNED = """\
Plan for ####### (alice) against an empty status branch

east    + shop/ConfigMap web                 templates/shop/web-config.yaml:1   because of Deployment shop/web
        + Namespace shop                     templates/shop/namespace.yaml:1   needed by what goes into it
        + shop/Service web                   templates/shop/web.yaml:32
        + shop/Deployment web   replicas 4   templates/shop/web.yaml:1
north   + shop/ConfigMap web                 templates/shop/web-config.yaml:1   because of Deployment shop/web
        + Namespace shop                     templates/shop/namespace.yaml:1   needed by what goes into it
        + shop/Service web                   templates/shop/web.yaml:32
        + shop/Deployment web   replicas 3   templates/shop/web.yaml:1
          overridden by OverridePolicy/shop/site
west    + shop/ConfigMap web                 templates/shop/web-config.yaml:1   because of Deployment shop/web
        + Namespace shop                     templates/shop/namespace.yaml:1   needed by what goes into it
        + shop/Service web                   templates/shop/web.yaml:32
        + shop/Deployment web   replicas 2   templates/shop/web.yaml:1

12 to create, 0 to update, 0 to move, 0 to delete, 0 held.  Members touched: east north west (of 3).
"""


def test_plan_writes_nothing_anywhere(fleet: Fleet) -> None:
    fleet("sync")
    tips, files = fleet.tips(), _contents(fleet.members)
    fleet.edit("templates/shop/web.yaml", "replicas: 9", "replicas: 12")
    for more in ((), ("--rev", "HEAD"), ("--base", "HEAD"), ("--offline",), ("-o", "markdown")):
        assert fleet("plan", *more).code == Exit.OK
    assert fleet.tips() == tips
    assert _contents(fleet.members) == files


def _contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {str(file): (file.read_bytes(), file.stat().st_mtime_ns) for file in folder.rglob("*") if file.is_file()}


def test_plan_of_files_that_are_not_committed_names_the_line(fleet: Fleet) -> None:
    fleet("sync")
    fleet.edit("templates/shop/web.yaml", "replicas: 9", "replicas: 12")
    answer = fleet("plan")
    assert without_ids(answer.out).startswith("Plan for the files as they are (on top of #######) (main, alice)")
    assert "~ shop/Deployment web   replicas 4 → 5   templates/shop/web.yaml:9   the template changed" in answer.out
    told = fleet("plan", "-o", "json").json
    assert told["uncommitted"] is True
    assert [change["replicas"] for change in told["changes"]] == [
        {"before": 4, "after": 5},
        {"before": 3, "after": 4},
        {"before": 2, "after": 3},
    ]
    assert fleet("plan", "--rev", "HEAD").out.endswith("No changes: every member is as this commit wants it.\n")


def test_plan_against_another_commit_shows_this_branch_alone(fleet: Fleet) -> None:
    """Nothing was applied yet; the difference between two commits is not all that there is to do."""
    fleet.git("checkout", "--quiet", "-b", "feature")
    fleet.edit("templates/shop/web-config.yaml", "Good morning", "Good evening")
    fleet.commit("Greet")
    told = fleet("plan", "--rev", "feature", "--base", "main", "-o", "json").json
    assert told["against"] == {"base": "main"}
    assert {change["object"]["kind"] for change in told["changes"]} == {"ConfigMap"}
    assert told["changes"][0]["fields"] == [
        {"path": "/data/GREETING", "before": "Good morning", "after": "Good evening"}
    ]
    assert told["changes"][0]["location"]["file"] == "templates/shop/web-config.yaml"


def test_plan_shows_moves_and_deletes(fleet: Fleet) -> None:
    fleet("sync")
    fleet.edit("policies/shop.yaml", "environment: production", "site: europe")
    for name in ("east", "west"):
        fleet.edit(f"clusters/{name}.yaml", "environment: production", "site: europe")
    told = fleet("plan", "-o", "json").json
    moves = {
        change["member"]: (change["replicas"]["before"], change["replicas"]["after"])
        for change in told["changes"]
        if change["action"] == "move"
    }
    assert moves["north"] == (3, 0)
    assert sum(after for _, after in moves.values()) == 9
    assert told["summary"]["movedReplicas"] == 3
    deleted = {change["object"]["kind"] for change in told["changes"] if change["action"] == "delete"}
    assert "Service" in deleted
    policy = [change for change in told["changes"] if change["reason"].startswith("placement of PropagationPolicy")]
    assert policy[0]["location"]["file"] == "policies/shop.yaml"


def test_detailed_exit_codes(fleet: Fleet) -> None:
    assert fleet("plan", "--detailed-exitcode").code == 2
    assert fleet("plan").code == 0
    fleet("sync")
    assert fleet("plan", "--detailed-exitcode").code == 0
    fleet.write("policies/wrong.yaml", MISTAKE)
    assert fleet("plan", "--detailed-exitcode").code == 1


def test_a_snapshot_replays_the_same_plan_without_members_and_status_branch(fleet: Fleet) -> None:
    fleet("sync")
    fleet.edit("templates/shop/web.yaml", "replicas: 9", "replicas: 12")
    first = fleet("plan", "-o", "json", "--save-snapshot", "../snapshot.json").json
    (fleet.members).rename(fleet.folder / "elsewhere")
    fleet.git("update-ref", "-d", f"refs/heads/{STATUS}")
    again = fleet("plan", "-o", "json", "--snapshot", "../snapshot.json").json
    assert again["changes"] == first["changes"]
    broken = fleet("plan", "--snapshot", "gitops-karmada.yaml")
    assert broken.code == Exit.USAGE
    assert "the snapshot 'gitops-karmada.yaml' cannot be read" in broken.err


def test_a_plan_as_a_comment_and_as_annotations(fleet: Fleet) -> None:
    assert fleet("plan", "-o", "markdown").out.startswith("### 12 to create")
    fleet.write("policies/wrong.yaml", MISTAKE)
    answer = fleet("plan", "-o", "github")
    assert answer.code == Exit.NO
    assert answer.out.startswith("::error title=GK2011")


# sync, get, status, why -----------------------------------------------------------------------------------------------


def test_sync_publishes_applies_and_then_has_nothing_to_do(fleet: Fleet) -> None:
    answer = fleet("sync")
    assert answer.code == Exit.OK
    assert "12 created in 3 members." in answer.out
    assert fleet.replicas() == {"east": 4, "north": 3, "west": 2}
    assert "bindings/shop/deployment.apps/web.yaml" in fleet.git("ls-tree", "-r", "--name-only", STATUS)
    fleet("sync")
    tips, files = fleet.tips(), _contents(fleet.members)
    again = fleet("sync")
    assert "12 unchanged in 3 members." in again.out
    assert "The status branch is as it was." in again.out
    assert (fleet.tips(), _contents(fleet.members)) == (tips, files)


def test_sync_reads_commits_never_files_that_are_not_committed(fleet: Fleet) -> None:
    fleet("sync")
    fleet.edit("templates/shop/web.yaml", "replicas: 9", "replicas: 12")
    fleet("sync")
    assert sum(fleet.replicas().values()) == 9
    fleet.commit("Scale")
    told = fleet("sync", "-o", "json").json
    assert told["summary"]["updated"] == 3
    assert sum(fleet.replicas().values()) == 12


def test_what_plan_says_is_what_sync_does(fleet: Fleet) -> None:
    fleet("sync")
    fleet.edit("templates/shop/web.yaml", "replicas: 9", "replicas: 12")
    fleet.edit("templates/shop/web-config.yaml", "Good morning", "Good evening")
    fleet.commit("Both")
    planned = fleet("plan", "--rev", "HEAD", "-o", "json").json
    done = fleet("sync", "-o", "json").json
    assert {(it["member"], it["object"]["kind"]) for it in planned["changes"]} == {
        (it["member"], it["object"]["kind"]) for it in done["outcomes"] if it["outcome"] != "unchanged"
    }
    assert {it["member"]: it["replicas"]["after"] for it in planned["changes"] if "replicas" in it} == fleet.replicas()


def test_bad_input_is_told_and_the_good_objects_still_go_out(fleet: Fleet) -> None:
    fleet.write("policies/wrong.yaml", MISTAKE)
    fleet.commit("A mistake")
    answer = fleet("sync")
    assert answer.code == Exit.NO
    assert "--> policies/wrong.yaml:12:7" in answer.err
    assert sum(fleet.replicas().values()) == 9


def test_a_foreign_object_is_refused_by_name_and_held_for_somebody(fleet: Fleet) -> None:
    helm = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": "web",
            "namespace": "shop",
            "labels": {"app.kubernetes.io/managed-by": "Helm"},
            "annotations": {"meta.helm.sh/release-name": "shop", "meta.helm.sh/release-namespace": "shop"},
        },
        "spec": {"ports": [{"port": 1}]},
    }
    file = fleet.members / "east" / "service.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(helm))
    planned = fleet("plan", "-o", "json").json
    held = [change for change in planned["changes"] if change["action"] == "hold"]
    assert [(change["member"], change["object"]["kind"]) for change in held] == [("east", "Service")]
    answer = fleet("sync")
    assert answer.code == Exit.HELD
    assert re.search(r"✗ shop/Service web\s+refused\s+.*Helm", answer.out)
    assert json.loads(file.read_text()) == helm
    status = fleet("status", "--exit-code")
    assert status.code == Exit.NO
    assert "Helm" in status.out


def test_more_deletes_than_the_budget_are_held(fleet: Fleet) -> None:
    fleet.edit("gitops-karmada.yaml", "maxObjects: 10\n    maxPercent: 20", "maxObjects: 1\n    maxPercent: 1")
    fleet.commit("Careful")
    fleet("sync")
    (fleet.repository / "templates" / "shop" / "web.yaml").unlink()
    (fleet.repository / "templates" / "shop" / "web-config.yaml").unlink()
    fleet.commit("Remove the shop")
    answer = fleet("sync")
    assert answer.code == Exit.HELD
    assert "deletion budget" in answer.out
    assert fleet.replicas() == {"east": 4, "north": 3, "west": 2}
    assert "held" in fleet("plan", "--rev", "HEAD").out


def test_get_lists_what_was_decided(fleet: Fleet) -> None:
    fleet("sync")
    assert fleet("get", "bindings").out == BINDINGS
    names = fleet("get", "rb", "web", "-n", "shop", "--no-headers", "-o", "name").out.splitlines()
    assert names == ["shop/configmap/web", "shop/service/web", "shop/deployment.apps/web"]
    assert all(fleet("why", name).code == Exit.OK for name in names)
    works = fleet("get", "wk", "-C", "north", "-o", "json").json
    assert {work["metadata"]["namespace"] for work in works["items"]} == {"karmada-es-north"}
    assert len(works["items"]) == 4
    assert [row.split()[0] for row in fleet("get", "clusters").out.splitlines()] == ["NAME", "east", "north", "west"]
    policies = fleet("get", "policies", "-o", "wide").out
    assert "policies/shop.yaml:2" in policies
    assert fleet("get", "pp", "-o", "json").json["items"][0]["kind"] == "PropagationPolicy"
    assert fleet("get", "cpp", "-o", "json").json["items"] == []


BINDINGS = """\
NAMESPACE   KIND         NAME   REPLICAS   CLUSTERS                SCHEDULED   APPLIED
shop        ConfigMap    web    –          east north west         –           3/3
shop        Service      web    –          east north west         yes         3/3
shop        Deployment   web    9          east:4 north:3 west:2   yes         3/3
"""


@pytest.mark.parametrize(
    ("selector", "kinds"),
    [
        ("app=web", ["Deployment"]),
        ("app!=web", ["ConfigMap", "Service"]),
        ("app in (web,api)", ["Deployment"]),
        ("!app", ["ConfigMap", "Service"]),
        ("app,app notin (api)", ["Deployment"]),
    ],
)
def test_get_selects_by_label(fleet: Fleet, selector: str, kinds: list[str]) -> None:
    fleet("sync")
    items = fleet("get", "bindings", "-l", selector, "-o", "json").json["items"]
    assert [item["spec"]["resource"]["kind"] for item in items] == kinds


def test_get_says_when_there_is_nothing(fleet: Fleet) -> None:
    answer = fleet("get", "bindings", "-n", "absent")
    assert (answer.code, answer.out, answer.err) == (Exit.OK, "", "No bindings found in namespace absent.\n")
    assert fleet("get", "bindings", "-o", "json").json["items"] == []
    assert "Did you mean 'bindings'?" in fleet("get", "bindngs").err
    assert fleet("get", "bindings", "-l", "a b").code == Exit.USAGE


def test_status_on_one_screen(fleet: Fleet) -> None:
    assert "nothing was decided yet" in fleet("status").out
    fleet("sync")
    answer = fleet("status", "--exit-code")
    assert answer.code == Exit.OK
    assert without_ids(answer.out) == SCREEN
    fleet.edit("templates/shop/web.yaml", "replicas: 9", "replicas: 8")
    fleet.commit("Later")
    late = fleet("status", "-o", "json").json
    assert late["upToDate"] is False
    assert "is not in force yet" in late["attention"][0]


def test_an_unhealthy_workload_needs_attention_where_workloads_run(fleet: Fleet) -> None:
    fleet("sync")
    assert fleet("status", "--exit-code").code == Exit.OK
    fleet.edit("gitops-karmada.yaml", "mode: directory", "mode: push\n      credentials: east.kubeconfig")
    fleet.commit("East is a cluster now")
    answer = fleet("status", "--exit-code")
    assert answer.code == Exit.NO
    assert "9 healthy, 1 unhealthy, 2 in folders, where nothing runs" in answer.out
    assert "  ✗ shop/Deployment web in east: unhealthy\n" in answer.out


def test_a_commit_that_changes_nothing_needs_no_attention(fleet: Fleet) -> None:
    """Such a turn leaves the status branch as it was, for ever: nobody is sent to run another."""
    fleet("sync")
    fleet.edit("README.md", "#", "# Our")
    fleet.commit("Words")
    fleet("sync")
    answer = fleet("status", "--exit-code")
    assert answer.code == Exit.OK
    assert "the newest commit changes nothing in the members" in answer.out
    assert fleet("status", "-o", "json").json["upToDate"] is True


SCREEN = """\
Federation fleet
Source     ####### (main, alice)
Status     #######, up to date with the source
Clusters   3 of 3 ready
Bindings   3 of 3 placed, 9 replicas (9 wished)
Works      12 of 12 applied, 9 healthy, 3 in folders, where nothing runs

Nothing needs attention.
"""


def test_why_says_the_same_before_a_commit_is_pushed_and_after(fleet: Fleet) -> None:
    fleet("sync")
    fleet.edit("templates/shop/web.yaml", "replicas: 9", "replicas: 12")
    before = fleet("why", "deploy/web", "-n", "shop", "--preview")
    assert before.out.splitlines()[1] == (
        "Decision: east 5 (was 4) · north 4 (was 3) · west 3 (was 2)   12 replicas, asked 12"
    )
    assert "✔ PropagationPolicy shop/shop   policies/shop.yaml:2" in before.out
    assert "north: OverridePolicy/shop/site" in before.out
    fleet.commit("Scale")
    fleet("sync")
    after = fleet("why", "deployments.apps", "web")
    assert before.out.splitlines()[1:] == after.out.splitlines()[1:]
    told = fleet("why", "Deployment/web", "-o", "json").json
    assert told["decision"]["trigger"] == "the replicas changed"
    assert told["clusters"] == [
        {"name": "east", "replicas": 5},
        {"name": "north", "replicas": 4},
        {"name": "west", "replicas": 3},
    ]
    assert told["overrides"][0]["member"] == "north"


def test_why_helps_with_names(fleet: Fleet) -> None:
    assert "nothing was decided yet" in fleet("why", "deploy/web").err
    fleet("sync")
    assert "Did you mean Deployment.apps shop/web?" in fleet("why", "deploy/wev").err
    assert "Did you mean" in fleet("why", "sts/web").err
    assert fleet("why", "web").code == Exit.USAGE
    assert "no policy selects it; it goes along with what lies in it" in fleet("why", "ns/shop").out
    assert "which needs it" in fleet("why", "cm/web").out


# run ------------------------------------------------------------------------------------------------------------------


def test_run_follows_commits_and_ends_after_the_turn_when_told(fleet: Fleet, tmp_path: Path) -> None:
    """Commits are picked up within seconds; SIGTERM ends the daemon with 143 and a whole state."""
    log = tmp_path / "log"
    with log.open("w") as stream, _daemon(fleet, stream, "--interval", "3600") as daemon:
        _wait_for(lambda: fleet.replicas() == {"east": 4, "north": 3, "west": 2})
        fleet.edit("templates/shop/web.yaml", "replicas: 9", "replicas: 12")
        fleet.commit("Scale")
        _wait_for(lambda: sum(fleet.replicas().values()) == 12)
        daemon.send_signal(signal.SIGTERM)
        assert daemon.wait(30) == Exit.TERMINATED
    entries = [json.loads(text) for text in log.read_text().splitlines()]
    assert entries[0]["msg"] == "started"
    assert entries[-1]["msg"] == "ended after the turn under way"
    assert {entry["level"] for entry in entries} == {"info"}
    assert fleet("plan", "--rev", "HEAD", "--detailed-exitcode").code == 0


def test_a_failed_turn_never_ends_the_daemon(fleet: Fleet, tmp_path: Path) -> None:
    settings = (fleet.repository / "gitops-karmada.yaml").read_text()
    fleet.write("gitops-karmada.yaml", "nonsense: [\n")
    fleet.commit("Broken settings")
    log = tmp_path / "log"
    with log.open("w") as stream, _daemon(fleet, stream, "--interval", "1") as daemon:
        _wait_for(lambda: '"level": "error"' in log.read_text())
        fleet.write("gitops-karmada.yaml", settings)
        fleet.commit("Mended")
        _wait_for(lambda: len(fleet.replicas()) == 3)
        daemon.send_signal(signal.SIGINT)
        assert daemon.wait(30) == Exit.INTERRUPTED


def test_health_tells_alive_from_ready(fleet: Fleet, tmp_path: Path) -> None:
    with (tmp_path / "log").open("w") as stream, _daemon(fleet, stream, "--health", "18931") as daemon:
        _wait_for(lambda: _asked("livez") == 200)
        _wait_for(lambda: _asked("readyz") == 200)
        assert _asked("else") == 404
        daemon.send_signal(signal.SIGTERM)
        daemon.wait(30)


def _asked(path: str) -> int:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:18931/{path}", timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def _daemon(fleet: Fleet, log: IO[str], *arguments: str) -> "subprocess.Popen[bytes]":
    return fleet.start("run", "--log-format", "json", *arguments, log=log)


def _wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.2)


# demo, interpret ------------------------------------------------------------------------------------------------------


def test_the_demo_plays_to_its_end(fleet: Fleet) -> None:
    """Placed, moved away from a tainted member, scaled, explained; and nothing is left behind."""
    answer = fleet("demo", "--no-color", TMPDIR=str(fleet.folder))
    assert answer.code == Exit.OK, answer.err
    assert "12 created in 3 members." in answer.out
    assert "1 to move (4 replicas)" in answer.out
    assert "✗ east" in answer.out
    assert "cause: failover" in answer.out
    assert "Nothing needs attention." in answer.out
    assert not list(fleet.folder.glob("gitops-karmada-demo-*"))


def test_the_demo_can_be_kept_to_go_on_with(fleet: Fleet) -> None:
    kept = fleet.folder / "kept"
    answer = fleet("demo", "--color", "always", "--keep", str(kept))
    assert "\x1b[" in answer.out
    members = {"GITOPS_KARMADA_MEMBERS_DIR": str(kept / "members")}
    assert "Nothing needs attention." in fleet("status", "--repo", str(kept / "fleet"), **members).out
    assert fleet("demo", "--keep", str(kept)).code == Exit.USAGE


CUSTOMIZATION = """\
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata:
  name: foo
spec:
  target:
    apiVersion: example.org/v1
    kind: Foo
  customizations:
    replicaResource:
      luaScript: |
        function GetReplicas(obj)
          return obj.spec.size, nil
        end
    healthInterpretation:
      luaScript: |
        function InterpretHealth(obj)
          return obj.status.nope.x
        end
"""


OBJECT = """\
apiVersion: example.org/v1
kind: Foo
metadata: {name: a}
spec: {size: 4}
status: {}
"""

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {replicas: 9, template: {spec: {}}}
"""


def test_interpret_tries_a_customization_on_an_object(fleet: Fleet) -> None:
    fleet.write("foo.yaml", CUSTOMIZATION)
    fleet.write(
        "object.yaml", "apiVersion: example.org/v1\nkind: Foo\nmetadata: {name: a}\nspec: {size: 4}\nstatus: {}\n"
    )
    answer = fleet("interpret", "-f", "foo.yaml", "--object", "object.yaml")
    assert answer.code == Exit.NO
    assert "replicas   by customized\n  replicas: 4\n" in answer.out
    assert "--> foo.yaml:18" in answer.err
    only = fleet("interpret", "-f", "foo.yaml", "--object", "object.yaml", "--operation", "replicas", "-o", "json")
    assert (only.code, only.json["answers"][0]["result"]) == (Exit.OK, {"replicas": 4})
    assert fleet("interpret", "-f", "foo.yaml", "--check").code == Exit.OK
    fleet.write("foo.yaml", CUSTOMIZATION.replace("return obj.spec.size, nil", "return ("))
    broken = fleet("interpret", "-f", "foo.yaml", "--check")
    assert broken.code == Exit.NO
    assert "does not compile" in broken.err


def test_interpret_with_the_rules_that_are_built_in(fleet: Fleet) -> None:
    fleet.write(
        "web.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 9, template: {spec: {}}}\n",
    )
    answer = fleet("interpret", "--object", "web.yaml", "--operation", "revise", "--replicas", "3")
    assert answer.code == Exit.OK
    assert "replicas: 3" in answer.out
    missing = fleet("interpret", "--object", "web.yaml", "--operation", "revise")
    assert missing.code == Exit.USAGE
    assert "revise needs --object and --replicas" in missing.err


# Text from elsewhere -----------------------------------------------------------------------------------------------


def test_names_and_values_from_the_repository_reach_a_terminal_as_text(fleet: Fleet) -> None:
    """Whatever a file, an author or a value is called, it moves no cursor and gives no runner a command."""
    hostile = "\x1b[2J\x1b]0;owned\x07\u202e::error::x"
    fleet.write(
        f"policies/{hostile}.yaml",
        MISTAKE.replace("Divded", f'"{hostile}"'.replace("\x1b", "\\e").replace("\x07", "\\a")),
    )
    fleet.git("add", "--all")
    fleet.git("-c", f"user.name=x{hostile}", "commit", "--quiet", "--message", hostile)
    for arguments in (("validate",), ("plan", "--rev", "HEAD"), ("sync",), ("status",), ("validate", "-o", "github")):
        answer = fleet(*arguments, "--color", "never")
        assert "\x1b" not in answer.out + answer.err
        assert "\u202e" not in answer.out + answer.err
        assert "\x07" not in answer.out + answer.err
        commands = [line for line in answer.out.splitlines() if line.lstrip().startswith("::")]
        assert all(re.match(r"::(error|warning|notice) title=GK", line) for line in commands)


def test_the_shell_completes_verbs_and_flags() -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "gitops_karmada.cli.main"],
        env={
            **os.environ,
            "_GITOPS_KARMADA_COMPLETE": "bash_complete",
            "COMP_WORDS": "gitops-karmada va",
            "COMP_CWORD": "1",
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert answer.stdout == "plain,validate\n"


def test_a_plan_says_whether_its_files_are_committed(fleet: Fleet) -> None:
    """What to do next differs: commit and push, or nothing but wait for the turn."""
    assert "the files as they are" not in fleet("plan").out
    template = fleet.repository / "templates" / "shop" / "web.yaml"
    template.write_text(template.read_text() + "# a word\n")
    assert "Plan for the files as they are" in fleet("plan").out
