"""How findings look, and that text from elsewhere is harmless wherever it is shown."""

import io
import json
from collections.abc import Iterable

import pytest

from gitops_karmada.cli.exits import Exit
from gitops_karmada.cli.failures import exit_of, problems_of
from gitops_karmada.cli.output import github, markdown, sarif
from gitops_karmada.cli.output.formats import as_json, as_yaml
from gitops_karmada.cli.output.problems import blocks, tally
from gitops_karmada.cli.output.tables import table
from gitops_karmada.cli.output.terminal import Line, Screen, Span, Tone, clean, line, plain
from gitops_karmada.model.problems import (
    GitopsKarmadaError,
    Location,
    ManifestError,
    MemberError,
    Problem,
    RepositoryError,
    SettingsError,
    Severity,
)

HOSTILE = "x\x1b[2J\x1b]0;title\x07\r\n::error::pwned\u202egnp.exe ##[command]"

WRONG = Problem(
    code="GK2004",
    location=Location(file="policies/web.yaml", line=12, column=17),
    subject="PropagationPolicy.policy.karmada.io shop/web",
    path="spec.placement.clusterAffinity.labelSelector.matchLabels.zone",
    message='no cluster has label "zone=eu-wset"',
    hint='Did you mean "eu-west"?',
)


def shown(lines: Iterable[Line]) -> str:
    return "".join(f"{plain(spans)}".rstrip() + "\n" for spans in lines)


def test_a_finding_shows_the_line_and_a_caret() -> None:
    assert shown(blocks([WRONG], lambda _: "          zone: eu-wset")) == GOLDEN


GOLDEN = """\
error[GK2004]: spec.placement.clusterAffinity.labelSelector.matchLabels.zone: no cluster has label "zone=eu-wset"
  --> policies/web.yaml:12:17
   |
12 |           zone: eu-wset
   |                 ^^^^^^^
   = object: PropagationPolicy.policy.karmada.io shop/web
   = fix:    Did you mean "eu-west"?

"""


def test_a_finding_without_its_file_still_says_the_place() -> None:
    text = shown(blocks([WRONG]))
    assert "--> policies/web.yaml:12:17" in text
    assert "^" not in text


@pytest.mark.parametrize(
    "problem",
    [
        Problem(code="GK1006", location=Location(file="a.yaml", line=3, column=1), message="plain"),
        Problem(code="GK2011", location=Location(file="a.yaml", line=3), subject="Secret shop/a", message="wrong"),
    ],
    ids=["plain-secret", "about-a-secret"],
)
def test_no_line_of_a_secret_is_repeated(problem: Problem) -> None:
    assert "hunter2" not in shown(blocks([problem], lambda _: "  password: hunter2"))


def test_many_findings_are_counted_not_flooded() -> None:
    warnings = [Problem(code="GK2012", severity=Severity.WARNING, message=str(number)) for number in range(60)]
    text = shown(blocks([*warnings, WRONG], most=50, verb="plan"))
    assert text.count("warning[GK2012]") == 49
    assert text.startswith("error[GK2004]")
    assert "… and 0 errors, 11 warnings more; all of them: gitops-karmada plan -o json" in text


def test_tally() -> None:
    warning = Problem(code="GK2012", severity=Severity.WARNING, message="m")
    assert tally([WRONG, warning, warning]) == "1 error, 2 warnings"


def test_text_from_elsewhere_cannot_move_the_cursor_or_hide_itself() -> None:
    out = io.StringIO()
    Screen(out=out, err=out, out_colour=True).data([line(Span(HOSTILE, Tone.BAD))])
    written = out.getvalue()
    assert written.startswith("\x1b[31mx")
    assert written.count("\x1b") == 2
    assert written.count("\n") == 1
    assert "\u202e" not in written


@pytest.mark.parametrize(
    "character", ["\x00", "\x08", "\r", "\n", "\x1b", "\x7f", "\x9b", "\u200b", "\u2066", "\ufeff"]
)
def test_harmful_characters_are_shown_as_such(character: str) -> None:
    assert clean(f"a{character}b") == "a\N{REPLACEMENT CHARACTER}b"


def test_ordinary_text_stays_as_it_is() -> None:
    text = "名前 é ü → ↦ ✔ 🙂\t!"
    assert clean(text) == text


