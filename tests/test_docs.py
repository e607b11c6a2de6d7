"""What the documentation says is there, and what is there is in the documentation."""

import ast
import gzip
import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Any, TypeAlias

import click
import pytest

from gitops_karmada.cli.commands import VERBS
from gitops_karmada.cli.main import NAME, program
from gitops_karmada.core.hydrate import manifest_path, member_path
from gitops_karmada.core.readme import ATTRIBUTES, README
from gitops_karmada.core.record import FEDERATION, MEMORY, READERS
from gitops_karmada.model import marks as ours
from gitops_karmada.model.codes import CODES
from gitops_karmada.model.marks import PREFIX
from gitops_karmada.model.notices import NoticeKind
from gitops_karmada.model.objects import ClusterName, Key
from gitops_karmada.model.plan import Cause
from gitops_karmada.model.settings import StatusSettings
from gitops_karmada.model.works import Place
from gitops_karmada.repo.yaml_reader import read_documents
from tests.e2e.lab import GIT_ENVIRONMENT
from tests.envtest.client import ApiError
from tests.envtest.cluster import Cluster

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *DOCS.rglob("*.md"), *(ROOT / "repo-layout").rglob("*.md")])
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generate = _generator()


@cache
def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def everything() -> str:
    return "\n".join(text_of(page) for page in PAGES)


# Generated pages ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(generate.pages()))
def test_generated_pages_are_up_to_date(path: str) -> None:
    """`python docs/generate.py` would change nothing."""
    assert (DOCS / path).read_text(encoding="utf-8") == generate.pages()[path], "run: python docs/generate.py"


def test_every_setting_has_a_sentence_and_every_sentence_a_setting() -> None:
    words = generate.tomllib.loads((DOCS / "settings.toml").read_text(encoding="utf-8"))
    assert set(words) == set(generate.setting_paths())
    assert all(text.endswith(".") for text in words.values())


def test_a_setting_that_nothing_reads_says_so() -> None:
    """A switch that is no switch must not look like one."""
    package = ROOT / "gitops_karmada"
    files = [file for file in package.rglob("*.py") if file != package / "model" / "settings.py"]
    program_text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    words = generate.tomllib.loads((DOCS / "settings.toml").read_text(encoding="utf-8"))
    for path, text in words.items():
        name = path.rpartition(".")[2]
        attribute = re.sub(r"(?<!^)(?=[A-Z])", "_", name.replace("APIs", "Apis")).lower()
        is_read = re.search(rf"\.{attribute}\b", program_text) is not None
        assert is_read is not ("no effect yet" in text), f"{path}: settings.toml does not say whether it is read"


@pytest.mark.parametrize("family", sorted(generate.FAMILIES))
def test_every_plugin_is_in_the_docs_with_a_sentence(family: str) -> None:
    page = text_of(DOCS / "reference" / "plugins.md")
    names = generate.plugin_names(family)
    assert names
    for name in names:
        assert re.search(rf"^\| `{name}` \| \S.*\|$", page, re.MULTILINE), f"{family}/{name} has no first line"


def test_every_plural_folder_is_a_family() -> None:
    """A folder whose law says that it holds plugins is described as one."""
    package = ROOT / "gitops_karmada"
    folders = {str(file.parent.relative_to(package)) for file in package.rglob("*s/__init__.py")}
    assert set(generate.FAMILIES) <= folders
    assert folders - set(generate.FAMILIES) <= {"members", "scripts"}


def test_every_verb_and_code_is_in_the_docs() -> None:
    pages = text_of(DOCS / "reference" / "command-line.md")
    for verbs in VERBS.values():
        for verb in verbs:
            assert f"\n## {verb}\n" in pages
    listed = text_of(DOCS / "reference" / "codes.md")
    for code in CODES:
        assert f"\n### {code}\n" in listed


def test_every_code_that_the_docs_name_exists() -> None:
    assert set(re.findall(r"GK\d{4}", everything())) <= set(CODES)


def test_every_file_of_the_status_branch_is_described() -> None:
    page = text_of(DOCS / "reference" / "status-branch.md")
    for folder in READERS:
        assert f"`{folder}/" in page
    for file in (FEDERATION, MEMORY, README, ATTRIBUTES):
        assert f"`{file}`" in page
    for cause in Cause:
        assert f"`{cause}`" in page
    reconcile = (ROOT / "gitops_karmada" / "reconcile.py").read_text(encoding="utf-8")
    for trailer in ("Cause", "Instance", "Source-Commit", "Source-Ref", "Previous"):
        assert f"`Federation-{trailer}`" in page
        assert trailer == "Cause" or f'"{trailer}":' in reconcile


