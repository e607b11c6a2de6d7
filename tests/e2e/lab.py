"""A laboratory: a federation repository, real members, and the program as people run it, in processes of its own.

What a test reads (from members by their admin clients, from the status branch by plain git) never passes the product.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.envtest.cluster import Cluster

PROGRAM = [sys.executable, "-m", "gitops_karmada.cli.main"]
STATUS = "gitops-karmada/status"
SETTINGS = "gitops-karmada.yaml"

# Nothing of the machine's own Git configuration may change a test.
GIT_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "author",
    "GIT_AUTHOR_EMAIL": "author@example.org",
    "GIT_COMMITTER_NAME": "author",
    "GIT_COMMITTER_EMAIL": "author@example.org",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How one run of the program ended."""

    code: int
    output: str
    errors: str

    @property
    def json(self) -> Any:
        return json.loads(self.output)


class Lab:
    """`work` is where commits are made, `origin` the bare repository that the program reads and writes."""

    def __init__(
        self,
        root: Path,
        clusters: Sequence[Cluster] = (),
        *,
        directories: Sequence[str] = (),
        spec: Mapping[str, Any] | None = None,
        user: str = "hub",
        instance: str = "lab",
    ) -> None:
        self.root = root
        self.clusters = {cluster.name: cluster for cluster in clusters}
        self.origin, self.work = root / "origin.git", root / "work"
        self.credentials, self.members_dir, self.cache = root / "credentials", root / "members", root / "cache"
        self.credentials.mkdir(parents=True)
        self.members_dir.mkdir()
        for cluster in clusters:
            cluster.write_kubeconfig(self.credentials / cluster.name, user=user)
        self._git_at(root, "init", "-q", "--bare", "-b", "main", str(self.origin))
        self._git_at(root, "clone", "-q", str(self.origin), str(self.work))
        self._git("checkout", "-q", "-B", "main")
        self.write({SETTINGS: settings(instance, [c.name for c in clusters], directories, spec)})
        for name in (*self.clusters, *directories):
            self.write({f"clusters/{name}.yaml": cluster_manifest(name)})
        self.push("start")

    # The repository ---------------------------------------------------------------------------------------------------

    def write(self, files: Mapping[str, Any]) -> None:
        """Write files into the work tree: text as it is, an object or a list of objects as YAML, None removes."""
        for name, content in files.items():
            path = self.work / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else as_yaml(content), encoding="utf-8")

    def push(self, message: str) -> str:
        """Commit everything and push it; the id of the commit."""
        self._git("add", "-A")
        self._git("commit", "-q", "--allow-empty", "-m", message)
        self._git("push", "-q", "origin", "main")
        return self._git("rev-parse", "HEAD").strip()

    def commit(self, message: str, files: Mapping[str, Any]) -> str:
        self.write(files)
        return self.push(message)

    # The program ------------------------------------------------------------------------------------------------------

    def run(self, verb: str, *arguments: str, timeout: float = 120) -> Run:
        done = subprocess.run(
            self.command(verb, *arguments),
            capture_output=True,
            text=True,
            timeout=timeout,
            env=self.environment(),
            cwd=self.root,
            check=False,
        )
        return Run(code=done.returncode, output=done.stdout, errors=done.stderr)

    def sync(self) -> Run:
        """One turn that is expected to go well."""
        run = self.run("sync")
        assert run.code == 0, f"sync ended with {run.code}\n{run.output}\n{run.errors}"
        return run

    def start(self, verb: str, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(verb, *arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment(),
            cwd=self.root,
        )

    def command(self, verb: str, *arguments: str) -> list[str]:
        places = ["--repo", str(self.origin), "--credentials", str(self.credentials)]
        places += ["--members-dir", str(self.members_dir), "--cache", str(self.cache)]
        return [*PROGRAM, verb, *places, *arguments]

    def environment(self) -> dict[str, str]:
        inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "PYTHONPATH") if name in os.environ}
        return {**inherited, "PYTHONPATH": str(Path(__file__).parents[2])}

    # The status branch ------------------------------------------------------------------------------------------------

    def status_tip(self) -> str:
        return self._git_at(self.origin, "rev-parse", "--verify", f"refs/heads/{STATUS}").strip()

    def status_changes(self, since: str) -> str:
        return self._git_at(self.origin, "diff", since, STATUS)

    def status_files(self) -> list[str]:
        return self._git_at(self.origin, "ls-tree", "-r", "--name-only", STATUS).splitlines()

    def status_text(self, path: str) -> str:
        return self._git_at(self.origin, "show", f"{STATUS}:{path}")

    def status_value(self, path: str) -> Any:
        text = self.status_text(path)
        return json.loads(text) if path.endswith(".json") else yaml.safe_load(text)

    def placed(self, path: str) -> dict[str, int]:
        """Where a binding is, as its file on the status branch says: `shop/deployment.apps/web`."""
        binding = self.status_value(f"bindings/{path}.yaml")
        return {target["name"]: target.get("replicas", 0) for target in binding["spec"].get("clusters", [])}

    def status_log(self, form: str = "%s") -> list[str]:
        return self._git_at(self.origin, "log", f"--format={form}", STATUS).splitlines()

    # Members ----------------------------------------------------------------------------------------------------------

    def replicas(self, name: str, namespace: str = "shop") -> dict[str, int]:
        """The replicas of a Deployment in every member that has it, asked of the members themselves."""
        found = {}
        for cluster in self.clusters.values():
            live = cluster.admin.find("apps/v1", "Deployment", name, namespace)
            if live is not None:
                found[cluster.name] = live["spec"]["replicas"]
        return found

    def _git(self, *arguments: str) -> str:
        return self._git_at(self.work, *arguments)

    def _git_at(self, folder: Path, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            env={"PATH": os.environ["PATH"], "HOME": str(self.root), **GIT_ENVIRONMENT},
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, f"git {' '.join(arguments)}: {done.stderr}"
        return done.stdout


def make_ready(cluster: Cluster, name: str = "web", *, ready: int | None = None) -> None:
    """Play the part of the Deployment's controller: all replicas are there, and so many of them (None: all) ready."""
    live = cluster.admin.get("apps/v1", "Deployment", name, "shop")
    replicas = live["spec"]["replicas"]
    available = replicas if ready is None else ready
    status = {
        "observedGeneration": live["metadata"]["generation"],
        "replicas": replicas,
        "updatedReplicas": replicas,
        "readyReplicas": available,
        "availableReplicas": available,
        "unavailableReplicas": replicas - available,
    }
    cluster.admin.patch_status("apps/v1", "Deployment", name, "shop", patch=status)


def as_yaml(content: Any) -> str:
    documents = content if isinstance(content, list) else [content]
    return yaml.safe_dump_all(documents, sort_keys=False)


def settings(
    instance: str, push: Sequence[str], directories: Sequence[str], spec: Mapping[str, Any] | None
) -> dict[str, Any]:
    members = [{"name": name, "mode": "push", "credentials": name} for name in push]
    members += [{"name": name, "mode": "directory"} for name in directories]
    return {
        "apiVersion": "config.gitops-karmada.io/v1alpha1",
        "kind": "Federation",
        "metadata": {"name": instance},
        "spec": {
            "members": members,
            "deadlines": {"connectSeconds": 2, "requestSeconds": 5, "memberSeconds": 30},
            **(spec or {}),
        },
    }


def cluster_manifest(name: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "cluster.karmada.io/v1alpha1",
        "kind": "Cluster",
        "metadata": {"name": name},
        "spec": {"syncMode": "Push", **spec},
    }


def deployment(
    name: str = "web", replicas: int = 6, image: str = "registry.example/web:1", **more: Any
) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "shop", "labels": {"app": name}},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "main", "image": image, **more}]},
            },
        },
    }


