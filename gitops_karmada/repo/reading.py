"""A whole tree to objects: which files count, links, submodules, and each content parsed once."""

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gitops_karmada.model.files import Documents, Limits, Manifests
from gitops_karmada.model.problems import Location, Problem, Severity
from gitops_karmada.repo.failures import GitError, Reason
from gitops_karmada.repo.file_names import (
    chart_folders,
    is_below,
    is_hidden,
    is_kustomization,
    is_manifest_name,
    shown,
)
from gitops_karmada.repo.links import Dead, folders_of, follow
from gitops_karmada.repo.lists import expanded
from gitops_karmada.repo.manifests import manifests_in, merged, pointer_to_elsewhere
from gitops_karmada.repo.parse_cache import ParseCache
from gitops_karmada.repo.secrets import leak
from gitops_karmada.repo.tree import LINK, SUBMODULE, SourceTree, TreeFile, below, blob_id
from gitops_karmada.repo.yaml_reader import DEFAULT_LIMITS, read_documents


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """The files to read, as path → the path whose content it shows, and what to say about the others."""

    files: dict[str, str]
    problems: tuple[Problem, ...]
    unread: frozenset[str]


class ManifestReader:
    """Reads trees. A file whose content has not changed since the last tree costs a look into a table."""

    def __init__(self, cache_folder: Path | None = None, limits: Limits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._cache = ParseCache(cache_folder)
        self._known: dict[str, tuple[str, Manifests]] = {}

    def read(self, tree: SourceTree, paths: Iterable[str] = ("",)) -> Manifests:
        """Every object below the paths. A path that the tree does not have is an error, never empty."""
        with _collector_at_rest():
            choice = self._without_large(tree, _choice(tree, below(tree, paths)))
            self._check_limits(tree, choice)
            fresh = {path: real for path, real in choice.files.items() if not self._is_known(path, tree.files[real])}
            read = dict(self._read(tree, fresh))
            self._known = {path: read.get(path) or self._known[path] for path in choice.files}
            self._cache.save()
            parts = [Manifests(problems=choice.problems, unread=choice.unread)]
            return merged([*parts, *(part for _, part in self._known.values())])

    def _is_known(self, path: str, file: TreeFile) -> bool:
        return path in self._known and self._known[path][0] == file.blob

    def _read(self, tree: SourceTree, fresh: dict[str, str]) -> Iterator[tuple[str, tuple[str, Manifests]]]:
        missing = {}
        for path, real in fresh.items():
            blob = tree.files[real].blob
            documents = self._cache.find(blob, shown(path), tree.fetcher(real))
            if documents is None:
                missing[path] = real
            else:
                yield path, (blob, manifests_in(documents, shown(path)))
        for path, (real, data) in zip(missing, tree.contents(missing.values()), strict=True):
            yield path, (tree.files[real].blob, self._parsed(tree, path, real, data))

    def _parsed(self, tree: SourceTree, path: str, real: str, data: bytes) -> Manifests:
        file, fetch = shown(path), tree.fetcher(real)
        if pointer := pointer_to_elsewhere(data, file):
            return Manifests(problems=(pointer,), unread=frozenset({file}))
        # In a folder only its content tells that a file was read before.
        blob = blob_id(data)
        if known := self._cache.find(blob, file, fetch):
            return manifests_in(known, file)
        documents = read_documents(data, file, limits=self._limits, fetch=fetch)
        found = manifests_in(documents, file)
        if not _tells_secrets(documents):
            self._cache.keep(blob, documents)
        return found

    def _without_large(self, tree: SourceTree, choice: _Choice) -> _Choice:
        most = self._limits.file_bytes
        large = {path for path, real in choice.files.items() if tree.files[real].size > most}
        problems = [
            _about(path, "GK1025", f"the file is larger than {most:,} bytes", "Split it") for path in sorted(large)
        ]
        return _Choice(
            files={path: real for path, real in choice.files.items() if path not in large},
            problems=(*choice.problems, *problems),
            unread=choice.unread | frozenset(map(shown, large)),
        )

    def _check_limits(self, tree: SourceTree, choice: _Choice) -> None:
        if len(choice.files) > self._limits.files:
            message = f"the source paths hold {len(choice.files):,} manifest files, the limit is {self._limits.files:,}"
            raise GitError(Reason.LIMIT, message, "Narrow the source paths")
        size = sum(max(0, tree.files[real].size) for real in choice.files.values())
        if size > self._limits.total_bytes:
            message = f"the manifest files hold {size:,} bytes, the limit is {self._limits.total_bytes:,}"
            raise GitError(Reason.LIMIT, message, "Narrow the source paths")


def _tells_secrets(documents: Documents) -> bool:
    """Whether a Secret's values would lie in the cache: also those of one that cannot be used."""
    objects = (item for document in documents.documents for item, _ in expanded(document.value))
    return any(isinstance(item, Mapping) and leak(item) is not None for item in objects)


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Values of documents hold no cycles, and the collector would look at all of them again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _choice(tree: SourceTree, candidates: dict[str, str]) -> _Choice:
    charts = chart_folders(candidates)
    files: dict[str, str] = {}
    problems = [_chart(folder) for folder in sorted(charts)]
    unread: set[str] = set()
    links = []
    for path in sorted(candidates):
        entry = tree.files[path]
        if is_hidden(candidates[path]) or is_below(path, charts):
            continue
        if entry.mode == SUBMODULE:
            problems.append(_submodule(path))
            unread.add(shown(path))
        elif entry.mode == LINK:
            links.append(path)
        elif is_kustomization(path):
            problems.append(_kustomization(path))
        elif is_manifest_name(path):
            files[path] = path
    for path, real, problem in _followed(tree, links, files, candidates):
        if real is not None:
            files[path] = real
        if problem is not None:
            problems.append(problem)
            unread |= {shown(path)} if problem.severity is Severity.ERROR else set()
    return _Choice(files=dict(sorted(files.items())), problems=tuple(problems), unread=frozenset(unread))


def _followed(
    tree: SourceTree, links: list[str], files: dict[str, str], candidates: dict[str, str]
) -> Iterator[tuple[str, str | None, Problem | None]]:
    if not links:
        return
    folders = folders_of(tree.files)
    every_link = [path for path, entry in tree.files.items() if entry.mode == LINK]
    targets = {path: data.decode("utf-8", "surrogateescape") for path, data in tree.contents(every_link)}
    for path in links:
        real = follow(path, targets, tree.files, folders)
        if isinstance(real, Dead):
            yield path, None, _dead_link(path, real)
        elif real == "" or real in folders:
            yield path, None, _folder_link(path, real, candidates)
        elif is_manifest_name(path) and real not in files and tree.files[real].mode != SUBMODULE:
            # A target among the source paths is read where it lies; through the link it would count twice.
            yield path, real, None


def _dead_link(path: str, reason: Dead) -> Problem:
    code = "GK1005" if reason is Dead.OUTSIDE else "GK1004"
    severity = Severity.ERROR if is_manifest_name(path) else Severity.WARNING
    hint = "Put the file itself here" if is_manifest_name(path) else "Nothing is read through it; remove the link"
    return _about(path, code, f"a symbolic link that {reason}", hint, severity)


def _folder_link(path: str, real: str, candidates: dict[str, str]) -> Problem:
    prefix = f"{real}/" if real else ""
    overlaps = any(name.startswith(prefix) for name in candidates)
    severity = Severity.WARNING if overlaps else Severity.ERROR
    message = f"a symbolic link to the folder {shown(real) or '/'!r}; folders are not read through links"
    return _about(path, "GK1004", message, "Name the folder among the source paths instead", severity)


def _submodule(path: str) -> Problem:
    return _about(path, "GK1004", "a submodule; its files are not read", "Copy the manifests, or leave it outside")


def _kustomization(path: str) -> Problem:
    message = "a kustomization, skipped: kustomize is not run, and manifests are read as they lie"
    return _about(path, "GK1014", message, "", Severity.NOTICE)


def _chart(folder: str) -> Problem:
    message = "a Helm chart, skipped: charts are not rendered"
    return _about(folder + "Chart.yaml", "GK1015", message, "Commit what `helm template` prints", Severity.NOTICE)


def _about(path: str, code: str, message: str, hint: str, severity: Severity = Severity.ERROR) -> Problem:
    return Problem(code=code, severity=severity, location=Location(file=shown(path)), message=message, hint=hint)
