"""Terraform, whose only trace is often its field manager: it applies again, so it counts as a likely owner."""

from collections.abc import Iterator

from gitops_karmada.model.actions import Certainty, Owner
from gitops_karmada.model.managed_fields import entries_of
from gitops_karmada.model.objects import Object, annotations_of, labels_of

PREFIX = "app.terraform.io/"
MANAGERS = ("terraform-provider-", "Terraform", "HashiCorp")


def terraform(live: Object) -> Iterator[Owner]:
    marks = sorted(key for key in {**labels_of(live), **annotations_of(live)} if key.startswith(PREFIX))
    managers = sorted({entry.manager for entry in entries_of(live) if entry.manager.startswith(MANAGERS)})
    evidence = (*marks, *(f"field manager {manager}" for manager in managers))
    if evidence:
        yield Owner(tool="Terraform", certainty=Certainty.LIKELY, evidence=evidence)
