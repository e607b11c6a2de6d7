"""Flux's sources: GitRepository, Bucket, HelmRepository, HelmChart and OCIRepository."""

from collections.abc import Callable
from typing import Any

from gitops_karmada.core.fields import sequence, text, with_field
from gitops_karmada.core.interpreters import Interpretation, Items
from gitops_karmada.core.thirdparty_status import (
    keep,
    last,
    merged_conditions,
    observed_generation,
    reports_of,
    with_status,
)
from gitops_karmada.core.workloads import names_at, references
from gitops_karmada.model.objects import Object, dig

SECRET = ("spec", "secretRef", "name")
VERIFY_SECRET = ("spec", "verify", "secretRef", "name")
CERTIFICATE_SECRET = ("spec", "certSecretRef", "name")
ACCOUNT = ("spec", "serviceAccountName")


def retain_suspension(desired: Object, observed: Object) -> Object:
    """Leave to the member whether it is suspended, so that a `flux suspend` there holds."""
    suspended = dig(observed, "spec", "suspend")
    return desired if suspended is None else with_field(desired, ("spec", "suspend"), suspended)


def is_ready(*reasons: str) -> Callable[[Object], bool]:
    def healthy(obj: Object) -> bool:
        return any(
            (text(c, "type"), text(c, "status")) == ("Ready", "True") and text(c, "reason") in reasons
            for c in sequence(obj, "status", "conditions")
        )

    return healthy


def aggregate(**words: Any) -> Callable[[Object, Items], Object]:
    """Merge the conditions; of the words the last one said counts, else the default beside it."""

    def aggregated(obj: Object, items: Items) -> Object:
        reports = reports_of(items)
        said = {name: last(reports, name, default) for name, default in words.items()}
        conditions, seen = merged_conditions(items), observed_generation(obj, items)
        return with_status(obj, **said, conditions=conditions, observedGeneration=seen)

    return aggregated


def secrets_at(*paths: tuple[str, ...]) -> Callable[[Object], list[Object]]:
    return lambda obj: references(obj, {"Secret": names_at(obj, *paths)})


def oci_dependencies(obj: Object) -> list[Object]:
    secrets = names_at(obj, SECRET, VERIFY_SECRET, CERTIFICATE_SECRET)
    return references(obj, {"Secret": secrets, "ServiceAccount": names_at(obj, ACCOUNT)})


def reflect(*names: str) -> Callable[[Object], Object]:
    return keep("conditions", "artifact", *names, generations=True)


GIT_REPOSITORY = Interpretation(
    retain=retain_suspension,
    health=is_ready("Succeeded"),
    reflect=reflect("observedGeneration", "observedIgnore", "observedRecurseSubmodules"),
    aggregate=aggregate(artifact=None),
    dependencies=secrets_at(SECRET, VERIFY_SECRET),
)
BUCKET = Interpretation(
    retain=retain_suspension,
    health=is_ready("Succeeded"),
    reflect=reflect("observedGeneration", "observedIgnore", "url"),
    aggregate=aggregate(artifact=None, url=""),
    dependencies=secrets_at(SECRET),
)
HELM_REPOSITORY = Interpretation(
    retain=retain_suspension,
    health=is_ready("Succeeded"),
    reflect=reflect("observedGeneration", "url"),
    aggregate=aggregate(artifact=None, url=""),
    dependencies=secrets_at(SECRET),
)
HELM_CHART = Interpretation(
    retain=retain_suspension,
    health=is_ready("Succeeded", "ChartPullSucceeded"),
    reflect=reflect("observedGeneration", "observedChartName", "observedSourceArtifactRevision", "url"),
    aggregate=aggregate(artifact=None, url="", observedChartName="", observedSourceArtifactRevision=""),
    dependencies=secrets_at(VERIFY_SECRET),
)
OCI_REPOSITORY = Interpretation(
    retain=retain_suspension,
    health=is_ready("Succeeded"),
    reflect=reflect("observedGeneration", "observedIgnore", "observedLayerSelector", "url"),
    aggregate=aggregate(artifact=None, url=""),
    dependencies=oci_dependencies,
)
