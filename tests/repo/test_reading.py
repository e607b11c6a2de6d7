"""Which files of a tree are read, links, odd names, and content that is parsed once."""

import os
from pathlib import Path

import pytest

from gitops_karmada.model.files import Limits, Manifests
from gitops_karmada.model.problems import Severity
from gitops_karmada.repo.failures import GitError, Reason
from gitops_karmada.repo.file_names import shown, written
from gitops_karmada.repo.folder import FolderTree
from gitops_karmada.repo.reading import ManifestReader
from gitops_karmada.repo.source import Source
from gitops_karmada.repo.tree import SourceTree
from tests.repo.git_tools import commit, git, work_tree


def config_map(name: str) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n"


def trees(folder: Path, cache: Path) -> list[SourceTree]:
    """The same files, from the folder and from a commit of it."""
    if not (folder / ".git").exists():
        git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, {})
    source = Source(str(folder), cache=cache)
    return [FolderTree(folder), source.tree(source.read().commit)]


def names(found: Manifests) -> list[str]:
    return sorted(manifest.object["metadata"]["name"] for manifest in found.manifests)


def told(found: Manifests) -> list[tuple[str, str, str]]:
    return sorted((problem.code, str(problem.severity), str(problem.location)) for problem in found.problems)


def test_yaml_that_is_not_kubernetes_is_left_alone(tmp_path: Path) -> None:
    """O54."""
    folder = tmp_path / "repo"
    files = {
        ".sops.yaml": "creation_rules: []\n",
        ".github/workflows/ci.yml": "on: push\n",
        "charts/x/Chart.yaml": "apiVersion: v2\nname: x\n",
        "charts/x/values.yaml": "a: 1\n",
        "charts/x/templates/d.yaml": "kind: {{ .Values.kind }}\n{{ end }}\n",
        "kustomization.yaml": "resources: [apps/cm.yaml]\n",
        "README.md": "# read me\n",
        "apps/cm.yaml": config_map("good"),
        "apps/UPPER.YAML": config_map("upper"),
        "apps/values.yaml": "a: 1\n",
        "apps/typo.yaml": "apiVersion: v1\nmetadata: {name: typo}\n",
    }
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    for tree in trees(folder, tmp_path / "cache"):
        found = ManifestReader().read(tree)
        assert names(found) == ["good", "upper"]
        assert told(found) == [
            ("GK1012", "error", "apps/typo.yaml:1:1"),
            ("GK1013", "notice", "apps/values.yaml:1"),
            ("GK1014", "notice", "kustomization.yaml"),
            ("GK1015", "notice", "charts/x/Chart.yaml"),
        ]
        assert found.unread == {"apps/typo.yaml"}


def test_links_never_lead_out_of_the_repository(tmp_path: Path) -> None:
    """O64: nothing of a target outside is read or shown; a link to a file inside is read once."""
    folder = tmp_path / "repo"
    (folder / "manifests").mkdir(parents=True)
    (folder / "shared").mkdir()
    (folder / "shared/cm.yaml").write_text(config_map("shared"))
    (folder / "manifests/own.yaml").write_text(config_map("own"))
    links = {
        "a.yaml": "../../../../etc/passwd", "b.yaml": "/etc/hostname", "d": "..", "l": "l", "m.yaml": "n.yaml",
        "n.yaml": "m.yaml", "c.yaml": "../shared/cm.yaml", "gone.yaml": "nowhere.yaml", "own2.yaml": "own.yaml",
        "e.yaml": "d/shared/../../../x", "f": "../shared",
    }  # fmt: skip
    for name, target in links.items():
        (folder / "manifests" / name).symlink_to(target)
    for tree in trees(folder, tmp_path / "cache"):
        found = ManifestReader().read(tree, ["manifests"])
        assert names(found) == ["own", "shared"]
        assert told(found) == [
            ("GK1004", "error", "manifests/f"),
            ("GK1004", "error", "manifests/gone.yaml"),
            ("GK1004", "error", "manifests/m.yaml"),
            ("GK1004", "error", "manifests/n.yaml"),
            ("GK1004", "warning", "manifests/d"),
            ("GK1004", "warning", "manifests/l"),
            ("GK1005", "error", "manifests/a.yaml"),
            ("GK1005", "error", "manifests/b.yaml"),
            ("GK1005", "error", "manifests/e.yaml"),
        ]
        assert "root:" not in str(found)
        # Below the root the target of a link is read where it lies, and not a second time.
        assert names(ManifestReader().read(tree)) == ["own", "shared"]


