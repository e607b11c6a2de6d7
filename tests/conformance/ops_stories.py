"""Histories recorded from a running Karmada, played in a federation in memory: None where all ends up the same."""

from collections.abc import Iterator, Mapping
from typing import Any

from gitops_karmada.core.claim import claim_of
from gitops_karmada.model.bindings import Binding
from gitops_karmada.model.clusters import Condition
from gitops_karmada.model.federation import Ledger
from gitops_karmada.model.marks import is_ours
from gitops_karmada.model.objects import Key, Object, annotations_of, labels_of, metadata_of
from gitops_karmada.model.secrets import redacted
from gitops_karmada.model.works import Place, Work
from tests.conformance.differences import all_differences
from tests.conformance.ops_interpreter import difference
from tests.conformance.story_servers import new_status
from tests.conformance.story_worlds import Stage, key_named

Case = dict[str, Any]

LISTED = all_differences()
FEATURES = {"schedulingOvercommitProtection": False}
# What was recorded of live objects.
RECORDED = ("metadata", "spec", "data")
BUDGET = {"maxObjects": 1000, "maxPercent": 100}
# Written by us or Karmada for our own books, or by a server.
BOOKKEEPING = ("gitops-karmada.io/", "resourcetemplate.karmada.io/generation")
TIMES = frozenset({"lastTransitionTime", "lastScheduleTime", "startTime", "completionTime", "observedGeneration"})
COUNTERS = frozenset({"generation", "resourceTemplateGeneration"})


def settings_for(profile: str) -> dict[str, Any]:
    failover: dict[str, Any] = {}
    if profile != "default":
        failover = {"enabled": True, "noExecuteTaintEviction": True}
    if profile == "outage":
        failover |= {"clusterFailureThresholdSeconds": 3, "clusterSuccessThresholdSeconds": 3}
    return {"features": FEATURES, "deletion": BUDGET, "failover": failover, "secrets": "Redact"}


def story(case: Case) -> str | None:
    with Stage(settings_for(case["profile"]), case["members"]) as stage:
        return played(case, stage)


def played(case: Case, stage: Stage) -> str | None:
    """Play it step by step; the first step that ends up otherwise says all its differences."""
    _furnish(stage, case)
    for number, step in enumerate(case["steps"], start=1):
        _play(stage, step, case["profile"])
        found = unforgiven(f"{case['id']}/{number}", list(differences(step["expect"], stage)))
        if found:
            return f"step {number} ({step['does']}): " + " | ".join(found)
    return None


def unforgiven(step: str, found: list[str]) -> list[str]:
    """What is left without the differences on purpose, listed as `story/step: words` with their reason.

    A listed difference that does not show is as wrong as one that is not listed.
    """
    listed = [name.partition(": ")[2] for name in LISTED if name.startswith(f"{step}: ")]
    left = [text for text in found if not any(words in text for words in listed)]
    idle = [words for words in listed if not any(words in text for text in found)]
    return left + [f"listed as different, and is not: {words}" for words in idle]


def _furnish(stage: Stage, case: Case) -> None:
    for name, member in case["members"].items():
        for obj in (*member.get("nodes", ()), *member.get("pods", ()), *member.get("apply", ())):
            stage.furnish(name, obj)
    for cluster in case["clusters"]:
        stage.commit(apply=[cluster])


def _play(stage: Stage, step: Case, profile: str) -> None:
    stage.clock.advance(10)
    for name, world in (step.get("members") or {}).items():
        for obj in (*world.get("nodes", ()), *world.get("pods", ()), *world.get("apply", ())):
            stage.write(name, obj)
        for obj in world.get("status", ()):
            stage.report(name, obj)
        for obj in world.get("delete", ()):
            stage.remove(name, obj)
    for name in step.get("down") or ():
        stage.doors[name].is_shut = True
    for name in step.get("up") or ():
        stage.doors[name].is_shut = False
    if step.get("apply") or step.get("delete"):
        stage.commit(step.get("apply") or (), step.get("delete") or ())
    if profile == "default":
        stage.settle()
        return
    stage.settle(most=2)
    stage.clock.advance(4)
    stage.settle()


