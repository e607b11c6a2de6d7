"""The program as a process: help, usage errors, exit codes, and what a person sees when something is wrong."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from gitops_karmada.cli.commands import VERBS, Program
from gitops_karmada.cli.exits import Exit
from gitops_karmada.cli.main import program, run

HEAVY = (
    "kubernetes",
    "aiohttp",
    "git",
    "apscheduler",
    "watchdog",
    "yaml",
    "rich",
    "lupa",
    "msgspec",
    "orjson",
    "ruamel",
)


def called(*arguments: str, environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gitops_karmada.cli.main", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, **(environment or {})},
    )


@pytest.mark.parametrize("arguments", [["--help"], ["plan", "--help"], ["plam"], ["version", "--no-such-flag"]])
def test_help_and_usage_errors_load_nothing_heavy(arguments: list[str]) -> None:
    """Help comes at once, because only click is read for it."""
    code = f"import sys; from gitops_karmada.cli.main import run; run({arguments!r}); print('LOADED', *sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    loaded = answer.stdout.rpartition("LOADED")[2].split()
    assert not [name for name in HEAVY if name in loaded]
    assert "click" in loaded


def test_every_verb_is_in_the_help_with_the_sentence_its_own_help_begins_with() -> None:
    listed = {verb: text for group in VERBS.values() for verb, text in group.items()}
    context = program.make_context("gitops-karmada", [], resilient_parsing=True)
    assert isinstance(program, Program)
    for verb, text in listed.items():
        command = program.get_command(context, verb)
        assert command is not None
        assert (command.help or "").split("\n")[0] == text
    assert {path.stem for path in Path("gitops_karmada/cli/verbs").glob("[a-z]*.py")} == set(listed)


def test_help_is_narrow_enough_for_a_terminal() -> None:
    answer = called("--help")
    assert answer.returncode == Exit.OK
    assert max(map(len, answer.stdout.splitlines())) <= 80
    assert called("-h").stdout == answer.stdout == called().stdout


def test_an_unknown_verb_names_the_close_one() -> None:
    answer = called("valdate")
    assert (answer.returncode, answer.stdout) == (Exit.USAGE, "")
    assert answer.stderr.startswith("error[GK8001]: there is no command 'valdate'. Did you mean 'validate'?\n")


def test_an_unknown_flag_names_the_close_one() -> None:
    answer = called("version", "--colour", "never")
    assert answer.returncode == Exit.USAGE
    assert "No such option '--colour'. Did you mean '--color'?" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_a_flag_wins_over_its_environment_variable() -> None:
    environment = {"GITOPS_KARMADA_OUTPUT": "json"}
    assert json.loads(called("version", environment=environment).stdout)["kind"] == "Version"
    assert called("version", "-o", "text", environment=environment).stdout.startswith("gitops-karmada ")
    wrong = called("version", environment={"GITOPS_KARMADA_OUTPUT": "xml"})
    assert wrong.returncode == Exit.USAGE
    assert "'xml' is not one of" in wrong.stderr


def test_version_is_machine_readable() -> None:
    told = json.loads(called("version", "-o", "json").stdout)
    assert told["apiVersion"] == "output.gitops-karmada.io/v1alpha1"
    assert told["karmada"] == "v1.19"
    assert told["featureDefaults"]["propagationPolicyPreemption"] is True


def test_explain_knows_every_code_and_suggests_close_ones() -> None:
    assert called("explain", "gk1001").stdout.startswith("GK1001 duplicate-key\nThe same key stands twice")
    wrong = called("explain", "GK100")
    assert wrong.returncode == Exit.USAGE
    assert "Did you mean GK1001" in wrong.stderr
    assert len(json.loads(called("explain", "-o", "json").stdout)["codes"]) > 30


def test_colours_only_where_they_are_wanted() -> None:
    assert "\x1b[" not in called("explain", "GK1001").stdout
    assert "\x1b[1m" in called("explain", "GK1001", "--color", "always").stdout
    assert "\x1b[1m" in called("explain", "GK1001", environment={"FORCE_COLOR": "1"}).stdout
    assert "\x1b[" not in called("explain", "GK1001", environment={"FORCE_COLOR": "1", "NO_COLOR": "1"}).stdout


def test_a_reader_that_has_enough_is_no_failure() -> None:
    command = f"{sys.executable} -m gitops_karmada.cli.main explain | head -n 1"
    answer = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, timeout=60, check=False
    )
    assert (answer.returncode, answer.stderr) == (0, "")


def test_a_defect_is_told_and_kept_in_a_file_without_credentials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A defect of ours ends with 70, three lines, and a file for the report; no traceback on the screen."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setitem(sys.modules, "gitops_karmada.cli.output.explanations", None)
    code = run(["explain", "GK1001", "--color=never"])
    told = capsys.readouterr().err
    (file,) = tmp_path.glob("gitops-karmada-crash-*.txt")
    assert code == Exit.BUG
    assert told.startswith("error[GK9001]: a defect of gitops-karmada: ModuleNotFoundError")
    assert str(file) in told
    assert "Traceback" not in told
    assert "Traceback" in file.read_text()
    assert "command: gitops-karmada explain GK1001" in file.read_text()
