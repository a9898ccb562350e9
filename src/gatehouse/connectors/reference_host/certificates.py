"""Certificates for the reference host and its callers: they sign themselves."""

import ipaddress
import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from gatehouse.core.api_values import CamelStruct
from gatehouse.core.clock import Clock
from gatehouse.core.errors import InvalidInput, SettingsError

_VALID_DAYS: Final = 365


class HostTls(msgspec.Struct, frozen=True):
    """The files with which the host speaks TLS."""

    certificate_file: Path
    key_file: Path
    client_ca_file: Path | None = None
    """Callers must show a certificate of this authority, if there is one."""


class MadeCertificates(CamelStruct):
    """The files that were made: for the host, and for callers."""

    ca_file: Path
    """Both certificates: what the two sides trust."""
    certificate_file: Path
    key_file: Path
    client_certificate_file: Path
    client_key_file: Path


def make_certificates(folder: Path, address: str, clock: Clock) -> MadeCertificates:
    """A certificate of the host and one of a caller, made unless they are there."""
    files = MadeCertificates(
        *(folder / name for name in ("ca.pem", "host.pem", "host.key", "client.pem", "client.key"))
    )
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not all(getattr(files, field).exists() for field in files.__struct_fields__):
            _make(files, address, datetime.fromtimestamp(clock() / 1000, UTC))
    except OSError as error:
        raise InvalidInput(f"{folder}: no certificates can be made: {error.strerror}") from None
    return files


def _make(files: MadeCertificates, address: str, now: datetime) -> None:
    host = _self_signed("reference host", _names_of(address), now)
    caller = _self_signed("caller", [x509.DNSName("caller")], now)
    for path, data in (
        (files.certificate_file, host[0]),
        (files.key_file, host[1]),
        (files.client_certificate_file, caller[0]),
        (files.client_key_file, caller[1]),
        (files.ca_file, host[0] + caller[0]),
    ):
        path.touch(mode=0o600)
        path.write_bytes(data)


def _self_signed(
    common_name: str, names: list[x509.GeneralName], now: datetime
) -> tuple[bytes, bytes]:
    """A certificate and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=_VALID_DAYS))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, hashes.SHA256())
    )
    return certificate.public_bytes(serialization.Encoding.PEM), key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def host_context(tls: HostTls, fails_handshake: Callable[[], bool]) -> ssl.SSLContext:
    """The context of the host, TLS 1.2 or newer; or `SettingsError`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(tls.certificate_file, tls.key_file, lambda: b"")
        if tls.client_ca_file is not None:
            context.load_verify_locations(tls.client_ca_file)
            context.verify_mode = ssl.CERT_REQUIRED
    except (OSError, ssl.SSLError) as error:
        raise SettingsError(f"a file for TLS cannot be used: {error}") from None
    context.set_alpn_protocols(["http/1.1"])

    # It is called at the beginning of every handshake, also when the caller names no server.
    def begin(*_: object) -> int | None:
        return ssl.ALERT_DESCRIPTION_INTERNAL_ERROR if fails_handshake() else None

    context.sni_callback = begin
    return context


def _names_of(address: str) -> list[x509.GeneralName]:
    """How callers can name the host."""
    names: list[x509.GeneralName] = [x509.DNSName("localhost")]
    names += [x509.IPAddress(ipaddress.ip_address(one)) for one in ("127.0.0.1", "::1")]
    try:
        names.append(x509.IPAddress(ipaddress.ip_address(address)))
    except ValueError:
        names.append(x509.DNSName(address))
    return names
