"""From templates and policies to bindings: who claims what, and what each claimed template asks for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, assert_never

from gitops_karmada.core.bind import BindSettings, Unbound, bind, wish_of
from gitops_karmada.core.claim import (
    UNSELECTED,
    Claim,
    Claimed,
    Policies,
    Unclaimed,
    Waiting,
    claim,
    claim_of,
    policies_of,
    with_claim,
    without_claim,
)
from gitops_karmada.core.doubt import is_rule_in_doubt, template_in_doubt
from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.core.interpreters import InterpretError
from gitops_karmada.core.match import Candidate
from gitops_karmada.core.propagable import Propagable, propagable
from gitops_karmada.core.record import binding_path, object_path
from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.decisions import Decision
from gitops_karmada.model.federation import Federation, Ledger, Template
from gitops_karmada.model.frozen import Frozen
from gitops_karmada.model.objects import Key
from gitops_karmada.model.plan import Competitor, Hold, Question, Why
from gitops_karmada.model.problems import Location, Problem

# In the turn's memory: the contents of templates without a binding, by path. What tells a new one from a changed one.
UNBOUND: Final = "unbound"

_NO_RULE: Final = "the rule that told the replicas of this kind cannot be read now"


@dataclass(slots=True)
class Gathered:
    """Bindings before scheduling, with what is known of each so far."""

    bindings: dict[Key, Binding] = field(default_factory=dict)
    whys: dict[Key, Why] = field(default_factory=dict)
    unbound: dict[str, str] = field(default_factory=dict)
    holds: list[Hold] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def gathered(question: Question, interpreter: Interpreter, contents: Mapping[Key, str]) -> Gathered:
    """Every template's binding. Templates that cannot be read now keep the one they had."""
    federation, ledger = question.federation, question.ledger
    found = Gathered()
    stage = _Stage(
        policies=policies_in(federation),
        propagable=propagable_in(federation),
        settings=_bind_settings(federation),
        interpreter=interpreter,
        federation=federation,
        ledger=ledger,
        locations=_locations(federation),
        spoilt=frozenset(problem.location.file for problem in ledger.problems if problem.location),
    )
    for key, template in federation.templates.items():
        _gather(key, template, contents[key], stage, found)
    _keep_unreadable(federation, ledger, found)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stage:
    policies: Policies
    propagable: Propagable
    settings: BindSettings
    interpreter: Interpreter
    federation: Federation
    ledger: Ledger
    locations: Mapping[tuple[str, str], Location]
    spoilt: frozenset[str]


def policies_in(federation: Federation) -> Policies:
    return policies_of(
        (declared.value for declared in federation.propagation_policies),
        (declared.value for declared in federation.override_policies),
        broken=federation.broken,
        is_complete=not federation.unread,
        preemption=federation.settings.spec.features.propagation_policy_preemption,
    )


def propagable_in(federation: Federation) -> Propagable:
    spec = federation.settings.spec
    return propagable(spec.skipped_propagating_apis, spec.skipped_propagating_namespaces)


def _bind_settings(federation: Federation) -> BindSettings:
    return BindSettings(
        instance=federation.settings.instance,
        features=federation.settings.spec.features,
        priorities={declared.value.metadata.name: declared.value.value for declared in federation.priority_classes},
        preempting=_preempting(federation),
    )


def _preempting(federation: Federation) -> frozenset[str]:
    """Off unless it is asked for; then a class that does not say may preempt, as in Kubernetes."""
    if not federation.settings.spec.preemption:
        return frozenset()
    classes = (declared.value for declared in federation.priority_classes)
    return frozenset(it.metadata.name for it in classes if it.preemption_policy in ("", "PreemptLowerPriority"))


def _locations(federation: Federation) -> dict[tuple[str, str], Location]:
    return {
        (declared.value.metadata.namespace, declared.value.metadata.name): declared.location
        for declared in federation.propagation_policies
    }


def _gather(key: Key, template: Template, content: str, stage: _Stage, found: Gathered) -> None:
    previous = stage.ledger.bindings.get(key)
    if stage.propagable.refusal(template.object):
        # What is propagated no more from now on stays where it is, as when a policy goes.
        if previous is not None:
            found.bindings[key] = previous
        return
    if binding_path(key) in stage.spoilt:
        # Where it runs is not known: deciding afresh could move it.
        reason = f"{binding_path(key)} on the status branch cannot be understood, so nothing is decided"
        found.holds.append(Hold(place=None, key=key, reason=reason, hint="Revert the commit that changed it by hand"))
        return
    last = stage.ledger.memory.get(UNBOUND, {}).get(object_path(key)) if previous is None else None
    verdict = claim(template.object, stage.policies, previous=previous, content=content, last_content=last)
    binding = _bound(verdict, template, previous, content, stage, found)
    if binding is not None:
        found.bindings[key] = binding
    if binding is None or _is_brought_along(binding):
        found.unbound[object_path(key)] = content
    else:
        found.whys[key] = _why(key, template, verdict, binding, stage)


def _is_brought_along(binding: Binding) -> bool:
    """Nobody's but its workloads': the same in the turn that makes it and in all that follow."""
    return is_dependency_only(binding) and claim_of(binding) is None


def _bound(
    verdict: Claim, template: Template, previous: Binding | None, content: str, stage: _Stage, found: Gathered
) -> Binding | None:
    match verdict:
        case Claimed():
            return _claimed(verdict, template, previous, content, stage, found)
        case Waiting(policy=policy):
            if previous is None or policy is None:
                return previous
            # A lazy policy has the claim at once; what it says takes effect with the template's next change.
            return with_claim(previous, policy, stage.settings.instance)
        case Unclaimed():
            return without_claim(previous) if previous is not None else None
        case _:
            assert_never(verdict)


