"""Production: refuses what is for play, and treats real cards with care."""

import contextlib
import os
import signal
import socket
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from tests.harness import BODY, PATIENCE_S, Home, free_port, precheck, sentry, until
from tests.harness.commands import fork_command

ISSUER = '''
"""An issuer for tests: approves, and says when it was asked."""

from gatehouse.precheck.issuer import CardEnquiry, IssuerAnswer


class Approving:
    async def check(self, enquiry: CardEnquiry) -> IssuerAnswer:
        return IssuerAnswer("00", "Y", "M")


def make() -> Approving:
    return Approving()
'''
REAL_LOOKING = BODY | {"cardNumber": "4929000000006"}


@pytest.fixture
def production(tmp_path: Path) -> Home:
    """A home with everything that production wants, and a proxy to stand in for TLS."""
    code = tmp_path / "code"
    code.mkdir()
    (code / "play_issuer.py").write_text(ISSUER)
    return Home(
        tmp_path / "home",
        settings={
            "GATEHOUSE_ENVIRONMENT": "production",
            "GATEHOUSE_SECRET_KEY": "gT0cZ1v8mQXr4yJkWb6nPq2sLd9fHa3eUiV7oRxYtCw",
            "GATEHOUSE_ISSUER": "play_issuer:make",
            "GATEHOUSE_GATEWAY": "none",
            "GATEHOUSE_IDENTITIES": "records",
            "GATEHOUSE_TRUSTED_PROXIES": "127.0.0.0/8",
            "GATEHOUSE_METRICS_PORT": "0",
            "GATEHOUSE_DRAIN_S": "0",
            "PYTHONPATH": f"{code}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        },
    )


def test_production_does_not_start_on_what_is_for_play(empty_sqlite_home: Home) -> None:
    done = empty_sqlite_home.run("serve", GATEHOUSE_ENVIRONMENT="production")
    assert done.code == 5
    for point in ("root secret", "issuer", "identities", "transport"):
        assert point in done.err
    assert not empty_sqlite_home.path.exists()


def test_production_creates_nothing_by_itself(production: Home) -> None:
    production.path.mkdir()
    done = production.run("accounts", "list")
    assert done.code == 5
    assert "gatehouse migrate" in done.err
    assert not (production.path / "production.db").exists()
    production.ok("migrate")
    assert production.ok("accounts", "list", "--json").json == []


def test_a_whole_production_set_up_serves_over_tls_only(production: Home) -> None:
    production.ok("migrate")
    account = production.account()
    key = production.key(account)
    assert key.startswith("gh_live_")
    with production.server() as server:
        with server.client(key) as client:
            refused = precheck(client, REAL_LOOKING)
        with server.client(key, **{"X-Forwarded-Proto": "https"}) as client:
            accepted = precheck(client, REAL_LOOKING)
            played = precheck(client, BODY)
        with server.client("gh_sandbox_" + "A" * 43, **{"X-Forwarded-Proto": "https"}) as client:
            stray = precheck(client)
            browser = precheck(client, Origin=f"https://{server.base.partition('//')[2]}")
    assert browser.json()["errors"]["code"] == "browser_call"
    assert refused.json()["errors"]["code"] == "insecure_transport"
    assert accepted.json()["preCheckResponse"]["advice"] == "ACCEPT"
    assert "strict-transport-security" in accepted.headers
    assert played.json()["preCheckResponse"]["advice"] == "INPUT_ERROR"
    assert played.json()["preCheckResponse"]["reasons"] == ["test_card"]
    assert stray.status_code == 403
    assert not (production.path / "demo-key").exists()
    assert production.ok("accounts", "list", "--json").json[0]["accountId"] == account


def test_tls_can_be_served_directly(production: Home, tmp_path: Path) -> None:
    production.ok("migrate")
    key = production.key(production.account())
    with _tls(production, tmp_path, GATEHOUSE_HEADER_TIMEOUT_MS="2000") as (port, _):
        address = f"https://127.0.0.1:{port}/api/v1/precheck"
        with httpx.Client(verify=False, headers={"X-API-KEY": key}) as client:
            answer = client.post(address, json=REAL_LOOKING)
        assert answer.json()["preCheckResponse"]["advice"] == "ACCEPT"
        # The event loop alone would wait for a handshake for a minute.
        with socket.create_connection(("127.0.0.1", port), timeout=40) as silent:
            assert silent.recv(1) == b""


def test_tls_files_that_cannot_be_used_are_refused_before_anything_is_served(
    production: Home, tmp_path: Path
) -> None:
    certificate, key_file, other = (tmp_path / name for name in ("cert", "key", "other"))
    _self_signed(tmp_path / "another", other)
    _self_signed(certificate, key_file)
    locked = tmp_path / "locked"
    key = load_pem_private_key(key_file.read_bytes(), None)
    kind = PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")
    locked.write_bytes(key.private_bytes(Encoding.PEM, *kind))
    production.ok("migrate")
    files = ("GATEHOUSE_TLS_CERT_FILE", "GATEHOUSE_TLS_KEY_FILE", "GATEHOUSE_WEBHOOK_CA_FILE")

    def refused(*given: Path | str, named: str) -> None:
        settings = dict(zip(files, map(str, given), strict=False))
        for command in (("serve", "--port", "0"), ("console", "--port", "0")):
            done = production.run(*command, **settings)
            assert (done.code, "Traceback" in done.err) == (5, False), done.err
            assert named in done.err
            assert "ready" not in done.err + done.out
        point = production.run("doctor", "--json", **settings).json["points"]
        [found] = [each for each in point if each["name"] == "TLS files"]
        assert not found["ok"]
        assert named in found["found"]

    refused(certificate, other, named="GATEHOUSE_TLS_KEY_FILE")
    refused(certificate, locked, named="GATEHOUSE_TLS_KEY_FILE")
    refused(certificate, tmp_path / "none", named="GATEHOUSE_TLS_KEY_FILE")
    refused(key_file, key_file, named="GATEHOUSE_TLS_CERT_FILE")
    refused(certificate, "", named=f"GATEHOUSE_TLS_KEY_FILE: {certificate} holds no private key")
    refused("", key_file, named="GATEHOUSE_TLS_KEY_FILE")
    refused(certificate, key_file, tmp_path / "none", named="GATEHOUSE_WEBHOOK_CA_FILE")


def test_handshakes_count_among_connections(production: Home, tmp_path: Path) -> None:
    production.ok("migrate")
    settings = {"GATEHOUSE_MAX_CONNECTIONS": "10", "GATEHOUSE_HEADER_TIMEOUT_MS": "600000"}
    with contextlib.ExitStack() as callers, _tls(production, tmp_path, **settings) as (port, log):

        def call() -> socket.socket:
            caller = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
            return callers.enter_context(caller)

        silent = [call() for _ in range(10)]
        assert call().recv(1) == b""
        until(lambda: '"code":"overloaded","address":"127.0.0.1"' in log.read_text())
        silent[0].close()
        until(lambda: _answers(port), bool)
        # It stops although nine still do not shake hands.


@contextlib.contextmanager
def _tls(home: Home, folder: Path, **settings: str) -> Iterator[tuple[int, Path]]:
    """A server with TLS of its own: its port and its log. It must stop in good order."""
    certificate, key_file, log = folder / "cert.pem", folder / "key.pem", folder / "log"
    _self_signed(certificate, key_file)
    settings |= {
        "GATEHOUSE_TLS_CERT_FILE": str(certificate),
        "GATEHOUSE_TLS_KEY_FILE": str(key_file),
        "GATEHOUSE_TRUSTED_PROXIES": "",
    }
    port = free_port()
    command = ("serve", "--port", str(port))
    with log.open("wb") as lines, Path(os.devnull).open("wb") as nothing:
        process = fork_command(command, home.environ(**settings), nothing, lines)
    try:
        until(lambda: _answers(port), bool)
        yield port, log
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    assert "Traceback" not in log.read_text()


def _answers(port: int) -> bool:
    with contextlib.suppress(httpx.TransportError):
        return httpx.get(f"https://127.0.0.1:{port}/healthz", verify=False).status_code == 200
    return False


def _self_signed(certificate: Path, key_file: Path) -> None:
    from datetime import UTC, datetime, timedelta

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )


