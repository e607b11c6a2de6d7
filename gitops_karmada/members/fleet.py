"""All members at once: each on its own, so that a dead one never holds up the others."""

import asyncio
from collections.abc import Awaitable, Coroutine, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from gitops_karmada.members.connect import Clock, Connect, Connector
from gitops_karmada.members.execute import execute, rehearse
from gitops_karmada.members.look import Wanted, look
from gitops_karmada.members.member import Member
from gitops_karmada.members.observe import observe
from gitops_karmada.members.served import wait_until_served
from gitops_karmada.model.actions import Action, Adopt, Apply, Create, Failed, Fault, Outcome, Prune, Release
from gitops_karmada.model.members import LastKnown, LiveObject, MemberConnection, MemberState, Unknown
from gitops_karmada.model.objects import ClusterName
from gitops_karmada.model.works import Place

T = TypeVar("T")

Waves: TypeAlias = Sequence[Sequence[Action]]
NOTHING_KNOWN = LastKnown()


class Fleet:
    """The members of one instance. Connections are kept from turn to turn; `close` ends them."""

    def __init__(self, instance: str, *, clock: Clock, connect: Connect | None = None) -> None:
        self._instance = instance
        self._clock = clock
        self._connect = connect or Connector(clock=clock)
        self._members: dict[ClusterName, Member] = {}

    async def __aenter__(self) -> "Fleet":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def use(self, connections: Iterable[MemberConnection]) -> None:
        """Know exactly these members from now on. Those whose connection did not change keep their open connections."""
        wanted = {connection.cluster: connection for connection in connections}
        for cluster, member in list(self._members.items()):
            if wanted.get(cluster) != member.connection:
                await self._members.pop(cluster).close()
        for cluster, connection in wanted.items():
            if cluster not in self._members:
                self._members[cluster] = Member(connection, self._connect)

    async def observe(
        self,
        connections: Iterable[MemberConnection],
        last_known: Mapping[ClusterName, LastKnown] | None = None,
    ) -> Mapping[ClusterName, MemberState]:
        """Look at these members, and know them from now on."""
        await self.use(connections)
        known = last_known or {}
        now = self._clock()
        return await _together(
            {name: observe(member, now, known.get(name, NOTHING_KNOWN)) for name, member in self._members.items()}
        )

    async def look(self, places: Mapping[ClusterName, Iterable[Wanted]]) -> Mapping[Place, LiveObject]:
        """The live object at each place: (key, apiVersion) by member."""
        found = await _together({name: self._look(name, wanted) for name, wanted in places.items()})
        return {Place(cluster=name, key=key): live for name, part in found.items() for key, live in part.items()}

    async def run(self, waves: Mapping[ClusterName, Waves]) -> Mapping[Place, Outcome]:
        """Do the actions: in each member wave after wave (`core.order.waves`), the actions of a wave side by side."""
        done = await _together({name: self._run(name, part) for name, part in waves.items()})
        return {outcome.place: outcome for part in done.values() for outcome in part}

    async def rehearse(self, actions: Mapping[ClusterName, Sequence[Apply]]) -> Mapping[Place, Failed]:
        """Which of these applies the members would not take. Nothing is written."""
        told = await _together({name: self._rehearse(name, part) for name, part in actions.items()})
        return {failure.place: failure for part in told.values() for failure in part}

    async def close(self) -> None:
        for member in self._members.values():
            await member.close()
        self._members.clear()

    async def _look(self, cluster: ClusterName, wanted: Iterable[Wanted]) -> Mapping[Any, LiveObject]:
        if cluster not in self._members:
            reason = f"{cluster} is no member that is known here"
            return {key: Unknown(reason=reason) for key, _ in wanted}
        return await look(self._members[cluster], wanted, self._instance)

    async def _rehearse(self, cluster: ClusterName, actions: Sequence[Apply]) -> list[Failed]:
        member = self._members.get(cluster)
        if member is None or not member.connection.writable:
            return []
        limit = asyncio.Semaphore(member.connection.concurrency)

        async def one(action: Apply) -> Failed | None:
            async with limit:
                return await rehearse(member, action, self._instance)

        try:
            async with asyncio.timeout(member.connection.deadlines.round):
                return [failure for failure in await asyncio.gather(*map(one, actions)) if failure is not None]
        except TimeoutError:
            return []

    async def _run(self, cluster: ClusterName, waves: Waves) -> list[Outcome]:
        run = _Run(self._members.get(cluster), cluster, self._instance)
        return [outcome for wave in waves for outcome in await run.wave(wave)]


class _Run:
    """The actions of one member in one turn."""

    def __init__(self, member: Member | None, cluster: ClusterName, instance: str) -> None:
        self._member = member
        self._instance = instance
        self._gone = "" if member else f"{cluster} is no member that is known here"
        loop = asyncio.get_running_loop()
        self._end = loop.time() + (member.connection.deadlines.round if member else 0)

    async def wave(self, actions: Sequence[Action]) -> list[Outcome]:
        limit = asyncio.Semaphore(self._member.connection.concurrency if self._member else 1)
        outcomes = await asyncio.gather(*(self._one(action, limit) for action in actions))
        if self._member and not self._gone:
            return await wait_until_served(self._member, outcomes)
        return list(outcomes)

    async def _one(self, action: Action, limit: asyncio.Semaphore) -> Outcome:
        async with limit:
            if self._member is None or (self._gone and _writes(action)):
                return _unreachable(action, self._gone)
            return await self._do(self._member, action)

    async def _do(self, member: Member, action: Action) -> Outcome:
        try:
            async with asyncio.timeout_at(self._end):
                outcome = await execute(member, action, self._instance)
        except TimeoutError:
            self._gone = f"not done within {member.connection.deadlines.round:g} s, the time for a member in one turn"
            return _unreachable(action, self._gone)
        if isinstance(outcome, Failed) and outcome.fault is Fault.UNREACHABLE:
            # One silence is enough: what is left waits for the next turn instead of for one deadline after another.
            self._gone = outcome.reason
        return outcome


def _writes(action: Action) -> bool:
    return isinstance(action, Create | Apply | Adopt | Release | Prune)


def _unreachable(action: Action, reason: str) -> Failed:
    return Failed(place=action.place, reason=reason, fault=Fault.UNREACHABLE, transient=True)


async def _together(work: Mapping[ClusterName, Awaitable[T]]) -> Mapping[ClusterName, T]:
    answers = await asyncio.gather(*work.values())
    return dict(zip(work, answers, strict=True))


class BlockingFleet:
    """A fleet for callers without an event loop; it has one of its own."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._runner = asyncio.Runner()

    def __enter__(self) -> "BlockingFleet":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def observe(
        self,
        connections: Iterable[MemberConnection],
        last_known: Mapping[ClusterName, LastKnown] | None = None,
    ) -> Mapping[ClusterName, MemberState]:
        return self._wait(self._fleet.observe(connections, last_known))

    def look(self, places: Mapping[ClusterName, Iterable[Wanted]]) -> Mapping[Place, LiveObject]:
        return self._wait(self._fleet.look(places))

    def run(self, waves: Mapping[ClusterName, Waves]) -> Mapping[Place, Outcome]:
        return self._wait(self._fleet.run(waves))

    def rehearse(self, actions: Mapping[ClusterName, Sequence[Apply]]) -> Mapping[Place, Failed]:
        return self._wait(self._fleet.rehearse(actions))

    def close(self) -> None:
        self._wait(self._fleet.close())
        self._runner.close()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(work)
