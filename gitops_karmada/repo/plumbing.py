"""Git as a program that we alone control: its settings, its environment, its time and its words."""

import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from gitops_karmada.repo.credentials import Access, redacted
from gitops_karmada.repo.failures import GitError, Reason

# Written where Git looks for the user's settings, so that no other file is read. It also reaches a repository that lies
# in a folder, which keeps its own hooks: they are that repository's rules.
SETTINGS = """\
[core]
\tattributesFile = /dev/null
\texcludesFile = /dev/null
\taskPass =
\tquotePath = false
[protocol]
\tallow = never
[protocol "https"]
\tallow = always
[protocol "http"]
\tallow = always
[protocol "ssh"]
\tallow = always
[protocol "file"]
\tallow = always
[credential]
\thelper =
[transfer]
\tfsckObjects = true
[fetch]
\tfsckObjects = true
\trecurseSubmodules = false
[fetch "fsck"]
\tzeroPaddedFilemode = warn
\tmissingSpaceBeforeDate = warn
\tbadTimezone = warn
[submodule]
\trecurse = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
[safe]
\tdirectory = *
[http]
\tfollowRedirects = initial
[advice]
\tdetachedHead = false
[push]
\tnegotiate = false
"""

_ENVIRONMENT = {
    "GIT_ADVICE": "0",
    "GIT_ALLOW_PROTOCOL": "https:http:ssh:file",
    "GIT_ASKPASS": "",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_FLUSH": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LANGUAGE": "C",
    "LC_ALL": "C",
    # Git gives each object's buffers back to the system and faults them in again; keeping them is 3 times faster.
    "MALLOC_TRIM_THRESHOLD_": "1073741824",
    "SSH_ASKPASS": "",
}
# For our own process only: Git hands these to no process that it starts for another repository.
_OURS_ALONE = (("core.hooksPath", "/dev/null"), ("core.fsmonitor", "false"))
_USERINFO = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)[^/@\s'\"]*@")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    code: int
    output: bytes
    errors: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Git:
    """Git for one repository.

    `home` is a folder of ours; `folder` is the repository's own (`.git`, or the bare clone), None while not known.
    `passed` are variables handed on from outside, such as proxies. `seconds` bound each call.
    """

    folder: Path | None
    home: Path
    passed: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 60
    most_bytes: int = 4 * 2**30

    def run(
        self, *arguments: str, data: bytes | None = None, access: Access | None = None, seconds: float | None = None
    ) -> Outcome:
        """Run a command to its end. It and all it started are killed when its time is up."""
        access = access or Access()
        with self._process(arguments, access) as process:
            try:
                output, errors = process.communicate(data, timeout=seconds or self.seconds)
            except subprocess.TimeoutExpired:
                message = f"git {arguments[0]} did not end within {seconds or self.seconds:g} seconds"
                raise GitError(Reason.TIMEOUT, message, "It is tried again at the next turn") from None
            return Outcome(code=process.returncode, output=output, errors=_words(errors, access))

    def feed(self, *arguments: str, parts: Iterable[bytes], seconds: float | None = None) -> Outcome:
        """Run a command on input that is made while it reads."""
        with self._process(arguments, Access()) as process, _alarm(process, seconds or self.seconds) as alarm:
            said: list[bytes] = []
            ear = threading.Thread(target=_listen, args=(process, said), daemon=True)
            ear.start()
            if process.stdin is None:
                raise GitError(Reason.DAMAGED, f"git {arguments[0]} has no input")
            try:
                process.stdin.writelines(parts)
                process.stdin.close()
            except BrokenPipeError:
                pass
            ear.join()
            code = process.wait()
            if alarm.is_set():
                raise GitError(
                    Reason.TIMEOUT, f"git {arguments[0]} did not end within {seconds or self.seconds:g} seconds"
                )
            return Outcome(code=code, output=b"", errors=_words(b"".join(said), Access()))

    def text(self, *arguments: str, data: bytes | None = None) -> str:
        """What a command that must succeed prints."""
        outcome = self.run(*arguments, data=data)
        if outcome.code:
            raise GitError(Reason.DAMAGED, f"git {arguments[0]} failed: {first_line(outcome.errors)}")
        return outcome.output.decode("utf-8", "surrogateescape").strip("\n")

    def discover(self, root: Path) -> Outcome:
        """The folder of Git's own files that belongs to a root folder."""
        access = Access(environment={"GIT_CEILING_DIRECTORIES": str(root.parent)})
        return replace(self, folder=None).run("-C", str(root), "rev-parse", "--absolute-git-dir", access=access)

    def blob(self, name: str) -> bytes:
        outcome = self.run("cat-file", "blob", name)
        if outcome.code:
            raise GitError(Reason.DAMAGED, f"git cat-file failed: {first_line(outcome.errors)}")
        return outcome.output

    def blobs(self, names: Sequence[str]) -> Iterator[bytes]:
        """The content of many objects, in their order, from one process."""
        if not names:
            return
        arguments = ("cat-file", "--batch", "--buffer")
        with self._process(arguments, Access()) as process, _alarm(process, self.seconds):
            if process.stdin is None or process.stdout is None:
                raise GitError(Reason.DAMAGED, "git cat-file has no pipes")
            request = b"".join(name.encode() + b"\n" for name in names)
            writer = threading.Thread(target=_write, args=(process, request), daemon=True)
            writer.start()
            for name in names:
                header = process.stdout.readline().split()
                if len(header) != 3:
                    raise GitError(Reason.DAMAGED, f"object {name} is missing or the reading broke off")
                size = int(header[2])
                content = process.stdout.read(size + 1)
                if len(content) != size + 1:
                    raise GitError(Reason.DAMAGED, f"object {name} could not be read to its end")
                yield content[:-1]
            writer.join()

    @contextmanager
    def _process(self, arguments: Sequence[str], access: Access) -> Iterator[subprocess.Popen[bytes]]:
        process = subprocess.Popen(
            [_program(), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self._environment(access),
            cwd=self.home,
            pass_fds=access.descriptors,
            start_new_session=True,
        )
        try:
            _limit(process, self.most_bytes)
            yield process
        finally:
            _end(process)

    def _environment(self, access: Access) -> dict[str, str]:
        search = os.pathsep.join(dict.fromkeys([str(Path(_program()).parent), *os.defpath.split(os.pathsep)]))
        environment = {
            "PATH": search,
            **self.passed,
            **({"GIT_SSL_CAINFO": self.passed["SSL_CERT_FILE"]} if "SSL_CERT_FILE" in self.passed else {}),
            **_ENVIRONMENT,
            "GIT_CONFIG_GLOBAL": str(settings_file(self.home)),
            **({"GIT_DIR": str(self.folder)} if self.folder else {}),
            "HOME": str(self.home),
            **access.environment,
        }
        settings = (*_OURS_ALONE, *access.settings)
        environment["GIT_CONFIG_COUNT"] = str(len(settings))
        for index, (name, value) in enumerate(settings):
            environment |= {f"GIT_CONFIG_KEY_{index}": name, f"GIT_CONFIG_VALUE_{index}": value}
        return environment


def settings_file(home: Path) -> Path:
    return home / "git-settings"


def first_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("fatal:", "error:", "remote:"))]
    return (telling or lines or ["no reason given"])[0].removeprefix("fatal: ").removeprefix("error: ")[:300]


