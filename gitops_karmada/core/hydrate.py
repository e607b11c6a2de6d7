"""Plain manifests for members that Argo CD or Flux applies, below `members/<cluster>/` of the status branch."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from gitops_karmada.core.deletions import DeletionBudget
from gitops_karmada.core.record import object_path
from gitops_karmada.core.retire import Leaving, unreadable
from gitops_karmada.model.federation import Federation, Ledger
from gitops_karmada.model.frozen import Frozen
from gitops_karmada.model.objects import ClusterName
from gitops_karmada.model.plan import Hold, Plan, Question
from gitops_karmada.model.secrets import is_redacted
from gitops_karmada.model.settings import MemberMode, Settings
from gitops_karmada.model.works import Place

# In the turn's memory: the members whose manifests are on the branch.
HYDRATED: Final = "hydrated"


def rendered_only(settings: Settings) -> frozenset[ClusterName]:
    """The members that somebody else applies to: we neither write nor mark anything there."""
    members = settings.spec.members
    return frozenset(ClusterName(member.name) for member in members if member.mode is MemberMode.RENDER_ONLY)


def remembered_members(federation: Federation, works: Iterable[Place]) -> Mapping[str, Any]:
    """Those that are registered, or have something still: their Cluster may be gone, or unreadable."""
    there = {it.value.name for it in federation.clusters} | {place.cluster for place in works}
    names = sorted(rendered_only(federation.settings) & there)
    return Frozen({HYDRATED: names}) if names else Frozen()


def manifest_files(plan: Plan, last: Ledger, federation: Federation) -> dict[str, Any]:
    """The files that change: path → manifest, or None for one that goes. A member without any keeps its member.json,
    so that what was generated from it stays.

    The files of a member that is not rendered any more, or not set up any more, stay as they are: if they went, the
    other tool would delete everything at once. Who stopped that tool removes them by hand.
    """
    before = {ClusterName(name) for name in last.memory.get(HYDRATED, ())}
    now = {ClusterName(name) for name in plan.memory.get(HYDRATED, ())}
    ours = rendered_only(federation.settings)
    files: dict[str, Any] = {}
    for place in last.works:
        if place.cluster in before and place not in plan.works and place.cluster in ours:
            files[manifest_path(place)] = None
    for place, work in plan.works.items():
        known = last.works.get(place) if place.cluster in before else None
        # A Secret's values are on no branch: the other tool has to get them another way.
        if is_redacted(work.manifest):
            continue
        if place.cluster in now and not work.suspended and (known is None or known.manifest != work.manifest):
            files[manifest_path(place)] = work.manifest
    files.update(_members(now - before, (before - now) & ours, federation))
    return files


def _members(arrived: set[ClusterName], left: set[ClusterName], federation: Federation) -> Iterator[tuple[str, Any]]:
    labels = {declared.value.name: dict(declared.value.metadata.labels) for declared in federation.clusters}
    for name in arrived:
        yield member_path(name), {"cluster": name, "labels": labels.get(name, {}), "mode": "render-only"}
    for name in left:
        yield member_path(name), None


def manifest_path(place: Place) -> str:
    return f"members/{place.cluster}/manifests/{object_path(place.key)}.yaml"


def member_path(name: ClusterName) -> str:
    return f"members/{name}/member.json"


def released(leave: Leaving, question: Question) -> Leaving:
    """Works of these members are not retired: once their file is gone, the other tool deletes the object. So the file
    goes only on the grounds on which we would delete ourselves: a wholly read source, and the deletion budget."""
    names = rendered_only(question.federation.settings)
    going = {place: work for place, work in leave.retiring.items() if place.cluster in names}
    if not going:
        return leave
    held = dict(_held(going, question))
    holds = tuple(Hold(place=place, key=place.key, reason=reason) for place, reason in sorted(held.items()))
    return replace(
        leave,
        kept={**leave.kept, **{place: going[place] for place in held}},
        retiring={place: work for place, work in leave.retiring.items() if place not in going},
        holds=(*leave.holds, *holds),
    )


def _held(going: Mapping[Place, Any], question: Question) -> Iterator[tuple[Place, str]]:
    deletion = question.federation.settings.spec.deletion
    budget = DeletionBudget(objects=deletion.max_objects, percent=deletion.max_percent)
    managed = Counter(place.cluster for place in question.ledger.works)
    counts = Counter(place.cluster for place in going)
    doubt = "; ".join(unreadable(question.ledger, question.federation))
    for place in going:
        limit = budget.limit(managed[place.cluster])
        if doubt:
            yield place, f"its manifest stays: {doubt}"
        elif counts[place.cluster] > limit:
            yield (
                place,
                f"its manifest stays: {counts[place.cluster]} would go, more than the deletion budget of {limit}",
            )
