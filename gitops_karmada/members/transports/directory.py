"""A member that is a folder of manifests: the default of demo and tests, and of members without a network."""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from gitops_karmada.members.folder import Folder, Reader, Writer, read_yaml, write_json
from gitops_karmada.members.refusals import UnreachedError
from gitops_karmada.members.transports.memory import MemoryMember
from gitops_karmada.model.clusters import APIEnablement


class DirectoryMember(MemoryMember):
    """The store of a member in memory, kept in files."""

    def __init__(
        self,
        name: str,
        root: Path,
        *,
        clock: Callable[[], datetime],
        declared: Sequence[APIEnablement] = (),
        read: Reader = read_yaml,
        write: Writer = write_json,
    ) -> None:
        self._root = root
        self._folder = Folder(root, read=read, write=write)
        super().__init__(name, clock=clock, shelf=self._folder, declared=declared)

    async def begin(self) -> None:
        self.refresh()

    def refresh(self) -> None:
        """Read what others changed in the folder."""
        if self._root.exists() and not self._root.is_dir():
            raise UnreachedError(f"{self._root} is not a folder")
        try:
            self._root.mkdir(parents=True, exist_ok=True)
            self._folder.refresh()
        except OSError as error:
            raise UnreachedError(f"{error.filename}: {error.strerror}") from error
