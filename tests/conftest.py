"""Fixtures for all tests: real members, Git servers. Everything starts when a test first asks, and ends with it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

import pytest

from tests.envtest.cluster import Cluster, start_clusters
from tests.envtest.gitserver import GitServer
from tests.envtest.nodes import PretendingNodes
from tests.envtest.server import Keeper, temporary_root

MEMBERS = ("member1", "member2", "member3")


class StartCluster(Protocol):
    """Start a cluster of this test alone; with `nodes` that pretend to run pods, when asked."""

    def __call__(
        self, name: str = "private", *, controllers: bool = False, scheduler: bool = False, nodes: int = 0
    ) -> Cluster: ...


class StartGitServer(Protocol):
    """Start a Git server of this test alone."""

    def __call__(self, *, credentials: tuple[str, str] | None = None) -> GitServer: ...


@pytest.fixture(scope="session")
def member_pool() -> Iterator[tuple[Cluster, ...]]:
    """Three real API servers for the whole session. Ask for `members`, which are emptied first."""
    with servers() as (root, keeper):
        clusters = start_clusters(MEMBERS, root, keeper)
        yield clusters
        with ThreadPoolExecutor() as pool:
            list(pool.map(Cluster.stop, clusters))


@pytest.fixture
def members(member_pool: tuple[Cluster, ...]) -> tuple[Cluster, ...]:
    """Three real members, running and empty."""
    with ThreadPoolExecutor() as pool:
        list(pool.map(Cluster.reset, member_pool))
    return member_pool


@pytest.fixture
def start_cluster() -> Iterator[StartCluster]:
    """Return a function that starts a cluster of this test alone; what it started ends with the test."""
    with ExitStack() as stack:
        root, keeper = stack.enter_context(servers())

        def start(
            name: str = "private", *, controllers: bool = False, scheduler: bool = False, nodes: int = 0
        ) -> Cluster:
            (cluster,) = start_clusters([name], root, keeper)
            stack.callback(cluster.stop)
            if controllers:
                cluster.run_controllers()
            if scheduler:
                cluster.run_scheduler()
            if nodes:
                names = [f"node-{number}" for number in range(1, nodes + 1)]
                stack.enter_context(PretendingNodes(cluster.client("admin", timeout=3), names))
            return cluster

        yield start


@pytest.fixture
def git_server(tmp_path: Path) -> Iterator[StartGitServer]:
    """Return a function that starts a Git server over HTTP; see `tests/envtest/gitserver.py`."""
    with ExitStack() as stack:
        count = iter(range(100))

        def start(*, credentials: tuple[str, str] | None = None) -> GitServer:
            return stack.enter_context(GitServer(tmp_path / f"git-server-{next(count)}", credentials))

        yield start


@contextmanager
def servers() -> Iterator[tuple[Path, Keeper]]:
    """A folder for servers' data and the keeper that ends them and removes it."""
    root = temporary_root()
    keeper = Keeper(root)
    try:
        yield root, keeper
    finally:
        keeper.close()
