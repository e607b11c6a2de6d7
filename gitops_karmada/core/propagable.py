"""What is never propagated: Karmada's own kinds, what every cluster has of its own, and what the operator left out."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gitops_karmada.core.names import is_reserved_namespace
from gitops_karmada.model.objects import GroupVersionKind, Object, gvk_of, metadata_of

SKIPPED_GROUPS: Final = frozenset(
    {
        "apps.karmada.io",
        "autoscaling.karmada.io",
        "cluster.karmada.io",
        "config.karmada.io",
        "events.k8s.io",
        "networking.karmada.io",
        "policy.karmada.io",
        "remedy.karmada.io",
        "work.karmada.io",
    }
)
CLAIMED_BY: Final = "resourcetemplate.karmada.io/claimed-by"


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedAPIs:
    groups: frozenset[str] = SKIPPED_GROUPS
    group_versions: frozenset[str] = frozenset({"coordination.k8s.io/v1"})
    kinds: frozenset[GroupVersionKind] = frozenset({GroupVersionKind(group="", version="v1", kind="Event")})

    def skips(self, kind: GroupVersionKind) -> bool:
        return kind.group in self.groups or kind.api_version in self.group_versions or kind in self.kinds


def skipped_apis(text: str) -> SkippedAPIs:
    """Read `group;group/version;group/version/KindA,KindB;v1/KindA,KindB`, in addition to what is always skipped."""
    skipped = SkippedAPIs()
    groups, versions, kinds = set(skipped.groups), set(skipped.group_versions), set(skipped.kinds)
    for token in filter(None, text.split(";")):
        match token.split("/"):
            case [group]:
                groups.add(group)
            case [core, names] if core.startswith("v1"):
                kinds.update(_kinds("", core, names, token))
            case [group, version]:
                versions.add(f"{group}/{version}")
            case [group, version, names]:
                kinds.update(_kinds(group, version, names, token))
            case _:
                raise ValueError(f"{token!r} is none of group, group/version and group/version/Kind,Kind")
    return SkippedAPIs(groups=frozenset(groups), group_versions=frozenset(versions), kinds=frozenset(kinds))


def _kinds(group: str, version: str, names: str, token: str) -> Iterator[GroupVersionKind]:
    for name in names.split(","):
        if not name:
            raise ValueError(f"{token!r} names no kind")
        yield GroupVersionKind(group=group, version=version, kind=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Propagable:
    """`namespaces` are regular expressions that must match whole names."""

    apis: SkippedAPIs = SkippedAPIs()
    namespaces: tuple[re.Pattern[str], ...] = (re.compile("kube-.*"),)

    def refusal(self, obj: Object) -> str:
        """Why the object never goes anywhere; empty where it may."""
        kind = gvk_of(obj)
        if self.apis.skips(kind):
            return f"{kind.api_version} {kind.kind} is never propagated"
        return self.namespace_refusal(str(metadata_of(obj).get("namespace") or ""))

    def namespace_refusal(self, namespace: str) -> str:
        if is_reserved_namespace(namespace):
            return f"namespace {namespace} is Karmada's own"
        pattern = next((one for one in self.namespaces if namespace and one.fullmatch(namespace)), None)
        return f"namespace {namespace} is skipped ({pattern.pattern})" if pattern else ""


def propagable(skipped: str, namespaces: Sequence[str]) -> Propagable:
    """From the settings skippedPropagatingAPIs and skippedPropagatingNamespaces; ValueError where they are wrong."""
    return Propagable(apis=skipped_apis(skipped), namespaces=tuple(_pattern(text) for text in namespaces))


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as wrong:
        raise ValueError(f"{text!r} is no regular expression: {wrong}") from wrong
