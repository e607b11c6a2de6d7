"""From placed bindings to the works of every member: what each of them gets, and what could not be rendered."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from gitops_karmada import __version__
from gitops_karmada.core.doubt import is_rule_in_doubt, override_in_doubt
from gitops_karmada.core.gather import propagable_in
from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.core.namespaces import namespaces_for
from gitops_karmada.core.override import OverrideIndex
from gitops_karmada.core.overriders import YamlText
from gitops_karmada.core.quota import static_quotas
from gitops_karmada.core.render import NotRendered, Rendering, in_clusters, leaving_directly, render, targets
from gitops_karmada.core.seal import sealed
from gitops_karmada.core.validate import field_path
from gitops_karmada.model.bindings import Binding, TargetCluster
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.federation import Federation, Ledger, Template
from gitops_karmada.model.frozen import NOTHING, Frozen
from gitops_karmada.model.managed_fields import digest
from gitops_karmada.model.objects import ClusterName, Key
from gitops_karmada.model.plan import Question
from gitops_karmada.model.problems import Location, Problem, Severity
from gitops_karmada.model.secrets import is_redacted
from gitops_karmada.model.works import Place, Work

# In the turn's memory: the digest of what all renderings share, and the places whose work could not be rendered.
RENDERED: Final = "rendered"
SHARED: Final = "shared"
FAILED: Final = "failed"


@dataclass(slots=True)
class Dispatched:
    """`failed` places keep an older work, or none, until they can be rendered. `memory` is for the next turn."""

    works: dict[Place, Work] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    memory: Mapping[str, Any] = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class _Last:
    """The works of the last turn. They are carried over where what they were rendered from is the same.

    Labels of clusters are no part of it: as in Karmada, a cluster that is labelled anew gets other overrides with the
    next change of the template or of an override policy.
    """

    ledger: Ledger
    is_comparable: bool
    failed: frozenset[str]
    occupied: Mapping[Key, frozenset[str]]

    def works(self, binding: Binding, clusters: Mapping[ClusterName, Cluster]) -> Iterable[Work] | None:
        """The works of the binding, all of them, or None where one has to be rendered."""
        before = self.ledger.bindings.get(binding.key)
        if not self.is_comparable or before is None or _inputs(before) != _inputs(binding):
            return None
        names = [
            ClusterName(target.name) for target in _targets_now(binding, self.occupied.get(binding.key, frozenset()))
        ]
        works = [self.ledger.works.get(Place(cluster=name, key=binding.key)) for name in names]
        found = [work for work in works if work is not None and _is_whole(work) and work.binding == binding.key]
        if len(found) < len(names) or any(name not in clusters for name in names):
            return None
        return None if any(str(work.place) in self.failed for work in found) else found

    def of(self, key: Key) -> Iterator[Work]:
        """The works of a binding, wherever they are."""
        for name in self.occupied.get(key, ()):
            yield self.ledger.works[Place(cluster=ClusterName(name), key=key)]


def _is_whole(work: Work) -> bool:
    """A Secret's values are not in the ledger."""
    return not work.retiring and not is_redacted(work.manifest)


def _inputs(binding: Binding) -> tuple[Any, ...]:
    return binding.metadata.generation, binding.spec


def dispatched(
    bindings: Mapping[Key, Binding],
    contents: Mapping[Key, str],
    clusters: Mapping[ClusterName, Cluster],
    question: Question,
    rendering: Rendering,
) -> Dispatched:
    """The works of all bindings and of quotas.

    A binding that lags behind its template, because its policy is lazy or gone, keeps the works that it has.
    """
    federation, ledger = question.federation, question.ledger
    found = Dispatched()
    shared = _shared(federation)
    last = _last(ledger, shared)
    for key, binding in sorted(bindings.items()):
        template = federation.templates.get(key)
        if template is None or binding.spec.resource.resource_version != contents[key]:
            continue
        if doubt := _doubt(binding, template, last, federation, rendering):
            _keep(binding, template, last, doubt, found)
        elif (carried := last.works(binding, clusters)) is not None:
            found.works.update({work.place: work for work in carried})
        else:
            _dispatch(binding, template, clusters, rendering, last.occupied.get(key, frozenset()), found, federation)
    found.memory = Frozen({RENDERED: Frozen({SHARED: shared, FAILED: sorted(found.failed)})})
    _quotas(federation, clusters, found)
    _keep_status(found, ledger)
    return found


def _doubt(binding: Binding, template: Template, last: _Last, federation: Federation, rendering: Rendering) -> str:
    """What the last rendering used and this one cannot: an override policy, or the rule of the kind."""
    if policy := override_in_doubt(last.of(binding.key), federation):
        return f"{policy} cannot be used now"
    in_doubt = is_rule_in_doubt(binding, template.object, rendering.interpreter, federation)
    return "the rule that told the replicas of this kind cannot be read now" if in_doubt else ""


def _keep(binding: Binding, template: Template, last: _Last, doubt: str, found: Dispatched) -> None:
    """The works as they were. A place that had none yet waits."""
    for target in _targets_now(binding, last.occupied.get(binding.key, frozenset())):
        place = Place(cluster=ClusterName(target.name), key=binding.key)
        work = last.ledger.works.get(place)
        if work is not None and not work.retiring:
            found.works[place] = work
        found.failed.append(str(place))
    problem = Problem(
        code="GK2006" if "Policy" in doubt else "GK2050",
        severity=Severity.WARNING,
        location=template.location,
        subject=str(template.key),
        message=f"stays as it is: {doubt}",
        hint="Mend the manifest",
    )
    found.problems.append(problem)


