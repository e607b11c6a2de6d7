"""A parent with `controller: true`: the parent is the thing to manage, never its child."""

from collections.abc import Iterator, Mapping

from gitops_karmada.model.actions import Owner
from gitops_karmada.model.objects import Object, metadata_of

CONTROLLER = "a controller"


def controlling_parent(live: Object) -> Iterator[Owner]:
    for reference in metadata_of(live).get("ownerReferences") or ():
        if isinstance(reference, Mapping) and reference.get("controller") is True:
            unit = f"{reference.get('kind')} {reference.get('name')}"
            yield Owner(tool=CONTROLLER, unit=unit, evidence=(f"ownerReference {unit} with controller: true",))
