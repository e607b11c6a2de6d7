"""What is wrong with customizations together: scripts that do not compile, and two for the same question."""

from collections.abc import Iterable, Iterator, Sequence

from gitops_karmada.core.customize import JSON_NAMES, Script, scripts_of
from gitops_karmada.model.customizations import ResourceInterpreterCustomization, ScriptError, Scripts
from gitops_karmada.model.federation import Declared
from gitops_karmada.model.objects import key_of
from gitops_karmada.model.problems import Problem

# What one customization needs, another does not take away: the answers of all are added up.
SHARED = "dependency_interpretation"


def check_customizations(
    declared: Sequence[Declared[ResourceInterpreterCustomization]], scripts: Scripts
) -> list[Problem]:
    """Karmada refuses such a customization when it is written."""
    return [*_conflicts(declared), *_faults(declared, scripts)]


def _faults(declared: Iterable[Declared[ResourceInterpreterCustomization]], scripts: Scripts) -> Iterator[Problem]:
    for customization in declared:
        for script in scripts_of(customization):
            try:
                scripts.check(script.text)
            except ScriptError as error:
                where = f" (line {error.line} of the script)" if error.line else ""
                yield _problem(customization, script, f"does not compile: {error}{where}", error.line)


def _conflicts(declared: Iterable[Declared[ResourceInterpreterCustomization]]) -> Iterator[Problem]:
    first: dict[tuple[str, str, str], str] = {}
    for customization in sorted(declared, key=lambda one: one.value.metadata.name):
        target = customization.value.spec.target
        for script in scripts_of(customization):
            question = (target.api_version, target.kind, script.operation)
            other = first.setdefault(question, script.customization)
            if other != script.customization and script.operation != SHARED:
                message = f"ResourceInterpreterCustomization {other} already says this of {target.kind}, and counts"
                yield _problem(customization, script, message, 0)


def _problem(
    customization: Declared[ResourceInterpreterCustomization], script: Script, message: str, line: int
) -> Problem:
    return Problem(
        code="GK2031",
        location=script.line_at(line),
        subject=str(key_of(customization.manifest)),
        path=f"spec.customizations.{JSON_NAMES[script.operation]}.luaScript",
        message=message,
        hint="Mend or remove the script; until then its errors are findings of the objects that it is asked about",
    )
