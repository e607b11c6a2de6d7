"""Where a case is played: a real remote, the program's own verbs in this process, members that others work in too."""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import yaml

from gitops_karmada.cli.main import run as run_program
from gitops_karmada.members.resources import Resource
from gitops_karmada.members.transports.directory import DirectoryMember
from tests.e2e.lab import STATUS, Lab, Run
from tests.envtest.client import MERGE, ApiError
from tests.envtest.cluster import Cluster

SOMEBODY = "somebody"
RETIRING = "gitops-karmada.io/retiring"


class Witness(Protocol):
    """A member as somebody else sees it."""

    def find(self, key: str) -> Mapping[str, Any] | None: ...

    def put(self, obj: Mapping[str, Any], manager: str, subresource: str) -> None: ...

    def remove(self, key: str) -> None: ...

    def reach(self, is_reachable: bool) -> None: ...

    def state(self) -> Any:
        """Equal later: nothing was written."""


class FolderWitness:
    def __init__(self, root: Path) -> None:
        self._root = root

    def find(self, key: str) -> Mapping[str, Any] | None:
        path = self._root / f"{key}.yaml"
        return yaml.safe_load(path.read_text()) if path.is_file() else None

    def put(self, obj: Mapping[str, Any], manager: str, subresource: str) -> None:
        member = DirectoryMember(self._root.name, self._root, clock=lambda: datetime(2026, 1, 1, tzinfo=UTC))
        member.refresh()
        namespace = str(obj["metadata"].get("namespace", ""))
        live = member.store.get(_resource(obj), namespace, str(obj["metadata"]["name"]))
        member.store.replace(laid_over(live, obj) if live else obj, manager, subresource)

    def remove(self, key: str) -> None:
        (self._root / f"{key}.yaml").unlink()

    def reach(self, is_reachable: bool) -> None:
        aside = self._root.with_suffix(".away")
        if is_reachable:
            self._root.unlink()
            aside.rename(self._root)
        else:
            self._root.rename(aside)
            self._root.write_text("no folder")

    def state(self) -> Any:
        if not self._root.is_dir():
            return self._root.read_bytes() if self._root.exists() else {}
        return {str(path): path.read_bytes() for path in sorted(self._root.rglob("*")) if path.is_file()}


class ClusterWitness:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def find(self, key: str) -> Mapping[str, Any] | None:
        namespace, kind, name = key.split("/")
        prefix, plural = self._served(kind)
        if not plural:
            return None
        within = "" if namespace == "_cluster" else f"namespaces/{namespace}/"
        path = f"{prefix}/{within}{plural}/{name}"
        try:
            found = self.cluster.admin.request("GET", path)
        except ApiError as error:
            if error.code == 404:
                return None
            raise
        assert isinstance(found, dict)
        return found

    def put(self, obj: Mapping[str, Any], manager: str, subresource: str) -> None:
        admin, metadata = self.cluster.admin, obj["metadata"]
        version, kind, name, namespace = obj["apiVersion"], obj["kind"], metadata["name"], metadata.get("namespace")
        if namespace:
            admin.namespace(namespace)
        path = admin.resource(version, kind).path(namespace)
        live = admin.find(version, kind, name, namespace)
        if live is None:
            admin.request("POST", f"{path}?fieldManager={manager}", dict(obj))
            return
        if subresource == "scale":
            body = {"spec": {"replicas": obj["spec"]["replicas"]}}
            admin.request("PATCH", f"{path}/{name}/scale?fieldManager={manager}", body, MERGE)
            return
        wished = laid_over(live, obj)
        below = f"/{subresource}" if subresource else ""
        admin.request("PUT", f"{path}/{name}{below}?fieldManager={manager}", wished)

    def remove(self, key: str) -> None:
        found = self.find(key)
        assert found is not None, f"there is no {key} in {self.cluster.name}"
        metadata = found["metadata"]
        self.cluster.admin.delete(found["apiVersion"], found["kind"], metadata["name"], metadata.get("namespace"))

    def reach(self, is_reachable: bool) -> None:
        (self.cluster.resume if is_reachable else self.cluster.pause)()

    def state(self) -> Any:
        return self.cluster.revisions()

    def _served(self, kind: str) -> tuple[str, str]:
        """`deployment.apps` → the path of its group and version, and its plural."""
        short, _, group = kind.partition(".")
        for version in self._versions(group):
            for resource in self.cluster.admin.request("GET", version).get("resources", []):
                if resource["kind"].lower() == short and "/" not in resource["name"]:
                    return version, resource["name"]
        return "", ""

    def _versions(self, group: str) -> list[str]:
        if not group:
            return ["/api/v1"]
        groups = self.cluster.admin.request("GET", "/apis")["groups"]
        return [f"/apis/{v['groupVersion']}" for it in groups if it["name"] == group for v in it["versions"]]


