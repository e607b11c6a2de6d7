"""Certificates and keys of one cluster: its own authority, a server certificate for loopback, a signing key."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """A certificate authority that lives as long as its cluster."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateFiles:
    """The files (PEM) that a server is started with."""

    authority: Path
    server: Path
    server_key: Path
    signing_key: Path


def write_certificates(folder: Path, name: str) -> CertificateFiles:
    """Make an authority, a server certificate and a key for service account tokens, and write them to `folder`."""
    authority = make_authority(name)
    certificate, key = issue(authority, "kube-apiserver")
    files = CertificateFiles(
        authority=folder / "ca.crt",
        server=folder / "server.crt",
        server_key=folder / "server.key",
        signing_key=folder / "service-account.key",
    )
    files.authority.write_bytes(authority.certificate.public_bytes(serialization.Encoding.PEM))
    files.server.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    files.server_key.write_bytes(_private(key))
    files.signing_key.write_bytes(_private(ec.generate_private_key(ec.SECP256R1())))
    return files


def make_authority(name: str) -> Authority:
    """Make a self-signed authority called `name`."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"authority of {name}")])
    usage = x509.KeyUsage(True, False, False, False, False, True, True, False, False)
    certificate = (
        _builder(subject, subject, key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    return Authority(certificate=certificate, key=key)


def issue(authority: Authority, name: str) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    """Issue a certificate for a server on loopback, which also serves as a client certificate of user `name`."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    names = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
    purposes = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key())
    certificate = (
        _builder(subject, authority.certificate.subject, key.public_key())
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
        .add_extension(signer, critical=False)
        .sign(authority.key, hashes.SHA256())
    )
    return certificate, key


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=2))
    )


def _private(key: ec.EllipticCurvePrivateKey) -> bytes:
    # The API server takes a private key for the public one in this format only.
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
