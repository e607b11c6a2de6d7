"""A federation in memory that a recorded story is played in: the commits, the status branch, the members, the clock."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from typing import Any

from gitops_karmada.core.customize import customized
from gitops_karmada.core.federate import federate
from gitops_karmada.core.interpret import Interpreter
from gitops_karmada.core.overriders import YamlText
from gitops_karmada.core.record import ledger_of
from gitops_karmada.members.connect import Connect
from gitops_karmada.members.fleet import BlockingFleet, Fleet
from gitops_karmada.members.refusals import UnreachedError
from gitops_karmada.members.resources import Resource
from gitops_karmada.members.store import MemoryShelf, ObjectStore
from gitops_karmada.members.transports.memory import MemoryMember
from gitops_karmada.model.decode import decode
from gitops_karmada.model.federation import Commit, Federation, Ledger
from gitops_karmada.model.files import FieldPath, Manifest
from gitops_karmada.model.members import MemberConnection
from gitops_karmada.model.objects import ClusterName, Key, Object, group_of, key_of
from gitops_karmada.model.problems import Location
from gitops_karmada.model.settings import MemberMode, Settings
from gitops_karmada.reconcile import Turn, World, turn
from gitops_karmada.repo.messages import Message
from gitops_karmada.repo.status_branch import LostRace, Publication, Published
from gitops_karmada.repo.status_values import bytes_of, value_of
from gitops_karmada.repo.yaml_reader import read_documents
from gitops_karmada.repo.yaml_writer import write_yaml
from gitops_karmada.scripts.engine import LuaEngine
from tests.conformance.story_servers import new_status, reported

ENGINE = LuaEngine()
START = datetime(2026, 3, 1, 8, 0, 0, tzinfo=UTC)
SOMEBODY = "kubectl-edit"
CONTROLLER = "kube-controller-manager"


def read_text(text: str) -> Any:
    found = read_documents(text.encode(), "text")
    if found.problems or len(found.documents) != 1:
        raise ValueError("; ".join(str(problem) for problem in found.problems) or "expected one document")
    return found.documents[0].value


YAML = YamlText(read=read_text, write=lambda value: write_yaml(value).decode())


@dataclass
class Clock:
    """A clock that goes only when it is told to."""

    now: datetime = START

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass
class MemoryStatus:
    """A status branch that keeps the bytes of its files, as Git would, and a commit for each change."""

    files: dict[str, bytes] = field(default_factory=dict)
    commits: list[Message] = field(default_factory=list)
    # What the next publications answer instead of writing.
    refusals: list[Publication] = field(default_factory=list)
    _read: dict[tuple[str, bytes], Any] = field(default_factory=dict)

    @property
    def tip(self) -> str | None:
        return f"{len(self.commits):040x}" if self.commits else None

    def read(self) -> tuple[str | None, Mapping[str, Any]]:
        read = {path: data for path, data in self.files.items() if path.endswith((".yaml", ".json"))}
        self._read = {file: self._read.get(file) or value_of(*file) for file in read.items()}
        return self.tip, {path: value for (path, _), value in self._read.items()}

    def publish(self, base: str | None, files: Mapping[str, Any], message: Message, when: datetime) -> Publication:
        if self.refusals:
            return self.refusals.pop(0)
        if base != self.tip:
            return LostRace(message="the branch has moved meanwhile")
        for path, value in files.items():
            if value is None:
                self.files.pop(path, None)
            else:
                self.files[path] = bytes_of(path, value)
        self.commits.append(message)
        return Published(commit=str(self.tip))

    def ledger(self) -> Ledger:
        tip, files = self.read()
        return ledger_of(files, tip)


class Door:
    """The way to a member, which can be shut: then nothing behind it answers."""

    def __init__(self, name: str, clock: Clock) -> None:
        self.shelf = MemoryShelf()
        self.member = MemoryMember(name, clock=clock, shelf=self.shelf)
        self.is_shut = False

    def __getattr__(self, name: str) -> Any:
        return self._shut if self.is_shut else getattr(self.member, name)

    async def _shut(self, *_: Any, **__: Any) -> None:
        raise UnreachedError("connection refused")

    async def close(self) -> None:
        return


class Stage:
    """The world of one story."""

    def __init__(self, settings: Mapping[str, Any], members: Iterable[str], name: str = "story") -> None:
        self.clock = Clock()
        self.settings = decode(Settings, {"metadata": {"name": name}, "spec": settings}).unwrap()
        self.files: dict[str, Object] = {}
        self.commits = 0
        self.committed_at = START
        self.status = MemoryStatus()
        self.doors = {name: Door(name, self.clock) for name in members}
        self.fleet = BlockingFleet(Fleet(name, clock=self.clock, connect=self._connect()))
        self.unread: frozenset[str] = frozenset()
        self.world = World(
            federation=self.federation,
            status=self.status,
            members=self.fleet,
            connections=self._connections,
            interpreter=lambda federation: Interpreter(customized=customized(federation.customizations, ENGINE)),
            yaml=YAML,
            clock=self.clock,
        )

    def __enter__(self) -> "Stage":
        return self

    def __exit__(self, *_: object) -> None:
        self.fleet.close()

    def _connect(self) -> Connect:
        return lambda connection: self.doors[str(connection.cluster)]

    def _connections(self, federation: Federation) -> tuple[MemberConnection, ...]:
        names = (ClusterName(declared.value.name) for declared in federation.clusters)
        return tuple(MemberConnection(cluster=name, mode=MemberMode.PUSH) for name in names)

    # The repository

    def commit(self, apply: Iterable[Object] = (), delete: Iterable[Object] = ()) -> None:
        for obj in apply:
            self.files[path_of(obj)] = obj
        for reference in delete:
            del self.files[path_of(reference)]
        self.commits += 1
        self.committed_at = self.clock()

    def federation(self) -> Federation:
        commit = Commit(id=f"{self.commits:040x}", ref="refs/heads/main", committed_at=self.committed_at)
        manifests = [manifest(path, obj) for path, obj in self.files.items() if path not in self.unread]
        return federate(manifests, self.settings, commit=commit, unread=self.unread)

    def template(self, key: Key) -> Object:
        return next((obj for obj in self.files.values() if key_of(obj) == key), {})

    # The members

    def store(self, member: str) -> ObjectStore:
        return self.doors[member].member.store

    def live(self, member: str, api_version: str, kind: str, namespace: str, name: str) -> Object | None:
        return self.store(member).get(resource(api_version, kind), namespace, name)

    def objects(self, member: str) -> Mapping[Key, Object]:
        return self.doors[member].shelf.objects

    def furnish(self, member: str, obj: Object) -> None:
        """What was there before us."""
        self.store(member).replace(obj, "somebody")

    def write(self, member: str, obj: Object) -> None:
        """Somebody applies an object in a member: what it says counts, the rest stays."""
        live = self._alive(member, obj)
        self.store(member).replace(laid_over(live, obj) if live else obj, SOMEBODY)

    def report(self, member: str, obj: Object) -> None:
        """A controller of the member writes a status."""
        live = self._alive(member, obj)
        assert live is not None, f"there is no {key_of(obj)} in {member}"
        status = reported(live, laid_over(live.get("status") or {}, obj["status"]))
        self.store(member).replace({**live, "status": status}, CONTROLLER, "status")

    def start(self) -> None:
        """The members' servers and controllers see what is new."""
        for member, door in self.doors.items():
            for obj in list(door.shelf.objects.values()):
                status = new_status(obj)
                if status is not None and not (obj.get("status") or {}).keys() >= status.keys():
                    self.store(member).replace({**obj, "status": status}, CONTROLLER, "status")

    def remove(self, member: str, obj: Object) -> None:
        key = key_of(obj)
        self.store(member).delete(resource(str(obj["apiVersion"]), key.kind), key.namespace, key.name)

    def _alive(self, member: str, obj: Object) -> Object | None:
        key = key_of(obj)
        return self.live(member, str(obj["apiVersion"]), key.kind, key.namespace, key.name)

    # Turns

    def check_memory(self) -> None:
        """What the process remembers is what is on the branch: a restart would change nothing."""
        read = self.status.ledger()
        kept = self.world.remembered.at(read.commit)
        assert kept is not None, "the process does not know what it wrote"
        for name in (one.name for one in fields(Ledger)):
            assert getattr(kept, name) == getattr(read, name), f"{name} is remembered otherwise than it was written"

    def settle(self, most: int = 5, seconds: float = 1) -> list[Turn]:
        """Turns until one changes nothing."""
        turns: list[Turn] = []
        for _ in range(most):
            self.clock.advance(seconds)
            turns.append(turn(self.world))
            self.check_memory()
            self.start()
            if not turns[-1].published:
                break
        return turns


def path_of(obj: Object) -> str:
    key = key_of(obj)
    return f"{key.group or 'core'}/{key.kind}/{key.namespace or '_'}/{key.name}.yaml"


def manifest(path: str, obj: Object) -> Manifest:
    location = Location(file=path, line=1)

    def locate(_: FieldPath) -> Location:
        return location

    return Manifest(object=obj, location=location, document=1, locate=locate)


def resource(api_version: str, kind: str) -> Resource:
    version = api_version.rpartition("/")[2]
    return Resource(group=group_of(api_version), version=version, kind=kind, plural=f"{kind.lower()}s", namespaced=True)


def laid_over(below: Any, above: Any) -> Any:
    """A merge patch."""
    if not isinstance(below, Mapping) or not isinstance(above, Mapping):
        return above
    return {**below, **{name: laid_over(below.get(name), value) for name, value in above.items()}}


def key_named(text: str) -> tuple[str, Key]:
    """`apps/v1/Deployment/shop/web` → its apiVersion and key."""
    api_version, kind, namespace, name = text.rsplit("/", 3)
    return api_version, Key(group=group_of(api_version), kind=kind, namespace=namespace, name=name)