def test_commands_in_production_tell_the_head_of_the_audit_trail(production: Home) -> None:
    production.ok("migrate")
    made = production.ok("accounts", "create", "Shop")
    head = production.ok("audit", "head").out.strip()
    assert made.err == f"gatehouse: audit head {head}\n"
    quiet = production.ok("accounts", "create", "Shop", GATEHOUSE_LOG_LEVEL="warning")
    assert quiet.err == ""


def test_the_doctor_names_what_is_missing_and_what_to_do(sqlite_home: Home) -> None:
    done = sqlite_home.run("doctor", "--json")
    assert done.code == 1
    points = {point["name"]: point for point in done.json["points"]}
    assert done.json["ready"] is False
    assert "GATEHOUSE_SECRET_KEY" in points["root secret"]["remedy"]
    assert all(point["remedy"] for point in points.values())


def test_the_doctor_is_content_with_a_whole_set_up(production: Home) -> None:
    production.ok("migrate")
    done = production.run("doctor", GATEHOUSE_METRICS_PORT="9464")
    assert done.code == 0, done.out
    assert "ready for production" in done.out


def test_the_doctor_is_content_with_applied_connectors(production: Home, tmp_path: Path) -> None:
    production.settings |= {
        **{f"GATEHOUSE_{name}": "connectors" for name in ("ISSUER", "IDENTITIES", "GATEWAY")},
        "GATEHOUSE_METRICS_PORT": "9464",
        "BUREAU_TOKEN": "of-the-bureau",
    }
    production.ok("migrate")
    before = production.run("doctor")
    assert before.code == 1
    assert "GATEHOUSE_ISSUER is connectors, and none were applied" in before.out
    file = tmp_path / "connectors.yaml"
    file.write_text(
        "connectors:\n  bureau: {kind: http, mapping: gatehouse, base_url: 'https://host.invalid',"
        " secrets: {token: 'env:BUREAU_TOKEN'}}\n"
        "routes: {precheck: [use: [bureau]], idverify: [use: [bureau]], gateway: [use: [bureau]]}\n"
    )
    production.ok("connectors", "apply", str(file))
    assert production.run("doctor").out.endswith("ready for production\n")
    without = production.run("doctor", BUREAU_TOKEN="")
    assert "connector bureau: env:BUREAU_TOKEN is empty or not set" in without.out


