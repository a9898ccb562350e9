"""Certificates for the reference host: an authority of its own and what it issues."""

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
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from gatehouse.core.clock import Clock
from gatehouse.core.errors import InvalidInput, SettingsError

_VALID_DAYS: Final = 365


class HostTls(msgspec.Struct, frozen=True):
    """The files with which the host speaks TLS."""

    certificate_file: Path
    key_file: Path
    client_ca_file: Path | None = None
    """Callers must show a certificate of this authority, if there is one."""


class MadeCertificates(msgspec.Struct, frozen=True, rename="camel"):
    """The files that were made: for the host, and for callers."""

    ca_file: Path
    certificate_file: Path
    key_file: Path
    client_certificate_file: Path
    client_key_file: Path


def make_certificates(folder: Path, address: str, clock: Clock) -> MadeCertificates:
    """An authority, a certificate of the host and one of a caller, made unless they are there."""
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
    key = ec.generate_private_key(ec.SECP256R1())
    name = _name("Gatehouse reference host CA")
    certificate = (
        _begin(name, key, now)
        .issuer_name(name)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(signs=True), critical=True)
        .sign(key, hashes.SHA256())
    )
    _write(files.ca_file, certificate.public_bytes(serialization.Encoding.PEM))
    authority = _Authority(name, key, now)
    host = [ExtendedKeyUsageOID.SERVER_AUTH]
    authority.issue((files.certificate_file, files.key_file), "reference host", host, address)
    caller = [ExtendedKeyUsageOID.CLIENT_AUTH]
    authority.issue((files.client_certificate_file, files.client_key_file), "caller", caller)


class _Authority:
    def __init__(self, name: x509.Name, key: ec.EllipticCurvePrivateKey, now: datetime) -> None:
        self._name, self._key, self._now = name, key, now

    def issue(
        self,
        files: tuple[Path, Path],
        name: str,
        usage: list[x509.ObjectIdentifier],
        address: str | None = None,
    ) -> None:
        """Write a certificate and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        authority = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        certificate = (
            _begin(_name(name), key, self._now)
            .issuer_name(self._name)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(signs=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage(usage), critical=False)
            .add_extension(authority, critical=False)
        )
        if address is not None:
            names = x509.SubjectAlternativeName(_names_of(address))
            certificate = certificate.add_extension(names, critical=False)
        signed = certificate.sign(self._key, hashes.SHA256())
        _write(files[0], signed.public_bytes(serialization.Encoding.PEM))
        _write(
            files[1],
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            ),
        )


def host_context(tls: HostTls, fails_handshake: Callable[[], bool]) -> ssl.SSLContext:
    """The context of the host, TLS 1.2 or newer; or `SettingsError`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(tls.certificate_file, tls.key_file)
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


def _begin(
    subject: x509.Name, key: ec.EllipticCurvePrivateKey, now: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=_VALID_DAYS))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _key_usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


def _names_of(address: str) -> list[x509.GeneralName]:
    """How callers can name the host."""
    names: list[x509.GeneralName] = [x509.DNSName("localhost")]
    names += [x509.IPAddress(ipaddress.ip_address(one)) for one in ("127.0.0.1", "::1")]
    try:
        names.append(x509.IPAddress(ipaddress.ip_address(address)))
    except ValueError:
        names.append(x509.DNSName(address))
    return names


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _write(path: Path, data: bytes) -> None:
    path.touch(mode=0o600)
    path.write_bytes(data)
