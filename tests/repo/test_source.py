"""Sources: local and remote, moved, rewritten, gone, hostile; credentials that never show."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from gitops_karmada.repo.addresses import Transport, address
from gitops_karmada.repo.credentials import Password, TokenFile
from gitops_karmada.repo.failures import GitError, Reason
from gitops_karmada.repo.reading import ManifestReader
from gitops_karmada.repo.refs import branch, pinned, tag
from gitops_karmada.repo.source import Source
from tests.envtest.gitserver import GitServer
from tests.repo.git_tools import bare_repository, commit, git, work_tree

TOKEN = "tok_SECRET123/@:%"


def config_map(name: str) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n"


def names(source: Source) -> list[str]:
    found = ManifestReader().read(source.tree(source.read().commit))
    return [manifest.object["metadata"]["name"] for manifest in found.manifests]


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return bare_repository(tmp_path / "remote" / "fleet.git")


@pytest.fixture
def person(tmp_path: Path, remote: Path) -> Path:
    return work_tree(tmp_path / "person", remote)


@pytest.fixture
def server(remote: Path) -> Iterator[GitServer]:
    with GitServer(remote.parent) as server:
        yield server


def test_a_folder_is_read_where_it_lies_and_not_touched(tmp_path: Path, person: Path) -> None:
    first = commit(person, {"a.yaml": config_map("a")})
    (person / "a.yaml").write_text(config_map("uncommitted"))
    before = {path: path.stat().st_mtime_ns for path in sorted(person.rglob("*"))}
    source = Source(str(person), cache=tmp_path / "cache")
    reading = source.read()
    assert (reading.commit.id, reading.commit.ref, reading.moved) == (first, "refs/heads/main", True)
    assert (reading.commit.author, reading.commit.subject) == ("Ana <ana@example.org>", "change")
    assert names(source) == ["a"]
    assert {path: path.stat().st_mtime_ns for path in sorted(person.rglob("*"))} == before
    assert not source.read().moved
    commit(person, {"b.yaml": config_map("b")})
    assert source.read().moved


@pytest.mark.parametrize("form", ["file", "http"])
def test_branches_tags_and_commits_are_followed(
    tmp_path: Path, remote: Path, person: Path, server: GitServer, form: str
) -> None:
    where = f"file://{remote}" if form == "file" else server.url("fleet")
    first = commit(person, {"a.yaml": config_map("first")}, push=True)
    git(person, "tag", "-a", "v1", "-m", "one")
    git(person, "push", "--quiet", "origin", "v1")
    second = commit(person, {"a.yaml": config_map("second")}, push=True)
    cache = tmp_path / "cache"
    assert names(Source(where, cache=cache)) == ["second"]
    assert names(Source(where, branch("main"), cache=cache)) == ["second"]
    assert names(Source(where, tag("v1"), cache=cache)) == ["first"]
    assert names(Source(where, pinned(first), cache=cache)) == ["first"]
    assert Source(where, pinned(second), cache=tmp_path / "other").read().commit.id == second
    assert len(list(cache.glob("*.git"))) == 1


def test_nothing_is_fetched_when_the_tip_has_not_moved(tmp_path: Path, person: Path, server: GitServer) -> None:
    commit(person, {"a.yaml": config_map("a")}, push=True)
    source = Source(server.url("fleet"), cache=tmp_path / "cache")
    source.read()
    server.requests.clear()
    assert not source.read().moved
    # One question for the tip: its advertisement and, in protocol version 2, the answer to it.
    assert 1 <= len(server.requests) <= 2
    after_restart = Source(server.url("fleet"), cache=tmp_path / "cache")
    assert after_restart.read().moved


def test_a_rewritten_history_is_followed_and_told(tmp_path: Path, remote: Path, person: Path) -> None:
    """O62: amended twice, then reset to an older commit."""
    oldest = commit(person, {"a.yaml": config_map("a")}, push=True)
    source = Source(f"file://{remote}", branch("main"), cache=tmp_path / "cache")
    commit(person, {"b.yaml": config_map("b")}, push=True)
    before = source.read().commit.id
    for name in ("b2", "b3"):
        git(person, "reset", "--quiet", "--hard", oldest)
        now = commit(person, {f"{name}.yaml": config_map(name)}, push=True)
        reading = source.read()
        assert (reading.commit.id, reading.rewritten_from) == (now, before)
        assert names(source) == ["a", name]
        before = now
    git(person, "push", "--quiet", "--force", "origin", f"{oldest}:refs/heads/main")
    reading = source.read()
    assert (reading.commit.id, reading.rewritten_from) == (oldest, before)
    after_restart = Source(f"file://{remote}", branch("main"), cache=tmp_path / "cache")
    assert after_restart.read(since=before).rewritten_from == before
    git(person, "reset", "--quiet", "--hard", oldest)
    commit(person, {"c.yaml": config_map("c")}, push=True)
    assert source.read().rewritten_from is None


@pytest.mark.parametrize("form", ["folder", "file", "http"])
def test_a_deleted_branch_is_an_error_until_it_is_back(
    tmp_path: Path, remote: Path, person: Path, server: GitServer, form: str
) -> None:
    """O63: never empty, and no restart needed."""
    where = {"folder": str(remote), "file": f"file://{remote}", "http": server.url("fleet")}[form]
    commit(person, {"a.yaml": config_map("a")}, push=True)
    source = Source(where, branch("main"), cache=tmp_path / "cache")
    assert names(source) == ["a"]
    git(remote, "update-ref", "-d", "refs/heads/main")
    with pytest.raises(GitError, match="branch 'main' is not in") as gone:
        source.read()
    assert (gone.value.reason, gone.value.code) == (Reason.REF_NOT_FOUND, "GK4008")
    commit(person, {"b.yaml": config_map("b")}, push=True)
    assert names(source) == ["a", "b"]


def test_an_empty_repository_is_an_error(tmp_path: Path, remote: Path) -> None:
    for where in (str(remote), f"file://{remote}"):
        with pytest.raises(GitError) as refused:
            Source(where, cache=tmp_path / "cache").read()
        assert refused.value.reason is Reason.REF_NOT_FOUND


def test_what_is_no_repository_says_so(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    for where in (
        str(tmp_path / "plain"),
        f"file://{tmp_path}/plain",
        str(tmp_path / "none"),
        f"file://{tmp_path}/none",
    ):
        with pytest.raises(GitError) as refused:
            Source(where, cache=tmp_path / "cache").read()
        assert refused.value.reason is Reason.UNREACHABLE


def test_a_server_with_credentials_is_read_with_the_token_of_the_moment(
    tmp_path: Path, remote: Path, person: Path
) -> None:
    commit(person, {"a.yaml": config_map("a")}, push=True)
    token = tmp_path / "token"
    token.write_text("old-token\n")
    with GitServer(remote.parent, ("bot", TOKEN)) as server:
        source = Source(server.url("fleet"), cache=tmp_path / "cache", credentials=TokenFile(path=token, user="bot"))
        with pytest.raises(GitError) as refused:
            source.read()
        assert refused.value.reason is Reason.AUTHENTICATION
        token.write_text(TOKEN + "\n")
        assert names(source) == ["a"]
        token.unlink()
        with pytest.raises(GitError, match="cannot be read"):
            source.read()


@pytest.mark.parametrize("form", ["plain", "encoded", "file"])
def test_a_token_shows_nowhere(tmp_path: Path, remote: Path, person: Path, form: str) -> None:
    """O65: not in messages, not in the cache, not in the arguments or environment of any process."""
    commit(person, {"a.yaml": config_map("a")}, push=True)
    secret = "tok_SECRET123" if form == "plain" else "p@ss_SECRET123"
    quoted = secret.replace("@", "%40")
    token = tmp_path / "token"
    token.write_text(secret)
    with GitServer(remote.parent, ("bot", secret)) as server:
        plain = server.url("fleet")
        where = plain if form == "file" else plain.replace("http://", f"http://bot:{quoted}@")
        credentials = TokenFile(path=token, user="bot") if form == "file" else None
        source = Source(where, cache=tmp_path / "cache", credentials=credentials)
        seen = watched(lambda: names(source))
        server.refuse()
        with pytest.raises(GitError) as down:
            source.read()
    gone = Source(where.rpartition("/")[0] + "/none.git", cache=tmp_path / "cache", credentials=credentials)
    with pytest.raises(GitError) as other:
        gone.read()
    everything = [str(down.value), str(other.value), repr(down.value), str(source.address), repr(source.address), seen]
    everything += [path.read_bytes().decode("latin-1") for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert len(seen) > 100
    for text in everything:
        assert "SECRET123" not in text


def watched(action: Callable[[], object]) -> str:
    """Everything that can be seen of our children while the action runs: arguments and environment."""
    script = (
        "import os,sys,time\n"
        "me=int(sys.argv[1])\n"
        "print('ready',flush=True)\n"
        "end=time.time()+20\n"
        "while time.time()<end and not os.path.exists(sys.argv[2]):\n"
        "  for p in filter(str.isdigit,os.listdir('/proc')):\n"
        "    try:\n"
        "      c=open(f'/proc/{p}/cmdline','rb').read()\n"
        "      if b'git' in c or b'cat' in c: print(c,open(f'/proc/{p}/environ','rb').read() if int(p)!=me else b'')\n"
        "    except OSError: pass\n"
    )
    stop = Path(os.environ.get("TMPDIR", "/tmp")) / f"watched-{os.getpid()}-{time.monotonic_ns()}"
    watcher = subprocess.Popen(
        [sys.executable, "-c", script, str(os.getpid()), str(stop)], stdout=subprocess.PIPE, text=True
    )
    assert watcher.stdout is not None
    watcher.stdout.readline()
    try:
        action()
    finally:
        stop.touch()
        seen = watcher.communicate(timeout=30)[0]
        stop.unlink()
    return seen


def test_a_broken_server_keeps_what_is_there_and_says_what_is_wrong(
    tmp_path: Path, person: Path, server: GitServer
) -> None:
    commit(person, {f"{n}.yaml": config_map(f"n{n}") for n in range(50)}, push=True)
    source = Source(server.url("fleet"), branch("main"), cache=tmp_path / "cache", seconds=3)
    reading = source.read()
    last = commit(person, {"b.yaml": config_map("b"), "c.yaml": os.urandom(30_000).hex()}, push=True)
    faults: list[tuple[Callable[[], None], set[Reason]]] = [
        (lambda: server.faults.status(503), {Reason.UNREACHABLE}),
        (lambda: server.faults.status(401), {Reason.AUTHENTICATION}),
        (lambda: server.faults.status(403), {Reason.AUTHENTICATION}),
        (lambda: server.faults.break_off(after=2000), {Reason.UNREACHABLE, Reason.DAMAGED}),
    ]
    for spoil, reasons in faults:
        spoil()
        with pytest.raises(GitError) as refused:
            source.read()
        assert refused.value.reason in reasons, str(refused.value)
        assert server.url("fleet") in str(refused.value)
        # What was read before can still be read.
        if refused.value.reason is not Reason.DAMAGED:
            assert len(list(source.tree(reading.commit).contents(["0.yaml"]))) == 1
    server.faults.heal()
    assert source.read().commit.id == last


def test_a_server_that_never_answers_is_given_up(tmp_path: Path, person: Path, server: GitServer) -> None:
    commit(person, {"a.yaml": config_map("a")}, push=True)
    server.faults.hang()
    start = time.monotonic()
    with pytest.raises(GitError) as slow:
        Source(server.url("fleet"), cache=tmp_path / "cache", seconds=1).read()
    server.faults.heal()
    assert slow.value.reason is Reason.TIMEOUT
    assert time.monotonic() - start < 4
    assert not children_named("git-remote-http")


def children_named(name: str) -> list[str]:
    time.sleep(0.2)
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if name in line and "127.0.0.1" in line and "none" not in line]


def test_nobody_listens(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(GitError) as refused:
        Source(f"http://127.0.0.1:{port}/x.git", cache=tmp_path / "cache", seconds=5).read()
    assert refused.value.reason is Reason.UNREACHABLE
    assert "the last good state stays in force" in str(refused.value)


HOSTILE = [
    "ext::sh -c 'touch MARK'", "--upload-pack=touch MARK", "-oProxyCommand=touch MARK", "git://127.0.0.1/x",
    "fd::17", "ftp://127.0.0.1/x", "https://-oProxyCommand=x/y", "ssh://-oProxyCommand=touch%20MARK/x",
    "ssh://-oX@host/x", "file://host/etc", "http:///x", "https://host", "https://ho st/x", "https://h/x\n-y", "",
    "EXT::x", "user@host:--upload-pack=x", "https://host:port/x", "https://[::1/x", "transport::https://x/y",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_hostile_addresses_are_refused(text: str) -> None:
    with pytest.raises(GitError) as refused:
        address(text)
    assert (refused.value.reason, refused.value.code) == (Reason.REFUSED, "GK4004")


@pytest.mark.parametrize(
    "name",
    ["--upload-pack=touch MARK", "-x", "a..b", "a b", "a~1", "a^", "a:b", "a?", "a*", "a[", "a\\", "a.lock", "/a", "a/",
     "a//b", ".a", "a/.b", "@{x", "@", "a\x00", "a\n", "x" * 300],
    ids=ascii,
)  # fmt: skip
def test_hostile_references_are_refused(name: str) -> None:
    for make in (branch, tag, pinned):
        with pytest.raises(GitError) as refused:
            make(name)
        assert refused.value.reason is Reason.REFUSED


@pytest.mark.parametrize(
    ("text", "url", "transport"),
    [
        ("https://github.com/o/r.git", "https://github.com/o/r.git", Transport.HTTPS),
        ("HTTPS://u:p@h:8443/o/r", "https://h:8443/o/r", Transport.HTTPS),
        ("git@github.com:o/r.git", "git@github.com:o/r.git", Transport.SSH),
        ("git@host:/srv/r.git", "git@host:/srv/r.git", Transport.SSH),
        ("ssh://git@h:22/o/r", "ssh://git@h:22/o/r", Transport.SSH),
        ("http://[::1]:80/r", "http://[::1]:80/r", Transport.HTTP),
        ("file:///srv/r.git", "file:///srv/r.git", Transport.FILE),
        ("/srv/r", "/srv/r", Transport.FOLDER),
    ],
)
def test_addresses_are_understood_and_shown_without_credentials(text: str, url: str, transport: Transport) -> None:
    found = address(text)
    assert (str(found), found.transport) == (url, transport)


def test_credentials_in_an_address_are_taken_out_of_it() -> None:
    assert address("https://bot:p%40ss@h/r").password == Password(user="bot", secret="p@ss")
    assert address("https://tok@h/r").password == Password(user="token", secret="tok")
    assert "p@ss" not in repr(address("https://bot:p%40ss@h/r"))


POISON = {
    "GIT_ALLOW_PROTOCOL": "ext",
    "GIT_ASKPASS": "{mark}.sh",
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "core.fsmonitor",
    "GIT_CONFIG_VALUE_0": "touch {mark}",
    "GIT_DIR": "/nowhere",
    "GIT_EXEC_PATH": "/nowhere",
    "GIT_EXTERNAL_DIFF": "touch {mark}",
    "GIT_OBJECT_DIRECTORY": "/nowhere",
    "GIT_PAGER": "touch {mark}",
    "GIT_PROXY_COMMAND": "touch {mark}",
    "GIT_SSH_COMMAND": "touch {mark}",
    "GIT_TEMPLATE_DIR": "{template}",
    "GIT_TRACE": "{mark}",
}


def test_the_environment_and_settings_of_others_reach_no_git_of_ours(
    tmp_path: Path, remote: Path, person: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(person, {"a.yaml": config_map("a")}, push=True)
    mark, template, home = tmp_path / "mark", tmp_path / "template", tmp_path / "home"
    (template / "hooks").mkdir(parents=True)
    for hook in ("post-checkout", "reference-transaction", "post-index-change", "pre-auto-gc"):
        (template / "hooks" / hook).write_text(f"#!/bin/sh\ntouch {mark}\n")
        (template / "hooks" / hook).chmod(0o755)
    home.mkdir()
    (home / ".gitconfig").write_text(
        f"[core]\n\tfsmonitor = touch {mark}\n\thooksPath = {template}/hooks\n[protocol]\n\tallow = always\n"
    )
    for name, value in POISON.items():
        monkeypatch.setenv(name, value.format(mark=mark, template=template))
    monkeypatch.setenv("HOME", str(home))
    for where in (f"file://{remote}", str(person), str(remote)):
        assert names(Source(where, cache=tmp_path / "cache")) == ["a"]
    assert not mark.exists()


def test_a_line_leads_to_its_commit_and_author(tmp_path: Path, remote: Path, person: Path) -> None:
    first = commit(person, {"a.yaml": "x: 1\ny: 2\n"}, "Add x and y", push=True)
    second = commit(person, {"a.yaml": "x: 1\ny: 3\n", "-dash.yaml": "a: 1\n"}, "Raise y", push=True)
    for where in (f"file://{remote}", str(person)):
        source = Source(where, cache=tmp_path / "cache")
        tip = source.read().commit.id
        found = [source.last_change(tip, "a.yaml", line) for line in (1, 2, 0)]
        assert [one.id for one in found if one] == [first, second, second]
        assert (found[0].subject if found[0] else "", found[1].subject if found[1] else "") == (
            "Add x and y",
            "Raise y",
        )
        dash = source.last_change(tip, "-dash.yaml", 1)
        assert dash is not None
        assert dash.id == second
        assert source.last_change(tip, "none.yaml", 1) is None
        assert source.file_at(first, "a.yaml") == b"x: 1\ny: 2\n"
        assert source.file_at(first, "none") is None
        assert source.changed(first, second) == ("-dash.yaml", "a.yaml")


def test_a_damaged_clone_is_made_anew(tmp_path: Path, remote: Path, person: Path) -> None:
    commit(person, {"a.yaml": config_map("a")}, push=True)
    cache = tmp_path / "cache"
    assert names(Source(f"file://{remote}", cache=cache)) == ["a"]
    [clone] = cache.glob("*.git")
    for damage in (lambda: (clone / "HEAD").write_text("nonsense"), lambda: spoil_objects(clone)):
        damage()
        commit(person, {"b.yaml": config_map("b")}, push=True)
        assert names(Source(f"file://{remote}", cache=cache))[:1] == ["a"]


def test_objects_that_turn_out_damaged_are_fetched_again_at_the_next_reading(
    tmp_path: Path, remote: Path, person: Path
) -> None:
    commit(person, {"a.yaml": config_map("a")}, push=True)
    source = Source(f"file://{remote}", cache=tmp_path / "cache")
    source.read()
    [clone] = (tmp_path / "cache").glob("*.git")
    spoil_objects(clone)
    with pytest.raises(GitError) as damaged:
        names(source)
    assert damaged.value.reason is Reason.DAMAGED
    assert names(source) == ["a"]


def spoil_objects(clone: Path) -> None:
    for path in [*clone.glob("objects/??/*"), *clone.glob("objects/pack/*")]:
        path.chmod(0o600)
        path.write_bytes(b"spoilt")


def test_malformed_objects_are_refused(tmp_path: Path, remote: Path, person: Path) -> None:
    """G6: a tree that would write into .git is not taken over, and what was read before stays."""
    good = commit(person, {"a.yaml": config_map("a")}, push=True)
    source = Source(f"file://{remote}", cache=tmp_path / "cache")
    assert source.read().commit.id == good
    blob = git(person, "rev-parse", "HEAD:a.yaml")
    made = subprocess.run(
        ["git", "hash-object", "-t", "tree", "--literally", "-w", "--stdin"],
        cwd=person, input=b"100644 .git\0" + bytes.fromhex(blob), capture_output=True, check=True,
    )  # fmt: skip
    bad = git(person, "commit-tree", made.stdout.decode().strip(), "-p", good, "-m", "bad")
    git(person, "push", "--quiet", "origin", f"{bad}:refs/heads/main")
    with pytest.raises(GitError) as refused:
        source.read()
    assert refused.value.reason is Reason.DAMAGED
    git(person, "push", "--quiet", "--force", "origin", f"{good}:refs/heads/main")
    assert names(source) == ["a"]


def test_a_pack_without_end_is_cut_off(tmp_path: Path, remote: Path, person: Path) -> None:
    """G2: what one file of ours can grow to is bounded."""
    commit(person, {"big.yaml": os.urandom(300_000).hex()}, push=True)
    source = Source(f"file://{remote}", cache=tmp_path / "cache")
    source._clone.git = replace(source._clone.git, most_bytes=50_000)
    with pytest.raises(GitError) as refused:
        source.read()
    assert refused.value.reason in (Reason.LIMIT, Reason.DAMAGED), str(refused.value)


def test_after_a_redirect_to_another_server_no_credentials_are_sent(
    tmp_path: Path, remote: Path, person: Path, server: GitServer
) -> None:
    """G9."""
    commit(person, {"a.yaml": config_map("a")}, push=True)
    seen: list[str] = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(str(self.headers.get("Authorization")))
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="x"')
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
            return

    other = HTTPServer(("127.0.0.1", 0), Elsewhere)

    class Redirecting(Elsewhere):
        def do_GET(self) -> None:
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{other.server_port}{self.path}")
            self.end_headers()

    first = HTTPServer(("127.0.0.1", 0), Redirecting)
    for listener in (other, first):
        threading.Thread(target=listener.serve_forever, args=(0.05,), daemon=True).start()
    secret = Password(user="bot", secret="s3cr3t-token")
    with pytest.raises(GitError):
        Source(f"http://127.0.0.1:{first.server_port}/x.git", cache=tmp_path / "cache", credentials=secret).read()
    for listener in (other, first):
        listener.shutdown()
        listener.server_close()
    assert seen
    assert set(seen) == {"None"}
