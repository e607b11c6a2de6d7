"""What people type for kinds and objects: `deploy/web`, `deployments.apps web`, `rb`."""

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import click

from gitops_karmada.model.objects import Key
from gitops_karmada.model.selectors import LabelSelector, Requirement, is_valid

SHORT: Final[Mapping[str, str]] = {
    "cj": "cronjob",
    "cm": "configmap",
    "crd": "customresourcedefinition",
    "deploy": "deployment",
    "ds": "daemonset",
    "ep": "endpoints",
    "hpa": "horizontalpodautoscaler",
    "ing": "ingress",
    "netpol": "networkpolicy",
    "ns": "namespace",
    "pc": "priorityclass",
    "pdb": "poddisruptionbudget",
    "po": "pod",
    "pv": "persistentvolume",
    "pvc": "persistentvolumeclaim",
    "quota": "resourcequota",
    "rs": "replicaset",
    "sa": "serviceaccount",
    "sts": "statefulset",
    "svc": "service",
}

_REQUIREMENT: Final = re.compile(
    r"\s*(?P<key>[^\s!=,()]+)\s*(?:(?P<operator>==?|!=)\s*(?P<value>[^\s,()]*)"
    r"|\s(?P<set>in|notin)\s*\((?P<values>[^()]*)\))?\s*(?:,|\Z)"
    r"|\s*!\s*(?P<absent>[^\s!=,()]+)\s*(?:,|\Z)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is asked for: a kind as typed, perhaps a group, a name, perhaps a namespace."""

    kind: str
    name: str
    group: str | None = None
    namespace: str = ""

    def means(self, key: Key) -> bool:
        return (
            key.name == self.name
            and is_kind(self.kind, key.kind)
            and (self.group is None or self.group == key.group)
            and (not self.namespace or self.namespace == key.namespace)
        )


def wanted(words: tuple[str, ...], namespace: str) -> Wanted:
    """`TYPE/NAME`, `TYPE NAME` or `NAMESPACE/TYPE/NAME`; a type may carry its group: `deployments.apps/web`."""
    if len(words) == 1 and words[0].count("/") == 2:
        namespace, _, rest = words[0].partition("/")
        words = (rest,)
    kind, _, name = words[0].partition("/") if len(words) == 1 else (words[0], "/", words[1])
    if not kind or not name or len(words) > 2:
        raise click.UsageError("name one object: TYPE/NAME, such as deploy/web", click.get_current_context(silent=True))
    plain, dot, group = kind.partition(".")
    return Wanted(kind=plain.lower(), name=name, group=group if dot else None, namespace=namespace)


def is_kind(typed: str, kind: str) -> bool:
    """Whether what was typed is a kind's name, its plural or its short form, in any case."""
    typed, kind = SHORT.get(typed.lower(), typed.lower()), kind.lower()
    return typed in {kind, *plurals(kind)}


def plurals(kind: str) -> set[str]:
    if kind.endswith("y") and kind[-2:-1] not in "aeiou":
        return {f"{kind[:-1]}ies"}
    return {f"{kind}es"} if kind.endswith(("s", "x", "ch", "sh")) else {f"{kind}s"}


def only(asked: Wanted, keys: Iterable[Key]) -> Key:
    """The one object that is meant; none or several is an error that names what there is."""
    known = sorted(keys)
    found = [key for key in known if asked.means(key)]
    if len(found) == 1:
        return found[0]
    context = click.get_current_context(silent=True)
    if found:
        told = ", ".join(f"-n {key.namespace}" if key.namespace else str(key) for key in found)
        raise click.UsageError(f"{asked.kind}/{asked.name} is there {len(found)} times: {told}", context)
    raise click.UsageError(f"there is no {asked.kind}/{asked.name}{_where(asked)}{_close(asked, known)}", context)


def _where(asked: Wanted) -> str:
    return f" in namespace {asked.namespace}" if asked.namespace else ""


def _close(asked: Wanted, known: list[Key]) -> str:
    """A name that is nearly the same, or the same name elsewhere."""
    same = [key for key in known if key.name == asked.name]
    if same:
        return f". Did you mean {', '.join(map(str, same[:3]))}?"
    names = {key.name: key for key in known if is_kind(asked.kind, key.kind)}
    close = difflib.get_close_matches(asked.name, names, n=1)
    return f". Did you mean {names[close[0]]}?" if close else ""


def selector(text: str) -> LabelSelector:
    """`a=b,c!=d,e in (x,y),!f` as kubectl reads it."""
    requirements, position = [], 0
    while position < len(text):
        found = _REQUIREMENT.match(text, position)
        if found is None or found.end() == position:
            raise click.BadParameter(f"{text[position:]!r} is no label selector", param_hint="-l")
        requirements.append(_requirement(found))
        position = found.end()
    made = LabelSelector(match_expressions=tuple(requirements))
    if not is_valid(made):
        raise click.BadParameter(f"{text!r} is no valid label selector", param_hint="-l")
    return made


def _requirement(found: "re.Match[str]") -> Requirement:
    if found["absent"]:
        return Requirement(key=found["absent"], operator="DoesNotExist")
    if found["set"]:
        values = tuple(value.strip() for value in found["values"].split(","))
        return Requirement(key=found["key"], operator="In" if found["set"] == "in" else "NotIn", values=values)
    if found["operator"]:
        operator = "NotIn" if found["operator"] == "!=" else "In"
        return Requirement(key=found["key"], operator=operator, values=(found["value"],))
    return Requirement(key=found["key"], operator="Exists")
