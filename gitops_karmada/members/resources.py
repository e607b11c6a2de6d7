"""Which kinds a member serves, and under which path."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import quote

from gitops_karmada.model.clusters import APIEnablement, APIResource
from gitops_karmada.model.objects import Key, group_of


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Resource:
    """One served kind in one version."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool
    verbs: frozenset[str] = field(default=frozenset(), compare=False)

    @property
    def group_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, namespace: str = "", name: str = "") -> str:
        prefix = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        scope = f"/namespaces/{quote(namespace, safe='')}" if self.namespaced and namespace else ""
        return f"{prefix}{scope}/{self.plural}" + (f"/{quote(name, safe='')}" if name else "")


@dataclass(frozen=True, kw_only=True)
class Discovery:
    """All that a member serves, without subresources. `failed` names group versions (or whole groups) not told of;
    `"*"` means that nothing was told at all."""

    resources: tuple[Resource, ...] = ()
    failed: frozenset[str] = frozenset()

    @cached_property
    def _index(self) -> Mapping[tuple[str, str, str], Resource]:
        return {(item.group, item.version, item.kind): item for item in reversed(self.resources)}

    def find(self, key: Key, api_version: str) -> Resource | None:
        """The kind in this version."""
        group = group_of(api_version)
        return self._index.get((group, api_version.rpartition("/")[2], key.kind))

    def may_serve(self, api_version: str) -> bool:
        """Whether the member may serve more of this group version than it told."""
        return bool(self.failed & {"*", group_of(api_version), api_version})

    @property
    def complete(self) -> bool:
        return not self.failed

    def enablements(self) -> tuple[APIEnablement, ...]:
        """In Karmada's shape and order: by group version, then by resource name."""
        groups: dict[str, list[APIResource]] = defaultdict(list)
        for resource in self.resources:
            groups[resource.group_version].append(APIResource(name=resource.plural, kind=resource.kind))
        return tuple(
            APIEnablement(group_version=name, resources=tuple(sorted(groups[name], key=lambda item: item.name)))
            for name in sorted(groups)
        )


def filled(
    enablements: Iterable[APIEnablement], last: Iterable[APIEnablement], failed: frozenset[str]
) -> tuple[APIEnablement, ...]:
    """What was told, and for group versions that were not told of, what was known last."""
    told = {entry.group_version: entry for entry in enablements}
    for entry in last:
        untold = failed & {"*", entry.group_version, group_of(entry.group_version)}
        if untold and entry.group_version not in told:
            told[entry.group_version] = entry
    return tuple(told[name] for name in sorted(told))
