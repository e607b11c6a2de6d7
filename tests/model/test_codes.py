import re
from pathlib import Path

import gitops_karmada
from gitops_karmada.model.codes import CODES

PACKAGE = Path(gitops_karmada.__file__).parent
TABLE = PACKAGE / "model" / "codes.py"


def test_every_code_that_the_program_names_is_explained() -> None:
    named = {
        code: file.name
        for file in PACKAGE.rglob("*.py")
        if file != TABLE
        for code in re.findall(r"\bGK\d{4}\b", file.read_text(encoding="utf-8"))
    }
    assert {code: file for code, file in named.items() if code not in CODES} == {}
    assert len(named) > 50


def test_every_explained_code_is_raised_somewhere() -> None:
    sources = "".join(file.read_text(encoding="utf-8") for file in PACKAGE.rglob("*.py") if file != TABLE)
    assert [code for code in CODES if code not in sources] == []


def test_a_code_means_one_thing() -> None:
    """People search for it, and scripts act on it: two meanings would be worse than none."""
    given = re.findall(r'_code\(\s*"(GK\d{4})",\s*"([a-z-]+)"', TABLE.read_text(encoding="utf-8"))
    codes, names = [code for code, _ in given], [name for _, name in given]
    assert len(given) == len(CODES)
    assert sorted(set(codes)) == sorted(codes)
    assert sorted(set(names)) == sorted(names)
