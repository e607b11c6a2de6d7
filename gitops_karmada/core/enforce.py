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
from gitops_karmada.model.actions import Action, Keep, Receipt
from gitops_karmada.model.members import LiveObject, Observed, Present, Unknown
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
    plan: Plan, live: Mapping[Place, LiveObject], question: Question, interpreter: Interpreter
) -> dict[ClusterName, tuple[Action, ...]]:
    """What to do in each member. What was not seen is unknown, and unknown is left alone."""
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
    for action in permit_deletions(judged, grounds_of(plan, question)):
        by_cluster.setdefault(action.place.cluster, []).append(action)
    return {cluster: tuple(actions) for cluster, actions in by_cluster.items()}


def _judged(work: Work, receipt: Receipt | None, live: LiveObject, circumstances: Circumstances) -> Action:
    whole = unsealed(work)
    if whole is not None:
        return judge(whole, receipt, live, circumstances)
    object_ = live.object if isinstance(live, Present) else None
    reason = "the values of this Secret are not known in this turn; it stays as it is"
    return Keep(place=work.place, object=object_, receipt=receipt, reason=reason)


def grounds_of(plan: Plan, question: Question) -> Grounds:
    """What this turn knows against deleting."""
    deletion = question.federation.settings.spec.deletion
    return Grounds(
        source="; ".join(unreadable(question.ledger, question.federation)),
        managed=Counter(place.cluster for place in question.ledger.works),
        budget=DeletionBudget(objects=deletion.max_objects, percent=deletion.max_percent),
    )


def _circumstances(plan: Plan, question: Question, interpreter: Interpreter) -> Circumstances:
    settings = question.federation.settings

    def retain(desired: Object, observed: Object) -> Object:
        try:
            return interpreter.retain(desired, observed) or desired
        except InterpretError:
            return desired

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
