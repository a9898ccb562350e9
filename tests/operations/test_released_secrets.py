"""Secrets and files that connectors may use: what was released at a terminal, and nothing else."""

import asyncio
from pathlib import Path

import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.configurations.use_cases.configurations import AppliedVersion, NewVersion
from gatehouse.admin.connectors.use_cases import connectors
from gatehouse.connectors.definition import encode_program
from gatehouse.connectors.reading import read_configuration
from gatehouse.connectors.routing.roster import Roster, connector_maker
from gatehouse.connectors.routing.seat import SeatState
from gatehouse.connectors.secret_sources import ConnectorFiles, read_secret
from gatehouse.core.errors import InvalidInput, SettingsError
from gatehouse.operations.live_connectors import LiveConnectors
from gatehouse.settings.settings import load_settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import configurations
from gatehouse.store.configured.configurations import CONNECTORS_KEY, VersionContent
from gatehouse.store.configured.refusals import Refusals
from tests.connectors.test_reading import no_file

FILE = """
connectors:
  bureau:
    kind: http
    mapping: gatehouse
    base_url: https://bureau.example
    secrets: {token: "env:BUREAU_TOKEN"}
    timeout_ms: 1000
routes: {precheck: [{use: [bureau]}]}
"""
WITHOUT = "connectors: {here: {kind: sandbox}}\nroutes: {precheck: [{use: [here]}]}\n"
ISO = """
connectors:
  host:
    kind: iso8583
    dialect: reference
    hosts: [host.example:9583]
    tls: {ca_file: CA}
routes: {gateway: [{use: [host]}]}
"""
TERMINAL = Actor.operator("oda")
CONSOLE = Actor.user("oda@example.com", None)


def apply(session: AdminSession, actor: Actor, content: str) -> AppliedVersion:
    new = NewVersion(content.encode())
    return connectors.apply(session.acting_as(actor), load_settings({}), new, no_file)


def state(session: AdminSession, name: str = "bureau") -> SeatState:
    """How a server that starts now sees a connector."""

    async def look() -> SeatState:
        roster = Roster(lambda _: None, lambda *_: None, make=connector_maker(load_settings({})))
        live = LiveConnectors(session, roster, Refusals(), "srv_1")
        await live.start()
        found = roster.states()[name]
        await live.stop()
        return found

    return asyncio.run(look())


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUREAU_TOKEN", "of-the-bureau")
    monkeypatch.setenv("GATEHOUSE_SECRET_KEY", "a" * 40)


@pytest.mark.parametrize("source", ["env:BUREAU_TOKEN", "env:HOME", "file:/etc/hostname"])
def test_the_console_names_no_secret_that_was_not_released(
    sqlite_session: AdminSession, source: str
) -> None:
    apply(sqlite_session, TERMINAL, WITHOUT)
    with pytest.raises(InvalidInput, match=r"connectors\.bureau: .* at a terminal of the server"):
        apply(sqlite_session, CONSOLE, FILE.replace("env:BUREAU_TOKEN", source))


def test_the_console_names_no_file_for_tls_that_was_not_released(
    sqlite_session: AdminSession,
) -> None:
    with pytest.raises(InvalidInput, match=r"connectors\.host: .*host\.example:9583"):
        apply(sqlite_session, CONSOLE, ISO.replace("CA", "/etc/passwd"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("https://bureau.example", "https://attacker.example"),
        ("env:BUREAU_TOKEN", "env:HOME"),
        ("bureau", "other"),
    ],
)
def test_a_released_secret_stays_with_its_party(
    sqlite_session: AdminSession, old: str, new: str
) -> None:
    apply(sqlite_session, TERMINAL, FILE)
    with pytest.raises(InvalidInput, match="were not released"):
        apply(sqlite_session, CONSOLE, FILE.replace(old, new))


def test_the_console_changes_the_limits_of_a_connector_whose_secret_was_released(
    session: AdminSession,
) -> None:
    apply(session, TERMINAL, FILE)
    assert apply(session, CONSOLE, FILE.replace("1000", "900")).version == 2
    assert state(session).up
    assert connectors.usable_connector(session, "bureau").timeout_ms == 900


def test_a_version_that_the_console_stored_before_is_not_given_its_secret(
    session: AdminSession,
) -> None:
    apply(session, TERMINAL, WITHOUT)
    program = encode_program(read_configuration(FILE.encode(), no_file).configuration)
    with session.acting_as(CONSOLE).change() as change:
        configurations.apply(change, CONNECTORS_KEY, VersionContent(FILE, program), base=1)
    found = state(session)
    assert (found.up, found.connections) == (False, 0)
    assert "were not released to https://bureau.example" in (found.problem or "")
    with pytest.raises(InvalidInput, match="were not released"):
        connectors.usable_connector(session, "bureau")
    connectors.rollback(session, 1)
    with pytest.raises(InvalidInput, match="were not released"):
        connectors.rollback(session, 2)
    # The same file at a terminal releases what it names, once.
    assert apply(session, TERMINAL, FILE).version == 3
    assert not apply(session, TERMINAL, FILE).changed
    assert state(session).up


