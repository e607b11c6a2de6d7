"""What should be: from what is asked for, what was and what is seen, to bindings and works."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from gitops_karmada.core.capacity import Capacity
from gitops_karmada.core.causes import DECLARED, cause_of, declared_digest
from gitops_karmada.core.definitions import defined, undefined
from gitops_karmada.core.dependencies import Attached, attach, recorded_references, references_of
from gitops_karmada.core.dispatch import dispatched, namespaced, rendering_of
from gitops_karmada.core.doubt import are_needs_in_doubt
from gitops_karmada.core.gather import gathered, remembered, with_decision
from gitops_karmada.core.hydrate import released, remembered_members
from gitops_karmada.core.identity import content_of
from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.core.interpreters import InterpretError
from gitops_karmada.core.member_quotas import member_quotas_of
from gitops_karmada.core.nodes import nodes_of
from gitops_karmada.core.overriders import YamlText
from gitops_karmada.core.place import Placed, placed
from gitops_karmada.core.quota import QuotaLedger, with_usage
from gitops_karmada.core.register import registered, steady, with_usable_room
from gitops_karmada.core.retire import leaving
from gitops_karmada.core.schedule import SchedulingWorld
from gitops_karmada.core.unplaced import left_in_place, unplaced
from gitops_karmada.core.unsettle import homeless_kept, unsettled
from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.federation import Federation
from gitops_karmada.model.frozen import Frozen
from gitops_karmada.model.members import Observed
from gitops_karmada.model.objects import ClusterName, Key
from gitops_karmada.model.plan import Plan, Question, Why
from gitops_karmada.model.policies import FederatedResourceQuota
from gitops_karmada.model.problems import Problem, Severity
from gitops_karmada.model.secrets import redacted
from gitops_karmada.model.works import Place, Work

# In the turn's memory: the commit that the source lost, while there are deletes that only this explains.
REWRITTEN: Final = "rewrittenFrom"


def plan(question: Question, interpreter: Interpreter, yaml: YamlText) -> Plan:
    """Decide. The same question has the same answer, whatever the order of files and clusters."""
    federation, ledger = question.federation, question.ledger
    known, readiness = registered(question)
    contents = {key: content_of(redacted(template.object)) for key, template in federation.templates.items()}
    found = gathered(question, interpreter, contents)
    free = unsettled(found.bindings, known, question, interpreter)
    clusters = _with_definitions(known, free.bindings, question)
    quotas = QuotaLedger(_enforced(federation), free.bindings.values())
    fold = placed(free.bindings.values(), _world(question, clusters, free.bindings), quotas, question.now)
    fold = replace(fold, bindings=homeless_kept(fold.bindings, free, question.now))
    attached, problems = _attached(fold, federation, interpreter, contents)
    rendering = rendering_of(federation, interpreter, yaml)
    sent = dispatched(attached.bindings, contents, clusters, question, rendering)
    leave = leaving(ledger, sent.works, attached.bindings, federation)
    works = {**sent.works, **leave.kept}
    spaces = namespaced(works.values(), clusters, question, rendering)
    works |= spaces.works
    leave = leave.without(works)
    disputed = {REWRITTEN: federation.rewritten_from} if federation.rewritten_from and leave.retiring else {}
    leave = released(leave, question)
    works |= leave.kept
    whys = _whys(found.whys, fold, attached.bindings, question)
    homeless = unplaced(attached.bindings, whys, federation)
    decided = Plan(
        commit=federation.commit,
        decided_at=question.now,
        bindings=attached.bindings,
        whys=whys,
        works=works,
        retiring=leave.retiring,
        holds=(*found.holds, *leave.holds),
        clusters=_recorded(clusters, question, calm=whys == ledger.whys),
        rebalancers=free.rebalancers,
        quotas=_quotas(federation, quotas, sent.works),
        sources={key: file for key in whys if (file := _source(key, question))},
        template_statuses={key: status for key, status in ledger.template_statuses.items() if key in attached.bindings},
        receipts=ledger.receipts,
        memory=Frozen(
            {
                DECLARED: declared_digest(federation),
                **readiness,
                **remembered(found),
                **free.memory,
                **sent.memory,
                **disputed,
                **remembered_members(federation, works),
            }
        ),
        problems=(
            *federation.problems,
            *ledger.problems,
            *found.problems,
            *free.problems,
            *homeless,
            *left_in_place(attached.bindings, federation),
            *problems,
            *sent.problems,
            *spaces.problems,
        ),
    )
    return replace(decided, cause=cause_of(decided, ledger))


def _with_definitions(
    clusters: Mapping[ClusterName, Cluster], bindings: Mapping[Key, Binding], question: Question
) -> Mapping[ClusterName, Cluster]:
    """The clusters as they are once the definitions of this turn are there, so that their objects go out with them."""
    templates = question.federation.templates
    wanted = undefined(bindings, templates, clusters.values())
    if not wanted:
        return clusters
    fold = placed(wanted, _world(question, clusters, bindings), QuotaLedger((), ()), question.now)
    return defined(clusters, fold.bindings, templates)


def _source(key: Key, question: Question) -> str:
    """The file of a template, or the last one of a template that cannot be read now."""
    template = question.federation.templates.get(key)
    return template.location.file if template is not None else question.ledger.sources.get(key, "")


def _world(
    question: Question, clusters: Mapping[ClusterName, Cluster], bindings: Mapping[Key, Binding]
) -> SchedulingWorld:
    features = question.federation.settings.spec.features
    usable = {name: with_usable_room(cluster, question.members.get(name)) for name, cluster in clusters.items()}
    nodes = {
        str(name): nodes_of(state.nodes, state.pods)
        for name, state in question.members.items()
        if isinstance(state, Observed) and state.healthy and state.nodes is not None and state.pods is not None
    }
    quotas = {
        str(name): member_quotas_of(state.quotas)
        for name, state in question.members.items()
        if isinstance(state, Observed) and features.resource_quota_estimate
    }
    capacity = Capacity(usable.values(), nodes, features.customized_cluster_resource_modeling, quotas)
    return SchedulingWorld(clusters.values(), capacity=capacity, features=features, bindings=bindings.values())


def _attached(
    fold: Placed, federation: Federation, interpreter: Interpreter, contents: Mapping[Key, str]
) -> tuple[Attached, list[Problem]]:
    references, problems = {}, []
    for key, binding in fold.bindings.items():
        template = federation.templates.get(key)
        if not binding.spec.propagate_deps:
            continue
        # A workload that cannot be read, or asked, still needs what it needed: unknown is not nothing.
        references[key] = recorded_references(binding)
        if template is None or are_needs_in_doubt(template.object, interpreter, federation):
            continue
        try:
            references[key] = references_of(binding, template.object, contents[key], interpreter)
        except InterpretError as wrong:
            where = wrong.location or template.location
            problems.append(Problem(code="GK2050", location=where, subject=str(key), message=str(wrong)))
    templates = {key: template.object for key, template in federation.templates.items()}
    attached = attach(fold.bindings, references, templates, federation.settings.instance, contents)
    problems.extend(_said(attached, federation))
    return attached, problems


def _said(attached: Attached, federation: Federation) -> Iterator[Problem]:
    for missing in attached.missing:
        template = federation.templates.get(missing.needed_by)
        yield Problem(
            code="GK2052",
            severity=Severity.WARNING,
            location=template.location if template else None,
            subject=str(missing.needed_by),
            message=f"needs {missing.dependency}, which is not in the repository",
            hint="Commit it, or make sure that the members have it",
        )
    for conflict in attached.conflicts:
        template = federation.templates.get(conflict.dependency)
        yield Problem(
            code="GK2053",
            severity=Severity.WARNING,
            location=template.location if template else None,
            subject=str(conflict.dependency),
            message=f"{conflict.message}: needed by {', '.join(str(key) for key in conflict.needed_by)}",
        )


def _whys(whys: Mapping[Key, Why], fold: Placed, bindings: Mapping[Key, Binding], question: Question) -> dict[Key, Why]:
    found = {}
    for key, binding in bindings.items():
        template = question.federation.templates.get(key)
        why = whys.get(key) or Why(key=key, source=template.location if template else None)
        last = question.ledger.whys.get(key)
        needed_by = tuple(f"{snapshot.namespace}/{snapshot.name}" for snapshot in binding.spec.required_by)
        found[key] = replace(with_decision(why, fold.decisions.get(key), last), required_by=needed_by)
    return found


def _recorded(
    clusters: Mapping[ClusterName, Cluster], question: Question, *, calm: bool
) -> Mapping[ClusterName, Cluster]:
    """What the status branch keeps: while nothing was decided, small changes of room are not worth a commit."""
    last = question.ledger.clusters
    if not calm:
        return clusters
    return {name: steady(cluster, last.get(name)) for name, cluster in clusters.items()}


def _enforced(federation: Federation) -> tuple[FederatedResourceQuota, ...]:
    """The quotas that placements keep to."""
    if not federation.settings.spec.features.federated_quota_enforcement:
        return ()
    return tuple(declared.value for declared in federation.quotas)


def _quotas(
    federation: Federation, quotas: QuotaLedger, works: Mapping[Place, Work]
) -> dict[str, FederatedResourceQuota]:
    is_enforced = federation.settings.spec.features.federated_quota_enforcement
    return {
        f"{quota.metadata.namespace}/{quota.metadata.name}": with_usage(
            quota, quotas.used(quota) if is_enforced else None, works
        )
        for quota in (declared.value for declared in federation.quotas)
    }
