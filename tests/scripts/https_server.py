"""A real HTTPS server on localhost with a certificate of its own, for webhooks."""

import base64
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

# What the server is asked; what it answers: the body, or (status, body).
Answer = Callable[[dict[str, Any]], Any]


@dataclass(frozen=True, kw_only=True)
class Server:
    port: int
    ca_bundle: str
    requests: list[dict[str, Any]]

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}/interpret"


@contextmanager
def https_server(folder: Path, answer: Answer) -> Iterator[Server]:
    certificate = _certificate(folder)
    requests: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append(asked)
            answered = answer(asked)
            status, body = answered if isinstance(answered, tuple) else (200, answered)
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "https://127.0.0.1:1/")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    pem = certificate.read_bytes().partition(b"-----BEGIN CERTIFICATE")
    try:
        yield Server(
            port=server.server_address[1], ca_bundle=base64.b64encode(pem[1] + pem[2]).decode(), requests=requests
        )
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def _certificate(folder: Path) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "webhook")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "webhook.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    return path
