"""Fleet, and what else writes Rancher's object sets (k3s does for its add-ons)."""

from collections.abc import Iterator

from gitops_karmada.model.actions import Certainty, Owner
from gitops_karmada.model.managed_fields import entries_of
from gitops_karmada.model.objects import Object, annotations_of, labels_of

HASH = "objectset.rio.cattle.io/hash"
SET = "objectset.rio.cattle.io/id"
OWNER = "objectset.rio.cattle.io/owner"
BUNDLE = "fleet.cattle.io/bundle-id"
AGENT = "fleetagent"


def fleet(live: Object) -> Iterator[Owner]:
    annotations = annotations_of(live)
    if bundle := annotations.get(BUNDLE):
        yield Owner(tool="Fleet", unit=f"bundle {bundle}", evidence=(f"annotation {BUNDLE}: {bundle}",))
        return
    if HASH not in labels_of(live) and SET not in annotations:
        return
    kind, set_id = annotations.get(f"{OWNER}-gvk"), annotations.get(SET)
    by_agent = any(entry.manager == AGENT for entry in entries_of(live))
    if by_agent or (set_id and not kind):
        evidence = (f"annotation {SET}: {set_id}", *([f"field manager {AGENT}"] if by_agent else ()))
        yield Owner(tool="Fleet", unit=f"set {set_id}" if set_id else "", evidence=evidence)
    elif kind:
        yield _wrangler(live, kind)
    else:
        yield Owner(tool="Wrangler", certainty=Certainty.LIKELY, evidence=(f"label {HASH}",))


def _wrangler(live: Object, kind: str) -> Owner:
    annotations = annotations_of(live)
    name = "/".join(part for part in (annotations.get(f"{OWNER}-{key}") for key in ("namespace", "name")) if part)
    evidence = (f"annotation {OWNER}-gvk: {kind}", f"annotation {OWNER}-name: {name}")
    return Owner(tool=f"wrangler:{kind}", unit=name, evidence=evidence)