ODD = ["café.yaml", "名前.yml", "with space.yaml", 'quo"te.yaml', "new\nline.yaml", "-dash.yaml", "CM.yaml", "cm.yaml"]


def test_odd_names_are_read_and_shown_escaped(tmp_path: Path) -> None:
    """O67: ten distinct objects; no name can break a line or become an option."""
    folder = tmp_path / "repo"
    folder.mkdir()
    for index, name in enumerate([*ODD, "back\\slash.yaml"]):
        (folder / name).write_text(config_map(f"n{index}"))
    (Path(os.fsdecode(os.fsencode(folder) + b"/bad\xff.yaml"))).write_text(config_map("n9"))
    for tree in trees(folder, tmp_path / "cache"):
        found = ManifestReader().read(tree)
        assert names(found) == [f"n{index}" for index in range(10)]
        files = {manifest.location.file for manifest in found.manifests}
        assert {"new\\u000aline.yaml", "bad\\xff.yaml", "-dash.yaml", "back\\\\slash.yaml", "café.yaml"} <= files
        assert all(file.isprintable() for file in files)
        assert {written(file) for file in files} == set(tree.files)


@pytest.mark.parametrize("path", [*ODD, "a\\b", "\udcff", "\x1b[31m", "\u202egnp.yaml", "\\x41"], ids=ascii)
def test_shown_names_can_be_turned_back(path: str) -> None:
    assert written(shown(path)) == path
    assert shown(path).isprintable()


def test_a_missing_path_is_an_error_and_never_empty(tmp_path: Path) -> None:
    """O46: a renamed folder holds no manifests, and nobody may take that for their removal."""
    folder = work_tree(tmp_path / "repo")
    commit(folder, {"apps/a.yaml": config_map("a"), "apps/sub/b.yaml": config_map("b")})
    for tree in trees(folder, tmp_path / "cache"):
        assert names(ManifestReader().read(tree, ["apps"])) == ["a", "b"]
        assert names(ManifestReader().read(tree, ["./apps/", "apps/sub", "apps/a.yaml"])) == ["a", "b"]
        for missing in ("manifests", "app", "apps/a.yaml/x"):
            with pytest.raises(GitError, match="never read as empty") as refused:
                ManifestReader().read(tree, ["apps", missing])
            assert refused.value.reason is Reason.PATH_MISSING
        for outside in ("..", "apps/../..", "/etc"):
            with pytest.raises(GitError, match="leaves the repository"):
                ManifestReader().read(tree, [outside])


