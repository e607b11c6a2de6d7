"""What an API server would have filled in before anybody read the template: a file in Git was never defaulted.

Only defaults that decisions depend on; the members' API servers fill in the rest themselves.
"""

import base64
from collections.abc import Callable, Mapping
from typing import Any

from gitops_karmada.core.fields import with_field, without_field
from gitops_karmada.model.objects import Object, dig


def with_defaults(obj: Object) -> Object:
    """The template as an API server would have stored it; the object itself where nothing is missing."""
    defaulted = DEFAULTS.get((str(obj.get("apiVersion")), str(obj.get("kind"))))
    return defaulted(obj) if defaulted else obj


def _replicated(obj: Object) -> Object:
    return _pod_template(_absent(obj, "replicas", 1))


def _job(obj: Object) -> Object:
    if dig(obj, "spec", "completions") is None and dig(obj, "spec", "parallelism") is None:
        obj = _absent(obj, "completions", 1)
    return _pod_template(_absent(_absent(obj, "parallelism", 1), "backoffLimit", 6))


def _service(obj: Object) -> Object:
    return _absent(obj, "type", "ClusterIP")


def _secret(obj: Object) -> Object:
    """`stringData` can only be written: what an API server answers is `data`."""
    plain = obj.get("stringData")
    if not isinstance(plain, Mapping):
        return obj
    encoded = {key: base64.b64encode(str(value).encode()).decode() for key, value in plain.items()}
    data = obj.get("data")
    merged = {**(data if isinstance(data, Mapping) else {}), **encoded}
    return {**without_field(obj, ("stringData",)), "data": merged}


def _definition(obj: Object) -> Object:
    return _absent(obj, "conversion", {"strategy": "None"})


def _pod_template(obj: Object) -> Object:
    return _account_name(obj, ("spec", "template", "spec"))


def _cronjob(obj: Object) -> Object:
    return _account_name(obj, ("spec", "jobTemplate", "spec", "template", "spec"))


def _pod(obj: Object) -> Object:
    return _account_name(obj, ("spec",))


def _account_name(obj: Object, spec: tuple[str, ...]) -> Object:
    """The old name of the field still counts."""
    account = dig(obj, *spec, "serviceAccount")
    if not account or dig(obj, *spec, "serviceAccountName"):
        return obj
    return with_field(obj, (*spec, "serviceAccountName"), account)


def _absent(obj: Object, field: str, value: Any) -> Object:
    spec = obj.get("spec")
    if spec is not None and not isinstance(spec, Mapping):
        return obj
    return obj if dig(spec, field) is not None else with_field(obj, ("spec", field), value)


DEFAULTS: Mapping[tuple[str, str], Callable[[Object], Object]] = {
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"): _definition,
    ("apps/v1", "DaemonSet"): _pod_template,
    ("apps/v1", "Deployment"): _replicated,
    ("apps/v1", "ReplicaSet"): _replicated,
    ("apps/v1", "StatefulSet"): _replicated,
    ("batch/v1", "CronJob"): _cronjob,
    ("batch/v1", "Job"): _job,
    ("v1", "Pod"): _pod,
    ("v1", "Secret"): _secret,
    ("v1", "Service"): _service,
}
