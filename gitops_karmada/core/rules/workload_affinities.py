"""Workload affinity: labels to group by, and never the same for both directions."""

from collections.abc import Iterator

from gitops_karmada.core.rules import Broken
from gitops_karmada.model.policies import PropagationPolicy
from gitops_karmada.model.selectors import is_label_key

CODE = "GK2034"


def workload_affinities(policy: PropagationPolicy) -> Iterator[Broken]:
    affinity, place = policy.spec.placement.workload_affinity, "spec.placement.workloadAffinity"
    if affinity is None:
        return
    terms = {"affinity": affinity.affinity, "antiAffinity": affinity.anti_affinity}
    keys = {name: term.group_by_label_key for name, term in terms.items() if term is not None}
    for name, key in keys.items():
        if not is_label_key(key):
            yield Broken(code=CODE, path=f"{place}.{name}.groupByLabelKey", message=f"{key!r} is no key of a label")
    if len(keys) > len(set(keys.values())):
        yield Broken(
            code=CODE,
            path=place,
            message=f"affinity and antiAffinity both group by {keys['affinity']!r}: together and apart at once",
        )