def test_every_mark_of_ours_is_described() -> None:
    """Annotations and labels under our own prefix, wherever the program names them."""
    files = sorted((ROOT / "gitops_karmada").rglob("*.py"))
    literal = re.compile(rf"\"{re.escape(PREFIX)}([a-z-]+)\"")
    marks = {mark for file in files for mark in literal.findall(file.read_text(encoding="utf-8"))}
    marks |= {name.removeprefix(PREFIX) for name in vars(ours).values() if str(name).startswith(PREFIX)} - {""}
    assert {"owner", "instance", "prune", "recreate", "binding", "retiring", "source"} <= marks
    lost = sorted(mark for mark in marks if f"{PREFIX}{mark}" not in everything())
    assert not lost


def test_every_kind_of_notice_is_described() -> None:
    page = text_of(DOCS / "reference" / "health-log-notices.md")
    assert all(f"`{kind}`" in page for kind in NoticeKind)


def test_the_guide_names_inputs_and_outputs_of_the_action() -> None:
    (document,) = read_documents((ROOT / "action.yml").read_bytes(), "action.yml").documents
    page = text_of(DOCS / "how-to" / "validate-pull-requests.md")
    for name, given in document.value["inputs"].items():
        default = f"`{given['default']}`" if given["default"] else ""
        assert re.search(rf"^\| `{name}` \| {re.escape(default)} ?\|", page, re.MULTILINE), name
    for name in document.value["outputs"]:
        assert f"| `{name}` |" in page


# Compatibility --------------------------------------------------------------------------------------------------------

ROWS = [
    (name, *row) for name in [*generate.KINDS, *generate.STRUCTURES] for row in generate.rows_of(name, generate.table())
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}: {row[1]}")
def test_every_field_of_karmada_has_a_status_and_a_test_that_shows_it(
    row: tuple[str, str, str, str, list[str], str],
) -> None:
    name, path, held, status, tests, note = row
    assert status in generate.STATUSES, f"docs/compatibility.toml says nothing of {name}: {path}"
    if status in ("yes", "differs") and not held:
        assert tests, f"{name}: {path} names no test"
    if status != "yes":
        assert note, f"{name}: {path} gives no reason"
    assert note == "" or note.endswith("."), note


def test_what_only_karmada_knows_is_not_called_supported() -> None:
    """A field that the program does not read is in the table with another status; the Work is written by hand."""
    known = generate.table()
    for name in [*generate.KINDS, *generate.STRUCTURES]:
        read = {path for path, _ in generate.paths_of(name)}
        unread = {path for path in known.get(name, {}) if path not in read}
        if name != "Work":
            assert all(known[name][path][0] in ("no", "idle") for path in unread), unread
    assert set(known) <= {"kinds", *generate.KINDS, *generate.STRUCTURES}


def test_every_kind_that_is_read_is_in_the_table_of_kinds() -> None:
    from gitops_karmada.core.federate import NOUNS

    listed = generate.table()["kinds"]
    for (group, kind), _ in NOUNS.items():
        version, status, _note = listed[kind]
        assert version.startswith(f"{group}/")
        assert status in ("yes", "differs")


def test_named_tests_exist_and_speak_of_the_field() -> None:
    """A test that is named as evidence is there, and its file or its recorded cases hold the field's name."""
    wrong = []
    for name, path, _held, status, tests, _note in ROWS:
        leaf = path.rpartition(".")[2].removesuffix("[]")
        spoken = False
        for test in tests:
            if not _exists(test):
                wrong.append(f"{name}: {path}: there is no {generate.test_id(test)}")
            elif _speaks_of(test, leaf):
                spoken = True
        if status in ("yes", "differs") and tests and not spoken and leaf not in GENERAL:
            wrong.append(f"{name}: {path}: none of {tests} speaks of {leaf}")
    assert not wrong, "\n".join(wrong)


# Fields whose tests go by another name: a nested object's, a Lua script's.
GENERAL = {"luaScript", "ordinal", "identifier"}