def test_the_doctor_names_the_database_alone_while_it_cannot_be_read(production: Home) -> None:
    production.settings |= {
        **{f"GATEHOUSE_{name}": "connectors" for name in ("ISSUER", "IDENTITIES", "GATEWAY")},
        "GATEHOUSE_METRICS_PORT": "9464",
        "GATEHOUSE_MEMORY_URL": "unix:///nowhere",
    }
    of_data = {
        *("key ring", "configuration", "payments", "erased identities", "card fingerprints"),
        *("partitions", "issuer connector", "identity source", "payment gateway", "shared memory"),
    }
    file = production.path / "production.db"

    def names_the_database_alone(**settings: str) -> None:
        points = production.run("doctor", "--json", **settings).json["points"]
        told = {each["name"]: each for each in points if not each["ok"]}
        assert "gatehouse migrate" in told["database"]["remedy"]
        about = {told[name]["found"] for name in of_data}
        assert about == {"not known before the database is reachable and up to date"}
        to_do = {told[name]["remedy"] for name in of_data}
        assert len(to_do) == 2
        assert all("database" in each.lower() for each in to_do)

    names_the_database_alone()
    names_the_database_alone(GATEHOUSE_DATABASE_URL="postgresql://nobody@127.0.0.1:1/none")
    production.ok("migrate")
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        database.execute("UPDATE alembic_version SET version_num = '0004'")
    names_the_database_alone()


