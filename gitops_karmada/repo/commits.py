"""What Git says of commits: who, when, why, and which of them touched a line."""

from datetime import UTC, datetime

from gitops_karmada.model.federation import Commit
from gitops_karmada.repo.plumbing import Git

FORMAT = "%H%x00%an <%ae>%x00%ct%x00%s%x00"


def commit(git: Git, name: str, ref: str = "") -> Commit:
    """A commit that is in the object database, by its id."""
    return parsed(git.text("show", "--no-patch", "--no-notes", f"--format={FORMAT}", "--end-of-options", name), ref)


def last_change(git: Git, tip: str, path: str, line: int = 0) -> Commit | None:
    """The commit that wrote a line as it stands at `tip`, or, without a line, the last one that touched the file."""
    if line > 0 and (found := _blamed(git, tip, path, line)):
        return commit(git, found)
    outcome = git.run("log", "-1", "--no-notes", f"--format={FORMAT}", "--end-of-options", tip, "--", path)
    text = outcome.output.decode("utf-8", "replace").strip()
    return parsed(text) if not outcome.code and text else None


def _blamed(git: Git, tip: str, path: str, line: int) -> str:
    outcome = git.run("blame", "--porcelain", "-L", f"{line},{line}", tip, "--", path)
    first = outcome.output.split(b" ", 1)[0].decode("ascii", "replace")
    return first if not outcome.code and len(first) >= 40 else ""


def parsed(text: str, ref: str = "") -> Commit:
    """One commit as `FORMAT` prints it."""
    name, author, seconds, subject = text.strip("\n").split("\0")[:4]
    when = datetime.fromtimestamp(int(seconds), UTC)
    return Commit(id=name, ref=ref, author=_printable(author), committed_at=when, subject=_printable(subject))


def _printable(text: str) -> str:
    return "".join(letter for letter in text if letter.isprintable())
