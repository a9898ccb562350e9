"""When certificates end is read from the files that a server and its connectors use."""

from pathlib import Path

import pytest
from cryptography import x509

from gatehouse.connectors.iso8583.options import Iso8583Options
from gatehouse.connectors.reference_host.certificates import MadeCertificates, make_certificates
from gatehouse.connectors.tls import TlsOptions
from gatehouse.operations.certificates import CertificateEnds
from gatehouse.settings.settings import load_settings

NOW_MS = 1_794_000_000_000
LATER_MS = NOW_MS + 86_400_000


@pytest.fixture
def made(tmp_path: Path) -> MadeCertificates:
    return make_certificates(tmp_path / "now", "127.0.0.1", lambda: NOW_MS)


def _end(file: Path) -> float:
    return x509.load_pem_x509_certificate(file.read_bytes()).not_valid_after_utc.timestamp()


def test_the_ends_of_all_that_settings_and_connectors_name_are_told(made: MadeCertificates) -> None:
    ends = CertificateEnds(
        load_settings(
            {
                "GATEHOUSE_TLS_CERT_FILE": str(made.certificate_file),
                "GATEHOUSE_DATABASE_URL": f"postgresql://a@b/c?sslrootcert={made.ca_file}",
                "GATEHOUSE_MEMORY_URL": f"rediss://valkey?ssl_ca_certs={made.ca_file}",
            }
        )
    )
    tls = TlsOptions(
        ca_file=str(made.ca_file),
        certificate_file=str(made.client_certificate_file),
        key_file=str(made.client_key_file),
    )
    bank = Iso8583Options(hosts=("bank.example:8583",), tls=tls)
    assert ends.read({"bank": bank}) == {
        "server": _end(made.certificate_file),
        "database authority": _end(made.ca_file),
        "memory authority": _end(made.ca_file),
        "connector bank": _end(made.client_certificate_file),
        "connector bank authority": _end(made.ca_file),
    }


def test_a_chain_ends_with_its_first_and_a_set_of_authorities_with_its_last(
    made: MadeCertificates, tmp_path: Path
) -> None:
    later = make_certificates(tmp_path / "later", "127.0.0.1", lambda: LATER_MS)
    both = tmp_path / "both.pem"
    both.write_bytes(made.ca_file.read_bytes() + later.ca_file.read_bytes())
    names = {"GATEHOUSE_TLS_CERT_FILE": str(both), "GATEHOUSE_WEBHOOK_CA_FILE": str(both)}
    assert CertificateEnds(load_settings(names)).read({}) == {
        "server": _end(made.ca_file),
        "webhook authority": _end(later.ca_file),
    }


def test_a_file_that_was_replaced_is_read_again_and_one_that_is_none_left_out(
    made: MadeCertificates, tmp_path: Path
) -> None:
    later = make_certificates(tmp_path / "later", "127.0.0.1", lambda: LATER_MS)
    used = tmp_path / "used.pem"
    ends = CertificateEnds(load_settings({"GATEHOUSE_TLS_CERT_FILE": str(used)}))
    assert ends.read({}) == {}
    for file in (made.ca_file, later.ca_file):
        file.rename(used)
        assert ends.read({}) == {"server": _end(used)}
    used.write_text("no certificate")
    assert ends.read({}) == {}