def _claimed(
    verdict: Claimed, template: Template, previous: Binding | None, content: str, stage: _Stage, found: Gathered
) -> Binding | None:
    try:
        wish = wish_of(template.object, stage.interpreter, stage.settings.features)
    except (InterpretError, ValueError) as wrong:
        found.problems.append(_not_interpreted(template, wrong))
        return previous
    if previous is not None and is_rule_in_doubt(previous, template.object, stage.interpreter, stage.federation):
        found.problems.append(_about(template, "GK2050", _NO_RULE, "Until then the last good state stays"))
        return previous
    bound = bind(
        template.object,
        verdict.policy,
        wish,
        stage.settings,
        content=content,
        applied=stage.policies.propagation.content(verdict.policy),
        previous=previous,
    )
    if isinstance(bound, Unbound):
        found.problems.append(_about(template, bound.code, bound.reason, bound.hint))
        return previous
    return bound


def _about(template: Template, code: str, message: str, hint: str = "") -> Problem:
    return Problem(code=code, location=template.location, subject=str(template.key), message=message, hint=hint)


def _not_interpreted(template: Template, wrong: InterpretError | ValueError) -> Problem:
    """Where a script is to blame, its line is the place to mend."""
    problem = _about(template, "GK2050", str(wrong), "Until then the last good state stays")
    script = wrong.location if isinstance(wrong, InterpretError) else None
    return replace(problem, location=script) if script is not None else problem


# Why ------------------------------------------------------------------------------------------------------------------


def _why(key: Key, template: Template, verdict: Claim, binding: Binding, stage: _Stage) -> Why:
    holder = claim_of(binding)
    name = str(holder) if holder is not None else ""
    last = stage.ledger.whys.get(key)
    kept = last is not None and last.claim == name and _says_no_more(verdict)
    return Why(
        key=key,
        source=template.location,
        claim=name,
        # Why it got the claim is worth more than that it still has it.
        claim_reason=last.claim_reason if last is not None and kept else verdict.reason,
        competitors=tuple(_competitors(template, stage)),
    )


def _says_no_more(verdict: Claim) -> bool:
    return isinstance(verdict, Claimed) or verdict == Unclaimed(reason=UNSELECTED)


def _competitors(template: Template, stage: _Stage) -> Iterator[Competitor]:
    for candidate in stage.policies.propagation.candidates(template.object):
        yield _competitor(candidate, stage)


def _competitor(candidate: Candidate, stage: _Stage) -> Competitor:
    metadata = candidate.policy.metadata
    return Competitor(
        policy=str(candidate.policy),
        location=stage.locations.get((metadata.namespace, metadata.name)),
        priority=candidate.policy.spec.priority,
        implicit_priority=int(candidate.implicit_priority),
        lost=candidate.lost,
    )


# What cannot be read --------------------------------------------------------------------------------------------------


def _keep_unreadable(federation: Federation, ledger: Ledger, found: Gathered) -> None:
    """A template whose manifest is wrong, or may stand in a file that cannot be read, keeps its last binding."""
    for key, binding in ledger.bindings.items():
        if key in found.bindings or key in federation.templates:
            continue
        reason = _doubt(key, federation, ledger)
        if reason:
            found.bindings[key] = binding
            found.holds.append(Hold(place=None, key=key, reason=reason, hint="Mend it; until then nothing changes"))
            if key in ledger.whys:
                found.whys[key] = ledger.whys[key]


def _doubt(key: Key, federation: Federation, ledger: Ledger) -> str:
    if key in federation.broken:
        return "its manifest cannot be used, so the last good state stays"
    if federation.unread and not is_dependency_only(ledger.bindings[key]):
        file = ledger.sources.get(key, "")
        where = file if file in federation.unread else ", ".join(sorted(federation.unread)[:3])
        return f"{where} could not be read, and its manifest may be there"
    return template_in_doubt(key, ledger, federation)


def is_dependency_only(binding: Binding) -> bool:
    """Made for the templates that need it, never claimed by a policy."""
    return binding.spec.placement is None


def remembered(found: Gathered) -> Mapping[str, Any]:
    return Frozen({UNBOUND: Frozen(dict(sorted(found.unbound.items())))}) if found.unbound else Frozen()


def with_decision(why: Why, decision: Decision | None, last: Why | None) -> Why:
    """The record with the pass that led here: the last one where none ran, or where it ran to the same end."""
    before = last.decision if last is not None else None
    if decision is None or (before is not None and _same_end(decision, before)):
        return replace(why, decision=before)
    return replace(why, decision=decision)


def _same_end(decision: Decision, before: Decision) -> bool:
    """Room changes all the time; a decision is worth a commit when its end or its reasons changed.

    A pass that starts at the affinity group which it found before leaves out the earlier ones: that is nothing new.
    """
    tried, known = _reasons(decision), _reasons(before)
    return _end(decision) == _end(before) and tried == known[len(known) - len(tried) :]


def _end(decision: Decision) -> tuple[Any, ...]:
    return decision.outcome, decision.message, decision.affinity_name, decision.clusters


def _reasons(decision: Decision) -> tuple[Any, ...]:
    return tuple((attempt.affinity_name, attempt.unfit, attempt.error) for attempt in decision.attempts)
