"""Write the pages of the reference that follow from the program itself. `--check` only says what is out of date.

python docs/generate.py
"""

import ast
import dataclasses
import json
import pkgutil
import re
import subprocess
import sys
import tomllib
import types
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

import click

from gitops_karmada.cli import options
from gitops_karmada.cli.commands import VERBS
from gitops_karmada.cli.exits import Exit
from gitops_karmada.cli.main import program
from gitops_karmada.model import bindings, clusters, customizations, placement, policies, selectors, works
from gitops_karmada.model.codes import CODES
from gitops_karmada.model.decode import encode, json_name
from gitops_karmada.model.quantity import Quantity
from gitops_karmada.model.settings import API_VERSION, FILE, Settings

DOCS: Final = Path(__file__).parent
PACKAGE: Final = DOCS.parent / "gitops_karmada"
HEAD: Final = "<!-- Written by docs/generate.py. Change the program or the table that it names, not this page. -->"


def pages() -> Mapping[str, str]:
    """Every generated page: its path below docs/, and its text."""
    writers: Mapping[str, Callable[[], Iterator[str]]] = {
        "reference/command-line.md": command_line,
        "reference/settings.md": settings,
        "reference/codes.md": codes,
        "reference/plugins.md": plugins,
        "karmada-compatibility.md": compatibility,
    }
    written = {path: "\n".join([HEAD, "", *writer()]) + "\n" for path, writer in writers.items()}
    return {**written, DIFFERENCES.name: with_differences(DIFFERENCES.read_text(encoding="utf-8"))}


def main(arguments: list[str]) -> int:
    """Write, or only check, and tell what is out of date."""
    if "--demo" in arguments:
        _write_demo(README.read_text(encoding="utf-8"), played())
    outdated = [path for path, text in pages().items() if not _is_written(DOCS / path, text)]
    if "--check" in arguments:
        for path in outdated:
            print(f"docs/{path} is out of date: python docs/generate.py")
        return int(bool(outdated))
    written = pages()
    for path in outdated:
        (DOCS / path).write_text(written[path], encoding="utf-8")
        print(f"docs/{path}")
    return 0


