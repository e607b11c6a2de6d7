"""One turn in a process of its own that can be made to die at a step: `python -m tests.e2e.one_turn STEP REPO …`.

`--until FILE`: wait at the step until the file is there, and live on.

The steps are those that the program tells of (`World.observe`, `StatusBranch`), and `half applied`: the first wave of
every member is written, the rest is not. Death is SIGKILL: nothing is tidied up.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gitops_karmada.cli.options import Where
from gitops_karmada.cli.worlds import opened
from gitops_karmada.core.order import Wave
from gitops_karmada.model.actions import Apply, Failed, Outcome
from gitops_karmada.model.members import LastKnown, LiveObject, MemberConnection, MemberState
from gitops_karmada.model.objects import ClusterName, Key
from gitops_karmada.model.works import Place
from gitops_karmada.reconcile import Members, turn

# How often a step is passed before the one that is meant: the status branch is written twice in a turn.
STEPS = {
    "read": ("read", 1),
    "decided": ("decided", 1),
    "intent written": ("written", 1),
    "intent pushed": ("pushed", 1),
    "intent published": ("intent published", 1),
    "judged": ("judged", 1),
    "half applied": ("half applied", 1),
    "applied": ("applied", 1),
    "report written": ("written", 2),
    "report pushed": ("pushed", 2),
    "report published": ("report published", 1),
}


@dataclass(slots=True)
class Reaper:
    """Ends the process when a step is reached for the n-th time."""

    step: str
    left: int

    def __call__(self, step: str) -> None:
        if step == self.step:
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


@dataclass(slots=True)
class Waiter:
    """Waits at a step, the first time that it is reached: `FILE.reached` says that it is, `FILE` that it may go on."""

    step: str
    file: Path
    reached: bool = False

    def __call__(self, step: str) -> None:
        if step != self.step or self.reached:
            return
        self.reached = True
        self.file.with_suffix(".reached").touch()
        end = time.monotonic() + 60
        while not self.file.exists() and time.monotonic() < end:
            time.sleep(0.02)


@dataclass(frozen=True, slots=True)
class HalfApplied:
    """Members of which each gets its first wave only, and then the process dies."""

    members: Members
    reaper: Reaper

    def observe(
        self, connections: Iterable[MemberConnection], last_known: Mapping[ClusterName, LastKnown] | None = None
    ) -> Mapping[ClusterName, MemberState]:
        return self.members.observe(connections, last_known)

    def look(self, places: Mapping[ClusterName, Iterable[tuple[Key, str]]]) -> Mapping[Place, LiveObject]:
        return self.members.look(places)

    def rehearse(self, actions: Mapping[ClusterName, Sequence[Apply]]) -> Mapping[Place, Failed]:
        return self.members.rehearse(actions)

    def run(self, waves: Mapping[ClusterName, tuple[Wave, ...]]) -> Mapping[Place, Outcome]:
        if self.reaper.step != "half applied":
            return self.members.run(waves)
        self.members.run({cluster: part[:1] for cluster, part in waves.items()})
        self.reaper("half applied")
        raise AssertionError("unreachable")


def main() -> None:
    step, repo, credentials, members_dir, cache, *until = sys.argv[1:]
    where = Where(repo=repo, credentials=credentials, members_dir=members_dir, cache=cache)
    with opened(where) as found:
        if until:
            turn(replace(found.world, observe=Waiter(step, Path(until[1]))))
            return
        reaper = Reaper(*STEPS[step])
        found.status.observe(reaper)
        turn(replace(found.world, observe=reaper, members=HalfApplied(found.world.members, reaper)))


if __name__ == "__main__":
    main()
