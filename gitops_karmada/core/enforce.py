"""From a plan and what lies in the members to what is to be done there: every place judged, every delete on grounds."""

from collections import Counter
from collections.abc import Iterator, Mapping

from gitops_karmada.core.deletions import DeletionBudget, Grounds, permit_deletions
from gitops_karmada.core.guard import Circumstances, judge, judge_removal
from gitops_karmada.core.hydrate import rendered_only
from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.core.interpreters import InterpretError
from gitops_karmada.core.retire import unreadable
from gitops_karmada.core.seal import unsealed
from gitops_karmada.model.actions import Action, Keep, Receipt, Wait
from gitops_karmada.model.members import LiveObject, Observed, Present, Unknown, Unreachable
from gitops_karmada.model.objects import ClusterName, Key, Object, dig, group_of, gvk_of
from gitops_karmada.model.plan import Plan, Question
from gitops_karmada.model.settings import Settings
from gitops_karmada.model.works import Place, Work

AUTOSCALER = ("autoscaling", "HorizontalPodAutoscaler")


def places_of(plan: Plan, settings: Settings) -> dict[ClusterName, list[tuple[Key, str]]]:
    """What has to be looked at before anything is written, by member: each object with its apiVersion."""
    wanted: dict[ClusterName, list[tuple[Key, str]]] = {}
    others = rendered_only(settings)
    for place, work in sorted({**plan.works, **plan.retiring}.items()):
        if place.cluster in others:
            continue
        wanted.setdefault(place.cluster, []).append((place.key, gvk_of(work.manifest).api_version))
    return wanted


def actions_of(
    plan: Plan,
    live: Mapping[Place, LiveObject],
    question: Question,
    interpreter: Interpreter,
    *,
    overtaken: str = "",
) -> dict[ClusterName, tuple[Action, ...]]:
    """What to do in each member. What was not seen is unknown, and unknown is left alone.

    `overtaken` says why we are not the writer any more; then nothing is deleted.
    """
    circumstances = _circumstances(plan, question, interpreter)
    unseen = Unknown(reason="not seen in this turn")
    others = rendered_only(question.federation.settings)
    judged = [
        _judged(work, plan.receipts.get(place), live.get(place, unseen), circumstances)
        for place, work in sorted(plan.works.items())
        if place.cluster not in others
    ]
    judged += [
        judge_removal(work, plan.receipts.get(place), live.get(place, unseen), circumstances)
        for place, work in sorted(plan.retiring.items())
        if place.cluster not in others
    ]
    by_cluster: dict[ClusterName, list[Action]] = {}
    for action in permit_deletions(judged, grounds_of(plan, question, live, overtaken)):
        by_cluster.setdefault(action.place.cluster, []).append(action)
    return {cluster: tuple(actions) for cluster, actions in by_cluster.items()}


def _judged(work: Work, receipt: Receipt | None, live: LiveObject, circumstances: Circumstances) -> Action:
    whole = unsealed(work)
    object_ = live.object if isinstance(live, Present) else None
    if whole is not None:
        try:
            return judge(whole, receipt, live, circumstances)
        except InterpretError as wrong:
            # Without what is to be retained we would write over it.
            return Wait(place=work.place, reason=f"what to retain cannot be told: {wrong}", object=object_)
    reason = "the values of this Secret are not known in this turn; it stays as it is"
    return Keep(place=work.place, object=object_, receipt=receipt, reason=reason)


def grounds_of(
    plan: Plan, question: Question, live: Mapping[Place, LiveObject] | None = None, overtaken: str = ""
) -> Grounds:
    """What this turn knows against deleting."""
    deletion = question.federation.settings.spec.deletion
    return Grounds(
        source="; ".join(unreadable(question.ledger, question.federation)),
        places=dict(_objections(plan, question, live or {})),
        writer=overtaken,
        managed=Counter(place.cluster for place in question.ledger.works),
        unseen=Counter(_unseen(plan, live or {})),
        budget=DeletionBudget(objects=deletion.max_objects, percent=deletion.max_percent),
    )


