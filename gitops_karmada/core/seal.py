"""Works of Secrets: their values go to the member and nowhere else."""

from dataclasses import replace

from gitops_karmada.model.frozen import NOTHING
from gitops_karmada.model.secrets import PLACEHOLDER, is_readable, is_redacted, redacted
from gitops_karmada.model.works import AppliedOverride, FieldChange, Work


def sealed(work: Work) -> Work:
    """The work as it may be shown, with the real manifest put aside; any but a readable Secret's as it is."""
    if not is_readable(work.manifest):
        return work
    overrides = tuple(_without_values(applied) for applied in work.overrides)
    return replace(work, manifest=redacted(work.manifest), overrides=overrides, sealed=work.manifest)


def unsealed(work: Work) -> Work | None:
    """The work as the member gets it; None where its values are not known in this turn."""
    if work.sealed is not None:
        return replace(work, manifest=work.sealed, sealed=None)
    return None if is_redacted(work.manifest) else work


def _without_values(applied: AppliedOverride) -> AppliedOverride:
    return replace(applied, overriders=NOTHING, changes=tuple(map(_without_value, applied.changes)))


def _without_value(change: FieldChange) -> FieldChange:
    return FieldChange(
        path=change.path,
        before=None if change.before is None else PLACEHOLDER,
        after=None if change.after is None else PLACEHOLDER,
    )
