"""Services."""

from gitops_karmada.core.fields import integer, text, with_field
from gitops_karmada.core.interpreters import Interpretation, Items
from gitops_karmada.core.load_balancers import aggregate_ingress, listens
from gitops_karmada.core.workload_status import status_of
from gitops_karmada.model.objects import Object


def retain(desired: Object, observed: Object) -> Object:
    """Keep the address and the health check port that the member's API server gave out."""
    if (port := integer(observed, "spec", "healthCheckNodePort")) > 0:
        desired = with_field(desired, ("spec", "healthCheckNodePort"), port)
    if address := text(observed, "spec", "clusterIP"):
        desired = with_field(desired, ("spec", "clusterIP"), address)
    return desired


def is_healthy(obj: Object) -> bool:
    return not _balances(obj) or listens(obj)


def reflect(obj: Object) -> Object | None:
    status = status_of(obj)
    if status is None or not _balances(obj):
        return None
    return {"loadBalancer": status.get("loadBalancer") or {}}


def aggregate(obj: Object, items: Items) -> Object:
    return aggregate_ingress(obj, items) if _balances(obj) else obj


def _balances(obj: Object) -> bool:
    return text(obj, "spec", "type") == "LoadBalancer"


SERVICE = Interpretation(retain=retain, health=is_healthy, reflect=reflect, aggregate=aggregate)
