"""The repository to start from: found in the package, or beside it in a checkout."""

from collections.abc import Iterator
from pathlib import Path

from gitops_karmada.model.problems import SettingsError


def layout() -> Path:
    """The folder with the repository layout."""
    here = Path(__file__).resolve().parent
    for folder in (here / "repo_layout", here.parent.parent / "repo-layout"):
        if (folder / "gitops-karmada.yaml").is_file():
            return folder
    raise SettingsError("the repository layout is missing from this installation\nInstall gitops-karmada again")


def files_of(folder: Path) -> Iterator[Path]:
    """Every file below a folder, relative to it, in order."""
    return (path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file())


def copy(target: Path) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Write the layout into a folder. What is there stays. Returns what was written, and what was there already."""
    source = layout()
    written, kept = [], []
    for file in files_of(source):
        if (target / file).exists() or (target / file).is_symlink():
            kept.append(file)
            continue
        (target / file).parent.mkdir(parents=True, exist_ok=True)
        (target / file).write_bytes((source / file).read_bytes())
        written.append(file)
    return tuple(written), tuple(kept)
