"""Flux's HelmRelease and Kustomization."""

from typing import Any

from gitops_karmada.core.fields import sequence
from gitops_karmada.core.interpreters import Interpretation, Items
from gitops_karmada.core.interpreters.flux_sources import is_ready, retain_suspension
from gitops_karmada.core.thirdparty_status import (
    keep,
    last,
    merged_conditions,
    observed_generation,
    reports_of,
    total,
    with_status,
)
from gitops_karmada.core.workloads import names_at, references
from gitops_karmada.model.objects import Object, dig

REVISIONS = ("lastAttemptedRevision", "lastAppliedRevision")
RELEASE = (*REVISIONS, "lastAttemptedValuesChecksum", "helmChart", "lastReleaseRevision")
FAILURES = ("failures", "upgradeFailures", "installFailures")
ACCOUNT = ("spec", "serviceAccountName")
KUBECONFIG = ("spec", "kubeConfig", "secretRef", "name")


def aggregate_release(obj: Object, items: Items) -> Object:
    # Karmada adds the members' failures to the sum of the last time; we count them once.
    reports = reports_of(items)
    told = [name for name in FAILURES if items is None or any(report.get(name) for report in reports)]
    counted = {name: total(reports, name) for name in told}
    cleared = {name: None for name in FAILURES if name not in counted}
    return with_status(_aggregate(obj, items, RELEASE), **counted, **cleared)


def aggregate_kustomization(obj: Object, items: Items) -> Object:
    return _aggregate(obj, items, REVISIONS)


def _aggregate(obj: Object, items: Items, words: tuple[str, ...]) -> Object:
    reports = reports_of(items)
    said: dict[str, Any] = {name: last(reports, name, _before(obj, items, name)) for name in words}
    conditions, seen = merged_conditions(items), observed_generation(obj, items)
    return with_status(obj, **said, conditions=conditions, observedGeneration=seen)


def _before(obj: Object, items: Items, name: str) -> Any:
    """What stays when no member says anything: nothing, where no member has it."""
    return "" if items is None else dig(obj, "status", name)


def release_dependencies(obj: Object) -> list[Object]:
    """The values, the chart's signature, the way to another cluster, and the account."""
    values = [(dig(source, "kind"), dig(source, "name")) for source in sequence(obj, "spec", "valuesFrom")]
    secrets = [name for kind, name in values if kind == "Secret"]
    secrets += names_at(obj, ("spec", "chart", "spec", "verify", "secretRef", "name"), KUBECONFIG)
    configuration = [name for kind, name in values if kind == "ConfigMap"]
    accounts = names_at(obj, ACCOUNT)
    return references(obj, {"ConfigMap": configuration, "Secret": secrets, "ServiceAccount": accounts})


def kustomization_dependencies(obj: Object) -> list[Object]:
    secrets = names_at(obj, ("spec", "decryption", "secretRef", "name"), KUBECONFIG)
    return references(obj, {"Secret": secrets, "ServiceAccount": names_at(obj, ACCOUNT)})


HELM_RELEASE = Interpretation(
    retain=retain_suspension,
    health=is_ready("ReconciliationSucceeded"),
    reflect=keep("conditions", "observedGeneration", *RELEASE, *FAILURES, generations=True),
    aggregate=aggregate_release,
    dependencies=release_dependencies,
)
KUSTOMIZATION = Interpretation(
    retain=retain_suspension,
    health=is_ready("ReconciliationSucceeded"),
    reflect=keep("conditions", "observedGeneration", *REVISIONS, generations=True),
    aggregate=aggregate_kustomization,
    dependencies=kustomization_dependencies,
)
