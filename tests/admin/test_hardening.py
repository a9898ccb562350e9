"""The go-live list asks who could guess, read, pretend or listen."""

import os
from pathlib import Path

import pytest

from gatehouse.admin.installation.use_cases.hardening import hardening_points
from gatehouse.settings.preflight import Point
from gatehouse.settings.settings import load_settings

STRONG = "gT0cZ1v8mQXr4yJkWb6nPq2sLd9fHa3eUiV7oRxYtCw"


def point(name: str, tmp_path: Path, **given: str) -> Point:
    variables = {f"GATEHOUSE_{key.upper()}": value for key, value in given.items()}
    settings = load_settings({"GATEHOUSE_HOME": str(tmp_path / "home"), **variables})
    [found] = [one for one in hardening_points(settings, tmp_path / "env") if one.name == name]
    return found


def test_a_root_secret_that_a_person_typed_is_open_and_not_shown(tmp_path: Path) -> None:
    name, typed = "strength of the root secret", "correct-horse-battery-staple-2026"
    weak = point(name, tmp_path, secret_key=typed)
    assert not weak.ok
    assert typed not in str(weak)
    assert point(name, tmp_path, secret_key=STRONG).ok
    assert point(name, tmp_path).ok


@pytest.mark.parametrize(
    "networks",
    [
        "0.0.0.0/0",
        "::/0",
        "0.0.0.0/1, 128.0.0.0/1",
        "203.0.0.0/8",
        "10.0.0.0/7",
        "2000::/3",
        "::ffff:0:0/96",
        "127.0.0.1, 0.0.0.0/0",
        ", ".join(f"64.{part}.0.0/12" for part in range(0, 256, 16)),
    ],
)
def test_proxies_that_are_everybody_are_open(tmp_path: Path, networks: str) -> None:
    assert not point("trusted proxies", tmp_path, trusted_proxies=networks).ok


@pytest.mark.parametrize(
    "networks",
    [
        "",
        "10.0.0.0/8",
        "172.16.0.0/12, 192.168.0.0/16",
        "fd00::/8",
        "104.16.0.0/13",
        "2400:cb00::/32",
    ],
)
def test_networks_of_ones_own_and_of_delivery_networks_are_fine(
    tmp_path: Path, networks: str
) -> None:
    assert point("trusted proxies", tmp_path, trusted_proxies=networks).ok


@pytest.mark.parametrize(
    "url",
    [
        "",
        "sqlite:////srv/gatehouse.db",
        "postgresql:///gatehouse",
        "postgresql://gatehouse@localhost/gatehouse",
        "postgresql://gatehouse@127.0.0.1/gatehouse?sslmode=disable",
        "postgresql://gatehouse@[::1]/gatehouse",
        "postgresql:///gatehouse?host=/run/postgresql",
        "postgresql://gatehouse:word@db.internal/gatehouse?sslmode=verify-full",
    ],
)
def test_a_database_here_or_behind_verified_tls_is_fine(tmp_path: Path, url: str) -> None:
    assert point("way to the database", tmp_path, database_url=url).ok


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://gatehouse:word@db.internal/gatehouse",
        "postgres://gatehouse:word@db.internal/gatehouse",
        "postgresql+psycopg://gatehouse:word@10.0.0.5/gatehouse?sslmode=require",
        "postgresql://gatehouse:word@db.internal/gatehouse?sslmode=verify-ca",
        "postgresql:///gatehouse?host=localhost&host=db.internal",
        "postgresql:///gatehouse?host=db.internal&sslmode=prefer",
        "postgresql://gatehouse@localhost/gatehouse?hostaddr=203.0.113.9",
    ],
)
def test_a_database_elsewhere_without_verified_tls_is_open(tmp_path: Path, url: str) -> None:
    found = point("way to the database", tmp_path, database_url=url)
    assert not found.ok
    assert "word" not in found.found


def test_the_librarys_own_variable_counts_where_the_url_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "postgresql://gatehouse@db.internal/gatehouse"
    monkeypatch.setenv("PGSSLMODE", "verify-full")
    assert point("way to the database", tmp_path, database_url=url).ok
    assert not point("way to the database", tmp_path, database_url=f"{url}?sslmode=prefer").ok


@pytest.mark.parametrize(
    "secret",
    [
        "home/root-secret",
        "home/demo-key",
        "home/sandbox.db",
        "home/sandbox.db-wal",
        "env",
        "key.pem",
    ],
)
def test_secret_files_that_others_can_read_are_open(tmp_path: Path, secret: str) -> None:
    def permissions() -> Point:
        return point("file permissions", tmp_path, tls_key_file=str(tmp_path / "key.pem"))

    (tmp_path / "home").mkdir(mode=0o700)
    file = tmp_path / secret
    file.touch(0o600)
    assert permissions().ok
    for mode in (0o604, 0o602, 0o660, 0o644):
        file.chmod(mode)
        assert str(file) in permissions().found
        assert not permissions().ok
    file.chmod(0o400)
    (tmp_path / "home").chmod(0o750)
    assert "can be entered by others" in permissions().found


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_a_group_may_read_a_key_of_root_and_of_nobody_else(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    key.touch(0o640)
    key.chmod(0o640)
    assert point("file permissions", tmp_path, tls_key_file=str(key)).ok
    os.chown(key, 1000, -1)
    assert not point("file permissions", tmp_path, tls_key_file=str(key)).ok
