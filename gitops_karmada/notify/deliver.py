"""Notices to every sink. A sink that fails is a finding; the others still get theirs, and the turn goes on."""

from collections.abc import Mapping, Sequence

from gitops_karmada.model.notices import Notice
from gitops_karmada.model.problems import Problem, Severity
from gitops_karmada.notify.sinks import DeliveryError, Sink


def deliver(instance: str, notices: Sequence[Notice], sinks: Mapping[str, Sink]) -> tuple[Problem, ...]:
    """Hand the notices to each sink, by name. Without notices nobody is disturbed."""
    if not notices:
        return ()
    return tuple(
        problem for name, sink in sorted(sinks.items()) if (problem := _delivered(name, sink, instance, notices))
    )


def _delivered(name: str, sink: Sink, instance: str, notices: Sequence[Notice]) -> Problem | None:
    try:
        sink(instance, notices)
    except DeliveryError as error:
        return Problem(
            code="GK8010",
            severity=Severity.WARNING,
            subject=name,
            message=str(error),
            hint="The turn is not affected; these notices are not sent again",
        )
    return None