def in_process(arguments: Sequence[str]) -> Run:
    """Run the program here, with its output kept."""
    output, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(output), redirect_stderr(errors):
        code = run_program(arguments)
    return Run(code=code, output=output.getvalue(), errors=errors.getvalue())


class Stage(Lab):
    """A laboratory whose program runs in this process."""

    def __init__(self, root: Path, case: Mapping[str, Any], clusters: tuple[Cluster, ...] = ()) -> None:
        names = [str(name) for name in case["members"]]
        mode = {"mode": "push"} if clusters else {"mode": "directory"}
        members = [{"name": name, **mode, **({"credentials": name} if clusters else {})} for name in names]
        super().__init__(root, spec={"members": members, **case.get("settings", {})})
        self._read: tuple[str, Mapping[str, bytes]] = ("", {})
        self.witnesses: dict[str, Witness] = {}
        for index, name in enumerate(names):
            if clusters:
                clusters[index].write_kubeconfig(self.credentials / name, user="hub")
                self.witnesses[name] = ClusterWitness(clusters[index])
            else:
                self.witnesses[name] = FolderWitness(self.members_dir / name)

    def run(self, verb: str, *arguments: str, timeout: float = 120) -> Run:
        _, _, _, *asked = self.command(verb, *arguments)
        return in_process(asked)

    def state(self) -> Any:
        """The tip of the status branch and everything in the members."""
        refs = self._git_at(self.origin, "for-each-ref", "--format=%(refname) %(objectname)")
        return refs, {name: witness.state() for name, witness in self.witnesses.items()}

    # What Lab asks of git file by file is read at once, and once for each tip.

    def status_files(self) -> list[str]:
        return sorted(self._status())

    def status_text(self, path: str) -> str:
        return self._status()[path].decode()

    def status_value(self, path: str) -> Any:
        return yaml.load(self.status_text(path), Loader=yaml.CSafeLoader)

    def _status(self) -> Mapping[str, bytes]:
        tip = self._git_at(self.origin, "for-each-ref", "--format=%(objectname)", f"refs/heads/{STATUS}").strip()
        if tip != self._read[0]:
            self._read = tip, _tree(self.origin, tip) if tip else {}
        return self._read[1]

    def bindings(self) -> dict[str, dict[str, int]]:
        """Where every binding is, by KEY."""
        found = {}
        for path in self._status_paths("bindings/"):
            targets = self.status_value(path)["spec"].get("clusters", [])
            key = path.removeprefix("bindings/").removesuffix(".yaml")
            found[key] = {target["name"]: target.get("replicas", 0) for target in targets}
        return found

    def works(self, member: str) -> dict[str, Any]:
        """What was rendered for a member, by KEY. What leaves is no work any more."""
        found = {}
        for path in self._status_paths(f"works/{member}/"):
            work = self.status_value(path)
            if RETIRING not in work["metadata"].get("annotations", {}):
                key = path.removeprefix(f"works/{member}/").removesuffix(".yaml")
                found[key] = work["spec"]["workload"]["manifests"][0]
        return found

    def _status_paths(self, prefix: str) -> list[str]:
        return [path for path in self.status_files() if path.startswith(prefix)]


def _tree(repository: Path, commit: str) -> dict[str, bytes]:
    """All files of a commit."""
    done = subprocess.run(["git", "archive", commit], cwd=repository, capture_output=True, timeout=60, check=True)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        files = ((member.name, archive.extractfile(member)) for member in archive if member.isfile())
        return {name: file.read() for name, file in files if file}


def laid_over(below: Any, above: Any) -> Any:
    """Mappings are merged, all else is replaced."""
    if not isinstance(below, Mapping) or not isinstance(above, Mapping):
        return above
    merged = {name: laid_over(below.get(name), value) for name, value in above.items()}
    return {**below, **merged}


def _resource(obj: Mapping[str, Any]) -> Resource:
    group, _, version = str(obj["apiVersion"]).rpartition("/")
    kind = str(obj["kind"])
    namespaced = bool(obj["metadata"].get("namespace"))
    return Resource(group=group, version=version, kind=kind, plural=f"{kind.lower()}s", namespaced=namespaced)
