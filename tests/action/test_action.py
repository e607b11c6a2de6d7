"""`action.yml` is run by a real runner, on repositories as people have them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.action.runner import Annotation, Run, run_workflow
from tests.envtest.binaries import binary

ROOT = Path(__file__).parents[2]
COMMAND = Path(sys.executable).with_name("gitops-karmada")
# What stands in a checkout of the action.
ACTION = ("action.yml", "pyproject.toml", "README.md", "requirements", "gitops_karmada", "repo-layout")

TEMPLATE = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: example/web:1}]}
"""
POLICY = """\
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: web
  namespace: shop
spec:
  resourceSelectors:
    - {apiVersion: apps/v1, kind: Deployment, name: web}
  placement:
    clusterAffinity:
      clusterNames: NAMES
"""


def federation(folder: Path, names: str) -> None:
    """Write a federation repository; its policy names the clusters as told, right or wrong."""
    for name, text in {"templates/web.yaml": TEMPLATE, "policies/web.yaml": POLICY.replace("NAMES", names)}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    cluster = {"apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster", "metadata": {"name": "member1"}}
    settings = {
        "apiVersion": "config.gitops-karmada.io/v1alpha1",
        "kind": "Federation",
        "metadata": {"name": "fleet"},
        "spec": {"members": [{"name": "member1", "mode": "directory"}]},
    }
    (folder / "clusters").mkdir()
    (folder / "clusters" / "member1.yaml").write_text(json.dumps(cluster))
    (folder / "gitops-karmada.yaml").write_text(json.dumps(settings))


def workflow(inputs: Mapping[str, str]) -> str:
    step = {"id": "check", "uses": "./.action", "with": dict(inputs)}
    steps = [{"uses": "actions/checkout@v4"}, step]
    job = {"runs-on": "ubuntu-latest", "permissions": {"contents": "read"}, "steps": steps}
    return json.dumps({"on": ["pull_request"], "jobs": {"validate": job}})


def run(repository: Path, inputs: Mapping[str, str]) -> Run:
    """Put the action and a workflow that uses it into the repository, commit, and run the workflow."""
    for name in ACTION:
        source, target = ROOT / name, repository / ".action" / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            target.parent.mkdir(exist_ok=True)
            shutil.copy(source, target)
    workflows = repository / ".github" / "workflows"
    workflows.mkdir(parents=True)
    (workflows / "validate.yaml").write_text(workflow(inputs))
    commit(repository)
    lint = subprocess.run([str(binary("actionlint"))], cwd=repository, capture_output=True, text=True, check=False)
    assert lint.returncode == 0, lint.stdout
    return run_workflow(repository, "check", repository.with_name("runner"))