def test_the_doctor_asks_for_a_limit_on_numbers_alike(production: Home) -> None:
    production.ok("migrate")
    done = production.run("doctor", "--json", GATEHOUSE_CARD_ENUMERATION_LIMIT="0")
    [point] = [one for one in done.json["points"] if one["name"] == "card numbers alike"]
    assert not point["ok"]


@pytest.mark.parametrize(
    ("settings", "open_point"),
    [
        ({"GATEHOUSE_SECRET_KEY": "secret" * 7}, "strength of the root secret"),
        ({"GATEHOUSE_TRUSTED_PROXIES": "0.0.0.0/0,::/0"}, "trusted proxies"),
    ],
)
def test_the_doctor_is_not_content_with_what_attackers_like(
    production: Home, settings: dict[str, str], open_point: str
) -> None:
    weak = Home(production.path, "", production.settings | settings)
    weak.ok("migrate")
    report = weak.run("doctor", "--json", GATEHOUSE_METRICS_PORT="9464").json
    assert [one["name"] for one in report["points"] if one["needed"] and not one["ok"]] == [
        open_point
    ]


def test_the_doctor_names_whether_accounts_share_reputations(
    production: Home, sqlite_home: Home
) -> None:
    def told(home: Home, **settings: str) -> str:
        lines = home.run("doctor", **settings).out.splitlines()
        [line] = [line for line in lines if " reputation: " in line]
        return line.partition("reputation: ")[2].partition(":")[0]

    assert (told(production), told(sqlite_home)) == ("shared", "separate")
    assert told(production, GATEHOUSE_REPUTATION="separate") == "separate"
    assert told(sqlite_home, GATEHOUSE_REPUTATION="shared") == "shared"


def test_the_doctor_hints_at_a_list_of_tor_exits(production: Home, tmp_path: Path) -> None:
    production.ok("migrate")
    feeds = tmp_path / "feeds"

    def told(**settings: str) -> str:
        lines = production.ok("doctor", GATEHOUSE_METRICS_PORT="9464", **settings).out.splitlines()
        [line] = [line for line in lines if "feeds:" in line]
        return line

    assert told().startswith("hint")
    assert "cannot be read" in told(GATEHOUSE_INTEL_DIR=str(feeds))
    feeds.mkdir()
    assert told(GATEHOUSE_INTEL_DIR=str(feeds)).startswith("hint")
    (feeds / "tor-exits.txt").write_text("192.0.2.1\n")
    assert told(GATEHOUSE_INTEL_DIR=str(feeds)).startswith("ok")


def test_production_knows_nothing_of_the_sandboxs_addresses(production: Home) -> None:
    production.ok("migrate")
    key = production.key(production.account())
    with production.server() as server:
        with server.client(key, **{"X-Forwarded-Proto": "https"}) as client:
            for address in ("192.0.2.1", "198.51.100.1", "203.0.113.1"):
                answer = sentry(client, {"device": {"ipAddress": address}}).json()
                assert [one["code"] for one in answer["sentryResponse"]["reasons"]] == ["IP_BOGON"]


@pytest.mark.parametrize(
    "issuer", ["nowhere:make", "play_issuer:nothing", "justaname", "json:dumps"]
)
def test_an_issuer_that_cannot_be_loaded_stops_the_start(production: Home, issuer: str) -> None:
    production.ok("migrate")
    done = production.run("serve", GATEHOUSE_ISSUER=issuer)
    assert done.code == 5
    assert "GATEHOUSE_ISSUER" in done.err
    assert "Traceback" not in done.err
