"""Making room for what is more important: replicas of less important bindings that have to go elsewhere.

Only bindings that are divided by room can be displaced: all others come back wherever their placement says.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from gitops_karmada.core.capacity import Capacity
from gitops_karmada.core.schedule import Scheduled, SchedulingWorld, schedule
from gitops_karmada.core.strategy import is_dynamic
from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.decisions import Trigger, Victim
from gitops_karmada.model.objects import Key

MOST_VICTIMS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Preemption:
    """The pass that succeeds when the victims' replicas are gone."""

    result: Scheduled
    victims: tuple[Victim, ...]


def preempt(
    binding: Binding, lower: Iterable[Binding], world: SchedulingWorld, trigger: Trigger | None
) -> Preemption | None:
    """As few replicas of `lower` bindings as it takes, the least important first; None where that is not enough.

    `lower` are the less important ones in the order of their importance. Nothing is changed: `displaced` and `release`
    carry it out.
    """
    spared = {it.key: it for it in lower}
    chosen: list[Victim] = []
    for victim in _possible(list(spared.values())):
        chosen.append(victim)
        if _try(binding, spared, chosen, world, trigger) is not None:
            break
    else:
        return None
    needed = _reprieved(binding, spared, chosen, world, trigger)
    result = _try(binding, spared, needed, world, trigger)
    if result is None:
        return None
    decision = replace(result.decision, victims=tuple(needed))
    return Preemption(result=replace(result, decision=decision), victims=tuple(needed))


def _possible(lower: Sequence[Binding]) -> list[Victim]:
    """Whole targets, those of the least important binding first."""
    found = [
        Victim(binding=_text(it.key), cluster=target.name, replicas=target.replicas)
        for it in reversed(lower)
        if it.spec.placement and is_dynamic(it.spec.placement.replica_scheduling) and not it.spec.components
        for target in sorted(it.spec.clusters, key=lambda target: target.name)
        if target.replicas > 0
    ]
    return found[:MOST_VICTIMS]


def _reprieved(
    binding: Binding,
    spared: dict[Key, Binding],
    chosen: Sequence[Victim],
    world: SchedulingWorld,
    trigger: Trigger | None,
) -> list[Victim]:
    """Let the more important victims stay where the others are enough, and let all keep the replicas that they can."""
    needed = list(chosen)
    for victim in reversed(chosen):
        others = [it for it in needed if it is not victim]
        place = needed.index(victim)
        low, high = 0, victim.replicas  # with `high` replicas gone it works
        while low < high:
            middle = (low + high) // 2
            fewer = [*others[:place], replace(victim, replicas=middle), *others[place:]]
            if _try(binding, spared, fewer if middle else others, world, trigger) is None:
                low = middle + 1
            else:
                high = middle
        needed = [*others[:place], replace(victim, replicas=high), *others[place:]] if high else others
    return needed


def _try(
    binding: Binding,
    spared: dict[Key, Binding],
    victims: Sequence[Victim],
    world: SchedulingWorld,
    trigger: Trigger | None,
) -> Scheduled | None:
    capacity = world.capacity.copy()
    release(capacity, spared.values(), victims)
    result = schedule(binding, world.with_capacity(capacity), trigger)
    return result if isinstance(result, Scheduled) else None


def release(capacity: Capacity, bindings: Iterable[Binding], victims: Iterable[Victim]) -> None:
    """Give back the room of the victims' replicas."""
    by_name = {_text(it.key): it for it in bindings}
    for victim in victims:
        capacity.give(by_name[victim.binding].spec, victim.cluster, victim.replicas)


def displaced(binding: Binding, victims: Iterable[Victim]) -> Binding:
    """A victim without the replicas that have to go. Its own pass, later in the turn, finds them another place."""
    gone = {victim.cluster: victim.replicas for victim in victims if victim.binding == _text(binding.key)}
    if not gone:
        return binding
    targets = (replace(it, replicas=it.replicas - gone.get(it.name, 0)) for it in binding.spec.clusters)
    return replace(binding, spec=replace(binding.spec, clusters=tuple(it for it in targets if it.replicas > 0)))


def _text(key: Key) -> str:
    return str(key)
