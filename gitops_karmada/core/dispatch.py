"""From placed bindings to the works of every member: what each of them gets, and what could not be rendered."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from gitops_karmada.core.gather import propagable_in
from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.core.namespaces import namespaces_for
from gitops_karmada.core.override import OverrideIndex
from gitops_karmada.core.overriders import YamlText
from gitops_karmada.core.quota import static_quotas
from gitops_karmada.core.render import NotRendered, Rendered, Rendering, leaving_directly, render, targets
from gitops_karmada.model.bindings import Binding, TargetCluster
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.federation import Federation, Ledger, Template
from gitops_karmada.model.objects import ClusterName, Key
from gitops_karmada.model.plan import Question
from gitops_karmada.model.problems import Location, Problem, Severity
from gitops_karmada.model.works import Place, Work


@dataclass(slots=True)
class Dispatched:
    works: dict[Place, Work] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def dispatched(
    bindings: Mapping[Key, Binding],
    contents: Mapping[Key, str],
    clusters: Mapping[ClusterName, Cluster],
    question: Question,
    interpreter: Interpreter,
    yaml: YamlText,
) -> Dispatched:
    """The works of all bindings, of quotas, and the namespaces that they need.

    A binding that lags behind its template, because its policy is lazy or gone, keeps the works that it has.
    """
    federation, ledger = question.federation, question.ledger
    rendering = Rendering(
        interpreter=interpreter,
        overrides=OverrideIndex(declared.value for declared in federation.override_policies),
        yaml=yaml,
        stateful_failover_injection=federation.settings.spec.features.stateful_failover_injection,
    )
    found = Dispatched()
    occupied = _occupied(ledger)
    for key, binding in sorted(bindings.items()):
        template = federation.templates.get(key)
        if template is not None and binding.spec.resource.resource_version == contents[key]:
            _dispatch(binding, template, clusters, rendering, occupied.get(key, frozenset()), found)
    _quotas(federation, clusters, found)
    _namespaces(federation, clusters, rendering, found)
    _keep_status(found, ledger)
    return found


def _occupied(ledger: Ledger) -> dict[Key, frozenset[str]]:
    """Where each binding's object still is, as far as the ledger knows."""
    found: dict[Key, set[str]] = {}
    for place, work in ledger.works.items():
        if work.binding is not None:
            found.setdefault(work.binding, set()).add(place.cluster)
    return {key: frozenset(names) for key, names in found.items()}


def _dispatch(
    binding: Binding,
    template: Template,
    clusters: Mapping[ClusterName, Cluster],
    rendering: Rendering,
    occupied: frozenset[str],
    found: Dispatched,
) -> None:
    for target in _targets_now(binding, occupied):
        rendered = render(binding, template.object, target, clusters.get(ClusterName(target.name)), rendering)
        if isinstance(rendered, NotRendered):
            found.problems.append(_not_rendered(rendered, template))
        else:
            found.works[rendered.work.place] = rendered.work
            found.problems.extend(_idle(rendered, template, target))


def _targets_now(binding: Binding, occupied: frozenset[str]) -> Iterable[TargetCluster]:
    """All targets; while a copy that must go directly is still there, only those that had one already."""
    going = leaving_directly(binding.spec) & occupied
    return (target for target in targets(binding.spec) if not going or target.name in occupied)


def _not_rendered(failure: NotRendered, template: Template) -> Problem:
    return Problem(
        code=failure.code,
        location=template.location,
        subject=str(template.key),
        path=failure.path,
        message=f"{failure} (cluster {failure.cluster})",
        hint=failure.hint or "What runs there stays as it is",
    )


def _idle(rendered: Rendered, template: Template, target: TargetCluster) -> Iterator[Problem]:
    for overrider in rendered.idle:
        yield Problem(
            code="GK2051",
            severity=Severity.WARNING,
            location=template.location,
            subject=str(template.key),
            message=f"{overrider} changed nothing (cluster {target.name})",
        )


def _quotas(federation: Federation, clusters: Mapping[ClusterName, Cluster], found: Dispatched) -> None:
    for declared in federation.quotas:
        for name, manifest in static_quotas(declared.value).items():
            if ClusterName(name) in clusters:
                work = Work(cluster=ClusterName(name), manifest=manifest)
                found.works.setdefault(work.place, work)


def _namespaces(
    federation: Federation, clusters: Mapping[ClusterName, Cluster], rendering: Rendering, found: Dispatched
) -> None:
    declared = {name: template.object for name, template in federation.namespaces.items()}
    needed = namespaces_for(found.works.values(), declared, clusters, rendering, propagable_in(federation))
    found.works.update(needed.works)
    for failure in needed.failed:
        where: Location | None = None
        found.problems.append(
            Problem(code=failure.code, location=where, path=failure.path, message=f"{failure}", hint=failure.hint)
        )


def _keep_status(found: Dispatched, ledger: Ledger) -> None:
    """What a work was known to have become stays until something newer is known. A namespace never goes with us."""
    for place, work in found.works.items():
        last = ledger.works.get(place)
        status = last.status if last is not None else work.status
        preserve = work.preserve or (place.key.kind == "Namespace" and not place.key.group)
        found.works[place] = replace(work, status=status, preserve=preserve)
