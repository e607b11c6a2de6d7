"""Who hears of a turn, over real HTTP on this machine."""

import hashlib
import hmac
import io
import json
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from gitops_karmada.model.notices import Notice, NoticeKind
from gitops_karmada.model.problems import Severity
from gitops_karmada.notify.deliver import deliver
from gitops_karmada.notify.sinks import DeliveryError
from gitops_karmada.notify.sinks.log import to_log
from gitops_karmada.notify.sinks.webhook import to_webhook

NOTICES = (
    Notice(kind=NoticeKind.MOVED, message="4 replicas from east to west", subject="Deployment.apps shop/web"),
    Notice(kind=NoticeKind.REFUSED, message="owned by Helm", severity=Severity.WARNING, cluster="east"),
)


class Receiver(ThreadingHTTPServer):
    """Keeps what was posted; answers with `status`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.posted: list[tuple[dict[str, str], bytes]] = []
        self.status = 204

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/hook?token=hunter2"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:  # the name that http.server asks for
        server = self.server
        assert isinstance(server, Receiver)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        server.posted.append((dict(self.headers), body))
        self.send_response(server.status)
        self.send_header("Location", "http://127.0.0.1:1/elsewhere")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name that http.server gives it
        """Say nothing."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def address_file(folder: Path, *lines: str) -> Path:
    file = folder / "hook"
    file.write_text("\n".join(lines) + "\n")
    return file


def test_the_log_gets_one_line_of_json_a_notice() -> None:
    stream = io.StringIO()
    assert deliver("fleet", NOTICES, {"log": to_log(stream)}) == ()
    lines = [json.loads(text) for text in stream.getvalue().splitlines()]
    assert [(line["instance"], line["kind"]) for line in lines] == [("fleet", "moved"), ("fleet", "refused")]


def test_the_webhook_gets_all_notices_in_one_signed_post(receiver: Receiver, tmp_path: Path) -> None:
    sink = to_webhook(address_file(tmp_path, receiver.address, "signing-key"))
    assert deliver("fleet", NOTICES, {"hook": sink}) == ()
    ((headers, body),) = receiver.posted
    told = json.loads(body)
    assert (told["kind"], told["instance"], len(told["notices"])) == ("NoticeList", "fleet", 2)
    signature = hmac.new(b"signing-key", body, hashlib.sha256).hexdigest()
    assert headers["X-Signature"] == f"sha256={signature}"


def test_nobody_is_disturbed_without_notices(receiver: Receiver, tmp_path: Path) -> None:
    assert deliver("fleet", (), {"hook": to_webhook(address_file(tmp_path, receiver.address))}) == ()
    assert receiver.posted == []


@pytest.mark.parametrize("status", [302, 404, 500])
def test_a_refusing_webhook_is_a_finding_and_the_others_get_theirs(
    receiver: Receiver, tmp_path: Path, status: int
) -> None:
    receiver.status = status
    stream = io.StringIO()
    sinks = {"hook": to_webhook(address_file(tmp_path, receiver.address)), "log": to_log(stream)}
    (problem,) = deliver("fleet", NOTICES, sinks)
    assert problem.message == f"the webhook at 127.0.0.1 answered {status}"
    assert "hunter2" not in str(problem)
    assert stream.getvalue().count("\n") == 2
    assert len(receiver.posted) == 1


def test_a_webhook_that_never_answers_is_given_up(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        sink = to_webhook(address_file(tmp_path, address), deadline=0.5)
        start = time.monotonic()
        with pytest.raises(DeliveryError, match="did not answer within"):
            sink("fleet", NOTICES)
        assert time.monotonic() - start < 5


@pytest.mark.parametrize("address", ["http://example.org/hook", "file:///etc/passwd", "", "ftp://example.org"])
def test_only_safe_addresses_are_used(tmp_path: Path, address: str) -> None:
    with pytest.raises(DeliveryError, match="must begin with https"):
        to_webhook(address_file(tmp_path, address))("fleet", NOTICES)


def test_a_missing_file_is_a_finding(tmp_path: Path) -> None:
    (problem,) = deliver("fleet", NOTICES, {"hook": to_webhook(tmp_path / "absent")})
    assert "'absent' cannot be read" in problem.message