def differences(expected: Case, stage: Stage) -> Iterator[str]:
    ledger = stage.status.ledger()
    yield from _bindings(expected["bindings"], ledger)
    for member, works in expected["works"].items():
        yield from _works(member, works, ledger)
    for member, objects in expected["live"].items():
        yield from _live(member, objects, ledger, stage)
    yield from _template_status(expected.get("templateStatus") or {}, ledger, stage)
    yield from _clusters(expected.get("clusters") or {}, ledger)


# Bindings


def _bindings(expected: Mapping[str, Case], ledger: Ledger) -> Iterator[str]:
    wanted = {key_named(name)[1]: (name, value) for name, value in expected.items()}
    for key, binding in ledger.bindings.items():
        if key not in wanted and not _is_left_over(binding) and key.kind != "Namespace":
            yield f"binding {key} should not be there"
    for key, (_, value) in wanted.items():
        found = ledger.bindings.get(key)
        if found is None:
            if value.get("clusters") or value.get("policy") or value.get("requiredBy"):
                yield f"binding {key} is missing"
            continue
        if not (value.get("clusters") or value.get("policy") or value.get("requiredBy")) and _is_left_over(found):
            continue
        for part, answer in _binding(found).items():
            if wrong := difference(_expected_part(part, value), answer):
                yield f"binding {key} {part}{wrong}"


def _is_left_over(binding: Binding) -> bool:
    return not binding.spec.clusters and claim_of(binding) is None and not binding.spec.required_by


def _expected_part(part: str, value: Case) -> Any:
    if part in ("Scheduled", "FullyApplied"):
        return (value.get("conditions") or {}).get(part)
    if part == "aggregated":
        return {name: {"applied": False, **item} for name, item in (value.get(part) or {}).items()}
    if part == "components":
        return {name: sorted(parts.items()) for name, parts in (value.get(part) or {}).items()}
    return value.get(part)


def _binding(binding: Binding) -> dict[str, Any]:
    spec, conditions = binding.spec, {it.type: _said(it) for it in binding.status.conditions}
    return {
        "clusters": {target.name: target.replicas for target in spec.clusters},
        "components": {
            target.name: sorted((it.name, it.replicas) for it in target.components)
            for target in spec.clusters
            if target.components
        },
        "policy": _policy(claim_of(binding)),
        "requiredBy": [
            [f"{one.namespace}/{one.name}", {target.name: target.replicas for target in one.clusters}]
            for one in spec.required_by
        ]
        or None,
        "evicting": {task.from_cluster: task.reason for task in spec.graceful_eviction_tasks},
        "affinityName": binding.status.scheduler_observed_affinity_name or None,
        "Scheduled": conditions.get("Scheduled"),
        "FullyApplied": conditions.get("FullyApplied"),
        "aggregated": {it.cluster_name: _aggregated(it) for it in binding.status.aggregated_status},
    }


def _policy(claim: Key | None) -> str | None:
    if claim is None:
        return None
    return f"{claim.kind}/{claim.namespace}/{claim.name}"


def _said(condition: Condition) -> str:
    return f"{condition.status}/{condition.reason}"


def _aggregated(item: Any) -> dict[str, Any]:
    return {"applied": item.applied, "health": item.health, "status": _without_times(item.status)}


# Works


def _works(member: str, expected: Mapping[str, Case], ledger: Ledger) -> Iterator[str]:
    wanted = {key_named(name)[1]: (name, value) for name, value in expected.items()}
    found = {place.key: work for place, work in ledger.works.items() if place.cluster == member and not work.retiring}
    for key, work in found.items():
        if key not in wanted and not _is_own_namespace(work):
            yield f"work {key} in {member} should not be there"
    for key, (_, value) in wanted.items():
        if key not in found:
            yield f"work {key} in {member} is missing"
            continue
        for part, answer in _work(found[key]).items():
            if wrong := difference(_expected_work(part, value), answer):
                yield f"work {key} in {member} {part}{wrong}"


def _is_own_namespace(work: Work) -> bool:
    return work.key.kind == "Namespace" and work.binding is None


