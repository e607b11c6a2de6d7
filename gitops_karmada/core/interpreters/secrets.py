"""Secrets."""

from gitops_karmada.core.fields import with_field
from gitops_karmada.core.interpreters import Interpretation
from gitops_karmada.model.objects import Object

ISSUED_TYPE = "kubernetes.io/service-account-token"


def retain(desired: Object, observed: Object) -> Object:
    """Keep the token that the member issued."""
    if desired.get("type") != ISSUED_TYPE or observed.get("data") is None:
        return desired
    return with_field(desired, ("data",), observed["data"])


SECRET = Interpretation(retain=retain)
