"""Templates that go nowhere, and annotations on them that mean nothing."""

from collections.abc import Iterator
from typing import Final

from gitops_karmada.core.dependencies import Shelf
from gitops_karmada.core.interpreters import InterpretError
from gitops_karmada.core.lints import Repository, about_template
from gitops_karmada.core.render import CONFLICT_RESOLUTION
from gitops_karmada.model.federation import Template
from gitops_karmada.model.objects import Key, Object, annotations_of
from gitops_karmada.model.problems import Problem, Severity

# They go where they are needed, or mean something to us alone.
_GO_BY_THEMSELVES: Final = frozenset({("", "Namespace"), ("scheduling.k8s.io", "PriorityClass")})


def unclaimed_templates(repository: Repository) -> Iterator[Problem]:
    """Said only where the policy for it cannot be one that is there but wrong, or in a file that cannot be read."""
    if repository.federation.unread:
        return
    needed = _dependencies(repository)
    for key, candidates in sorted(repository.competing.items()):
        if candidates or key in needed or (key.group, key.kind) in _GO_BY_THEMSELVES:
            continue
        if any(_may_select(policy, key) for policy in repository.federation.broken):
            continue
        yield about_template(
            repository.federation.templates[key],
            "GK2002",
            "",
            "no policy selects it and no workload brings it along: it goes nowhere",
            severity=Severity.NOTICE,
        )


def _may_select(broken: Key, key: Key) -> bool:
    if broken.kind == "ClusterPropagationPolicy":
        return True
    return broken.kind == "PropagationPolicy" and broken.namespace == key.namespace


def unknown_conflict_resolutions(repository: Repository) -> Iterator[Problem]:
    for key in sorted(repository.competing):
        template = repository.federation.templates[key]
        asked = annotations_of(template.object).get(CONFLICT_RESOLUTION)
        if asked is not None and asked not in ("overwrite", "abort"):
            message = f"{CONFLICT_RESOLUTION}: {asked!r} is neither overwrite nor abort, the policy decides"
            yield about_template(template, "GK2043", "metadata.annotations", message)


def _dependencies(repository: Repository) -> set[Key]:
    """What claimed workloads bring along."""
    templates = repository.federation.templates
    shelf = Shelf({key: templates[key].object for key in repository.competing})
    return {
        found
        for key, candidates in repository.competing.items()
        if key.namespace and candidates and candidates[0].policy.spec.propagate_deps
        for reference in _references(repository, templates[key])
        for found in shelf.find(reference)
    }


def _references(repository: Repository, template: Template) -> tuple[Object, ...]:
    try:
        return repository.interpreter.dependencies(template.object) or ()
    except InterpretError:
        return ()
