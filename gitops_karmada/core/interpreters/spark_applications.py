"""Apache Spark's SparkApplication."""

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from gitops_karmada.core.fields import mapping, text
from gitops_karmada.core.interpreters import Interpretation, InterpretError, Items
from gitops_karmada.core.thirdparty_status import (
    count,
    greatest,
    keep,
    number,
    only_status,
    reports_of,
    total,
    with_status,
    without_empty,
)
from gitops_karmada.model.objects import Object, dig
from gitops_karmada.model.pod_templates import node_claim_of
from gitops_karmada.model.quantity import NANO, Format, Quantity, quantity

# Java's units of memory by their first letter, in bytes.
UNITS = {"b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40, "p": 1 << 50}
SMALLEST_OVERHEAD = 384 << 20
OVERHEAD_OF_JAVA = Fraction(1, 10)
OVERHEAD_OF_OTHERS = Fraction(4, 10)
# From what says least to what says worst.
STATES = {
    "SUBMITTED": 1,
    "PENDING_RERUN": 1,
    "COMPLETED": 2,
    "SUSPENDING": 3,
    "SUSPENDED": 3,
    "RUNNING": 4,
    "RESUMING": 4,
    "SUCCEEDING": 4,
    "INVALIDATING": 5,
    "FAILING": 6,
    "FAILED": 6,
    "SUBMISSION_FAILED": 6,
}


def components(obj: Object) -> list[Object]:
    factor = _overhead_factor(obj)
    return [_component(obj, "driver", 1, factor), _component(obj, "executor", _executors(obj), factor)]


def _component(obj: Object, part: str, replicas: int, factor: Fraction) -> Object:
    spec = mapping(obj, "spec", part)
    needs: dict[str, Any] = {"resourceRequest": _request(part, spec, factor)}
    if claim := node_claim_of({"spec": spec}):
        needs["nodeClaim"] = claim
    if spec.get("priorityClassName"):
        needs["priorityClassName"] = spec["priorityClassName"]
    return {"name": part, "replicas": replicas, "replicaRequirements": without_empty(needs)}


def _executors(obj: Object) -> int:
    instances = count(dig(obj, "spec", "executor", "instances"), 1)
    dynamic = mapping(obj, "spec", "dynamicAllocation")
    if not dynamic.get("enabled"):
        return instances
    return max(instances, count(dynamic.get("initialExecutors"), 1), count(dynamic.get("minExecutors"), 1))


def _request(part: str, spec: Object, factor: Fraction) -> Object:
    try:
        cores = str(quantity(spec["cores"] if spec.get("cores") is not None else 1))
    except (TypeError, ValueError) as wrong:
        raise InterpretError(f"spec.{part}.cores: {wrong}") from wrong
    memory = _bytes(part, spec.get("memory") or "1g")
    written = spec.get("memoryOverhead")
    overhead = _bytes(part, written) if written else max(memory * factor, Fraction(SMALLEST_OVERHEAD))
    request = {"cpu": cores, "memory": str(Quantity(math.ceil((memory + overhead) * NANO), Format.BINARY))}
    gpus = count(dig(spec, "gpu", "quantity"), 0)
    return {**request, text(spec, "gpu", "name"): str(gpus)} if gpus > 0 and text(spec, "gpu", "name") else request


def _bytes(part: str, memory: Any) -> Fraction:
    match = re.fullmatch(r"(\d+\.?\d*)([bkmgtp])b?", str(memory).lower())
    if match is None:
        raise InterpretError(f"spec.{part}: {memory!r} is not an amount of memory such as 512m or 2g")
    return Fraction(match[1]) * UNITS[match[2]]


def _overhead_factor(obj: Object) -> Fraction:
    kind = text(obj, "spec", "type").lower()
    if not kind:
        raise InterpretError("spec.type: missing; Java, Scala, Python or R decides the memory overhead")
    said = number(dig(obj, "spec", "memoryOverheadFactor"))
    if said is not None:
        return Fraction(str(said))
    return OVERHEAD_OF_JAVA if kind in ("java", "scala") else OVERHEAD_OF_OTHERS


def is_healthy(obj: Object) -> bool:
    return dig(obj, "status", "applicationState", "state") not in (None, "FAILED")


def aggregate(obj: Object, items: Items) -> Object:
    if items is None:
        return without_empty(obj)
    if len(items) == 1:
        return only_status(obj, items)
    reports = reports_of(items)
    return with_status(
        obj,
        applicationState=_worst_state(reports),
        executionAttempts=total(reports, "executionAttempts"),
        executorState={name: state for r in reports for name, state in mapping(r, "executorState").items()},
        submissionAttempts=total(reports, "submissionAttempts"),
        lastSubmissionAttemptTime=greatest(reports, "lastSubmissionAttemptTime", ""),
        terminationTime=greatest(reports, "terminationTime", ""),
    )


def _worst_state(reports: Sequence[Object]) -> Object:
    states = [mapping(report, "applicationState") for report in reports if report.get("applicationState") is not None]
    return max(states, key=lambda state: STATES.get(text(state, "state"), 0), default={})


SPARK_APPLICATION = Interpretation(
    components=components,
    health=is_healthy,
    reflect=keep(
        "applicationState",
        "driverInfo",
        "executorState",
        "sparkApplicationId",
        "lastSubmissionAttemptTime",
        "submissionAttempts",
        "executionAttempts",
        "submissionID",
        "terminationTime",
    ),
    aggregate=aggregate,
)
