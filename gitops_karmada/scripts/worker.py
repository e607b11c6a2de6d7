"""The process that scripts run in. It answers one request at a time, and may be killed at any moment."""

import os
import re
import resource
import struct
import sys
from typing import Any, BinaryIO

import lupa.lua51 as lua
import orjson

from gitops_karmada.scripts.sandbox import Sandbox
from gitops_karmada.scripts.tables import EncodeError

SCRIPT_MEMORY = 64 << 20
PROCESS_MEMORY = 1 << 30
CPU_SECONDS = 2
# A state that has grown beyond this is not used again, and its process with it.
WORN = 16 << 20

LONGEST_MESSAGE = 500

LENGTH = struct.Struct(">I")
LINE = re.compile(r"script:(\d+):")


def main() -> None:
    limit()
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    sandbox = Sandbox(SCRIPT_MEMORY)
    send(answers, {"ready": True})
    while (request := receive(requests)) is not None:
        allow_cpu()
        answer = answer_to(sandbox, request)
        worn = "broken" in answer or sandbox.memory_used > WORN
        send(answers, {**answer, "last": worn})
        if worn:
            # Not even its objects can be let go safely in a state that has no memory left.
            os._exit(0)


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (PROCESS_MEMORY, PROCESS_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))


def allow_cpu() -> None:
    """So much from now on. The one who asked counts by the clock; this one holds when he is gone."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = int(used.ru_utime + used.ru_stime) + 1 + CPU_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def answer_to(sandbox: Sandbox, request: dict[str, Any]) -> dict[str, Any]:
    try:
        if "function" not in request:
            sandbox.check(request["script"])
            return {"results": []}
        call = (request["script"], request["function"], request["arguments"], request["results"])
        return {"results": sandbox.call(*call)}
    except lua.LuaMemoryError:
        return {"error": f"needs more than {SCRIPT_MEMORY >> 20} MiB of memory", "line": 0, "broken": True}
    except (MemoryError, RecursionError):
        return {"error": "needs more memory than it may have", "line": 0, "broken": True}
    except (lua.LuaError, EncodeError, UnicodeError) as error:
        return failure(str(error))


def failure(message: str) -> dict[str, Any]:
    """The message without Lua's stack, and the line of the script that it names first."""
    told = message.partition("\nstack traceback:")[0][:LONGEST_MESSAGE]
    line = LINE.search(told)
    return {"error": LINE.sub("", told, count=1).strip() if line else told, "line": int(line[1]) if line else 0}


def receive(stream: BinaryIO) -> dict[str, Any] | None:
    header = stream.read(LENGTH.size)
    if len(header) < LENGTH.size:
        return None
    request: dict[str, Any] = orjson.loads(stream.read(LENGTH.unpack(header)[0]))
    return request


def send(stream: BinaryIO, answer: dict[str, Any]) -> None:
    body = orjson.dumps(answer)
    stream.write(LENGTH.pack(len(body)) + body)
    stream.flush()


if __name__ == "__main__":
    main()