def commit(repository: Path) -> None:
    who = ["-c", "user.name=Tester", "-c", "user.email=tester@example.com"]
    for arguments in (["init", "--quiet"], ["add", "--all"], [*who, "commit", "--quiet", "--message", "change"]):
        subprocess.run(["git", *arguments], cwd=repository, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    return folder


def test_good_repository_passes(repository: Path) -> None:
    """A repository without mistakes passes, with outputs and a summary, and without annotations."""
    federation(repository, "[member1]")
    done = run(repository, {"command": str(COMMAND)})
    assert done.succeeded, done.said
    assert done.annotations == ()
    assert done.outputs == {"result": "passed", "errors": "0", "warnings": "0"}
    assert "passed" in done.summary


def test_placement_is_previewed(repository: Path) -> None:
    """The summary shows what the change would do in every member; who does not want that says so."""
    federation(repository, "[member1]")
    done = run(repository, {"command": str(COMMAND)})
    assert "Deployment web" in done.summary, done.said
    assert "member1" in done.summary
    assert "templates/web.yaml:1" in done.summary


def test_preview_may_be_left_out(repository: Path) -> None:
    federation(repository, "[member1]")
    done = run(repository, {"command": str(COMMAND), "preview": "false"})
    assert done.succeeded, done.said
    assert "Deployment web" not in done.summary


def test_repository_to_start_from_passes(repository: Path) -> None:
    """The repository that people copy to start from has nothing that the check finds."""
    shutil.copytree(ROOT / "repo-layout", repository / "fleet")
    done = run(repository, {"command": str(COMMAND), "path": "fleet"})
    assert done.succeeded, done.said
    assert done.annotations == ()
    assert done.outputs["warnings"] == "0"


def test_warnings_are_shown_and_pass(repository: Path) -> None:
    """A warning is an annotation at its line, counted in the outputs, and does not fail the check."""
    federation(repository, "[member1]")
    settings = repository / "gitops-karmada.yaml"
    settings.write_text(settings.read_text().replace('"members"', '"memberz": [], "members"'))
    done = run(repository, {"command": str(COMMAND)})
    assert done.succeeded, done.said
    (annotation,) = done.annotations
    assert (annotation.severity, annotation.properties["file"]) == ("warning", "gitops-karmada.yaml")
    assert "memberz" in annotation.message
    assert done.outputs == {"result": "passed", "errors": "0", "warnings": "1"}


def test_mistake_is_shown_at_its_line(repository: Path) -> None:
    """A mistake fails the check and stands as an annotation at the file and line, also below a folder."""
    folder = repository / "fleet"
    folder.mkdir()
    federation(folder, "member1")
    done = run(repository, {"command": str(COMMAND), "path": "fleet"})
    assert not done.succeeded
    errors = [annotation for annotation in done.annotations if annotation.severity == "error"]
    assert [(error.properties["file"], error.properties["line"]) for error in errors] == [
        ("fleet/policies/web.yaml", "11")
    ]
    assert "clusterNames" in errors[0].message
    assert (done.outputs["result"], done.outputs["errors"]) == ("failed", "1")
    assert "fleet/policies/web.yaml:11" in done.summary


def test_nothing_in_the_pull_request_is_run(repository: Path) -> None:
    """Modules, settings of tools and names in a stranger's repository are not imported, run or taken for commands."""
    federation(repository, "[member1]")
    mark = repository.with_name("mark")
    for name in ("venv", "pip", "sitecustomize", "yaml", "click", "gitops_karmada"):
        (repository / f"{name}.py").write_text(f"open({str(mark)!r}, 'w')\n")
    evil = POLICY.replace("NAMES", '"x\\n::add-mask::member1\\n::error::forged"')
    (repository / "policies" / "evil.yaml").write_text(evil)
    (repository / "policies" / "$(touch mark).yaml").write_text(evil)
    done = run(repository, {"command": str(COMMAND)})
    assert not mark.exists()
    assert not done.succeeded
    assert all(annotation.message != "forged" for annotation in done.annotations)
    assert "***" not in done.said


@pytest.mark.slow
def test_action_installs_itself(repository: Path) -> None:
    """Without a command given, the action installs its own from locked, hashed requirements, and uses that one."""
    federation(repository, "[member1]")
    (repository / "venv.py").write_text("raise SystemExit('imported from the workspace')\n")
    done = run(repository, {"python": sys.executable})
    assert done.succeeded, done.said
    assert done.outputs == {"result": "passed", "errors": "0", "warnings": "0"}


def test_runner_reports_what_a_workflow_does(repository: Path) -> None:
    """The machinery of these tests sees annotations, outputs, summaries and failures."""
    script = (
        "echo '::warning file=a.yaml,line=3::one%0Atwo'; echo who=me >> $GITHUB_OUTPUT; echo hi >> $GITHUB_STEP_SUMMARY"
    )
    step = {"id": "check", "run": f"{script}; exit 1"}
    job = {"runs-on": "ubuntu-latest", "steps": [step]}
    (repository / ".github" / "workflows").mkdir(parents=True)
    text = json.dumps({"on": ["pull_request"], "jobs": {"one": job}})
    (repository / ".github" / "workflows" / "one.yaml").write_text(text)
    commit(repository)
    done = run_workflow(repository, "check", repository.with_name("runner"))
    properties = {"file": "a.yaml", "line": "3"}
    assert done.annotations == (Annotation(severity="warning", properties=properties, message="one\ntwo"),)
    assert (done.succeeded, done.outputs, done.summary) == (False, {"who": "me"}, "hi\n")


def test_workflows_of_this_project_are_sound() -> None:
    """Every workflow that the project has passes actionlint."""
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.y*ml"))
    if not workflows:
        pytest.skip("no workflows yet")
    done = subprocess.run(
        [str(binary("actionlint")), *map(str, workflows)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