def test_a_terminal_without_unicode_gets_other_symbols() -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii")
    Screen(out=out).data([line("4 → 5 ↦ ✔ 名")])
    out.flush()
    assert raw.getvalue() == b"4 -> 5 > + \\u540d\n"


def test_an_annotation_cannot_carry_another_command() -> None:
    hostile = Problem(
        code="GK1001",
        location=Location(file=f"a,b:c{HOSTILE}.yaml", line=2),
        subject=HOSTILE,
        message=f"100% {HOSTILE}",
    )
    lines = list(github.annotations([hostile]))
    assert len(lines) == 1
    assert lines[0].startswith("::error title=GK1001 ")
    assert "\n" not in lines[0]
    assert "##[" not in lines[0]
    properties = lines[0].removeprefix("::error ").split("::", 1)[0]
    assert properties.count(",") == 2
    assert "a%2Cb%3Ac" in properties
    assert "100%25" in lines[0]


def test_more_annotations_than_github_shows_are_listed_as_text() -> None:
    lines = list(github.annotations([WRONG] * 13))
    assert sum(text.startswith("::error") for text in lines) == 10
    assert sum(text.startswith("error[GK2004]") for text in lines) == 3
    assert lines[-1].startswith("3 more of severity error")


def test_a_plain_line_is_never_a_command() -> None:
    assert not github.plain_line("  ::add-mask::x").lstrip().startswith("::")


def test_markdown_shows_text_as_text() -> None:
    text = markdown.escaped("<img src=x> [a](http://x) @team `b` *c* |")
    assert text == "&lt;img src=x&gt; \\[a\\]\\(http&#58;//x\\) &#64;team \\`b\\` \\*c\\* \\|"
    assert markdown.code("a`b|c\nd") == "`a'b\\|c\N{REPLACEMENT CHARACTER}d`"


def test_markdown_stays_within_the_limit_of_a_comment() -> None:
    text = markdown.within_limit(["# head"], ["row" * 100] * 1000, ["foot"])
    assert len(text) < 65_536
    assert "more lines, left out" in text
    assert text.endswith("foot\n")


def test_sarif_names_rule_place_and_a_fingerprint_that_survives_moved_lines() -> None:
    moved = Problem(
        code=WRONG.code,
        location=Location(file="policies/web.yaml", line=99),
        subject=WRONG.subject,
        path=WRONG.path,
        message=WRONG.message,
    )
    results = sarif.log([WRONG, moved])["runs"][0]["results"]
    assert results[0]["partialFingerprints"] == results[1]["partialFingerprints"]
    assert results[0]["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "policies/web.yaml"},
        "region": {"startLine": 12, "startColumn": 17},
    }
    assert results[0]["ruleId"] == "GK2004"


def test_machine_output_is_safe_and_the_same_in_both_forms() -> None:
    value = {"name": HOSTILE, "items": (1, None, True), "empty": {}}
    assert "\x1b" not in as_json(value)
    assert "\u202e" not in as_json(value)
    assert json.loads(as_json(value)) == {"name": HOSTILE, "items": [1, None, True], "empty": {}}
    import yaml

    assert yaml.safe_load(as_yaml(value)) == json.loads(as_json(value))
    assert "\x1b" not in as_yaml(value)


def test_tables_are_aligned_also_with_wide_characters() -> None:
    assert shown(table(("NAME", "N"), [("名前", "1"), ("a", "22")], indent="")) == "NAME   N\n名前   1\na      22\n"


@pytest.mark.parametrize(
    ("error", "code", "exit_code"),
    [
        (ManifestError("x"), "GK1010", Exit.NO),
        (SettingsError("x"), "GK8002", Exit.USAGE),
        (RepositoryError("x"), "GK4001", Exit.FAILED),
        (MemberError("x"), "GK5001", Exit.FAILED),
        (GitopsKarmadaError("x"), "GK9001", Exit.FAILED),
    ],
    ids=["manifest", "settings", "repository", "member", "other"],
)
def test_whose_fault_it_is_decides_code_and_exit(error: GitopsKarmadaError, code: str, exit_code: Exit) -> None:
    assert [problem.code for problem in problems_of(error)] == [code]
    assert exit_of(error) is exit_code
