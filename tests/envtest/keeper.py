"""Wait until standard input closes; then kill the noted processes and remove the folder. Run by `server.Keeper`."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys


def main(root: str) -> None:
    kept: set[int] = set()
    for line in sys.stdin:
        sign, pid = line[0], int(line[1:])
        if sign == "+":
            kept.add(pid)
        else:
            kept.discard(pid)
    for pid in kept:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1])
