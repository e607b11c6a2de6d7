"""A plan as text, values and Markdown: what each member would get, lose or keep, and which line caused it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final

from gitops_karmada.cli.output import markdown
from gitops_karmada.cli.output.problems import as_values, location_value, sentence, several
from gitops_karmada.cli.output.tables import table
from gitops_karmada.cli.output.terminal import Line, Span, Tone, line
from gitops_karmada.core.changes import Change, ChangeAction, counts, moved_replicas
from gitops_karmada.core.explain import author_of, changed, name_of
from gitops_karmada.model.federation import Commit
from gitops_karmada.model.objects import Key
from gitops_karmada.model.plan import Cause
from gitops_karmada.model.problems import Location, Problem, Severity

SYMBOLS: Final = {
    ChangeAction.CREATE: ("+", Tone.GOOD),
    ChangeAction.UPDATE: ("~", Tone.CHANGED),
    ChangeAction.MOVE: ("↦", Tone.MOVED),
    ChangeAction.DELETE: ("-", Tone.BAD),
    ChangeAction.RELEASE: ("○", Tone.CHANGED),
    ChangeAction.HOLD: ("!", Tone.CHANGED),
}

_FIELDS_SHOWN: Final = 8
_REPLICA_FIELDS: Final = frozenset({"/spec/replicas", "/spec/parallelism"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A plan with what it is compared to. `base` is a commit to compare with, or empty: the status branch is."""

    changes: tuple[Change, ...]
    commit: Commit = Commit()
    uncommitted: bool = False
    base: str = ""
    status_commit: str = ""
    members: tuple[str, ...] = ()
    unreachable: tuple[str, ...] = ()
    offline: bool = False
    cause: Cause = Cause.MANIFEST
    problems: tuple[Problem, ...] = ()

    @property
    def touched(self) -> list[str]:
        acting = (change for change in self.changes if change.action is not ChangeAction.HOLD)
        return sorted({change.cluster for change in acting if change.cluster})


# Text -----------------------------------------------------------------------------------------------------------------


def lines(preview: Preview, all_fields: bool = False) -> Iterator[Line]:
    yield line(Span(headline(preview), Tone.STRONG))
    if preview.unreachable:
        yield line(
            Span(f"Not seen: {' '.join(preview.unreachable)}; what runs there is unknown, so it stays", Tone.CHANGED)
        )
    yield line()
    for rows in _members(preview.changes):
        yield from rows if all_fields else _short(rows)
    if preview.changes:
        yield line()
    yield line(summary(preview))
    yield from _hints(preview.changes)


def headline(preview: Preview) -> str:
    commit = preview.commit
    what = f"{commit.id[:7]}" if commit.id else "this folder"
    if preview.uncommitted:
        what = f"the files as they are (on top of {commit.id[:7]})" if commit.id else "the files as they are"
    told = by_whom(commit)
    who = f" ({told})" if told else ""
    offline = "; members not asked, capacity from the status branch" if preview.offline else ""
    return f"Plan for {what}{who} against {_compared(preview)}{offline}"


def by_whom(commit: Commit) -> str:
    """`main, alice`: the branch, where one was read, and the author."""
    branch = commit.ref.removeprefix("refs/heads/") if commit.ref != commit.id else ""
    return ", ".join(part for part in (branch, author_of(commit)) if part)


def _compared(preview: Preview) -> str:
    if preview.base:
        return f"{preview.base}"
    return f"status {preview.status_commit[:7]}" if preview.status_commit else "an empty status branch"


def _members(changes: Iterable[Change]) -> Iterator[list[Line]]:
    """The lines of each change; the member's name stands before its first one."""
    found = list(changes)
    rows = [row for _, group in groupby(found, key=lambda it: it.cluster) for row in _rows(list(group))]
    for change, told in zip(found, table((), rows), strict=True):
        yield [told, *(line("          ", text) for text in _fields(change))]


def _rows(group: Sequence[Change]) -> Iterator[tuple[Span, Span, str, str]]:
    for index, change in enumerate(group):
        symbol, tone = SYMBOLS[change.action]
        member = Span(change.cluster or "—" if index == 0 else "", Tone.STRONG)
        yield member, Span(f"{symbol} {name_of(change.key)}", tone), detail(change), _cause(change)


