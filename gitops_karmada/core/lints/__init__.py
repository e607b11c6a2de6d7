"""What is allowed and yet hardly meant. A plugin here looks at a whole repository and tells what a person should know.

Nothing it finds keeps an object from being used.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from gitops_karmada.core.claim import Policies
from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.core.match import Candidate
from gitops_karmada.core.overriders import YamlText
from gitops_karmada.core.propagable import Propagable
from gitops_karmada.core.validate import field_path
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.federation import Declared, Federation, Template
from gitops_karmada.model.objects import Key, key_of
from gitops_karmada.model.problems import Location, Problem, Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A commit with what several lints need to know of it. `competing` has every template that may go to members.

    With `yaml` overrides are tried on the templates, which a plan does by itself.
    """

    federation: Federation
    policies: Policies
    interpreter: Interpreter
    propagable: Propagable
    competing: Mapping[Key, tuple[Candidate, ...]] = field(default_factory=dict)
    clusters: Mapping[str, Cluster] = field(default_factory=dict)
    yaml: YamlText | None = None

    @property
    def selecting(self) -> tuple[Declared[Any], ...]:
        """Every policy that selects objects."""
        return (*self.federation.propagation_policies, *self.federation.override_policies)


Lint: TypeAlias = Callable[[Repository], Iterator[Problem]]


def about(
    declared: Declared[Any],
    code: str,
    path: str,
    message: str,
    hint: str = "",
    severity: Severity = Severity.WARNING,
) -> Problem:
    """A finding about a field of a policy, cluster or the like."""
    location: Location = declared.locate(field_path(path)) if declared.locate else declared.location
    return Problem(
        code=code,
        severity=severity,
        location=location,
        subject=str(key_of(declared.manifest)),
        path=path,
        message=message,
        hint=hint,
    )


def about_template(
    template: Template,
    code: str,
    path: str,
    message: str,
    hint: str = "",
    severity: Severity = Severity.WARNING,
) -> Problem:
    location = template.locate(field_path(path)) if template.locate and path else template.location
    return Problem(
        code=code,
        severity=severity,
        location=location,
        subject=str(template.key),
        path=path,
        message=message,
        hint=hint,
    )
