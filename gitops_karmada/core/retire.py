"""Which works of the last turn are wanted no more, and which of them may not go yet."""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from gitops_karmada.core.claim import claim_of, policy_key
from gitops_karmada.core.doubt import clusters_in_doubt, template_in_doubt
from gitops_karmada.core.render import staying
from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.federation import Federation, Ledger
from gitops_karmada.model.objects import ClusterName, Key
from gitops_karmada.model.plan import Hold
from gitops_karmada.model.works import Place, Work

TEMPLATE_REMOVED: Final = "the template was removed"
NOT_PLACED: Final = "no longer placed in this cluster"
NOT_WANTED: Final = "no policy selects it any more, and no workload brings it along"
CLUSTER_REMOVED: Final = "the cluster was removed"
_QUOTA: Final[Mapping[str, str]] = {"group": "policy.karmada.io", "kind": "FederatedResourceQuota"}
NOT_NEEDED: Final = "no longer needed in this cluster"


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaving:
    """`kept` are works that stay as they were, `retiring` those whose objects are to go; the rest is forgotten."""

    kept: Mapping[Place, Work] = field(default_factory=dict)
    retiring: Mapping[Place, Work] = field(default_factory=dict)
    holds: tuple[Hold, ...] = ()

    def without(self, wanted: Container[Place]) -> "Leaving":
        """The same, and what turned out to be wanted after all stays."""
        return replace(self, retiring={place: work for place, work in self.retiring.items() if place not in wanted})


def leaving(
    ledger: Ledger, wanted: Mapping[Place, Work], bindings: Mapping[Key, Binding], federation: Federation
) -> Leaving:
    """Sort the works that the ledger has and the plan has not."""
    kept: dict[Place, Work] = {}
    retiring: dict[Place, Work] = {}
    holds: list[Hold] = []
    clusters = {ClusterName(declared.value.name) for declared in federation.clusters}
    clusters |= {ClusterName(cluster.name) for cluster in clusters_in_doubt(ledger, federation)}
    for place, work in ledger.works.items():
        if place in wanted:
            continue
        if (hold := _hold(place, work, clusters, bindings, ledger, federation)) is not None:
            kept[place] = work
            holds.extend(hold)
        elif place.cluster in clusters or _is_reached(place.cluster, federation):
            retiring[place] = work if work.retiring else _leaving(place, work, bindings, clusters, ledger, federation)
        else:
            holds.append(_forgotten(place))
    return Leaving(kept=kept, retiring=retiring, holds=tuple(holds))


def _leaving(
    place: Place,
    work: Work,
    bindings: Mapping[Key, Binding],
    clusters: set[ClusterName],
    ledger: Ledger,
    federation: Federation,
) -> Work:
    reason = _reason(place, work, bindings, clusters, federation)
    gone = reason == TEMPLATE_REMOVED and _preserved(work, ledger, federation)
    return replace(work, retiring=reason, preserve=work.preserve or gone)


def _hold(
    place: Place,
    work: Work,
    clusters: set[ClusterName],
    bindings: Mapping[Key, Binding],
    ledger: Ledger,
    federation: Federation,
) -> tuple[Hold, ...] | None:
    """Why the work stays as it is: no hold at all for one that waits for its replacement. None: it may go."""
    binding = bindings.get(work.binding) if work.binding is not None else None
    if binding is not None and place.cluster in staying(binding.spec):
        # Kept until its replacement runs, or because it could not be rendered anew: what runs stays.
        return ()
    if Key(group="cluster.karmada.io", kind="Cluster", name=place.cluster) in federation.broken:
        reason = "the Cluster's manifest cannot be used, so nothing is changed in it"
        return (Hold(place=place, key=place.key, reason=reason, hint="Mend the manifest"),)
    if binding is not None:
        return None
    return _unusable(place, work, federation) or (None if work.retiring else _unsure(place, work, ledger, federation))


def _unusable(place: Place, work: Work, federation: Federation) -> tuple[Hold, ...]:
    """A manifest that is there but wrong: of the template, or of the FederatedResourceQuota of a ResourceQuota."""
    sources = (work.binding,) if work.binding is not None else (work.key, replace(work.key, **_QUOTA))
    for source in sources:
        if source in federation.broken:
            reason = "its manifest cannot be used, so the last good state stays"
            return (Hold(place=place, key=source, reason=reason, hint="Mend the manifest"),)
    return ()


def _unsure(place: Place, work: Work, ledger: Ledger, federation: Federation) -> tuple[Hold, ...] | None:
    """A template that is not there may only be unreadable."""
    template = work.binding or work.key
    if doubt := template_in_doubt(template, ledger, federation):
        return (Hold(place=place, key=template, reason=doubt, hint="Mend it; until then nothing changes"),)
    if ledger.problems:
        reason = "a file of the status branch cannot be understood, and what it said may be needed"
        return (Hold(place=place, key=template, reason=reason, hint="Revert the commit that changed it by hand"),)
    if federation.unread and work.binding is None:
        # A namespace: one that is declared is made anew where it is needed, another keeps what its manifest may say.
        return None if template in federation.templates else ()
    if federation.unread:
        file = ledger.sources.get(template, "")
        where = file if file in federation.unread else ", ".join(sorted(federation.unread)[:3])
        reason = f"{where} could not be read, and its manifest may be there"
        return (Hold(place=place, key=template, reason=reason, hint="Mend the file; then it is deleted"),)
    return None


def _preserved(work: Work, ledger: Ledger, federation: Federation) -> bool:
    """Whether its policy, as it is now, preserves objects: one commit may say so and take the template away."""
    binding = ledger.bindings.get(work.binding) if work.binding is not None else None
    held = claim_of(binding) if binding is not None else None
    policies = (it.value for it in federation.propagation_policies)
    return held is not None and any(
        policy.spec.preserve_resources_on_deletion for policy in policies if policy_key(policy) == held
    )


def _reason(
    place: Place, work: Work, bindings: Mapping[Key, Binding], clusters: set[ClusterName], federation: Federation
) -> str:
    if place.cluster not in clusters:
        return CLUSTER_REMOVED
    if work.binding is None:
        return NOT_NEEDED
    if work.binding in bindings:
        return NOT_PLACED
    return NOT_WANTED if work.binding in federation.templates else TEMPLATE_REMOVED


def _is_reached(cluster: ClusterName, federation: Federation) -> bool:
    return any(member.name == cluster for member in federation.settings.spec.members)


def _forgotten(place: Place) -> Hold:
    return Hold(
        place=place,
        key=place.key,
        reason=f"{place.cluster} is declared nowhere any more: its objects are left as they are and forgotten",
        hint="To have them deleted, keep the member in the settings until its Cluster is gone",
    )


def unreadable(ledger: Ledger, federation: Federation) -> Iterator[str]:
    """Reasons that speak against every delete of this turn."""
    if federation.unread:
        yield f"{', '.join(sorted(federation.unread)[:3])} could not be read"
    if lost := federation.rewritten_from:
        yield (
            f"the source was rewritten and does not contain commit {lost[:7]} any more. Bring it back, or, if that is "
            f"meant, commit spec.deletion.acceptRewritten: {lost[:12]} in gitops-karmada.yaml"
        )
    if ledger.problems:
        yield "a file of the status branch could not be understood"
    declared = (federation.templates, federation.clusters, federation.propagation_policies)
    if not any(declared) and (ledger.bindings or ledger.works):
        yield "the source holds no manifest at all, which is no wish to delete everything"
