"""Health over HTTP: alive, and ready. A broken member is neither's business."""

import json
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from gitops_karmada.daemon import Pulse
from gitops_karmada.model.problems import SettingsError

STUCK = timedelta(minutes=15)
"""A turn that takes longer has hung; every call in it has a deadline."""


def is_live(pulse: Pulse, now: datetime) -> bool:
    return pulse.turn_since is None or now - pulse.turn_since < STUCK


def is_ready(pulse: Pulse) -> bool:
    """The last turn went well. Turns that fail are tried again, which no restart makes faster."""
    return pulse.succeeded_at is not None and pulse.failures == 0


class HealthServer:
    """Serves `/livez` and `/readyz`. `address` is HOST:PORT; a port alone listens on this machine only."""

    def __init__(self, address: str, pulse: Callable[[], Pulse]) -> None:
        host, _, port = address.rpartition(":")
        try:
            self._server = _Server((host.strip("[]") or "127.0.0.1", int(port)), pulse)
        except (OSError, ValueError, OverflowError) as error:
            raise SettingsError(f"health cannot be served at {address!r}: {error}\nGive --health HOST:PORT") from error
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def __enter__(self) -> "HealthServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], pulse: Callable[[], Pulse]) -> None:
        super().__init__(address, _Answer)
        self.pulse = pulse


class _Answer(BaseHTTPRequestHandler):
    timeout = 10

    def do_GET(self) -> None:  # the name that http.server asks for
        server = self.server
        assert isinstance(server, _Server)
        pulse = server.pulse()
        answers = {"/livez": is_live(pulse, datetime.now(UTC)), "/readyz": is_ready(pulse)}
        if self.path not in answers:
            self.send_error(404)
            return
        body = json.dumps({"ok": answers[self.path], "turns": pulse.turns, "failures": pulse.failures}).encode()
        self.send_response(200 if answers[self.path] else 503)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name that http.server gives it
        """Probes are no news."""
