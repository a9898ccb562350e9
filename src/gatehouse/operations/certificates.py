"""Whether the files for TLS can be used, and when certificates end that are shown or trusted."""

import ssl
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple, TypeVar
from urllib.parse import parse_qs, urlsplit

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from gatehouse.connectors.part_reader import Definition
from gatehouse.connectors.tls import TlsOptions
from gatehouse.core.errors import SettingsError
from gatehouse.settings.settings import PREFIX, Settings

T = TypeVar("T")

_LARGEST_BYTES: Final = 1_000_000


class CertificateFile(NamedTuple):
    """A file of certificates (PEM)."""

    name: str
    """What it is for."""
    path: str
    is_authority: bool = False
    """Whether it is enough that one of them is valid; of a chain, all must be."""


class CertificateEnds:
    """Reads the files again only when they have changed."""

    def __init__(self, settings: Settings) -> None:
        self._own = list(_of_settings(settings))
        self._known: dict[CertificateFile, tuple[tuple[int, int], float | None]] = {}

    def read(self, connectors: Mapping[str, Definition]) -> dict[str, float]:
        """When each ends, in seconds since 1970, by what it is for; without what is no file."""
        files = [*self._own, *_of_connectors(connectors)]
        found = {each.name: self._end(each) for each in files}
        return {name: end for name, end in found.items() if end is not None}

    def _end(self, file: CertificateFile) -> float | None:
        try:
            about = Path(file.path).stat()
            known, version = self._known.get(file), (about.st_ino, about.st_mtime_ns)
            if known is None or known[0] != version:
                end = _read_end(file) if about.st_size <= _LARGEST_BYTES else None
                known = self._known[file] = version, end
        except (OSError, ValueError):
            return None
        return known[1]


def _read_end(file: CertificateFile) -> float:
    certificates = x509.load_pem_x509_certificates(Path(file.path).read_bytes())
    ends = [each.not_valid_after_utc.timestamp() for each in certificates]
    return max(ends) if file.is_authority else min(ends)


def _of_settings(settings: Settings) -> Iterator[CertificateFile]:
    database = parse_qs(urlsplit(settings.effective_database_url).query)
    memory = parse_qs(urlsplit(settings.memory_url).query)
    files = (
        CertificateFile("server", settings.tls_cert_file),
        CertificateFile("webhook authority", settings.webhook_ca_file, True),
        CertificateFile("database", database.get("sslcert", [""])[0]),
        CertificateFile("database authority", database.get("sslrootcert", [""])[0], True),
        CertificateFile("memory", memory.get("ssl_certfile", [""])[0]),
        CertificateFile("memory authority", memory.get("ssl_ca_certs", [""])[0], True),
    )
    return (file for file in files if file.path)


def _of_connectors(connectors: Mapping[str, Definition]) -> Iterator[CertificateFile]:
    for name, definition in connectors.items():
        tls = getattr(definition, "tls", None)
        if not isinstance(tls, TlsOptions):
            continue
        if tls.certificate_file is not None:
            yield CertificateFile(f"connector {name}", tls.certificate_file)
        if tls.ca_file is not None:
            yield CertificateFile(f"connector {name} authority", tls.ca_file, True)


def check_tls(settings: Settings) -> x509.Certificate | None:
    """The certificate that servers show, tried with its key; or `SettingsError`.

    The authority of webhooks is tried, too.
    """
    if settings.webhook_ca_file:
        _certificates("WEBHOOK_CA_FILE", settings.webhook_ca_file)
    certificate_file, key_file = settings.tls_cert_file, settings.tls_key_file
    if not certificate_file:
        if key_file:
            raise SettingsError(f"{PREFIX}TLS_KEY_FILE is of no use without {PREFIX}TLS_CERT_FILE")
        return None
    chain = _certificates("TLS_CERT_FILE", certificate_file)
    key = _read(
        "TLS_KEY_FILE",
        key_file or certificate_file,
        "private key",
        lambda text: load_pem_private_key(text, None),
    )
    why = "it is not the key of the certificate"
    if key.public_key() == chain[0].public_key():
        try:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate_file, key_file or None)
        except ssl.SSLError as error:
            why = str(error.reason)
        else:
            return chain[0]
    raise SettingsError(f"{PREFIX}TLS_KEY_FILE cannot be used with {certificate_file}: {why}")


def _certificates(setting: str, path: str) -> list[x509.Certificate]:
    return _read(setting, path, "certificate", x509.load_pem_x509_certificates)


def _read(setting: str, path: str, what: str, load: Callable[[bytes], T]) -> T:
    try:
        return load(Path(path).read_bytes())
    except OSError as error:
        why = f"cannot be read: {error.strerror}"
    except TypeError:
        why = "has a password; a server starts without anybody who types it"
    except (ValueError, UnsupportedAlgorithm):
        why = f"holds no {what} (PEM)"
    raise SettingsError(f"{PREFIX}{setting}: {path} {why}")
