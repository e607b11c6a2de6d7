"""Overrides of equal rank that write the same field of an object."""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from gitops_karmada.core.lints import Repository, about
from gitops_karmada.core.match import ImplicitPriority, best_priority
from gitops_karmada.core.override import policy_name, rules_for
from gitops_karmada.model.clusters import Cluster
from gitops_karmada.model.objects import Object
from gitops_karmada.model.policies import OverridePolicy, Overriders
from gitops_karmada.model.problems import Problem

CODE: Final = "GK2007"


def contested_fields(repository: Repository) -> Iterator[Problem]:
    """One finding a pair of policies; where clusters are registered, only if one cluster is meant by both."""
    declared = {id(one.value): one for one in repository.federation.override_policies}
    told: set[tuple[int, int]] = set()
    for key in sorted(repository.competing):
        obj = repository.federation.templates[key].object
        for stage in (repository.policies.overrides.cluster_policies(obj), repository.policies.overrides.policies(obj)):
            for first, second in combinations(stage, 2):
                pair = id(first), id(second)
                if pair in told or _rank(first, obj) != _rank(second, obj):
                    continue
                told.add(pair)
                shared = _shared(first, second, list(repository.clusters.values()))
                if shared:
                    yield about(
                        declared[id(second)],
                        CODE,
                        "spec",
                        f"writes {shared} of {key}, as {policy_name(first)} ({declared[id(first)].location}) does: "
                        f"{policy_name(second)} wins by its name",
                    )


def _rank(policy: OverridePolicy, obj: Object) -> ImplicitPriority:
    selectors = policy.spec.resource_selectors
    return best_priority(selectors, obj) if selectors else ImplicitPriority.ALL


def _shared(first: OverridePolicy, second: OverridePolicy, clusters: list[Cluster]) -> str:
    for cluster in clusters:
        ours = {path for _, rule in rules_for(first, cluster) for path in _written(rule.overriders)}
        theirs = {path for _, rule in rules_for(second, cluster) for path in _written(rule.overriders)}
        if ours & theirs:
            return min(ours & theirs)
    return ""


def _written(overriders: Overriders) -> Iterator[str]:
    for patch in overriders.plaintext:
        yield patch.path
    for image in overriders.image_overrider:
        yield image.predicate.path if image.predicate else f"the image {str(image.component).lower()}"
    for labels in overriders.labels_overrider:
        yield from (f"metadata.labels[{key}]" for key in labels.value)
    for annotations in overriders.annotations_overrider:
        yield from (f"metadata.annotations[{key}]" for key in annotations.value)
    for field in overriders.field_overrider:
        for operation in (*field.json, *field.yaml):
            yield f"{field.field_path}: {operation.sub_path}"