def detail(change: Change) -> str:
    """What becomes of it, in words."""
    parts = [_replicas(change)] if change.replicas_before != change.replicas_after else []
    match change.action:
        case ChangeAction.MOVE:
            parts += ["arrives"] if change.arrives else ["leaves"] if change.leaves else []
            parts += ["leaves when its replacement runs"] if change.evicted else []
        case ChangeAction.RELEASE:
            parts = ["left in place, no longer ours"]
        case ChangeAction.HOLD:
            parts = [*parts, "HELD"]
        case ChangeAction.UPDATE if not parts:
            parts = [several(len(change.fields), "field")] if change.fields else []
        case _:
            pass
    return ", ".join(parts)


def _replicas(change: Change) -> str:
    if change.replicas_before is None:
        return f"replicas {change.replicas_after}"
    if change.replicas_after is None:
        return f"replicas {change.replicas_before} → 0"
    return f"replicas {change.replicas_before} → {change.replicas_after}"


def _cause(change: Change) -> str:
    """The line that caused it, and why unless the line says it."""
    told = change.reason if change.reason != "new" or change.where is None else ""
    return "   ".join(part for part in (_line_of(change.where), told) if part)


def _line_of(location: Location | None) -> str:
    """`file:line`: the column is of no use for a change."""
    return str(replace(location, column=0)) if location else ""


def _fields(change: Change) -> Iterator[str]:
    if change.overridden_by:
        yield f"overridden by {' '.join(change.overridden_by)}"
    for field in change.fields:
        if not (change.replicas_before != change.replicas_after and field.path in _REPLICA_FIELDS):
            yield changed(field)


def _short(rows: list[Line]) -> list[Line]:
    hidden = len(rows) - 1 - _FIELDS_SHOWN
    return (
        rows
        if hidden <= 0
        else [*rows[: _FIELDS_SHOWN + 1], line(f"        … and {hidden} more fields (-v shows all)")]
    )


def summary(preview: Preview) -> str:
    if not preview.changes and any(problem.severity is Severity.ERROR for problem in preview.problems):
        return "No changes: what has errors stays as it is."
    if not preview.changes:
        seen = "every member that was seen" if preview.unreachable else "every member"
        return f"No changes: {seen} is as this commit wants it."
    total, moved = counts(preview.changes), moved_replicas(preview.changes)
    moves = f" ({several(moved, 'replica')})" if moved else ""
    released = f", {total[ChangeAction.RELEASE]} to release" if total[ChangeAction.RELEASE] else ""
    touched = " ".join(preview.touched) or "none"
    return (
        f"{total[ChangeAction.CREATE]} to create, {total[ChangeAction.UPDATE]} to update, "
        f"{total[ChangeAction.MOVE]} to move{moves}, {total[ChangeAction.DELETE]} to delete{released}, "
        f"{total[ChangeAction.HOLD]} held.  Members touched: {touched} (of {len(preview.members)})."
    )


def _hints(changes: Iterable[Change]) -> Iterator[Line]:
    for hint in dict.fromkeys(change.hint for change in changes if change.hint):
        yield line(Span("Held: ", Tone.CHANGED), hint)


def next_step(preview: Preview) -> str:
    if not preview.touched:
        return ""
    if preview.uncommitted:
        return "Next: commit it, then gitops-karmada sync (or push: a daemon picks it up)"
    return "Next: gitops-karmada sync (or push: a daemon picks it up)"


# Values ---------------------------------------------------------------------------------------------------------------


def value(preview: Preview) -> dict[str, Any]:
    total = counts(preview.changes)
    commit = preview.commit
    return {
        "commit": {
            name: item
            for name, item in (
                ("id", commit.id),
                ("ref", commit.ref),
                ("author", commit.author),
                ("subject", commit.subject),
            )
            if item
        },
        "uncommitted": preview.uncommitted,
        "against": {"base": preview.base} if preview.base else {"statusCommit": preview.status_commit},
        "offline": preview.offline,
        "cause": str(preview.cause),
        "summary": {
            **{str(action): number for action, number in total.items()},
            "movedReplicas": moved_replicas(preview.changes),
            "membersTouched": preview.touched,
            "membersUnreachable": list(preview.unreachable),
            "members": list(preview.members),
        },
        "changes": [_change_value(change) for change in preview.changes],
        "problems": as_values(preview.problems),
    }


