"""PersistentVolumes."""

from gitops_karmada.core.fields import text, with_field
from gitops_karmada.core.interpreters import Interpretation, Items
from gitops_karmada.core.workload_status import reported
from gitops_karmada.model.objects import Object, dig

# The first one seen in a member speaks for all of them.
PHASES = ("Failed", "Pending", "Available", "Bound", "Released")


def retain(desired: Object, observed: Object) -> Object:
    claim = dig(observed, "spec", "claimRef")
    return desired if claim is None else with_field(desired, ("spec", "claimRef"), claim)


def aggregate(obj: Object, items: Items) -> Object:
    phases = {_phase(item) for item in items or ()}
    phase = next((phase for phase in PHASES if phase in phases), None)
    return {**obj, "status": {"phase": phase} if phase else {}}


def _phase(item: Object) -> str:
    report = reported(item)
    return "Pending" if report is None else text(report, "phase")


PERSISTENT_VOLUME = Interpretation(retain=retain, aggregate=aggregate)