def service(name: str = "web") -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {"selector": {"app": name}, "ports": [{"port": 80, "targetPort": 8080}]},
    }


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "shop"}, "data": data}


def policy(name: str, *selectors: tuple[str, str, str], placement: Mapping[str, Any], **spec: Any) -> dict[str, Any]:
    """A PropagationPolicy; selectors are (apiVersion, kind, name)."""
    return {
        "apiVersion": "policy.karmada.io/v1alpha1",
        "kind": "PropagationPolicy",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {
            "resourceSelectors": [
                {"apiVersion": version, "kind": kind, **({"name": short} if short else {})}
                for version, kind, short in selectors
            ],
            "placement": dict(placement),
            **spec,
        },
    }


def static(**weights: int) -> dict[str, Any]:
    """Divided by static weights."""
    return {
        "clusterAffinity": {"clusterNames": sorted(weights)},
        "replicaScheduling": {
            "replicaSchedulingType": "Divided",
            "replicaDivisionPreference": "Weighted",
            "weightPreference": {
                "staticWeightList": [
                    {"targetCluster": {"clusterNames": [name]}, "weight": weight}
                    for name, weight in sorted(weights.items())
                ]
            },
        },
    }


def eventually(check: Any, seconds: float = 30) -> Any:
    """What `check` returns once it is true; the last answer where it never is."""
    end = time.monotonic() + seconds
    while True:
        answer = check()
        if answer or time.monotonic() > end:
            return answer
        time.sleep(0.2)
