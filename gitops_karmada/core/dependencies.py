"""What workloads bring along: the bindings of their dependencies, and who needs each of them where."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from gitops_karmada.core.bind import permanent_id, placed
from gitops_karmada.core.claim import claim_of
from gitops_karmada.core.identity import content_of
from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.core.names import binding_reference_key
from gitops_karmada.model.bindings import Binding, BindingSnapshot, BindingSpec, ConflictResolution
from gitops_karmada.model.decode import decode
from gitops_karmada.model.frozen import Frozen
from gitops_karmada.model.objects import Key, Object, group_of, labels_of
from gitops_karmada.model.selectors import LabelSelector, matches

DEPENDENCIES: Final = "resourcebinding.karmada.io/dependencies"
DEPENDED_BY: Final = "resourcebinding.karmada.io/depended-by-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A dependency that is not in the repository."""

    needed_by: Key
    dependency: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Workloads that share a dependency and want different things for it."""

    dependency: Key
    needed_by: tuple[Key, ...]
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """`bindings` are all bindings, with what others need of them; `attached` are those that others need."""

    bindings: Mapping[Key, Binding]
    attached: frozenset[Key] = frozenset()
    missing: tuple[Missing, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


def references_of(binding: Binding, obj: Object, content: str, interpreter: Interpreter) -> tuple[Object, ...]:
    """What the workload needs; as it was when its binding last followed the template. InterpretError where unknown."""
    if not binding.spec.propagate_deps or not binding.metadata.namespace:
        return ()
    if binding.spec.resource.resource_version == content:
        return interpreter.dependencies(obj) or ()
    return recorded_references(binding)


def recorded_references(binding: Binding) -> tuple[Object, ...]:
    """What the workload needed when that was last known."""
    recorded = binding.metadata.annotations.get(DEPENDENCIES)
    return tuple(json.loads(recorded)) if recorded else ()


def attach(
    bindings: Mapping[Key, Binding],
    references: Mapping[Key, Sequence[Object]],
    templates: Mapping[Key, Object],
    instance: str,
    contents: Mapping[Key, str] | None = None,
) -> Attached:
    """Write into every binding who needs it, and make the bindings of dependencies that nobody else placed.

    `bindings` are those of the last turn, brought up to date and scheduled; `references` are their dependencies;
    `contents` are digests of templates that are known already. Bindings that nobody needs any more are left out.
    """
    wanted, missing = _wanted(bindings, references, templates)
    result: dict[Key, Binding] = {}
    conflicts: list[Conflict] = []
    for key in sorted(bindings.keys() | wanted.keys()):
        referrers = [bindings[one] for one in sorted(wanted.get(key, ()))]
        binding = _recorded(bindings.get(key), references.get(key))
        if referrers:
            content = (contents or {}).get(key) or content_of(templates[key])
            binding = placed(templates[key], instance, content=content, previous=binding)
        if binding is None:
            continue
        binding = _needed_by(binding, referrers)
        if not _stands_alone(binding) and not referrers:
            continue
        if referrers and binding.spec.placement is None:
            binding, found = _settled(binding, referrers)
            conflicts.extend(found)
        result[key] = binding
    return Attached(
        bindings=result,
        attached=frozenset(wanted),
        missing=tuple(missing),
        conflicts=tuple(conflicts),
    )


def _wanted(
    bindings: Mapping[Key, Binding], references: Mapping[Key, Sequence[Object]], templates: Mapping[Key, Object]
) -> tuple[Mapping[Key, set[Key]], list[Missing]]:
    """For each dependency the bindings that need it."""
    shelf = Shelf(templates)
    wanted: dict[Key, set[Key]] = defaultdict(set)
    missing: list[Missing] = []
    for needed_by in sorted(references):
        if needed_by not in bindings or not bindings[needed_by].spec.propagate_deps:
            continue
        for reference in references[needed_by]:
            found = shelf.find(reference)
            for dependency in found:
                if dependency != needed_by:
                    wanted[dependency].add(needed_by)
            if not found and reference.get("labelSelector") is None:
                missing.append(Missing(needed_by=needed_by, dependency=str(key_of_reference(reference))))
    return wanted, missing


@dataclass(slots=True)
class Shelf:
    """Templates by kind and namespace, sorted out when a selector first asks."""

    templates: Mapping[Key, Object]
    by_kind: dict[tuple[str, str, str], list[Key]] = field(default_factory=dict)

    def find(self, reference: Object) -> list[Key]:
        key = key_of_reference(reference)
        if reference.get("name") or reference.get("labelSelector") is None:
            return [key] if key in self.templates else []
        selector = decode(LabelSelector, reference["labelSelector"]).value
        same = self._sorted().get((key.group, key.kind, key.namespace), ())
        return [one for one in same if selector is not None and matches(selector, labels_of(self.templates[one]))]

    def _sorted(self) -> Mapping[tuple[str, str, str], list[Key]]:
        if not self.by_kind:
            for key in self.templates:
                self.by_kind.setdefault((key.group, key.kind, key.namespace), []).append(key)
        return self.by_kind


def key_of_reference(reference: Object) -> Key:
    return Key(
        group=group_of(str(reference.get("apiVersion") or "")),
        kind=str(reference.get("kind") or ""),
        namespace=str(reference.get("namespace") or ""),
        name=str(reference.get("name") or ""),
    )


def _recorded(binding: Binding | None, references: Sequence[Object] | None) -> Binding | None:
    """The binding with its own dependencies written down, for turns in which it does not follow its template."""
    if binding is None or (not references and DEPENDENCIES not in binding.metadata.annotations):
        return binding
    annotations: dict[str, Any] = dict(binding.metadata.annotations)
    annotations.pop(DEPENDENCIES, None)
    if references and binding.spec.propagate_deps:
        ordered = sorted(references, key=lambda one: json.dumps(one, sort_keys=True))
        annotations[DEPENDENCIES] = json.dumps(ordered, sort_keys=True, separators=(",", ":"))
    if annotations == binding.metadata.annotations:
        return binding
    return replace(binding, metadata=replace(binding.metadata, annotations=Frozen(annotations)))


def _needed_by(binding: Binding, referrers: Sequence[Binding]) -> Binding:
    """Who needs it, where, with how many replicas: as of now, nothing of before."""
    if not referrers and not binding.spec.required_by:
        return binding
    snapshots = tuple(sorted(_snapshots(binding, referrers), key=lambda one: (one.namespace, one.name)))
    marks = {
        DEPENDED_BY + binding_reference_key(one.metadata.namespace, one.metadata.name): permanent_id(one)
        for one in referrers
    }
    kept = {name: value for name, value in binding.metadata.labels.items() if not name.startswith(DEPENDED_BY)}
    return replace(
        binding,
        metadata=replace(binding.metadata, labels=Frozen({**kept, **marks})),
        spec=replace(binding.spec, required_by=snapshots),
    )


def _snapshots(binding: Binding, referrers: Iterable[Binding]) -> Iterator[BindingSnapshot]:
    before = {(one.namespace, one.name) for one in binding.spec.required_by}
    for referrer in referrers:
        name = (referrer.metadata.namespace, referrer.metadata.name)
        if referrer.spec.clusters or name in before:
            yield BindingSnapshot(namespace=name[0], name=name[1], clusters=referrer.spec.clusters)


def _stands_alone(binding: Binding) -> bool:
    """Whether the binding means something without anybody who needs it."""
    return claim_of(binding) is not None or binding.spec.placement is not None or bool(binding.spec.clusters)


def _settled(binding: Binding, referrers: Sequence[Binding]) -> tuple[Binding, list[Conflict]]:
    """The settings of a dependency without a policy of its own: the strongest that any referrer has."""
    resolutions = {_resolution(one.spec) for one in referrers}
    preserving = {bool(one.spec.preserve_resources_on_deletion) for one in referrers}
    overwrite = ConflictResolution.OVERWRITE in resolutions
    spec = replace(
        binding.spec,
        conflict_resolution=ConflictResolution.OVERWRITE if overwrite else ConflictResolution.ABORT,
        preserve_resources_on_deletion=True in preserving,
    )
    found = [
        text
        for text, differs in (
            ("conflictResolution conflicted (Overwrite vs Abort)", len(resolutions) > 1),
            ("preserveResourcesOnDeletion conflicted (true vs false)", len(preserving) > 1),
        )
        if differs
    ]
    settled = replace(binding, spec=spec)
    if not found:
        return settled, []
    needed_by = tuple(one.key for one in referrers)
    return settled, [Conflict(dependency=binding.key, needed_by=needed_by, message="; ".join(found))]


def _resolution(spec: BindingSpec) -> ConflictResolution:
    return spec.conflict_resolution or ConflictResolution.ABORT
