"""Things that policies refer to by name and that are not there."""

from collections.abc import Iterator
from typing import Final

from gitops_karmada.core.bind import KUBE_PRIORITY_CLASS
from gitops_karmada.core.lints import Repository, about
from gitops_karmada.model.problems import Problem

OVERRIDE: Final = "GK2047"
PRIORITY: Final = "GK2049"


def missing_overrides(repository: Repository) -> Iterator[Problem]:
    for declared in repository.federation.propagation_policies:
        namespace = declared.value.metadata.namespace
        kind = f"OverridePolicy {namespace}/" if namespace else "ClusterOverridePolicy "
        for number, name in enumerate(declared.value.spec.dependent_overrides):
            if repository.policies.overrides.named(namespace, name) is None:
                path = f"spec.dependentOverrides[{number}]"
                message = f"there is no {kind}{name}: the policy waits for it"
                yield about(declared, OVERRIDE, path, message)


def missing_priority_classes(repository: Repository) -> Iterator[Problem]:
    known = {declared.value.metadata.name for declared in repository.federation.priority_classes}
    for declared in repository.federation.propagation_policies:
        wanted = declared.value.spec.schedule_priority
        if wanted is not None and wanted.priority_class_source == KUBE_PRIORITY_CLASS:
            name = wanted.priority_class_name
            if name not in known:
                path = "spec.schedulePriority.priorityClassName"
                yield about(declared, PRIORITY, path, f"there is no PriorityClass {name!r} in the repository")
