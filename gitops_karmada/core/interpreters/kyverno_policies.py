"""Kyverno's ClusterPolicy and Policy."""

from typing import Any

from gitops_karmada.core.fields import sequence, text
from gitops_karmada.core.interpreters import Interpretation, InterpretError, Items
from gitops_karmada.core.thirdparty_status import keep, merged_conditions, reports_of, returned, total, without_empty
from gitops_karmada.model.objects import Object, dig

RULES = ("validate", "generate", "mutate", "verifyimages")


def is_healthy(obj: Object) -> bool:
    ready = dig(obj, "status", "ready")
    if isinstance(ready, bool):
        return ready
    if ready is not None:
        raise InterpretError(f"status.ready: expected true or false, got {ready!r}")
    return any(
        (text(c, "type"), text(c, "status"), text(c, "reason")) == ("Ready", "True", "Succeeded")
        for c in sequence(obj, "status", "conditions")
    )


def aggregate(obj: Object, items: Items) -> Object:
    if items is None:
        return without_empty(obj)
    reports = reports_of(items)
    status: dict[str, Any] = {
        name: report[name] for report in reports for name in ("autogen", "ready") if report.get(name) is not None
    }
    status["rulecount"] = {rule: total(reports, "rulecount", rule) for rule in RULES}
    status["conditions"] = merged_conditions(items)
    return returned(obj, status)


KYVERNO_POLICY = Interpretation(
    health=is_healthy, reflect=keep("ready", "conditions", "autogen", "rulecount"), aggregate=aggregate
)
