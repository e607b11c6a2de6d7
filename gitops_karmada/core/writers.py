"""Whose hand a field manager is: a person's, an autoscaler's, or another reconciler's."""

from enum import StrEnum

from gitops_karmada.model.managed_fields import APPLY, Loss


class Writer(StrEnum):
    PEOPLE = "people"
    AUTOSCALER = "autoscaler"
    RECONCILER = "reconciler"


# Tools that write because a person asked them to, once. Matched whole, or as a beginning where it ends with a dash.
PEOPLE = (
    "kubectl",
    "kubectl-",
    "before-first-apply",
    "directory-edit",
    "oc",
    "oc-",
    "k9s",
    "Lens",
    "lens",
    "node-fetch",
    "Mozilla",
    "dashboard",
    "kubernetes-dashboard",
    "headlamp",
    "argocd-server",
    "rancher",
    "curl",
    "Wget",
    "Python-urllib",
    "python-requests",
    "unknown",
)
AUTOSCALERS = ("kube-controller-manager", "keda", "keda-", "vpa-", "horizontal-pod-autoscaler", "karmada-")
VERTICAL = ("vpa-",)
RESOURCES = ".resources"


def writer_of(loss: Loss) -> Writer:
    """Only a subresource `scale` or container resources are an autoscaler's; the rest of a loss is somebody's wish."""
    manager = loss.conflict.manager
    if _named(manager, AUTOSCALERS) and loss.conflict.field == ".spec.replicas":
        return Writer.AUTOSCALER
    if _named(manager, VERTICAL) and RESOURCES in loss.conflict.field:
        return Writer.AUTOSCALER
    return Writer.PEOPLE if _is_people(loss, manager) else Writer.RECONCILER


def _is_people(loss: Loss, manager: str) -> bool:
    # Libraries that apply server-side go by the name kubectl too, so an Apply by another name is a reconciler's.
    return _named(manager, PEOPLE) and (loss.operation != APPLY or manager.startswith("kubectl"))


def _named(manager: str, names: tuple[str, ...]) -> bool:
    return any(manager == name or (name.endswith("-") and manager.startswith(name)) for name in names)
