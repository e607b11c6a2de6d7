"""Runs Lua scripts, each within its deadline, in a process that is replaced when it does not keep it."""

import contextlib
import os
import select
import struct
import subprocess
import sys
import threading
import time
from types import TracebackType
from typing import Any

import orjson

from gitops_karmada.model.customizations import ScriptError

# As long as Karmada lets a script run, load included.
DEADLINE_SECONDS = 1.0
START_SECONDS = 20.0
MAX_ANSWER = 64 << 20
LENGTH = struct.Struct(">I")


class LuaEngine:
    """A worker process, started with the first script and again after each one that had to be stopped."""

    def __init__(self, deadline_seconds: float = DEADLINE_SECONDS) -> None:
        self._deadline_seconds = deadline_seconds
        self._worker: subprocess.Popen[bytes] | None = None
        self._turn = threading.Lock()

    def check(self, script: str) -> None:
        """Raise ScriptError where the script does not compile."""
        self._ask({"script": script})

    def call(self, script: str, function: str, arguments: tuple[Any, ...], results: int) -> list[Any]:
        """Run the script, then its function, in fresh surroundings. Raises ScriptError."""
        return self._ask({"script": script, "function": function, "arguments": arguments, "results": results})

    def close(self) -> None:
        with self._turn:
            self._stop()

    def __enter__(self) -> "LuaEngine":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, request: dict[str, Any]) -> list[Any]:
        body = orjson.dumps(request)
        with self._turn:
            answer = self._exchange(body)
        if "error" in answer:
            raise ScriptError(answer["error"], answer["line"])
        results: list[Any] = answer["results"]
        return results

    def _exchange(self, body: bytes) -> dict[str, Any]:
        worker = self._running()
        try:
            ends = time.monotonic() + self._deadline_seconds
            _write(worker, LENGTH.pack(len(body)) + body, ends)
            answer = _read(worker, ends)
        except TimeoutError:
            self._stop()
            raise ScriptError(f"did not finish within {self._deadline_seconds:g} s") from None
        except (OSError, EOFError) as error:
            self._stop()
            raise ScriptError("used more memory or time than it may have, and was stopped") from error
        except BaseException:
            self._stop()
            raise
        if answer.get("last"):
            self._stop()
        return answer

    def _running(self) -> "subprocess.Popen[bytes]":
        if self._worker is None or self._worker.poll() is not None:
            self._stop()
            self._worker = _start()
        return self._worker

    def _stop(self) -> None:
        worker, self._worker = self._worker, None
        if worker is None:
            return
        worker.kill()
        worker.wait()
        for stream in (worker.stdin, worker.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


def _start() -> "subprocess.Popen[bytes]":
    """Without our environment, files or terminal: a script's process has nothing to find."""
    worker = subprocess.Popen(
        [sys.executable, "-I", "-m", "gitops_karmada.scripts.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        cwd="/",
        env={},
        start_new_session=True,
    )
    for stream in (worker.stdin, worker.stdout):
        assert stream is not None
        os.set_blocking(stream.fileno(), False)
    try:
        _read(worker, time.monotonic() + START_SECONDS)
    except (EOFError, OSError, TimeoutError) as error:
        worker.kill()
        worker.wait()
        raise ScriptError("cannot start the process that scripts run in") from error
    return worker


def _write(worker: "subprocess.Popen[bytes]", body: bytes, ends: float) -> None:
    assert worker.stdin is not None
    rest = memoryview(body)
    while rest:
        _wait(ends, writable=worker.stdin.fileno())
        rest = rest[os.write(worker.stdin.fileno(), rest) :]


def _read(worker: "subprocess.Popen[bytes]", ends: float) -> dict[str, Any]:
    (length,) = LENGTH.unpack(_read_bytes(worker, LENGTH.size, ends))
    if length > MAX_ANSWER:
        raise EOFError
    answer: dict[str, Any] = orjson.loads(_read_bytes(worker, length, ends))
    return answer


def _read_bytes(worker: "subprocess.Popen[bytes]", length: int, ends: float) -> bytes:
    assert worker.stdout is not None
    parts: list[bytes] = []
    while length:
        _wait(ends, readable=worker.stdout.fileno())
        part = os.read(worker.stdout.fileno(), length)
        if not part:
            raise EOFError
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _wait(ends: float, *, readable: int | None = None, writable: int | None = None) -> None:
    remaining = ends - time.monotonic()
    reading = [] if readable is None else [readable]
    writing = [] if writable is None else [writable]
    if remaining <= 0 or not any(select.select(reading, writing, [], remaining)):
        raise TimeoutError