def test_a_submodule_is_an_error(tmp_path: Path) -> None:
    folder = work_tree(tmp_path / "repo")
    commit(folder, {"a.yaml": config_map("a")})
    git(folder, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendor")
    git(folder, "commit", "--quiet", "-m", "submodule")
    source = Source(str(folder), cache=tmp_path / "cache")
    found = ManifestReader().read(source.tree(source.read().commit))
    assert told(found) == [("GK1004", "error", "vendor")]
    assert found.unread == {"vendor"}


def test_limits_refuse_by_name(tmp_path: Path) -> None:
    folder = work_tree(tmp_path / "repo")
    commit(folder, {"a.yaml": config_map("a"), "big.yaml": config_map("b") + "#" * 200})
    for tree in trees(folder, tmp_path / "cache"):
        found = ManifestReader(limits=Limits(file_bytes=150)).read(tree)
        assert (names(found), told(found)) == (["a"], [("GK1025", "error", "big.yaml")])
        assert found.unread == {"big.yaml"}
        with pytest.raises(GitError, match="the limit is 1"):
            ManifestReader(limits=Limits(files=1)).read(tree)
        with pytest.raises(GitError, match="bytes"):
            ManifestReader(limits=Limits(total_bytes=100)).read(tree)


def test_content_is_parsed_once_and_found_again_after_a_restart(tmp_path: Path) -> None:
    folder = work_tree(tmp_path / "repo")
    commit(folder, {f"{n}.yaml": "# head\n" + config_map(f"n{n}") for n in range(20)} | {"bad.yaml": "a: b: c\n"})
    source = Source(str(folder), cache=tmp_path / "cache")
    first = ManifestReader(tmp_path / "parsed").read(source.tree(source.read().commit))
    [kept] = list((tmp_path / "parsed").iterdir())
    assert kept.stat().st_mode & 0o077 == 0
    again = ManifestReader(tmp_path / "parsed").read(source.tree(source.read().commit))
    assert (again.manifests, again.problems) == (first.manifests, first.problems)
    assert str(again.manifests[0].locate(("metadata", "name"))) == str(first.manifests[0].locate(("metadata", "name")))
    assert str(again.manifests[0].locate(("metadata", "name"))).endswith(":4:12")


def test_a_cached_content_is_not_read_from_git_again(tmp_path: Path) -> None:
    folder = work_tree(tmp_path / "repo")
    commit(folder, {"a.yaml": config_map("a"), "b.yaml": config_map("b")})
    source = Source(str(folder), cache=tmp_path / "cache")
    reader = ManifestReader(tmp_path / "parsed")
    reader.read(source.tree(source.read().commit))
    commit(folder, {"b.yaml": config_map("changed"), "copy.yaml": config_map("a")})
    tree = source.tree(source.read().commit)
    asked: list[str] = []
    contents = tree.contents

    def noted(paths: object) -> object:
        asked.extend(wanted := list(paths))  # type: ignore[call-overload]
        return contents(wanted)

    tree.contents = noted  # type: ignore[method-assign, assignment]
    assert names(reader.read(tree)) == ["a", "a", "changed"]
    assert asked == ["b.yaml"]


@pytest.mark.parametrize("damage", ["cut", "flip", "garbage", "empty", "folder"])
def test_a_damaged_cache_costs_time_and_nothing_else(tmp_path: Path, damage: str) -> None:
    folder = work_tree(tmp_path / "repo")
    commit(folder, {f"{n}.yaml": config_map(f"n{n}") for n in range(5)})
    source = Source(str(folder), cache=tmp_path / "cache")
    tree = source.tree(source.read().commit)
    first = ManifestReader(tmp_path / "parsed").read(tree)
    [kept] = list((tmp_path / "parsed").iterdir())
    content = kept.read_bytes()
    spoilt = {
        "cut": content[: len(content) // 2], "flip": content.replace(b"ConfigMap", b"ConfigNap"),
        "garbage": b"\xff\x00 not a cache\n" * 3, "empty": b"", "folder": b"",
    }[damage]  # fmt: skip
    kept.unlink()
    kept.mkdir() if damage == "folder" else kept.write_bytes(spoilt)
    assert ManifestReader(tmp_path / "parsed").read(tree).manifests == first.manifests
    assert ManifestReader(tmp_path / "parsed").read(tree).manifests == first.manifests


def test_the_order_of_files_does_not_depend_on_the_folder(tmp_path: Path) -> None:
    folder = work_tree(tmp_path / "repo")
    commit(folder, {f"{name}.yaml": config_map(name) for name in ("zeta", "alpha", "mid")})
    for tree in trees(folder, tmp_path / "cache"):
        found = ManifestReader().read(tree)
        assert [manifest.location.file for manifest in found.manifests] == ["alpha.yaml", "mid.yaml", "zeta.yaml"]
        assert all(problem.severity is not Severity.ERROR for problem in found.problems)


def test_ignored_files_are_no_part_of_what_would_be_committed(tmp_path: Path) -> None:
    folder = work_tree(tmp_path / "repo")
    commit(folder, {".gitignore": "build/\n*.tmp.yaml\n", "a.yaml": config_map("a")})
    for name in ("build/x.yaml", "b.tmp.yaml", "new.yaml"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(config_map("x" + name[0]))
    source = Source(str(folder), cache=tmp_path / "cache")
    found = ManifestReader().read(FolderTree(folder, ignored=source.ignored()))
    assert names(found) == ["a", "xn"]


def test_a_folder_is_parsed_once_between_runs(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.yaml").write_text(config_map("a"))
    first = ManifestReader(tmp_path / "parsed").read(FolderTree(folder))
    [kept] = list((tmp_path / "parsed").iterdir())
    content = kept.read_bytes()
    (folder / "a.yaml").touch()
    assert ManifestReader(tmp_path / "parsed").read(FolderTree(folder)).manifests == first.manifests
    assert kept.read_bytes() == content


def test_a_readable_secret_is_not_kept_in_the_cache(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: hunter2}\n"
    (folder / "s.yaml").write_text(config_map("a") + "---\n" + secret)
    (folder / "b.yaml").write_text(config_map("b"))
    for _ in range(2):
        found = ManifestReader(tmp_path / "parsed").read(FolderTree(folder))
        leaks = [manifest.leak.code for manifest in found.manifests if manifest.leak]
        assert (names(found), leaks) == (["a", "b", "s"], ["GK1006"])
    [kept] = list((tmp_path / "parsed").iterdir())
    assert b"hunter2" not in kept.read_bytes()
