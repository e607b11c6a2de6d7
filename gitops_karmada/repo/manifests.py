"""Files to objects: what each author wrote, checked as an API server would check it, with a place for everything."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gitops_karmada.model.files import Document, Documents, FieldPath, Limits, Locate, Manifest, Manifests, path_text
from gitops_karmada.model.objects import Key, Object, key_of, metadata_of
from gitops_karmada.model.problems import Location, Problem, Severity
from gitops_karmada.repo.field_types import type_faults
from gitops_karmada.repo.lists import expanded
from gitops_karmada.repo.metadata_rules import Wrong, described, metadata_faults
from gitops_karmada.repo.secrets import is_encrypted, leak
from gitops_karmada.repo.server_fields import server_fields, without
from gitops_karmada.repo.yaml_reader import DEFAULT_LIMITS, read_documents

_KUSTOMIZE = "kustomize.config.k8s.io/"
_POINTERS = (
    (b"version https://git-lfs.github.com/spec/", "Git LFS pointer"),
    (b"\x00GITCRYPT", "git-crypt file that is still locked"),
    (b"/annex/objects/", "git-annex pointer"),
)


def pointer_to_elsewhere(data: bytes, file: str) -> Problem | None:
    """The refusal of a file that only names its content: what it stands for is not in Git."""
    words = next((words for start, words in _POINTERS if data.startswith(start)), None)
    if words is None:
        return None
    message = f"the file is a {words}, not the content it stands for"
    hint = "Commit the content itself; large file storage is not read"
    return Problem(code="GK1021", location=Location(file=file, line=1), message=message, hint=hint)


def read_file(data: bytes, file: str, *, limits: Limits = DEFAULT_LIMITS) -> Manifests:
    """The objects of one file. What is wrong costs the object that it is in, or the document where there is none."""
    if pointer := pointer_to_elsewhere(data, file):
        return Manifests(problems=(pointer,), unread=frozenset({file}))
    return manifests_in(read_documents(data, file, limits=limits), file)


def manifests_in(documents: Documents, file: str) -> Manifests:
    """The objects of the documents of one file."""
    found = merged(map(manifests_of, documents.documents))
    if documents.complete and not documents.problems:
        return found
    unread = found.unread if documents.complete else found.unread | {file}
    return replace(found, problems=(*documents.problems, *found.problems), unread=unread)


def merged(parts: Iterable[Manifests]) -> Manifests:
    """All that the parts hold, in their order."""
    parts = list(parts)
    if len(parts) == 1:
        return parts[0]
    manifests: list[Manifest] = []
    problems: list[Problem] = []
    unread: set[str] = set()
    broken: set[Key] = set()
    for part in parts:
        manifests += part.manifests
        problems += part.problems
        unread |= part.unread
        broken |= part.broken
    return Manifests(
        manifests=tuple(manifests), problems=tuple(problems), unread=frozenset(unread), broken=frozenset(broken)
    )


def manifests_of(document: Document) -> Manifests:
    """The objects of one document: one, several in a list, or none."""
    if skipped := _skipped(document):
        return Manifests(problems=(skipped,))
    return merged(
        _manifest(_Place(document=document, path=path, object=item)) for item, path in expanded(document.value)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """An object of a document, and its path there: empty but for items of lists."""

    document: Document
    path: FieldPath
    object: Any

    @property
    def location(self) -> Location:
        if self.path:
            return self.document.locate(self.path)
        return Location(file=self.document.file, line=self.document.line, document=self.document.index)

    def locate(self, path: FieldPath) -> Location:
        return self.document.locate((*self.path, *path))


def _skipped(document: Document) -> Problem | None:
    """The notice for a document that is no manifest, and is none of our business."""
    value = document.value
    if not isinstance(value, Mapping) or ("apiVersion" not in value and "kind" not in value):
        code, message = "GK1013", "neither apiVersion nor kind: this is no Kubernetes object, skipped"
    elif str(value.get("apiVersion") or "").startswith(_KUSTOMIZE):
        code, message = "GK1014", "a kustomization, skipped: kustomize is not run, and manifests are read as they lie"
    else:
        return None
    location = Location(file=document.file, line=document.line, document=document.index)
    return Problem(code=code, severity=Severity.NOTICE, location=location, message=message)


def _without_kind(value: Any) -> Wrong | None:
    if not isinstance(value, Mapping):
        return Wrong(code="GK1019", path=(), message=f"expected an object, got {described(value)}")
    for field in ("apiVersion", "kind"):
        text = value.get(field)
        if text is None or text == "":
            hint = "A Kubernetes object needs both apiVersion and kind"
            return Wrong(code="GK1012", path=(field,), message=f"the object has no {field}", hint=hint)
        if not isinstance(text, str):
            return Wrong(code="GK1002", path=(field,), message=f"expected a string, got {described(text)}")
    if value["apiVersion"].count("/") > 1 or not value["apiVersion"].strip("/"):
        message = f"{described(value['apiVersion'])} is neither VERSION nor GROUP/VERSION"
        return Wrong(code="GK1018", path=("apiVersion",), message=message)
    return None


def _manifest(place: _Place) -> Manifests:
    obj = place.object
    if unfit := _without_kind(obj):
        return Manifests(problems=(_problem(unfit, place),), unread=frozenset({place.document.file}))
    faults = [*metadata_faults(obj), *([] if is_encrypted(obj) else type_faults(obj))]
    problems = [_problem(fault, place) for fault in faults]
    if problems:
        return Manifests(problems=tuple(problems), broken=frozenset({key_of(obj)}))
    return _cleaned(place)


def _cleaned(place: _Place) -> Manifests:
    obj: Object = place.object
    encrypted = is_encrypted(obj)
    # SOPS signs the whole document: without a single field its check would fail.
    paths = () if encrypted else server_fields(obj)
    problems = [_stripped(path, place) for path in paths]
    if "generateName" in metadata_of(obj) and not encrypted:
        problems.append(_generated(place))
        paths = (*paths, ("metadata", "generateName"))
    locate: Locate = place.locate if place.path else place.document.locate
    manifest = Manifest(
        object=without(obj, paths) if paths else obj,
        location=place.location,
        document=place.document.index,
        locate=locate,
        encrypted=encrypted,
        leak=_leak(place),
    )
    return Manifests(manifests=(manifest,), problems=tuple(problems))


def _leak(place: _Place) -> Problem | None:
    found = leak(place.object)
    if found is None:
        return None
    location = place.locate(tuple(found.path.split(".", 1)))
    return replace(found, location=location, subject=str(key_of(place.object)))


def _stripped(path: FieldPath, place: _Place) -> Problem:
    message = "is written by API servers only and was left out"
    wrong = Wrong(code="GK1020", path=path, message=message, hint="Remove it from the file")
    return _problem(wrong, place, Severity.WARNING)


def _generated(place: _Place) -> Problem:
    message = "both a name and a generateName are given; the name counts"
    wrong = Wrong(code="GK1017", path=("metadata", "generateName"), message=message, hint="Remove generateName")
    return _problem(wrong, place, Severity.WARNING)


def _problem(wrong: Wrong, place: _Place, severity: Severity = Severity.ERROR) -> Problem:
    return Problem(
        code=wrong.code,
        severity=severity,
        location=place.locate(wrong.path),
        subject=_subject(place),
        path=path_text(wrong.path),
        message=wrong.message,
        hint=wrong.hint,
    )


def _subject(place: _Place) -> str:
    items = path_text(place.path)
    if not isinstance(place.object, Mapping) or not place.object.get("kind"):
        return items
    return f"{key_of(place.object)} ({items})" if items else str(key_of(place.object))