def _expected_work(part: str, value: Case) -> Any:
    if part == "Applied":
        return (value.get("conditions") or {}).get(part)
    if part == "overrides":
        return list(value.get(part) or ())
    if part == "manifest":
        # The values themselves are compared in the members.
        return redacted(value[part])
    return value.get(part) or (False if part in ("suspended", "preserve") else None)


def _work(work: Work) -> dict[str, Any]:
    conditions = {it.type: _said(it) for it in work.status.conditions}
    return {
        "manifest": stripped(work.manifest),
        "overrides": [applied.policy.rsplit("/", 1)[1] for applied in work.overrides],
        "suspended": work.suspended,
        "preserve": work.preserve,
        "Applied": conditions.get("Applied"),
    }


def stripped(obj: Object) -> Object:
    """The object without what is written for the books."""
    metadata = {
        **metadata_of(obj),
        "labels": _foreign(labels_of(obj)),
        "annotations": _foreign(annotations_of(obj)),
    }
    return {**obj, "metadata": {name: value for name, value in metadata.items() if value}}


def _foreign(marks: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in marks.items() if not name.startswith(BOOKKEEPING)}


# Members


def _live(member: str, expected: Mapping[str, Case], ledger: Ledger, stage: Stage) -> Iterator[str]:
    wanted = {key_named(name)[1]: (name, value) for name, value in expected.items()}
    if stage.doors[member].is_shut:
        # Nobody saw what was there then.
        return
    for key, obj in stage.objects(member).items():
        if key not in wanted and key.kind != "Namespace" and is_ours(obj, "story"):
            yield f"{key} in {member} should be gone"
    for key, (name, value) in wanted.items():
        live = stage.live(member, key_named(name)[0], key.kind, key.namespace, key.name)
        if live is None:
            yield f"{key} in {member} is missing"
            continue
        if is_ours(live, "story") != bool(value.get("ours")):
            yield f"{key} in {member} should{'' if value.get('ours') else ' not'} be ours"
        work = ledger.works.get(Place(cluster=member, key=key))  # type: ignore[arg-type]
        if work is not None and value.get("ours"):
            content = {part: field for part, field in stripped(work.manifest).items() if part in RECORDED}
            yield from _fields(content, value, live, f"live {key} in {member} ")


def _fields(declared: Any, expected: Any, live: Any, path: str) -> Iterator[str]:
    """Every field that our manifest names has the value it has there."""
    if isinstance(declared, Mapping):
        for name, value in declared.items():
            if name in ("name", "namespace") and path.endswith(".metadata"):
                continue
            if isinstance(expected, Mapping) and name not in expected and not value:
                continue
            yield from _fields(
                value,
                expected.get(name) if isinstance(expected, Mapping) else None,
                live.get(name) if isinstance(live, Mapping) else None,
                f"{path}.{name}",
            )
    elif wrong := difference(expected, live):
        yield f"{path}{wrong}"


# Statuses


def _template_status(expected: Mapping[str, Any], ledger: Ledger, stage: Stage) -> Iterator[str]:
    wanted = {key_named(name)[1]: value for name, value in expected.items()}
    for key in sorted({*wanted, *ledger.template_statuses}):
        # There, an API server gave the template the status of a new object; here nothing holds one.
        new = new_status(stage.template(key)) or {} if key in wanted else {}
        found = {**new, **(ledger.template_statuses.get(key) or {})}
        if wrong := difference(_without_times(wanted.get(key)), _without_times(found)):
            yield f"status of {key}{wrong}"


def _without_times(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _without_times(part) for name, part in value.items() if name not in TIMES | COUNTERS}
    return [_without_times(part) for part in value] if isinstance(value, list | tuple) else value


def _clusters(expected: Mapping[str, Case], ledger: Ledger) -> Iterator[str]:
    for name, value in expected.items():
        cluster = ledger.clusters[name]  # type: ignore[index]
        ready = next((it.status for it in cluster.status.conditions if it.type == "Ready"), None)
        taints = sorted(f"{taint.key}:{taint.effect}" for taint in cluster.spec.taints)
        if wrong := difference(value, {"ready": ready, "taints": taints}):
            yield f"cluster {name}{wrong}"


OPS = {"story": story}
