"""Room by the ResourceQuotas of the workload's namespace in the member, where they are looked at."""

from typing import assert_never

from gitops_karmada.core.capacity import Demand, Replicas, Room, Sets
from gitops_karmada.core.first_fit import Part
from gitops_karmada.core.member_quotas import MemberQuota


def room_by_quotas(room: Room, demand: Demand) -> int | None:
    """None where no quota limits what is asked for."""
    match demand:
        case Replicas(part=part):
            parts: tuple[Part, ...] = (part,)
        case Sets(parts=parts):
            pass
        case _:
            assert_never(demand)
    answers = [_times(quota, parts) for quota in room.quotas]
    return min((answer for answer in answers if answer is not None), default=None)


def _times(quota: MemberQuota, parts: tuple[Part, ...]) -> int | None:
    wanted: dict[str, int] = {}
    for part in parts:
        if quota.limits(part):
            for name, amount in part.request.items():
                wanted[name] = wanted.get(name, 0) + amount * part.replicas
    return quota.times(wanted)
