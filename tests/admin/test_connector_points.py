"""The go-live list of a production that is made of applied connectors."""

import dataclasses
from pathlib import Path

import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.connectors.use_cases import connectors
from gatehouse.admin.connectors.worker import connector_points
from gatehouse.core.errors import GatehouseError, InvalidInput
from gatehouse.settings.preflight import Point
from gatehouse.settings.settings import Settings, load_settings
from gatehouse.store.admin.admin_session import AdminSession
from tests.connectors.test_reading import no_file

FILE = """\
connectors:
  acquirer:
    kind: iso8583
    dialect: reference
    hosts: [host.invalid:9583]
    plain_tcp: accepted
  bureau:
    kind: http
    mapping: gatehouse
    base_url: https://host.invalid
    secrets: {token: "file:SECRET"}
    timeout_ms: 1000
routes:
  precheck: [{use: [acquirer, bureau]}]
  idverify: [{use: [records, bureau]}]
  gateway: [{use: [acquirer]}]
"""


@pytest.fixture
def settings() -> Settings:
    words = {f"GATEHOUSE_{name}": "connectors" for name in ("ISSUER", "IDENTITIES", "GATEWAY")}
    return load_settings(words)


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A configuration whose secret is there."""
    secret = tmp_path / "secret"
    secret.write_text("of-the-bureau\n")
    return FILE.replace("SECRET", str(secret))


def points(session: AdminSession, settings: Settings, content: str | None) -> dict[str, Point]:
    if content is not None:
        terminal = session.acting_as(Actor.operator("oda"))
        connectors.apply(terminal, settings, NewVersion(content.encode()), no_file)
    found = connector_points(settings, lambda: connectors.find(session))
    return {point.name: point for point in found}


def test_a_whole_configuration_is_accepted(
    sqlite_session: AdminSession, settings: Settings, file: str
) -> None:
    found = points(sqlite_session, settings, file)
    assert [name for name, point in found.items() if not point.ok] == []
    assert found["issuer connector"].found == "precheck is served by acquirer, bureau"
    assert found["identity source"].found == "idverify is served by the imported records, bureau"
    assert {"connector acquirer", "connector bureau"} <= found.keys()


def test_nothing_is_said_when_no_setting_asks_for_connectors() -> None:
    assert connector_points(load_settings({}), lambda: None) == []


def test_a_missing_configuration_is_named_for_each_setting(
    sqlite_session: AdminSession, settings: Settings
) -> None:
    found = points(sqlite_session, settings, None)
    assert [point.ok for point in found.values()] == [False] * 3
    assert "GATEHOUSE_GATEWAY is connectors, and none were applied" in (
        found["payment gateway"].found
    )
    assert "routes.gateway" in found["payment gateway"].remedy


def test_a_function_without_routes_is_named(
    sqlite_session: AdminSession, settings: Settings, file: str
) -> None:
    found = points(sqlite_session, settings, file.replace("  gateway: [{use: [acquirer]}]\n", ""))
    assert [name for name, point in found.items() if not point.ok] == ["payment gateway"]
    assert found["payment gateway"].found == "the applied connectors have no route of gateway"


def test_a_missing_secret_is_named_and_never_shown(
    sqlite_session: AdminSession, settings: Settings, file: str, tmp_path: Path
) -> None:
    (tmp_path / "secret").unlink()
    point = points(sqlite_session, settings, file)["connector bureau"]
    assert not point.ok
    assert str(tmp_path / "secret") in point.found
    assert "of-the-bureau" not in str(point)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("    plain_tcp: accepted\n", "", "plain TCP"),
        ("https://host.invalid", "http://127.0.0.1:1", "https://"),
    ],
)
def test_what_production_must_not_use_is_named_and_not_applied_there(
    sqlite_session: AdminSession, settings: Settings, file: str, old: str, new: str, reason: str
) -> None:
    content = file.replace(old, new)
    (unfit,) = [p for p in points(sqlite_session, settings, content).values() if not p.ok]
    assert reason in unfit.found
    production = in_production(sqlite_session)
    with pytest.raises(InvalidInput, match=r"connectors\.(acquirer|bureau): .*" + reason):
        points(production, settings, content + "\n")


def in_production(session: AdminSession) -> AdminSession:
    settings = dataclasses.replace(session.settings, environment="production")
    return dataclasses.replace(session, settings=settings)


def test_a_sandbox_is_not_applied_in_production(
    sqlite_session: AdminSession, settings: Settings
) -> None:
    production = in_production(sqlite_session)
    content = b"connectors: {a: {kind: sandbox}}\nroutes: {precheck: [{use: [a]}]}\n"
    with pytest.raises(InvalidInput, match=r"connectors\.a: it is a sandbox"):
        connectors.apply(production, settings, NewVersion(content), no_file)


def test_a_connector_that_leaves_no_time_for_the_next_is_a_hint(
    sqlite_session: AdminSession, settings: Settings, file: str
) -> None:
    hasty = dataclasses.replace(settings, precheck_timeout_ms=2000)
    point = points(sqlite_session, hasty, file)["fallback of precheck"]
    assert (point.ok, point.needed) == (False, False)
    assert "acquirer may take all of the 2000 ms" in point.found


def test_data_that_cannot_be_read_is_no_configuration(settings: Settings) -> None:
    def closed() -> None:
        raise GatehouseError("there is no database yet")

    assert {point.found for point in connector_points(settings, closed)} == {
        "there is no database yet"
    }
