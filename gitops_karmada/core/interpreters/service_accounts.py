"""ServiceAccounts."""

from gitops_karmada.core.fields import sequence
from gitops_karmada.core.interpreters import Interpretation
from gitops_karmada.model.objects import Object


def retain(desired: Object, observed: Object) -> Object:
    """Keep the Secrets that controllers of the member added."""
    for name in ("secrets", "imagePullSecrets"):
        wished = sequence(desired, name)
        known = {entry.get("name") for entry in wished}
        added = [entry for entry in sequence(observed, name) if entry.get("name") not in known]
        if added:
            desired = {**desired, name: [*wished, *added]}
    return desired


SERVICE_ACCOUNT = Interpretation(retain=retain)