def _exists(test: str) -> bool:
    if test in generate.VECTORS:
        file, _, operation = generate.VECTORS[test].partition("-")
        return operation in _operations(file)
    file, _, function = generate.test_id(test).partition("::")
    return (ROOT / file).is_file() and function in _functions(ROOT / file)


@cache
def _functions(file: Path) -> frozenset[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _speaks_of(test: str, leaf: str) -> bool:
    if test in generate.VECTORS:
        file, _, operation = generate.VECTORS[test].partition("-")
        return leaf in _operations(file)[operation]
    file = ROOT / generate.test_id(test).partition("::")[0]
    snake = re.sub(r"(?<!^)(?=[A-Z])", "_", leaf).lower()
    return any(word in _with_helpers(file) for word in (leaf, snake))


@cache
def _with_helpers(file: Path) -> str:
    """The test's text, with that of the helpers beside it."""
    text = file.read_text(encoding="utf-8")
    names = re.findall(r"^from (tests\.[\w.]+) import", text, re.MULTILINE)
    helpers = [ROOT / f"{name.replace('.', '/')}.py" for name in names]
    return "\n".join([text, *(helper.read_text(encoding="utf-8") for helper in helpers if helper.is_file())])


@cache
def _operations(file: str) -> dict[str, set[str]]:
    """Operation → every key in its recorded cases, and the words of what stands in them as text."""
    found: dict[str, set[str]] = {}
    with gzip.open(ROOT / "fixtures" / "conformance" / f"{file}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            case = json.loads(line)
            found.setdefault(case["op"], set()).update(_words(case))
    return found


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _words(item)
    elif isinstance(value, list):
        for item in value:
            yield from _words(item)


# Pages ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", _without_blocks(text_of(page))):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        goal = (page.parent / file).resolve() if file else page
        assert goal.exists(), f"{page.name}: {target}"
        if anchor and goal.suffix == ".md":
            assert anchor in _anchors(goal), f"{page.name}: {target}"


def _without_blocks(text: str) -> str:
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


@cache
def _anchors(page: Path) -> frozenset[str]:
    titles = re.findall(r"^#+ (.+)$", _without_blocks(text_of(page)), re.MULTILINE)
    return frozenset(re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles)


def test_every_page_is_linked_from_the_readme_or_the_index() -> None:
    linked = {
        (page.parent / target.partition("#")[0]).resolve()
        for page in (ROOT / "README.md", DOCS / "README.md")
        for target in re.findall(r"\]\(([^)\s]+)\)", text_of(page))
    }
    lost = [page for page in DOCS.rglob("*.md") if page != DOCS / "README.md" and page.resolve() not in linked]
    assert not lost


# The places of machines and of the tools that we are made with are nobody's business.
FORBIDDEN = re.compile(
    r"(?<![\w.])/(?:work|home/(?!nobody)\w+|root|Users)/|/tmp/\w|[A-Za-z]:\\\\|localhost:\d{4,}/|@example\.org>"
)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_no_path_of_a_machine_is_in_the_docs(page: Path) -> None:
    assert FORBIDDEN.findall(text_of(page)) == []


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_commands_in_the_docs_exist(page: Path) -> None:
    """Every `gitops-karmada VERB --option` of a console block is one that the program takes."""
    for line in _commands(text_of(page)):
        words = _words_of(line)
        if not words:
            continue
        command = program.get_command(click.Context(program), words[0])
        assert command is not None or words[0].startswith("-"), f"{page.name}: {line}"
        if command is not None:
            _assert_options(command, words[1:], f"{page.name}: {line}")


def _commands(text: str) -> Iterator[str]:
    for block in re.findall(r"^```(?:console|sh|bash)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            bare = line.removeprefix("$ ").strip()
            for part in re.split(r"\s(?:&&|\||;)\s", bare):
                if part.startswith(f"{NAME} "):
                    yield part


def _words_of(line: str) -> list[str]:
    found = shlex.split(line, comments=True)[1:]
    return found[: next((place for place, word in enumerate(found) if word in (">", ">>")), len(found))]


def _assert_options(command: click.Command, words: list[str], where: str) -> None:
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    for word in words:
        if word.startswith("-") and word != "-":
            assert word.partition("=")[0] in {*known, "--help", "-h"}, f"{where}: {word}"


def test_make_targets_in_the_docs_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    named = set(re.findall(r"^\$? ?make ([a-z]+)", everything(), re.MULTILINE))
    assert {"demo", "test"} <= named <= targets


def test_readme_shows_what_the_demo_prints() -> None:
    """The block in README is what `gitops-karmada demo` prints, but for the ids of commits."""
    block = re.search(r"<!-- demo -->\n```text\n(.*?)```", text_of(ROOT / "README.md"), re.DOTALL)
    assert block is not None
    shown, printed = _plain(block.group(1)), _plain(generate.played())
    assert len(shown) > 20
    for line in shown:
        assert line in printed, f"README shows what the demo does not print: {line}"


def _plain(text: str) -> list[str]:
    lines = (line.rstrip() for line in generate.without_ids(text).splitlines())
    return [line for line in lines if line and line != "…"]


# Examples -------------------------------------------------------------------------------------------------------------


def _example(page: str, mark: str) -> str:
    """The block that follows a mark."""
    found = re.search(rf"<!-- {mark} -->\n```yaml\n(.*?)^```", text_of(DOCS / page), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found.group(1)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_yaml_and_json_in_the_docs_can_be_read(page: Path) -> None:
    """Read with our own reader, as a federation's files are."""
    for kind, text in re.findall(r"^ *```(yaml|json)\n(.*?)^ *```", text_of(page), re.MULTILINE | re.DOTALL):
        found = read_documents(textwrap.dedent(text).encode(), page.name)
        assert not found.problems, f"{page.name}: {kind}: {found.problems}"
        assert found.documents, f"{page.name}: {text}"


def test_the_deployment_gives_the_program_options_that_it_has() -> None:
    (document,) = read_documents(
        _example("how-to/run-as-a-container.md", "deployment").encode(), "deployment"
    ).documents
    (container,) = document.value["spec"]["template"]["spec"]["containers"]
    command = program.get_command(click.Context(program), "run")
    assert command is not None
    _assert_options(command, container["args"], "deployment")
    mounts = {mount["mountPath"] for mount in container["volumeMounts"]}
    for option in ("--git-token-file", "--credentials", "--cache"):
        (value,) = (word.partition("=")[2] for word in container["args"] if word.startswith(f"{option}="))
        assert any(value == mount or value.startswith(f"{mount}/") for mount in mounts)


def test_argo_cd_and_flux_are_pointed_at_the_manifests_that_are_written() -> None:
    page = "how-to/beside-argo-cd-or-flux.md"
    (application_set,) = read_documents(_example(page, "applicationset").encode(), page).documents
    repository, kustomization = read_documents(_example(page, "flux").encode(), page).documents
    place = Place(cluster=ClusterName("paris"), key=Key(group="apps", kind="Deployment", namespace="shop", name="web"))
    spec = application_set.value["spec"]
    (generator,) = spec["generators"]
    (file,) = generator["git"]["files"]
    assert PurePosixPath(member_path(ClusterName("paris"))).match(file["path"])
    source = spec["template"]["spec"]["source"]
    assert manifest_path(place).startswith(f"{source['path'].replace('{{.cluster}}', 'paris')}/")
    assert manifest_path(place).startswith(f"{kustomization.value['spec']['path'].removeprefix('./')}/")
    branches = {generator["git"]["revision"], source["targetRevision"], repository.value["spec"]["ref"]["branch"]}
    assert branches == {StatusSettings().branch}


@pytest.mark.envtest
def test_the_deployment_meets_the_restricted_standard(members: tuple[Cluster, ...]) -> None:
    """An API server that enforces PodSecurity takes the pod."""
    client = members[0].admin
    enforced = {"pod-security.kubernetes.io/enforce": "restricted"}
    client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gitops-karmada", "labels": enforced}})
    (document,) = read_documents(
        _example("how-to/run-as-a-container.md", "deployment").encode(), "deployment"
    ).documents
    template = document.value["spec"]["template"]
    metadata = {**template["metadata"], "name": "one", "namespace": "gitops-karmada"}
    pod = {"apiVersion": "v1", "kind": "Pod", **template, "metadata": metadata}
    refused = {**pod, "spec": {**pod["spec"], "hostNetwork": True}}
    with pytest.raises(ApiError):
        client.create(refused)
    assert client.create(pod)["metadata"]["name"] == "one"
    client.create(document.value)


@pytest.mark.slow
def test_the_customization_of_the_guide_does_what_it_says(tmp_path: Path, shell: "Shell") -> None:
    (tmp_path / "gizmo.yaml").write_text(_example("how-to/teach-a-kind.md", "customization"), encoding="utf-8")
    spinner = {"apiVersion": "toys.example.com/v1", "kind": "Gizmo", "metadata": {"name": "s", "namespace": "shop"}}
    spec = {"count": 6, "template": {"spec": {"containers": [{"name": "s", "resources": {"requests": {"cpu": "1"}}}]}}}
    (tmp_path / "spinner.yaml").write_text(json.dumps({**spinner, "spec": spec}), encoding="utf-8")
    for command in _commands(text_of(DOCS / "how-to" / "teach-a-kind.md")):
        shell(command)
    assert "replicas: 6" in shell("gitops-karmada interpret -f gizmo.yaml --object spinner.yaml")
    assert "count: 2" in shell(
        "gitops-karmada interpret -f gizmo.yaml --object spinner.yaml --operation revise --replicas 2"
    )


# What the tutorial asks its reader to do with an editor: heading → file, before, after.
EDITS = {
    "Change something": [("templates/shop/web.yaml", "replicas: 9", "replicas: 12")],
    "Make a mistake": [("policies/shop.yaml", "environment: production", "enviroment: production")],
    "Empty a cluster": [
        ("policies/shop.yaml", "enviroment: production", "environment: production"),
        ("gitops-karmada.yaml", "enabled: false", "enabled: true"),
        (
            "gitops-karmada.yaml",
            "noExecuteTaintEviction: false",
            "noExecuteTaintEviction: true\n    noExecutePurgeMode: Directly",
        ),
        (
            "clusters/east.yaml",
            "  zones: [europe-a]\n",
            "  zones: [europe-a]\n  taints:\n    - key: maintenance\n      value: planned\n      effect: NoExecute\n",
        ),
    ],
}


@pytest.mark.slow
def test_the_tutorial_can_be_followed(tmp_path: Path, shell: "Shell") -> None:
    """Every command works, and what the page shows is what it prints."""
    printed = ""
    for section in re.split(r"^## ", text_of(DOCS / "tutorial" / "first-federation.md"), flags=re.MULTILINE)[1:]:
        title = section.partition("\n")[0]
        for file, before, after in EDITS.get(title, []):
            _edit(tmp_path / "fleet" / file, before, after)
        for kind, block in re.findall(r"^```(console|text)\n(.*?)^```", section, re.MULTILINE | re.DOTALL):
            if kind == "console":
                printed = "".join(shell(line.removeprefix("$ ")) for line in block.splitlines())
            else:
                missing = [line for line in _plain(block) if not any(_is_in(line, row) for row in _plain(printed))]
                assert not missing, f"{title}: {missing} is not in:\n{printed}"
    assert "replicas: 12" in (tmp_path / "fleet" / "templates/shop/web.yaml").read_text(encoding="utf-8")
    assert "taints" not in (tmp_path / "fleet" / "clusters/east.yaml").read_text(encoding="utf-8")


def _edit(file: Path, before: str, after: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after, 1), encoding="utf-8")


def _is_in(line: str, row: str) -> bool:
    """Columns are as wide as what stands in them, and later columns need not be shown."""
    return " ".join(row.split()).startswith(" ".join(line.split()))


Shell: TypeAlias = Callable[[str], str]


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """Run a command line in a folder that `cd` changes; everything printed."""
    commands = tmp_path / "bin"
    commands.mkdir()
    program_file = commands / NAME
    program_file.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gitops_karmada.cli.main "$@"\n', encoding="utf-8")
    program_file.chmod(0o755)
    for name in [name for name in os.environ if name.startswith("GITOPS_KARMADA")]:
        monkeypatch.delenv(name)
    environment = {
        **os.environ,
        **GIT_ENVIRONMENT,
        "PATH": f"{commands}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PYTHONPATH": str(ROOT),
    }
    folder = tmp_path

    def run(line: str) -> str:
        nonlocal folder
        if line.startswith("cd "):
            folder = folder / line.removeprefix("cd ")
            return ""
        done = subprocess.run(
            ["sh", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, f"{line} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    return run
