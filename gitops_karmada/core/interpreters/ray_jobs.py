"""Ray's RayJob."""

from gitops_karmada.core.fields import mapping, text
from gitops_karmada.core.interpreters import Interpretation, Items
from gitops_karmada.core.interpreters.ray_clusters import groups, needed_by, templates_of
from gitops_karmada.core.thirdparty_status import only_status, reports_of, with_status, without_empty, without_spec
from gitops_karmada.model.objects import Object

# From what says least to what says worst.
DEPLOYMENT_STATES = {
    "Initializing": 1,
    "Waiting": 2,
    "Suspending": 3,
    "Suspended": 3,
    "Retrying": 4,
    "Running": 5,
    "Complete": 6,
    "ValidationFailed": 7,
    "Failed": 8,
}
JOB_STATES = {"PENDING": 1, "RUNNING": 2, "SUCCEEDED": 3, "STOPPED": 4, "FAILED": 5}


def components(obj: Object) -> list[Object]:
    return groups(mapping(obj, "spec", "rayClusterSpec"))


def dependencies(obj: Object) -> list[Object]:
    templates = templates_of(mapping(obj, "spec", "rayClusterSpec"))
    return needed_by(obj, [*templates, mapping(obj, "spec", "submitterPodTemplate")])


def is_healthy(obj: Object) -> bool:
    state = text(obj, "status", "jobDeploymentStatus")
    return state == "Running" or (state == "Complete" and text(obj, "status", "jobStatus") == "SUCCEEDED")


def aggregate(obj: Object, items: Items) -> Object:
    """The worst member speaks for all."""
    if items is None:
        return without_empty(obj)
    if len(items) == 1:
        return only_status(without_spec(obj), items)
    reports = reports_of(items)
    deployed = [report for report in reports if report.get("jobDeploymentStatus") is not None]
    worst = max(deployed, key=lambda r: DEPLOYMENT_STATES.get(r["jobDeploymentStatus"], 0), default={})
    states = [text(report, "jobStatus") for report in reports if report.get("jobStatus")]
    return with_status(
        without_spec(obj),
        jobStatus=max(states, key=lambda state: JOB_STATES.get(state, 0), default=None),
        **{name: worst.get(name) for name in ("jobDeploymentStatus", "reason", "message")},
    )


RAY_JOB = Interpretation(components=components, health=is_healthy, aggregate=aggregate, dependencies=dependencies)