def _unseen(plan: Plan, live: Mapping[Place, LiveObject]) -> Iterator[ClusterName]:
    """The members of objects that are to be deleted, as far as we know, and that we could not look at."""
    for place, work in plan.retiring.items():
        seen = live.get(place)
        adopted = place in plan.receipts and plan.receipts[place].adopted
        if isinstance(seen, Unknown) and not seen.no_such_api and not work.preserve and not adopted:
            yield place.cluster


def _objections(plan: Plan, question: Question, live: Mapping[Place, LiveObject]) -> Iterator[tuple[Place, str]]:
    """What speaks against deleting at single places."""
    twins = _twins(question)
    wanted = {(place.cluster, uid): place.key for place in plan.works if (uid := _uid(live.get(place)))}
    for place, work in plan.retiring.items():
        if same := wanted.get((place.cluster, _uid(live.get(place)))):
            yield place, f"it is the same object as {same} of {same.group or 'the core group'}, which is wanted"
        elif twin := twins.get(place.cluster):
            yield place, f"{place.cluster} and {twin} are the same cluster; take one of the two out of the repository"
        elif silent := _silent(work, plan, question):
            yield place, f"{silent}, where it goes instead, does not answer"


def _uid(live: LiveObject | None) -> str:
    return str(dig(live.object, "metadata", "uid") or "") if isinstance(live, Present) else ""


def _twins(question: Question) -> dict[ClusterName, ClusterName]:
    """Members that are one and the same cluster, by the UID of its namespace kube-system: what leaves the one name may
    be wanted under the other."""
    found: dict[str, list[ClusterName]] = {}
    for name, state in sorted(question.members.items()):
        if isinstance(state, Observed) and state.identity:
            found.setdefault(state.identity, []).append(name)
    same = [names for names in found.values() if len(names) > 1]
    return {name: next(other for other in names if other != name) for names in same for name in names}


def _silent(work: Work, plan: Plan, question: Question) -> str:
    """A member that the object moves to, that never had it and does not answer now."""
    binding = plan.bindings.get(work.binding) if work.binding is not None else None
    for target in binding.spec.clusters if binding is not None else ():
        name = ClusterName(target.name)
        new = plan.works.get(Place(cluster=name, key=work.key))
        if isinstance(question.members.get(name), Unreachable) and new is not None and not _was_applied(new):
            return str(name)
    return ""


def _was_applied(work: Work) -> bool:
    return any(condition.type == "Applied" and condition.status == "True" for condition in work.status.conditions)


def _circumstances(plan: Plan, question: Question, interpreter: Interpreter) -> Circumstances:
    settings = question.federation.settings

    def retain(desired: Object, observed: Object) -> Object:
        return interpreter.retain(desired, observed) or desired

    return Circumstances(
        instance=settings.instance,
        now=question.now.timestamp(),
        autoscaled=frozenset(_autoscaled(plan, question)),
        protected_namespaces=frozenset(settings.spec.deletion.protected_namespaces),
        retain=retain,
    )


def _autoscaled(plan: Plan, question: Question) -> Iterator[Place]:
    """Places that an autoscaler scales: one in the member, or one of ours that goes there."""
    for name, state in question.members.items():
        if isinstance(state, Observed):
            yield from (Place(cluster=name, key=key) for key in state.autoscaled)
    for place, work in plan.works.items():
        if (place.key.group, place.key.kind) == AUTOSCALER:
            yield Place(cluster=place.cluster, key=_target(place.key.namespace, work.manifest))


def _target(namespace: str, autoscaler: Object) -> Key:
    reference = dig(autoscaler, "spec", "scaleTargetRef") or {}
    return Key(
        group=group_of(str(reference.get("apiVersion") or "")),
        kind=str(reference.get("kind") or ""),
        namespace=namespace,
        name=str(reference.get("name") or ""),
    )
