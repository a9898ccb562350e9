"""A certificate authority of the tests, and the certificates that it signs."""

from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def _key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, common)])


class Authority:
    """Signs certificates; all files are in one folder."""

    def __init__(self, folder: Path, name: str = "Test Authority") -> None:
        self._folder = folder
        self._name = _name(name)
        self._key = _key()
        made = self._builder(self._name, self._key).add_extension(
            x509.BasicConstraints(ca=True, path_length=None), critical=True
        )
        self.ca_file = folder / f"{name.replace(' ', '-')}.pem"
        self.ca_file.write_bytes(self._signed(made))

    def certificate(self, host: str) -> tuple[str, str]:
        """The files of a certificate for a host, and of its key."""
        key = _key()
        names = x509.SubjectAlternativeName(
            [x509.DNSName(host), x509.IPAddress(IPv4Address("127.0.0.1"))]
            if host == "localhost"
            else [x509.DNSName(host)]
        )
        made = self._builder(_name(host), key).add_extension(names, critical=False)
        certificate, key_file = self._folder / f"{host}.pem", self._folder / f"{host}.key"
        certificate.write_bytes(self._signed(made))
        key_file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return str(certificate), str(key_file)

    def _builder(self, name: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
        )

    def _signed(self, builder: x509.CertificateBuilder) -> bytes:
        made = builder.sign(self._key, hashes.SHA256())
        return made.public_bytes(serialization.Encoding.PEM)
