"""The language of `git fast-import`: one commit from what changed, without a work tree and without an index."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from gitops_karmada.model.settings import Author
from gitops_karmada.repo.failures import GitError, Reason


def stream(
    ref: str, base: str | None, changes: Mapping[str, bytes | None], message: str, author: Author, when: datetime
) -> Iterator[bytes]:
    """A commit on top of `base` (None: the first of an orphan branch). None as content removes a file."""
    text = message.encode()
    who = f"{_person(author)} {int(when.timestamp())} +0000".encode()
    yield b"feature done\ncommit " + ref.encode() + b"\n"
    yield b"author " + who + b"\ncommitter " + who + b"\ndata %d\n" % len(text) + text
    if base:
        yield b"from " + base.encode() + b"\n"
    yield from _changes(changes)
    yield b"\ndone\n"


def _changes(changes: Mapping[str, bytes | None]) -> Iterator[bytes]:
    # What goes comes first: a file may make way for a folder of its name.
    paths = sorted(changes)
    for path in paths:
        if changes[path] is None:
            yield b"D " + quoted(path) + b"\n"
    for path in paths:
        content = changes[path]
        if content is not None:
            yield b"M 100644 inline %s\ndata %d\n" % (quoted(path), len(content))
            yield content
            yield b"\n"


def quoted(path: str) -> bytes:
    """A path of ours as fast-import reads it."""
    if not _is_safe(path):
        raise GitError(Reason.REFUSED, f"{path[:80]!r} is no path for the status branch")
    raw = path.encode("utf-8", "surrogateescape")
    if b"\n" not in raw and b'"' not in raw and b"\\" not in raw and not raw.startswith(b" "):
        return raw
    return b'"' + raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'


def _is_safe(path: str) -> bool:
    parts = path.split("/")
    return "\0" not in path and not any(part in ("", ".", "..") or part.lower() == ".git" for part in parts)


def _person(author: Author) -> str:
    name, email = (
        "".join(letter for letter in text if letter.isprintable() and letter not in "<>") for text in _parts(author)
    )
    return f"{name.strip() or 'gitops-karmada'} <{email.strip()}>"


def _parts(author: Author) -> tuple[str, str]:
    return author.name, author.email
