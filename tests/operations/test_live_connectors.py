"""A server's connectors follow what is applied, and refuse what somebody else has written."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
import pytest

from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.connectors.use_cases import connectors
from gatehouse.admin.connectors.use_cases.connector_status import connector_status
from gatehouse.admin.events.use_cases.events import EventQuery, list_events, newest_cursor
from gatehouse.connectors.iso8583.dialect import Dialect
from gatehouse.connectors.iso8583.reading import shipped_dialect
from gatehouse.connectors.reference_host.serving import HostOptions, serve_host
from gatehouse.connectors.routing.roster import Roster
from gatehouse.operations.live_connectors import LiveConnectors
from gatehouse.settings.settings import load_settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured.refusals import Refusals
from gatehouse.store.tables import CONFIGURATION_HEADS, CONFIGURATION_TOTALS, CONFIGURATIONS
from tests.connectors.test_reading import no_file
from tests.harness import PATIENCE_S, make_account

FILE = b"connectors: {here: {kind: sandbox, in_flight: 7}}\nroutes: {precheck: [{use: [here]}]}\n"

HOST_FILE = b"""
connectors:
  acquirer: {kind: iso8583, dialect: reference, hosts: ["127.0.0.1:PORT"], plain_tcp: accepted}
routes: {precheck: [{use: [acquirer]}]}
"""


def apply(session: AdminSession, limit: int = 7) -> int:
    content = FILE.replace(b"7", str(limit).encode())
    return connectors.apply(session, load_settings({}), NewVersion(content), no_file).version


class Following:
    """The connectors of a server that runs on the data of a session."""

    def __init__(self, session: AdminSession) -> None:
        self.session = session
        self.refusals = Refusals()
        self.roster = Roster(lambda _: None, lambda *_: None)
        self.live = LiveConnectors(session, self.roster, self.refusals, "srv_1")

    def limit(self) -> int | None:
        state = self.roster.states().get("here")
        return None if state is None else state.limit

    async def look(self) -> int | None:
        """The limit of the connector after one more look at the data."""
        await self.live.start()
        return self.limit()


def follow(
    session: AdminSession, scenario: Callable[[Following], Coroutine[Any, Any, None]]
) -> None:
    async def whole() -> None:
        following = Following(session)
        await scenario(following)
        await following.live.stop()

    asyncio.run(whole())


async def eventually(holds: Callable[[], bool]) -> None:
    while not holds():  # noqa: ASYNC110  # a table  # what is waited for sets no event
        await asyncio.sleep(0.01)


def test_changes_are_followed_while_it_runs(session: AdminSession) -> None:
    async def scenario(server: Following) -> None:
        assert await server.look() is None
        running = asyncio.create_task(server.live.run())
        await asyncio.to_thread(apply, session)
        server.live.changed()
        await eventually(lambda: server.limit() == 7)
        await asyncio.to_thread(apply, session, 8)
        server.live.changed()
        await eventually(lambda: server.live.version == 2)
        assert server.limit() == 8
        await asyncio.to_thread(connectors.rollback, session)
        server.live.changed()
        await eventually(lambda: server.live.version == 1)
        running.cancel()

    follow(session, scenario)


def test_a_running_server_reports_and_one_that_stopped_does_not(session: AdminSession) -> None:
    apply(session)

    async def scenario(server: Following) -> None:
        await server.look()
        running = asyncio.create_task(server.live.run())
        while not (found := await asyncio.to_thread(connector_status, session)):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        assert (found[0].server, found[0].version) == ("srv_1", 1)
        assert found[0].connectors["here"].up
        running.cancel()

    follow(session, scenario)
    assert connector_status(session) == []


def change_rows(session: AdminSession, **values: Any) -> None:
    with session.database.writing() as connection:
        connection.execute(CONFIGURATIONS.update().values(values))


def test_a_changed_row_is_refused_and_the_last_good_one_stays(session: AdminSession) -> None:
    apply(session)

    async def scenario(server: Following) -> None:
        assert await server.look() == 7
        change_rows(session, program=json.dumps({"connectors": {}, "routes": {}}))
        assert await server.look() == 7
        assert server.refusals.accounts == 1

    follow(session, scenario)


def test_a_server_that_starts_with_a_changed_row_uses_none(sqlite_session: AdminSession) -> None:
    apply(sqlite_session)
    change_rows(sqlite_session, note="mine")

    async def scenario(server: Following) -> None:
        assert await server.look() is None
        assert (server.refusals.accounts, server.live.version) == (1, None)

    follow(sqlite_session, scenario)


def test_an_earlier_state_cannot_be_put_back(sqlite_session: AdminSession) -> None:
    session = sqlite_session
    apply(session)
    tables = (CONFIGURATION_HEADS, CONFIGURATION_TOTALS)
    with session.reading() as connection:
        kept = [
            [dict(row._mapping) for row in connection.execute(each.select())] for each in tables
        ]
    apply(session, 8)

    async def scenario(server: Following) -> None:
        assert await server.look() == 8
        with session.database.writing() as connection:
            for table, rows in zip(tables, kept, strict=True):
                connection.execute(table.delete())
                connection.execute(table.insert(), rows)
        assert await server.look() == 8
        assert server.refusals.accounts == 1

    follow(session, scenario)


def test_what_a_newer_version_applied_is_refused(
    sqlite_session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply(sqlite_session)
    monkeypatch.setattr("gatehouse.connectors.definition.KINDS", {})

    async def scenario(server: Following) -> None:
        assert await server.look() is None
        assert server.refusals.accounts == 1

    follow(sqlite_session, scenario)


def test_accounts_are_told_when_a_host_goes_away_and_when_it_is_back(
    session: AdminSession,
) -> None:
    account = make_account(session)
    start = newest_cursor(session, account)
    options = HostOptions(dialect=Dialect(shipped_dialect("reference")), token="t")

    def told() -> list[tuple[str, Any]]:
        page = list_events(session, account, EventQuery(start))
        return [(each.type, each.data) for each in page.events]

    async def until_told(server: Following, count: int) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while len(await asyncio.to_thread(told)) < count:
                await server.live._look()  # what a server does every second
                await asyncio.sleep(0.02)

    async def until_up(server: Following) -> None:
        await eventually(lambda: server.roster.states()["acquirer"].up)
        await server.live._look()

    async def scenario(server: Following) -> None:
        async with serve_host(options, session.clock) as host:
            port = host.iso8583_port
            content = HOST_FILE.replace(b"PORT", str(port).encode())
            new, settings = NewVersion(content), load_settings({})
            await asyncio.to_thread(connectors.apply, session, settings, new, no_file)
            await server.live.start()
            await until_up(server)
        assert await asyncio.to_thread(told) == []
        await until_told(server, 1)
        again = msgspec.structs.replace(options, iso8583_port=port)
        async with serve_host(again, session.clock):
            await until_told(server, 2)

    follow(session, scenario)
    about = {"connector": "acquirer"}
    assert told() == [("connector.down", about), ("connector.recovered", about)]
