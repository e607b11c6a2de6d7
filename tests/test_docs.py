"""What the documentation says is there, and what is there is in the documentation."""

import ast
import gzip
import importlib.util
import json
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest

from gitops_karmada.cli.commands import VERBS
from gitops_karmada.cli.main import NAME, program
from gitops_karmada.model.codes import CODES

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
        assert is_read or "no effect yet" in text, f"nothing reads {path}, and settings.toml does not say so"


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
    lines = (re.sub(r"\b[0-9a-f]{7,40}\b", "COMMIT", line).rstrip() for line in text.splitlines())
    return [line for line in lines if line and line != "…"]
