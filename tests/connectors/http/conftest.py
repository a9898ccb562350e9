"""Certificates for all tests of this folder."""

import ssl
from pathlib import Path

import pytest

from tests.connectors.http.certificates import Authority


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Signs the certificates of these tests."""
    return Authority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="session")
def server_context(authority: Authority) -> ssl.SSLContext:
    """TLS of a party whose certificate is for this machine."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*authority.certificate("localhost"))
    return context


@pytest.fixture(scope="session")
def http2_context(authority: Authority) -> ssl.SSLContext:
    """The same of a party that offers HTTP/2."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*authority.certificate("localhost"))
    context.set_alpn_protocols(["h2", "http/1.1"])
    return context


@pytest.fixture(scope="session")
def secret_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a secret."""
    path = tmp_path_factory.mktemp("secrets") / "token"
    path.write_text("t0ken-of-the-test\n")
    return path