def _change_value(change: Change) -> dict[str, Any]:
    told: dict[str, Any] = {
        "member": change.cluster or "",
        "object": key_value(change.key),
        "action": str(change.action),
    }
    if change.replicas_before is not None or change.replicas_after is not None:
        told["replicas"] = {"before": change.replicas_before, "after": change.replicas_after}
    if change.action is ChangeAction.MOVE:
        told |= {"arrives": change.arrives, "leaves": change.leaves, "evicted": change.evicted}
    if change.fields:
        told["fields"] = [{"path": it.path, "before": it.before, "after": it.after} for it in change.fields]
    if change.overridden_by:
        told["overriddenBy"] = list(change.overridden_by)
    extra = {"reason": change.reason, "hint": change.hint, "location": location_value(change.where)}
    return told | {name: item for name, item in extra.items() if item}


def key_value(key: Key) -> dict[str, str]:
    return {"group": key.group, "kind": key.kind, "namespace": key.namespace, "name": key.name}


# Markdown -------------------------------------------------------------------------------------------------------------


def as_markdown(preview: Preview) -> str:
    """A comment for a pull request: verdict, moves, the rest member by member, findings, and how to see it at home."""
    head = [f"### {_verdict(preview)}", "", markdown.escaped(headline(preview)), ""]
    rows = [*_moves(preview.changes), *_tables(preview.changes), *_findings(preview.problems)]
    command = f"gitops-karmada plan --base {preview.base}" if preview.base else "gitops-karmada plan"
    foot = ["", f"<sub>See it at home: {markdown.code(command)}</sub>"]
    return markdown.within_limit(head, rows, foot)


def _verdict(preview: Preview) -> str:
    errors = [problem for problem in preview.problems if problem.severity is Severity.ERROR]
    trouble = f"{several(len(errors), 'error')}. " if errors else ""
    return markdown.escaped(trouble + summary(preview))


def _moves(changes: Iterable[Change]) -> Iterator[str]:
    moves = [change for change in changes if change.action is ChangeAction.MOVE]
    if moves:
        yield "**Moves**"
        yield ""
        yield from markdown.table(("Workload", "Member", "Replicas", "Why"), map(_move, moves))
        yield ""


def _move(change: Change) -> tuple[str, str, str, str]:
    replicas = f"{change.replicas_before} → {change.replicas_after}"
    return (
        markdown.code(name_of(change.key)),
        markdown.code(change.cluster or ""),
        replicas,
        markdown.escaped(_cause(change)),
    )


def _tables(changes: Iterable[Change]) -> Iterator[str]:
    rest = [change for change in changes if change.action is not ChangeAction.MOVE]
    for cluster, group in groupby(rest, key=lambda change: change.cluster):
        found = list(group)
        yield f"<details><summary>{markdown.escaped(cluster or 'held')}: {several(len(found), 'object')}</summary>"
        yield ""
        yield from markdown.table(("", "Object", "Change", "Cause"), map(_table_row, found))
        yield ""
        yield "</details>"
        yield ""


def _table_row(change: Change) -> tuple[str, str, str, str]:
    fields = "<br>".join(markdown.code(text) for text in list(_fields(change))[:_FIELDS_SHOWN])
    told = "<br>".join(part for part in (markdown.escaped(detail(change)), fields) if part)
    return str(change.action), markdown.code(name_of(change.key)), told, markdown.escaped(_cause(change))


def _findings(problems: Iterable[Problem]) -> Iterator[str]:
    found = list(problems)
    if found:
        yield "**Findings**"
        yield ""
        yield from markdown.table(("", "Where", "What"), map(_finding, found))
        yield ""


def _finding(problem: Problem) -> tuple[str, str, str]:
    where = markdown.code(str(problem.location)) if problem.location else ""
    told = f"{sentence(problem)}. {problem.hint}" if problem.hint else sentence(problem)
    return f"{problem.severity} {problem.code}", where, markdown.escaped(told)