def _program() -> str:
    program = shutil.which("git")
    if program is None:
        raise GitError(Reason.UNREACHABLE, "git is not installed", "Install git 2.30 or later")
    return program


def _words(errors: bytes, access: Access) -> str:
    """What Git said, without credentials and without what could move a terminal."""
    text = redacted(errors.decode("utf-8", "replace"), access.secrets)
    text = _USERINFO.sub(r"\1***@", text)
    return "".join(letter for letter in text if letter.isprintable() or letter in "\n\t")


def _limit(process: "subprocess.Popen[bytes]", most_bytes: int) -> None:
    """Bound what one file of the process can grow to: an endless pack ends there."""
    try:
        import resource

        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
    except (ImportError, AttributeError, OSError, ValueError):
        return


def _end(process: "subprocess.Popen[bytes]") -> None:
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream and not stream.closed:
            try:
                stream.close()
            except OSError:
                continue
    try:
        process.wait(timeout=0.05)
    except subprocess.TimeoutExpired:
        _kill(process)
        process.wait()


def _kill(process: "subprocess.Popen[bytes]") -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _write(process: "subprocess.Popen[bytes]", data: bytes) -> None:
    if process.stdin is None:
        return
    try:
        process.stdin.write(data)
        process.stdin.close()
    except (OSError, ValueError):
        return


def _listen(process: "subprocess.Popen[bytes]", said: list[bytes]) -> None:
    if process.stderr is not None:
        said.append(process.stderr.read())


@contextmanager
def _alarm(process: "subprocess.Popen[bytes]", seconds: float) -> Iterator[threading.Event]:
    """Kill the process when its time is up, and say so."""
    rung = threading.Event()

    def ring() -> None:
        rung.set()
        _kill(process)

    timer = threading.Timer(seconds, ring)
    timer.daemon = True
    timer.start()
    try:
        yield rung
    finally:
        timer.cancel()