def _is_written(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


# The demo -------------------------------------------------------------------------------------------------------------

README: Final = DOCS.parent / "README.md"
CHAPTERS: Final = ("A cluster must be emptied", "The replicas have moved", "Why does it run there?", "The history of")
BLOCK: Final = re.compile(r"(<!-- demo -->\n```text\n).*?(```)", re.DOTALL)


def played() -> str:
    """What the demo prints."""
    command = [sys.executable, "-m", "gitops_karmada.cli.main", "demo", "--color", "never"]
    return subprocess.run(command, capture_output=True, text=True, timeout=180, check=True).stdout


def _write_demo(readme: str, printed: str) -> None:
    """Write it only where more than the ids of commits is new."""
    written = with_demo(readme, printed)
    if without_ids(written) != without_ids(readme):
        README.write_text(written, encoding="utf-8")


def without_ids(text: str) -> str:
    return re.sub(r"\b[0-9a-f]{7,40}\b", "COMMIT", text)


def with_demo(readme: str, printed: str) -> str:
    """README with the chapters of the demo that show what it is about."""
    chapters = re.split(r"^(?=── )", printed, flags=re.MULTILINE)
    shown = "".join(chapter for chapter in chapters if chapter[3:].startswith(CHAPTERS))
    lines = (line.rstrip() for line in shown.strip().splitlines())
    return BLOCK.sub(lambda block: block[1] + "\n".join(lines) + "\n" + block[2], readme)


# The recorded answers that are different ------------------------------------------------------------------------------

DIFFERENCES: Final = DOCS / "karmada-differences.md"
LISTED: Final = DOCS.parent / "fixtures" / "conformance" / "differences.json"


def with_differences(page: str) -> str:
    """The page with the table of recorded answers that are different on purpose."""
    listed: dict[str, str] = json.loads(LISTED.read_text(encoding="utf-8"))
    rows = [f"| `{_cell(case)}` | {_cell(reason)} |" for case, reason in listed.items()]
    head, _, rest = page.partition("<!-- differences -->\n")
    table = "\n".join(["| case | reason |", "|---|---|", *rows])
    return f"{head}<!-- differences -->\n{table}\n{rest[rest.index('<!-- /differences -->') :]}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


# The command line -----------------------------------------------------------------------------------------------------


def command_line() -> Iterator[str]:
    yield "# Command line"
    yield ""
    yield "`gitops-karmada COMMAND [OPTIONS]`. Every option is also an environment variable; an option wins over its"
    yield f"variable, that over `{FILE}`, and that over the default."
    yield ""
    for group, verbs in VERBS.items():
        yield f"- {group}: " + ", ".join(f"[`{verb}`](#{verb})" for verb in verbs)
    yield ""
    yield from _exit_codes()
    yield from _shared("Options of the repository", options.where)
    yield from _shared("Options of the output", options.looks("github", "markdown", "sarif", "wide", "name"))
    for verbs in VERBS.values():
        for verb in verbs:
            yield from _verb(verb)


def _exit_codes() -> Iterator[str]:
    yield "## Exit codes"
    yield ""
    yield "| code | name | meaning |"
    yield "|---|---|---|"
    told = _attribute_docs(PACKAGE / "cli" / "exits.py", "Exit")
    for code in Exit:
        yield f"| {int(code)} | {code.name} | {_cell(told.get(code.name, EXIT_WORDS.get(code.name, '')))} |"
    yield ""


EXIT_WORDS: Final = {
    "OK": "Done; or no difference, nothing found.",
    "UNAUTHORIZED": "Git or a member refused the credentials.",
    "TIMEOUT": "A deadline passed before anything could be done.",
    "BUG": "A defect of gitops-karmada; the message names the file to report.",
    "INTERRUPTED": "Ended by SIGINT (Ctrl-C).",
    "TERMINATED": "Ended by SIGTERM, after the turn under way.",
}


def _attribute_docs(file: Path, name: str) -> dict[str, str]:
    """The strings below the attributes of a class."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    found = {}
    for node, below in pairwise(body):
        if isinstance(node, ast.Assign) and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            found[ast.unparse(node.targets[0])] = str(below.value.value)
    return found


def _shared(title: str, decorate: Callable[[Any], Any]) -> Iterator[str]:
    yield f"## {title}"
    yield ""
    yield from _options(_parameters(decorate))
    yield ""


def _parameters(decorate: Callable[[Any], Any]) -> list[click.Option]:
    def nothing(**_: Any) -> None:
        """A command to hang the options on."""

    command = click.command()(decorate(nothing))
    return [parameter for parameter in command.params if isinstance(parameter, click.Option)]


def _verb(verb: str) -> Iterator[str]:
    command = program.get_command(click.Context(program), verb)
    assert command is not None
    context = click.Context(command, info_name=f"gitops-karmada {verb}")
    shared = {"repository": _names(options.where), "output": _names(options.looks())}
    found = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    own = [it for it in found if not any(it.name in names for names in shared.values())]
    yield f"## {verb}"
    yield ""
    yield "```text"
    yield " ".join(command.get_usage(context).removeprefix("Usage: ").split())
    yield "```"
    yield ""
    yield from _help(command.help or "")
    if own:
        yield from _options(own)
        yield ""
    common = [name for name, names in shared.items() if any(it.name in names for it in found)]
    if common:
        links = " and the ".join(f"[options of the {name}](#options-of-the-{name})" for name in common)
        formats = [it.type.choices for it in found if it.name == "output" and isinstance(it.type, click.Choice)]
        output = f" `-o` knows {', '.join(f'`{name}`' for name in formats[0])}." if formats else ""
        yield f"Besides, the {links}.{output}"
        yield ""


def _names(decorate: Callable[[Any], Any]) -> set[str]:
    return {str(option.name) for option in _parameters(decorate)}


def _help(text: str) -> Iterator[str]:
    """Paragraphs as they are; what click is told not to wrap is a block."""
    for paragraph in text.strip().split("\n\n"):
        if paragraph.lstrip().startswith("\b"):
            yield "```text"
            yield paragraph.replace("\b\n", "")
            yield "```"
        else:
            yield paragraph
        yield ""


def _options(found: list[click.Option]) -> Iterator[str]:
    yield "| option | variable | default | meaning |"
    yield "|---|---|---|---|"
    for option in found:
        flags = ", ".join([*option.opts, *option.secondary_opts])
        value = "" if option.is_flag else f" {option.metavar or _value(option)}"
        variable = f"`{option.envvar}`" if isinstance(option.envvar, str) else ""
        empty = option.is_flag or option.multiple or not isinstance(option.default, str | int | float)
        default = f"`{option.default}`" if not empty and option.default != "" else ""
        yield f"| `{_cell(flags + value)}` | {variable} | {default} | {_cell(option.help or '')} |"


def _value(option: click.Option) -> str:
    if isinstance(option.type, click.Choice):
        return "|".join(str(choice) for choice in option.type.choices)
    return option.type.name.upper()


# The settings ---------------------------------------------------------------------------------------------------------


def setting_paths() -> Mapping[str, tuple[str, Any]]:
    """Every field of the settings by its path, with its type in words and its default."""
    return dict(_setting_paths(Settings, Settings(), ""))


def _setting_paths(noun: type, value: Any, above: str) -> Iterator[tuple[str, tuple[str, Any]]]:
    hints = get_type_hints(noun)
    for field in _shown_fields(noun):
        path = f"{above}.{_json(field)}" if above else _json(field)
        inner, is_list = _inner(hints[field.name])
        if path in ("apiVersion", "kind"):
            yield path, ("text", getattr(value, field.name))
        elif path == "metadata":
            yield "metadata.name", ("text", "")
        elif _is_noun(inner):
            below = inner() if is_list else getattr(value, field.name)
            yield from _setting_paths(inner, below, f"{path}[]" if is_list else path)
        else:
            yield path, (_kind_of(inner, is_list), getattr(value, field.name))


def settings() -> Iterator[str]:
    words = tomllib.loads((DOCS / "settings.toml").read_text(encoding="utf-8"))
    yield f"# Settings: {FILE}"
    yield ""
    yield f"The file stands at the root of the repository: `apiVersion: {API_VERSION}`, `kind: Federation`."
    yield "It is part of the commit that it governs. An unknown field is a warning. A wrong value is an error that ends"
    yield "the turn, with file and line; what runs stays as it is."
    yield ""
    yield "| field | type | default | meaning |"
    yield "|---|---|---|---|"
    for path, (kind, default) in setting_paths().items():
        yield f"| `{path}` | {_cell(kind)} | {_shown(default)} | {_cell(words.get(path, ''))} |"


def _shown(default: Any) -> str:
    value = encode(default)
    if value in ("", None, [], {}):
        return ""
    text = ", ".join(str(item) for item in value) if isinstance(value, list) else str(value)
    return f"`{text.lower() if isinstance(default, bool) else text}`"


def _kind_of(inner: Any, is_list: bool) -> str:
    if isinstance(inner, type) and issubclass(inner, StrEnum):
        word = " | ".join(f"`{choice}`" for choice in inner)
        return f"list of {word}" if is_list else word
    word = {str: "text", int: "whole number", bool: "true or false"}.get(inner, str(inner))
    return f"list of {word}" if is_list else word


# The codes ------------------------------------------------------------------------------------------------------------

RANGES: Final = {
    "1": "Manifests and YAML",
    "2": "Policies, overrides and clusters",
    "3": "Scheduling",
    "4": "Git and the status branch",
    "5": "Members",
    "6": "What is held",
    "7": "Credentials",
    "8": "Settings and command line",
    "9": "Defects and deliveries",
}


def codes() -> Iterator[str]:
    yield "# Codes"
    yield ""
    yield "Every finding has a code that never changes its meaning. `gitops-karmada explain CODE` says the same."
    yield ""
    number = ""
    for code in CODES.values():
        if code.code[2] != number:
            number = code.code[2]
            yield f"## {RANGES[number]}"
            yield ""
        yield f"### {code.code}"
        yield ""
        yield f"**{code.name}**: {code.meaning}"
        yield ""
        yield code.explanation
        yield ""


# The plugins ----------------------------------------------------------------------------------------------------------

FAMILIES: Final = {
    "core/filters": ("Filters", "Reasons for which a cluster is no candidate."),
    "core/scores": ("Scores", "What makes one candidate better than another."),
    "core/estimators": ("Estimators", "How many replicas a cluster has room for."),
    "core/overriders": ("Overriders", "What an override policy can change."),
    "core/interpreters": ("Interpreters", "Kinds whose replicas, health, status and needs are known without a script."),
    "core/detectors": ("Detectors", "Tools whose objects are never applied over."),
    "core/rules": ("Rules", "What makes a Karmada object an error."),
    "core/lints": ("Lints", "What is allowed and yet hardly meant."),
    "members/transports": ("Transports", "How a member is spoken to."),
    "notify/sinks": ("Sinks", "Who is told of a turn."),
    "cli/verbs": ("Verbs", "What the command line does."),
}


def plugin_names(family: str) -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules([str(PACKAGE / family)]))


def plugins() -> Iterator[str]:
    yield "# Plugins"
    yield ""
    yield "The places where the program is extended: one file in a folder, one line in the table beside it."
    yield ""
    for family, (title, words) in FAMILIES.items():
        yield f"## {title}"
        yield ""
        yield f"{words} Folder: `gitops_karmada/{family}/`."
        yield ""
        yield "| plugin | what it knows |"
        yield "|---|---|"
        for name in plugin_names(family):
            yield f"| `{name}` | {_cell(_first_line(family, name))} |"
        yield ""


def _first_line(family: str, name: str) -> str:
    text = (PACKAGE / family / f"{name}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(text)) or "").partition("\n\n")[0]


# Karmada's objects ----------------------------------------------------------------------------------------------------

# Kind → the noun it is read as. `Work` is written by us and read by nobody else; its table is kept by hand.
KINDS: Final[Mapping[str, type | None]] = {
    "PropagationPolicy, ClusterPropagationPolicy": policies.PropagationPolicy,
    "OverridePolicy, ClusterOverridePolicy": policies.OverridePolicy,
    "Cluster": clusters.Cluster,
    "ClusterTaintPolicy": policies.ClusterTaintPolicy,
    "WorkloadRebalancer": policies.WorkloadRebalancer,
    "FederatedResourceQuota": policies.FederatedResourceQuota,
    "ResourceInterpreterCustomization": customizations.ResourceInterpreterCustomization,
    "ResourceInterpreterWebhookConfiguration": customizations.ResourceInterpreterWebhookConfiguration,
    "ResourceBinding, ClusterResourceBinding": bindings.Binding,
    "Work": None,
    "PriorityClass": policies.PriorityClass,
}

# Structures that several objects share; each has one table.
STRUCTURES: Final[Mapping[str, type]] = {
    "ResourceSelector": policies.ResourceSelector,
    "LabelSelector": selectors.LabelSelector,
    "ClusterAffinity": placement.ClusterAffinity,
    "Placement": placement.Placement,
    "Toleration": placement.Toleration,
    "Failover": placement.Failover,
    "StatePreservation": placement.StatePreservation,
    "Suspension": placement.Suspension,
    "Overriders": policies.Overriders,
    "NodeClaim": placement.NodeClaim,
    "TargetCluster": bindings.TargetCluster,
    "Condition": clusters.Condition,
}

STATUSES: Final = {
    "yes": "as Karmada",
    "differs": "works, and not quite as in Karmada; the note says how",
    "idle": "read and kept, has no effect here",
    "no": "not supported",
}


def paths_of(name: str) -> list[tuple[str, str]]:
    """(path, structure that it holds or an empty string) of every field that is read of a kind or structure."""
    noun = {**KINDS, **STRUCTURES}[name]
    if noun is None:
        return [("status." + path, held) for path, held in _paths(works.WorkStatus, "", noun)]
    return list(_paths(noun, "", noun))


def _paths(noun: type, above: str, top: type | None) -> Iterator[tuple[str, str]]:
    hints = get_type_hints(noun)
    for field in _shown_fields(noun):
        inner, is_list = _inner(hints[field.name])
        path = (f"{above}." if above else "") + _json(field) + ("[]" if is_list else "")
        if path in ("apiVersion", "kind", "metadata") and noun in KINDS.values():
            continue
        held = next((name for name, structure in STRUCTURES.items() if inner is structure and inner is not top), "")
        if held or not _is_noun(inner) or inner is Quantity:
            yield path, held
        elif base := _inlined(inner):
            own = {known.name for known in dataclasses.fields(base)}
            yield path, next(name for name, structure in STRUCTURES.items() if structure is base)
            yield from ((deep, held) for deep, held in _paths(inner, path, top) if not _is_inherited(deep, path, own))
        else:
            yield from _paths(inner, path, top)


def _inlined(noun: type) -> type | None:
    return next((base for base in noun.__mro__[1:] if base in STRUCTURES.values()), None)


def _is_inherited(deep: str, path: str, inherited: set[str]) -> bool:
    first = deep.removeprefix(f"{path}.").partition(".")[0].removesuffix("[]")
    return first in {json_name(name) for name in inherited}


def table() -> dict[str, Any]:
    """The hand-kept table: kind or structure → path → [status, tests, note]."""
    return tomllib.loads((DOCS / "compatibility.toml").read_text(encoding="utf-8"))


def rows_of(name: str, known: Mapping[str, Any]) -> Iterator[tuple[str, str, str, list[str], str]]:
    """(path, structure held, status, tests, note): first what the program reads, then what only Karmada knows."""
    listed = dict(known.get(name, {}))
    for path, held in paths_of(name):
        status, tests, note = _entry(listed.pop(path, None), held)
        yield path, held, status, tests, note
    for path, entry in listed.items():
        yield path, "", *_entry(entry, "")


def _entry(entry: Any, held: str) -> tuple[str, list[str], str]:
    if entry is None:
        return ("yes" if held else "", [], "")
    status, *rest = entry
    tests = [text for text in rest if "::" in text or text in VECTORS]
    return status, tests, " ".join(text for text in rest if text not in tests)


# Operations of the recorded answers of Karmada, by the name that the table uses.
VECTORS: Final = {
    operation: f"{file}-{operation}"
    for file, operations in {
        "scheduling": "schedule match override validatePropagation validateOverride "
        "summary generalEstimate nodeEstimate",
        "interpreter": "reflect health replicas dependencies aggregate prune revise retain",
        "custom": "lua components",
    }.items()
    for operation in operations.split()
}


def test_id(short: str) -> str:
    """`core/test_match::test_x` or an operation of the vectors → the id that pytest knows."""
    if short in VECTORS:
        return f"tests/conformance/test_conformance.py::test_all_cases_are_right[{VECTORS[short]}]"
    file, _, name = short.partition("::")
    return f"tests/{file}.py::{name}"


def compatibility() -> Iterator[str]:
    known = table()
    yield "# Compatibility with Karmada"
    yield ""
    yield "Every field of every object of Karmada v1.19's API, whether gitops-karmada knows it, and the test that shows"
    yield "it. A test is named by its pytest id; a name in brackets is a set of answers recorded from Karmada, run by"
    yield "`tests/conformance/test_conformance.py::test_all_cases_are_right[NAME]`. The reasons of differences:"
    yield "[differences from Karmada](karmada-differences.md)."
    yield ""
    yield "| word | meaning |"
    yield "|---|---|"
    for word, meaning in STATUSES.items():
        yield f"| {word} | {meaning} |"
    yield ""
    yield "## Kinds"
    yield ""
    yield "| kind | apiVersion | status | note |"
    yield "|---|---|---|---|"
    for kind, (version, status, note) in known["kinds"].items():
        yield f"| {_linked(kind)} | `{version}` | {status} | {_cell(note)} |"
    yield ""
    for name in KINDS:
        yield from _section(name, known)
    yield "# Structures"
    yield ""
    yield "Parts that several objects share."
    yield ""
    for name in STRUCTURES:
        yield from _section(name, known)


def _linked(kind: str) -> str:
    name = next((name for name in KINDS if kind in name.split(", ")), None)
    return f"[{kind}](#{_anchor(name)})" if name else kind


def _anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")


def _section(name: str, known: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {name}"
    yield ""
    yield "| field | status | shown by | note |"
    yield "|---|---|---|---|"
    for path, held, status, tests, note in rows_of(name, known):
        shown = "<br>".join(f"[`{VECTORS[test]}`]" if test in VECTORS else f"`{test_id(test)}`" for test in tests)
        see = f"see [{held}](#{_anchor(held)})" if held else ""
        yield f"| `{path}` | {status} | {shown or see} | {_cell(note)} |"
    yield ""


# Types ----------------------------------------------------------------------------------------------------------------


def _shown_fields(noun: type) -> Iterator["dataclasses.Field[Any]"]:
    return (field for field in dataclasses.fields(noun) if not field.metadata.get("derived", False))


def _json(field: "dataclasses.Field[Any]") -> str:
    return str(field.metadata.get("json", json_name(field.name)))


def _is_noun(inner: Any) -> bool:
    return isinstance(inner, type) and dataclasses.is_dataclass(inner)


def _inner(hint: Any) -> tuple[Any, bool]:
    """The type behind an optional or a tuple, and whether it is a list."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _inner(next(arg for arg in get_args(hint) if arg is not type(None)))
    if origin is tuple:
        return _inner(get_args(hint)[0])[0], True
    return hint, False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
