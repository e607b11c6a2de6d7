"""PersistentVolumeClaims."""

from gitops_karmada.core.fields import text, with_field
from gitops_karmada.core.interpreters import Interpretation, Items
from gitops_karmada.core.workload_status import reported
from gitops_karmada.model.objects import Object


def retain(desired: Object, observed: Object) -> Object:
    """Keep the volume that the member bound."""
    volume = text(observed, "spec", "volumeName")
    return with_field(desired, ("spec", "volumeName"), volume) if volume else desired


def is_healthy(obj: Object) -> bool:
    return text(obj, "status", "phase") == "Bound"


def aggregate(obj: Object, items: Items) -> Object:
    """Bound unless a member says otherwise: the first Lost, else the last other phase. Silence counts as Bound."""
    phases = [text(report, "phase") for item in items or () if (report := reported(item)) is not None]
    others = [phase for phase in phases if phase != "Bound"]
    phase = "Lost" if "Lost" in others else (others or ["Bound"])[-1]
    return {**obj, "status": {"phase": phase} if phase else {}}


PERSISTENT_VOLUME_CLAIM = Interpretation(retain=retain, health=is_healthy, aggregate=aggregate)
