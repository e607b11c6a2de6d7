"""The interpreter of one commit: what Karmada knows of kinds, and what the repository teaches."""

from gitops_karmada.core.customize import customized
from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.core.webhooks import hooked
from gitops_karmada.model.customizations import Scripts, Webhooks
from gitops_karmada.model.federation import Federation


def interpreter_of(federation: Federation, scripts: Scripts, webhooks: Webhooks) -> Interpreter:
    """Scripts and webhooks are run by whoever is passed in; without any of them in the commit, nobody is asked."""
    return Interpreter(
        customized=customized(federation.customizations, scripts), webhooks=hooked(federation.webhooks, webhooks)
    )
