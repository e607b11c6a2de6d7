"""kapp. Its labels spread through pod templates; its identity annotation names the object it stands on."""

from collections.abc import Iterator

from gitops_karmada.model.actions import Certainty, Owner
from gitops_karmada.model.objects import Object, annotations_of, key_of, labels_of

APP = "kapp.k14s.io/app"
IDENTITY = "kapp.k14s.io/identity"


def kapp(live: Object) -> Iterator[Owner]:
    app, identity = labels_of(live).get(APP), annotations_of(live).get(IDENTITY)
    if not app:
        return
    evidence = (f"label {APP}: {app}", *([f"annotation {IDENTITY}: {identity}"] if identity else ()))
    if not identity:
        yield Owner(tool="kapp", unit=f"app {app}", certainty=Certainty.HINT, evidence=evidence)
    elif _names(identity, live):
        yield Owner(tool="kapp", unit=f"app {app}", evidence=evidence)


def _names(identity: str, live: Object) -> bool:
    """Whether an identity `v1;NAMESPACE/GROUP/KIND/NAME;VERSION` names this object."""
    key = key_of(live)
    parts = identity.split(";")
    return len(parts) > 1 and parts[1] == f"{key.namespace}/{key.group}/{key.kind}/{key.name}"
