"""Argo CD, by annotation or by label."""

from collections.abc import Iterator

from gitops_karmada.model.actions import Certainty, Owner
from gitops_karmada.model.managed_fields import entries_of
from gitops_karmada.model.objects import Object, annotations_of, key_of, labels_of

TRACKING = "argocd.argoproj.io/tracking-id"
INSTALLATION = "argocd.argoproj.io/installation-id"
LABELS = ("argocd.argoproj.io/instance", "applications.argoproj.io/app-name", "app.kubernetes.io/instance")
MANAGERS = frozenset({"argocd-controller", "argocd-application-controller"})


def argo_cd(live: Object) -> Iterator[Owner]:
    tracking = annotations_of(live).get(TRACKING)
    if isinstance(tracking, str):
        yield from _by_annotation(live, tracking)
    else:
        yield from _by_label(live)


def _by_annotation(live: Object, tracking: str) -> Iterator[Owner]:
    application, _, reference = tracking.partition(":")
    evidence = (f"annotation {TRACKING}: {tracking}",)
    if not application or not reference:
        yield Owner(tool="Argo CD", certainty=Certainty.HINT, evidence=(f"malformed {evidence[0]}",))
    elif _is_self_reference(live, reference):
        installation = str(annotations_of(live).get(INSTALLATION) or "")
        yield Owner(tool="Argo CD", instance=installation, unit=f"Application {application}", evidence=evidence)


def _is_self_reference(live: Object, reference: str) -> bool:
    """Argo CD writes the destination namespace for cluster-scoped objects, so theirs is not compared."""
    kind, _, name = reference.partition(":")
    namespace, _, name = name.partition("/")
    key = key_of(live)
    return kind == f"{key.group}/{key.kind}" and name == key.name and (not key.namespace or namespace == key.namespace)


def _by_label(live: Object) -> Iterator[Owner]:
    labels = labels_of(live)
    written = MANAGERS & {entry.manager for entry in entries_of(live)}
    for label in LABELS:
        if label not in labels:
            continue
        evidence = (f"label {label}: {labels[label]}", *(f"field manager {manager}" for manager in sorted(written)))
        certainty = Certainty.LIKELY if written else Certainty.HINT
        yield Owner(tool="Argo CD", unit=f"Application {labels[label]}", certainty=certainty, evidence=evidence)
        return
    if written:
        evidence = tuple(f"field manager {manager}" for manager in sorted(written))
        yield Owner(tool="Argo CD", certainty=Certainty.HINT, evidence=evidence)
