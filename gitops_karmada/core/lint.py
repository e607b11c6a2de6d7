"""What a person should know of a repository although nothing in it is wrong."""

from collections.abc import Mapping
from typing import Final

from gitops_karmada.core.claim import policies_of
from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.core.lints import Lint, Repository
from gitops_karmada.core.lints.competition import overlapping_policies, shadowed_policies
from gitops_karmada.core.lints.effects import (
    deprecated_fields,
    ineffective_division,
    ineffective_selectors,
    ineffective_suspension,
    ineffective_tolerations,
    switched_off,
)
from gitops_karmada.core.lints.failing_overrides import failing_overrides
from gitops_karmada.core.lints.kinds import uninterpreted_kinds
from gitops_karmada.core.lints.overrides import contested_fields
from gitops_karmada.core.lints.places import missing_clusters, unmet_spread
from gitops_karmada.core.lints.references import missing_overrides, missing_priority_classes
from gitops_karmada.core.lints.selectors import (
    idle_override_policies,
    idle_rebalancers,
    idle_selectors,
    never_propagated,
)
from gitops_karmada.core.lints.templates import unclaimed_templates, unknown_conflict_resolutions
from gitops_karmada.core.lints.weights import weights_beside_spread, weights_without_cluster
from gitops_karmada.core.match import Candidate
from gitops_karmada.core.overriders import YamlText
from gitops_karmada.core.propagable import Propagable, propagable
from gitops_karmada.model.federation import Federation
from gitops_karmada.model.objects import Key
from gitops_karmada.model.problems import Location, Problem

LINTS: Final[tuple[Lint, ...]] = (
    idle_selectors,
    idle_override_policies,
    idle_rebalancers,
    never_propagated,
    unclaimed_templates,
    unknown_conflict_resolutions,
    overlapping_policies,
    shadowed_policies,
    missing_clusters,
    unmet_spread,
    weights_without_cluster,
    weights_beside_spread,
    ineffective_division,
    ineffective_selectors,
    ineffective_suspension,
    ineffective_tolerations,
    switched_off,
    deprecated_fields,
    uninterpreted_kinds,
    missing_overrides,
    missing_priority_classes,
    contested_fields,
    failing_overrides,
)


def lint(federation: Federation, interpreter: Interpreter, yaml: YamlText | None = None) -> tuple[Problem, ...]:
    """Every finding, by place. Settings that cannot be read leave what is never propagated at its defaults."""
    repository = _repository(federation, interpreter, yaml)
    found = [problem for rule in LINTS for problem in rule(repository)]
    return tuple(sorted(found, key=_place))


def _repository(federation: Federation, interpreter: Interpreter, yaml: YamlText | None) -> Repository:
    spec = federation.settings.spec
    try:
        goes = propagable(spec.skipped_propagating_apis, spec.skipped_propagating_namespaces)
    except ValueError:
        goes = Propagable()
    policies = policies_of(
        (declared.value for declared in federation.propagation_policies),
        (declared.value for declared in federation.override_policies),
        broken=federation.broken,
        preemption=spec.features.propagation_policy_preemption,
    )
    competing: Mapping[Key, tuple[Candidate, ...]] = {
        key: policies.propagation.candidates(template.object)
        for key, template in federation.templates.items()
        if not goes.refusal(template.object)
    }
    return Repository(
        federation=federation,
        policies=policies,
        interpreter=interpreter,
        propagable=goes,
        competing=competing,
        clusters={declared.value.name: declared.value for declared in federation.clusters},
        yaml=yaml,
    )


def _place(problem: Problem) -> tuple[Location, str, str, str]:
    return problem.location or Location(file=""), problem.code, problem.subject, problem.path
