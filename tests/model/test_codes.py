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