def test_the_same_file_at_a_terminal_is_a_version_of_its_own_where_it_releases_something(
    sqlite_session: AdminSession,
) -> None:
    program = encode_program(read_configuration(FILE.encode(), no_file).configuration)
    with sqlite_session.acting_as(CONSOLE).change() as change:
        configurations.apply(change, CONNECTORS_KEY, VersionContent(FILE, program), base=None)
    done = apply(sqlite_session, TERMINAL, FILE)
    assert (done.version, done.changed) == (2, True)
    assert state(sqlite_session).up


def test_no_face_gives_a_setting_of_gatehouse_away(session: AdminSession) -> None:
    own = FILE.replace("env:BUREAU_TOKEN", "env:GATEHOUSE_SECRET_KEY")
    for actor in (TERMINAL, CONSOLE):
        with pytest.raises(InvalidInput, match="GATEHOUSE_SECRET_KEY is a setting of Gatehouse"):
            apply(session, actor, own)
    with pytest.raises(SettingsError, match="is a setting of Gatehouse"):
        read_secret("env:GATEHOUSE_SECRET_KEY")
    program = encode_program(read_configuration(own.encode(), no_file).configuration)
    with session.acting_as(TERMINAL).change() as change:
        configurations.apply(change, CONNECTORS_KEY, VersionContent(own, program), base=None)
    assert "is a setting of Gatehouse" in (state(session).problem or "")


def test_files_are_read_from_the_folder_of_secrets_alone(tmp_path: Path) -> None:
    folder, outside = tmp_path / "secrets", tmp_path / "outside"
    folder.mkdir()
    outside.write_text("other")
    (folder / "token").write_text("of-the-bureau")
    (folder / "link").symlink_to(outside)
    (folder / "inside").symlink_to(folder / "token")
    files = ConnectorFiles.of(load_settings({"GATEHOUSE_SECRETS_DIR": str(folder)}))
    for path in (outside, folder / ".." / "outside", folder / "link", folder):
        found = files.problem(str(path))
        assert (found is None) == (path == folder), path
    assert files.problem(str(folder / "token")) is None
    assert files.problem(str(folder / "inside")) is None
    (folder / "circle").symlink_to(folder / "circle")
    for path in (folder / "circle", Path("/a\x00b")):
        assert "cannot be read" in (files.problem(str(path)) or "")


def test_files_of_gatehouse_itself_are_given_to_no_connector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env_file, key = tmp_path / "gatehouse.env", tmp_path / "key.pem"
    monkeypatch.setenv("GATEHOUSE_ENV_FILE", str(env_file))
    settings = load_settings(
        {
            "GATEHOUSE_HOME": str(tmp_path),
            "GATEHOUSE_TLS_KEY_FILE": str(key),
            "GATEHOUSE_SECRETS_DIR": str(tmp_path),
        }
    )
    link = tmp_path / "link"
    link.symlink_to(env_file)
    files = ConnectorFiles.of(settings)
    for path in (env_file, key, link, tmp_path / "root-secret", Path("/proc/self/environ")):
        assert "belongs to Gatehouse" in (files.problem(str(path)) or ""), path
    assert files.problem(str(tmp_path / "other")) is None


def test_a_released_secret_stays_with_the_server_that_gives_tokens(
    sqlite_session: AdminSession,
) -> None:
    mapping = b"""
mapping: tokens
secrets: {token: The client's secret}
options: {tokens: {description: Where tokens are}}
authentication:
  oauth2: {token_url: "{option.tokens}", client_id: us, client_secret: "{secret.token}"}
precheck:
  request: {path: /check, body: {card: "{card.number}"}}
  answer: {response_code: code}
"""
    option = "options: {tokens: https://tokens.example/new}\n    timeout_ms"
    file = FILE.replace("mapping: gatehouse", "mapping: ./tokens.yaml")
    file = file.replace("timeout_ms", option)

    def send(actor: Actor, content: str) -> None:
        session, new = sqlite_session.acting_as(actor), NewVersion(content.encode())
        connectors.apply(session, load_settings({}), new, lambda _: mapping)

    send(TERMINAL, file)
    send(CONSOLE, file.replace("1000", "2000"))
    with pytest.raises(InvalidInput, match=r"not released to .*attacker"):
        send(CONSOLE, file.replace("tokens.example", "attacker.example"))