def rendering_of(federation: Federation, interpreter: Interpreter, yaml: YamlText) -> Rendering:
    return Rendering(
        interpreter=interpreter,
        overrides=OverrideIndex(declared.value for declared in federation.override_policies),
        yaml=yaml,
        stateful_failover_injection=federation.settings.spec.features.stateful_failover_injection,
    )


def _shared(federation: Federation) -> str:
    """A digest of what every rendering may read besides its binding and template."""
    declared = (*federation.override_policies, *federation.customizations, *federation.webhooks)
    manifests = sorted(digest(one.manifest) for one in declared)
    return digest({"release": __version__, "manifests": manifests})


def _last(ledger: Ledger, shared: str) -> _Last:
    remembered = ledger.memory.get(RENDERED, {})
    return _Last(
        ledger=ledger,
        is_comparable=remembered.get(SHARED) == shared,
        failed=frozenset(remembered.get(FAILED, ())),
        occupied=_occupied(ledger),
    )


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
    federation: Federation,
) -> None:
    failures: dict[tuple[str, str, str, int], list[NotRendered]] = {}
    idle: dict[str, list[str]] = {}
    for target in _targets_now(binding, occupied):
        rendered = render(binding, template.object, target, clusters.get(ClusterName(target.name)), rendering)
        if isinstance(rendered, NotRendered):
            alike = (rendered.code, rendered.path, rendered.reason, id(rendered.policy))
            failures.setdefault(alike, []).append(rendered)
            found.failed.append(str(Place(cluster=rendered.cluster, key=binding.key)))
        else:
            found.works[rendered.work.place] = sealed(rendered.work)
            for overrider in rendered.idle:
                idle.setdefault(overrider, []).append(target.name)
    found.problems.extend(_not_rendered(alike, template, federation) for alike in failures.values())
    found.problems.extend(_idle(overrider, names, template) for overrider, names in idle.items())


def _targets_now(binding: Binding, occupied: frozenset[str]) -> Iterable[TargetCluster]:
    """All targets; while a copy that must go directly is still there, only those that had one already."""
    going = leaving_directly(binding.spec) & occupied
    return (target for target in targets(binding.spec) if not going or target.name in occupied)


def _not_rendered(alike: Sequence[NotRendered], template: Template, federation: Federation) -> Problem:
    """One finding for all clusters where it is the same. Where an override is to blame, its line is the one to mend."""
    failure = alike[0]
    return Problem(
        code=failure.code,
        location=failure.location or _blamed(failure, federation) or template.location,
        subject=str(template.key),
        path=failure.path,
        message=failure.told([one.cluster for one in alike]),
        hint=failure.hint or "What runs there stays as it is",
    )


def _blamed(failure: NotRendered, federation: Federation) -> Location | None:
    declared = next((one for one in federation.override_policies if one.value is failure.policy), None)
    if declared is None:
        return None
    return declared.locate(field_path(failure.path)) if declared.locate else declared.location


def _idle(overrider: str, clusters: Sequence[str], template: Template) -> Problem:
    return Problem(
        code="GK2051",
        severity=Severity.WARNING,
        location=template.location,
        subject=str(template.key),
        message=f"{overrider} changed nothing ({in_clusters(clusters)})",
    )


def _quotas(federation: Federation, clusters: Mapping[ClusterName, Cluster], found: Dispatched) -> None:
    for declared in federation.quotas:
        for name, manifest in static_quotas(declared.value).items():
            if ClusterName(name) in clusters:
                work = Work(cluster=ClusterName(name), manifest=manifest)
                found.works.setdefault(work.place, work)


def namespaced(
    works: Iterable[Work], clusters: Mapping[ClusterName, Cluster], question: Question, rendering: Rendering
) -> Dispatched:
    """The namespaces that works need, new ones and those that are kept as they were."""
    federation, found = question.federation, Dispatched()
    declared = {name: template.object for name, template in federation.namespaces.items()}
    needed = namespaces_for(works, declared, clusters, rendering, propagable_in(federation))
    found.works.update({place: _undoubted(work, question) for place, work in needed.works.items()})
    _keep_status(found, question.ledger)
    for failure in needed.failed:
        where = _blamed(failure, federation)
        found.problems.append(
            Problem(
                code=failure.code,
                location=where,
                path=failure.path,
                message=failure.told([failure.cluster]),
                hint=failure.hint,
            )
        )
    return found


def _undoubted(work: Work, question: Question) -> Work:
    """A namespace as it was, where its manifest or an override of it cannot be read now."""
    federation, last = question.federation, question.ledger.works.get(work.place)
    if last is None or last.retiring:
        return work
    is_declared = work.key.name in federation.namespaces
    in_doubt = not is_declared and (bool(federation.unread) or work.key in federation.broken)
    return replace(last, suspended=work.suspended) if in_doubt or override_in_doubt([last], federation) else work


def _keep_status(found: Dispatched, ledger: Ledger) -> None:
    """What a work was known to have become stays until something newer is known. A namespace never goes with us."""
    for place, work in found.works.items():
        last = ledger.works.get(place)
        status = last.status if last is not None else work.status
        preserve = work.preserve or (place.key.kind == "Namespace" and not place.key.group)
        found.works[place] = replace(work, status=status, preserve=preserve)
